"""The gate: whatever is broken in what is staged stops the edition, and is named."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import or_
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from flows.kumo.edition import Cell, KumoEdition
from flows.kumo.gate import check_batches
from flows.kumo.gate.expectations import SHOWN
from flows.refresh.plan import prepare_refresh
from flows.refresh.publish import audit_and_publish
from flows.run.plain_stages import PlainStages
from flows.stages.grow import Work, grow
from flows.stages.policies import Policies
from flows.stages.workspace import Workspace, open_workspace
from schemas.benchmark import Batch
from schemas.errors import AuditFailed, Damaged
from schemas.ids import content_id
from schemas.kumo.gate import GatePolicy
from schemas.kumo.plan import KumoPlan
from schemas.kumo.things import Setting
from schemas.settings import load_settings
from schemas.tables import TABLES
from tasks.kumo.encoding import EncodedConfig, EncodedInstance, encode_instance, instance_id
from tasks.kumo.sampling import SamplingRequest, sample_instances
from tasks.kumo.self_test import needs_no_test
from tasks.kumo.space import space_size
from tests.flows.grown_root import grow_next, settings_of
from tests.flows.prefect_harness import Harness
from tests.server.book_text import read_back_of
from tests.warehouse.tiny_edition import staged_rows
from warehouse.catalog.catalog import table_file
from warehouse.catalog.withdrawals import withdraw, withdrawn_units
from warehouse.kumo.rows import instance_from_row, instance_row
from warehouse.staging.staging import Staging
from warehouse.store.store import Store

EDITION = "gated"
SETTINGS = {
    "domains": "mineral_identification",
    "settings": "easy,5x6",
    "instances": 6,
    "players": "algorithm-3",
    "sampler": "kumo-2025",
    "seed": 0,
}
CALL = {"call_id": "call_read", "role": "checker", "model": "m", "served_model": None, "template": "t"}
KUMO_ROW = pa.table({"benchmark": ["kumo"]})
Rows = list[dict[str, Any]]
Change = Callable[[Rows], None]


AGAINST = "12 instances against 0 of 0 earlier editions"
RARELY = "this many uniform draws repeat an instance with a probability of at most 1e-06"
LEFT_OUT = "instances before those that are too easy are left out"
# Of the edition of SETTINGS: suite, expectation, and what is observed.
TOLD = [
    ("grader", "the observations that players see leave exactly the valid truths", "12 instances"),
    (
        "grader",
        "naming a valid truth is graded as solved, and naming any other one as wrong",
        "54 truths named",
    ),
    (
        "grader",
        "the reader solves each instance from the text of its book",
        "12 books, read by their grammar",
    ),
    (
        "grader",
        "the reader solves each instance by what a model read out of its book",
        "0 books that models wrote",
    ),
    (
        "grader",
        "each instance without a book that passed its check is listed in rejections",
        "0 instances",
    ),
    ("grader", "each instance has a book that passed its check", "12 instances"),
    ("overlap", "each instance_id is that of the instance's truths, actions and states", "12 instances"),
    ("overlap", "no two instances have the same truths, actions and states", "12 of 12"),
    (
        "overlap",
        "the share of instances whose answer needs no test, given lists, rules and promise, is at most 0 "
        "(max_trivial_share)",
        "0: 0 of 12 instances",
    ),
    (
        "overlap",
        "the share of distinct texts among the books shown is at least 1 (min_distinct_books)",
        "1: 12 texts for 12 instances",
    ),
    ("overlap", "no earlier edition holds the same truths, actions and observations", AGAINST),
    ("overlap", "no earlier edition holds the same truths, actions and states", AGAINST),
    ("overlap", "no earlier edition holds the same instance_id", AGAINST),
    (
        "overlap",
        f"Mineral Identification, easy: {RARELY} (max_collision_probability)",
        f"at most 4.8e-13, for 6 draws after 0 issued; the space holds 3.15e13 to 2.69e14 {LEFT_OUT}",
    ),
    (
        "overlap",
        f"Mineral Identification, 5x6: {RARELY} (max_collision_probability)",
        f"at most 3.1e-14, for 6 draws after 0 issued; the space holds 4.88e14 to 3.73e15 {LEFT_OUT}",
    ),
]


class _StopsAtGate(PlainStages):
    def run(self, name: str, *work: Any, **options: Any) -> dict[str, int]:
        if name == "gate":
            raise StopIteration
        return super().run(name, *work, **options)


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root in which all is staged that comes before the gate."""
    root = tmp_path_factory.mktemp("staged")
    settings = load_settings({**SETTINGS, "root": str(root), "edition": EDITION})
    prepared = prepare_refresh(settings, Store(str(root)))
    Staging(Store(str(root)), EDITION).write_plan(prepared.plan.growth)
    workspace = open_workspace(str(root), EDITION)
    with pytest.raises(StopIteration):
        grow(workspace, Policies.of(settings, prepared.own.inputs), _StopsAtGate())
    return root


@pytest.fixture
def workspace(staged: Path, tmp_path: Path) -> Workspace:
    """A copy of it that a test may break."""
    root = tmp_path / "root"
    shutil.copytree(staged, root)
    return open_workspace(str(root), EDITION)


@pytest.fixture(scope="module", autouse=True)
def _sizes() -> Iterator[None]:
    """Compute the size of a space once for all tests: it takes longest of the gate, and depends on no row."""
    found: dict[str, Any] = {}

    def remembered(*arguments: Any) -> Any:
        key = repr(arguments)
        if key not in found:
            found[key] = space_size(*arguments)
        return found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check_batches, "space_size", remembered)
        yield


def _root(workspace: Workspace) -> str:
    return workspace.staging.store.root


def _first(workspace: Workspace) -> Cell:
    return KumoEdition(workspace).cells[0]


def _first_config(workspace: Workspace) -> EncodedConfig:
    edition = KumoEdition(workspace)
    return edition.config(edition.configs_of(_first(workspace))[0])


def _run(workspace: Workspace, batch: Batch, policy: GatePolicy | None = None) -> None:
    """Stage a batch of the gate."""
    policies = replace(Policies.of(load_settings({})), own=policy or GatePolicy())
    Work(_root(workspace), EDITION, (batch,), policies).run()


def _change_batch(workspace: Workspace, stage: str, table: str, change: Change) -> None:
    """Stage the first batch's rows of a table again, as if they had been made so."""
    key = workspace.key(_first(workspace).batch(stage))
    staging = workspace.staging
    tables = {name: staging.read_batch(key, name) for name in staging.parts(key)}
    rows = tables.setdefault(table, [])
    change(rows)
    if table == "kumo_instances":
        tables["instances"] = _shared_rows(rows, tables["instances"])
        names = [column.name for column in TABLES[table].columns]
        tables[table] = [{name: row[name] for name in names} for row in rows]
    staging.write_batch(key, tables)


def _shared_rows(rows: Rows, shared: Rows) -> Rows:
    """Return the rows of `instances` that go with these of `kumo_instances`: the first of the shared ones."""
    ids = [row["instance_id"] for row in rows]
    return [
        {**row, "instance_id": id_, "content_hash": id_.partition("_")[2]}
        for row, id_ in zip(shared, ids, strict=False)
    ]


def _gate_audits(workspace: Workspace) -> Rows:
    """Return the rows of `audits` that the gate staged."""
    return workspace.rows(Batch("overlap"), "audits")


def _pass_gate(workspace: Workspace, policy: GatePolicy | None = None) -> dict[str, dict[str, Any]]:
    """Pass the gate and return its rows by expectation."""
    for cell in KumoEdition(workspace).cells:
        _run(workspace, cell.batch("gate"), policy)
    _run(workspace, Batch("overlap"), policy)
    return {row["expectation"]: row for row in _gate_audits(workspace)}


def _refuse(workspace: Workspace, policy: GatePolicy | None = None) -> str:
    with pytest.raises(AuditFailed) as refused:
        _pass_gate(workspace, policy)
    assert refused.value.exit_code == 4
    message = str(refused.value)
    assert "nothing was published" in message
    assert message.count("\n") == 0
    return message


def _publish_copy(workspace: Workspace, edition: str, change: Change = lambda rows: None) -> None:
    """Publish the staged instances and configurations as an earlier edition, changed."""
    store = workspace.staging.store
    tables = ("instances", "kumo_instances", "kumo_seed_configs")
    content = {table: staged_rows(workspace.staging, table).to_pylist() for table in tables}
    change(content["kumo_instances"])
    content["instances"] = _shared_rows(content["kumo_instances"], content["instances"])
    for table, rows in content.items():
        made = pa.Table.from_pylist(rows, schema=TABLES[table].arrow_schema())
        store.write_table(table_file(table, edition), made)
    store.write_table(table_file("editions", edition), KUMO_ROW)


def test_a_sound_edition_passes_and_everything_is_told(workspace: Workspace) -> None:
    rows = _pass_gate(workspace)
    assert all(row["success"] for row in rows.values())
    assert not any(row["unexpected_count"] for row in rows.values())
    assert [(row["suite"], sentence, row["observed"]) for sentence, row in rows.items()] == TOLD
    assert {sentence for sentence, row in rows.items() if row["severity"] == "warning"} == {
        "each instance has a book that passed its check"
    }
    assert {row["severity"] for row in rows.values()} == {"critical", "warning"}


@pytest.mark.parametrize(
    ("problems", "told"),
    [
        ([], "12 seen"),
        (["a"], "a"),
        (["a", "b", "c"], "a; b; c"),
        (["a", "b", "c", "d"], "a; b; c; and 1 more"),
        ([str(number) for number in range(1_500)], "0; 1; 2; and 1,497 more"),
    ],
)
def test_a_row_tells_three_problems_and_counts_the_others(problems: list[str], told: str) -> None:
    row = {"suite": "grader", "expectation": SHOWN.sentence, "severity": "critical", "success": not problems}
    assert SHOWN.row("12 seen", problems) == {**row, "observed": told, "unexpected_count": len(problems)}
    counted = SHOWN.row("12 seen", problems, broken_by=7)
    assert counted == {**row, "observed": told, "unexpected_count": 7}


def test_passing_again_changes_nothing_and_looks_at_what_is_new(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _pass_gate(workspace)
    monkeypatch.setattr("flows.kumo.gate.check_batches.SelfTest", None)  # whoever looks again fails
    assert _pass_gate(workspace) == first
    monkeypatch.undo()
    _change_batch(workspace, "sample", "kumo_instances", _swap_observations)
    with pytest.raises(AuditFailed, match="staged again after the gate looked"):
        _run(workspace, Batch("overlap"))
    assert "falls into the states" in _refuse(workspace)


def test_nothing_is_published_without_the_gate(workspace: Workspace) -> None:
    with pytest.raises(Damaged, match=r"3 of the 8 batches of edition 'gated' are not in .*: gate 0 easy"):
        audit_and_publish(_root(workspace), EDITION)
    assert not (Path(_root(workspace)) / "tables").exists()


def _swap_observations(rows: Rows) -> None:
    seen = rows[2]["observations"]
    seen[0], seen[1] = seen[1], seen[0]


def _other_valid_truth(rows: Rows) -> None:
    rows[2]["valid_truths"] = [
        next(name for name in rows[2]["truths"] if name not in rows[2]["valid_truths"])
    ]


def _unknown_state(rows: Rows) -> None:
    rows[2]["states"][0] = 99


def _no_number(rows: Rows) -> None:
    rows[2]["observations"] = ["none of it"] * 6


@pytest.mark.parametrize("change", [_swap_observations, _other_valid_truth, _unknown_state, _no_number])
def test_a_broken_instance_is_named(workspace: Workspace, change: Change) -> None:
    named = KumoEdition(workspace).instance_rows(_first(workspace))[2]["instance_id"]
    _change_batch(workspace, "sample", "kumo_instances", change)
    message = _refuse(workspace)
    assert f"{named} (Mineral Identification, easy)" in message
    assert "the observations that players see leave exactly the valid truths" in message


def _book_without_a_rule(rows: Rows) -> None:
    lines = rows[2]["text"].split("\n")
    place = next(
        i for i, line in enumerate(lines) if line.startswith("- ") and "**" in line and "**: " not in line
    )
    rows[2]["text"] = "\n".join(lines[:place] + lines[place + 1 :])


def test_a_book_with_a_wrong_rule_is_named(workspace: Workspace) -> None:
    named = KumoEdition(workspace).book_rows(_first(workspace))[2]["instance_id"]
    _change_batch(workspace, "books", "kumo_books", _book_without_a_rule)
    message = _refuse(workspace)
    assert "grader: the reader solves each instance from the text of its book, broken by 1 rows" in message
    assert named in message


def test_a_control_book_with_a_wrong_rule_is_named(workspace: Workspace) -> None:
    def add_control(rows: Rows) -> None:
        sound = dict(rows[2])
        _book_without_a_rule(rows)
        rows.append({**rows[2], "version": "template"})
        rows[2] = sound

    named = KumoEdition(workspace).book_rows(_first(workspace))[2]["instance_id"]
    _change_batch(workspace, "books", "kumo_books", add_control)
    message = _refuse(workspace)
    assert "grader: the reader solves each instance from the text of its book, broken by 1 rows" in message
    assert named in message


def test_every_single_wrong_rule_of_a_book_is_found(workspace: Workspace) -> None:
    """Whichever truth a rule names instead of another: luck never hides it."""
    batch = _first(workspace)
    text = KumoEdition(workspace).book_rows(batch)[0]["text"]
    first, second = KumoEdition(workspace).instance_rows(batch)[0]["truths"][:2]
    places = [
        i for i in range(len(text)) if text.startswith(f"**{first}**", i) and text[i + len(first) + 4] != ":"
    ]
    assert len(places) >= 2
    for place in places:
        wrong = text[:place] + f"**{second}**" + text[place + len(first) + 4 :]
        _change_batch(workspace, "books", "kumo_books", lambda rows, wrong=wrong: rows[0].update(text=wrong))
        assert "the reader" in _refuse(workspace)


def test_a_book_that_a_model_wrote_is_played_by_what_was_read_back(workspace: Workspace) -> None:
    batch = _first(workspace)
    book = KumoEdition(workspace).book_rows(batch)[0]
    said = read_back_of(book["text"])

    def by_model(rows: Rows) -> None:
        rows[0].update(
            text="Prose.", author="m", checked_by="m", check_call_ids=["call_earlier", "call_read"]
        )

    def call(reply: dict[str, Any]) -> Change:
        missing = {column.name: None for column in TABLES["calls"].columns}
        known = {
            **CALL,
            "template_hash": "h",
            "repeat": 0,
            "request": "{}",
            "status": "ok",
            "usage": "missing",
        }
        more = {"reasoning_source": "none", "endpoint": "", "attempts": 1, "latency_s": 0.0}
        row = {**missing, **known, **more, "reply": json.dumps(reply)}
        return lambda rows: rows.__setitem__(slice(None), [row])

    _change_batch(workspace, "books", "kumo_books", by_model)
    message = _refuse(workspace)
    assert "lost" in message
    assert book["instance_id"] in message
    _change_batch(workspace, "books", "calls", call(said))
    rows = _pass_gate(workspace)
    assert rows["the reader solves each instance by what a model read out of its book"]["observed"] == (
        "1 books that models wrote"
    )
    assert rows["the reader solves each instance from the text of its book"]["observed"].startswith(
        "11 books"
    )
    for entry in said["actions"]:
        for outcome in entry["outcomes"]:
            outcome["rules_out"] = []
    _change_batch(
        workspace, "books", "kumo_books", lambda rows: rows[1].update(author="another")
    )  # looked at again
    _change_batch(workspace, "books", "calls", call(said))
    message = _refuse(workspace)
    assert "differs from the rules" in message
    assert book["instance_id"] in message


def test_an_instance_without_a_book_is_told_and_only_with_its_rejection(workspace: Workspace) -> None:
    named = KumoEdition(workspace).book_rows(_first(workspace))[2]["instance_id"]
    _change_batch(workspace, "books", "kumo_books", lambda rows: rows[2].update(verdict="failed"))
    message = _refuse(workspace)
    assert named in message
    assert "no rejection says why" in message
    why = {"stage": "books", "subject": named, "rule": "r", "message": "m", "call_id": None}
    _change_batch(workspace, "books", "rejections", lambda rows: rows.append(why))
    row = _pass_gate(workspace)["each instance has a book that passed its check"]
    assert (row["success"], row["severity"], row["unexpected_count"]) == (False, "warning", 1)
    assert row["observed"] == f"{named} is not played"


def test_an_instance_under_another_id_is_named(workspace: Workspace) -> None:
    row = KumoEdition(workspace).instance_rows(_first(workspace))[0]
    false_id = "ki_" + "0" * 32
    _change_batch(workspace, "sample", "kumo_instances", lambda rows: rows[0].update(instance_id=false_id))
    _change_batch(workspace, "books", "kumo_books", lambda rows: rows[0].update(instance_id=false_id))
    message = _refuse(workspace)
    assert false_id in message
    assert row["instance_id"] in message


def test_an_instance_of_an_earlier_edition_is_found_under_whatever_id(workspace: Workspace) -> None:
    """Earlier ids are no proof: the earlier edition issued the same task under another one."""
    first, second = KumoEdition(workspace).instance_rows(_first(workspace))[:2]

    def disguise(rows: Rows) -> None:
        kept = next(row for row in rows if row["instance_id"] == first["instance_id"])
        order = [3, 1, 5, 0, 2, 4]
        for column in ("actions", "states", "observations"):
            kept[column] = [kept[column][place] for place in order]
        kept.update(instance_id="ki_" + "f" * 32, truths=kept["truths"][::-1])
        rows[:] = [kept]

    _publish_copy(workspace, "earlier", disguise)
    message = _refuse(workspace)
    found = f"{first['instance_id']} is ki_{'f' * 32} of edition earlier"
    assert f"same truths, actions and observations, broken by 1 rows, {found}" in message
    assert f"same truths, actions and states, broken by 1 rows, {found}" in message
    assert "same instance_id" not in message
    assert second["instance_id"] not in message


def test_other_numbers_of_the_same_states_repeat_the_form_alone_and_a_withdrawn_edition_counts(
    workspace: Workspace,
) -> None:
    encoded = _first_config(workspace)
    ranges = {o.action: o.states for o in encoded.config.outcomes if o.kind == "float"}
    row = next(
        row
        for row in KumoEdition(workspace).instance_rows(_first(workspace))
        if set(row["actions"]) & set(ranges)
    )

    def redraw(rows: Rows) -> None:
        kept = next(other for other in rows if other["instance_id"] == row["instance_id"])
        for place, action in enumerate(kept["actions"]):
            if action in ranges:
                state = ranges[action][kept["states"][place]]
                kept["observations"][place] = repr(state.low)
        rows[:] = [kept]

    _publish_copy(workspace, "hidden", redraw)
    store = workspace.staging.store
    withdraw(store, "hidden", "a fault", "2026-01-01T00:00:00+00:00", "somebody")
    assert "hidden" in withdrawn_units(store)
    message = _refuse(workspace)
    assert "same truths, actions and states, broken by 1 rows" in message
    assert "same instance_id, broken by 1 rows" in message
    assert "truths, actions and observations" not in message


def test_the_same_form_is_found_where_the_domain_has_another_configuration(workspace: Workspace) -> None:
    """States are renumbered and the configuration has another id: what they say is the same."""
    encoded = _first_config(workspace)
    turned = tuple(replace(o, states=o.states[::-1]) for o in encoded.config.outcomes)
    other = replace(encoded.config, outcomes=turned, book_title="Another")
    row = KumoEdition(workspace).instance_rows(_first(workspace))[0]
    numbers = {o.action: len(o.states) for o in turned}

    def renumber(rows: Rows) -> None:
        kept = next(one for one in rows if one["instance_id"] == row["instance_id"])
        kept["states"] = [
            numbers[action] - 1 - state for action, state in zip(kept["actions"], kept["states"], strict=True)
        ]
        kept.update(config_id=other.config_id, instance_id="ki_" + "e" * 32)
        rows[:] = [kept]

    _publish_copy(workspace, "before", renumber)
    store = workspace.staging.store
    configs = store.read_table(table_file("kumo_seed_configs", "before")).to_pylist()
    configs[0].update(config_id=other.config_id, config=json.dumps(other.as_json()))
    made = pa.Table.from_pylist(configs, schema=TABLES["kumo_seed_configs"].arrow_schema())
    store.write_table(table_file("kumo_seed_configs", "before"), made)
    message = _refuse(workspace)
    assert f"same truths, actions and states, broken by 1 rows, {row['instance_id']} is" in message


@pytest.mark.parametrize("lost", ["file", "configuration", "row", "state"])
def test_an_earlier_instance_without_its_configuration_has_the_form_of_its_id(
    workspace: Workspace, lost: str
) -> None:
    first = KumoEdition(workspace).instance_rows(_first(workspace))[0]["instance_id"]

    def keep_one(rows: Rows) -> None:
        rows[:] = [row for row in rows if row["instance_id"] == first]
        if lost == "state":
            rows[0]["states"][0] = 99

    _publish_copy(workspace, "before", keep_one)
    store, name = workspace.staging.store, table_file("kumo_seed_configs", "before")
    configs = store.read_table(name)
    if lost == "file":
        (Path(_root(workspace)) / name).unlink()
    elif lost == "configuration":
        rows = [{**row, "config": "{}"} for row in configs.to_pylist()]
        store.write_table(name, pa.Table.from_pylist(rows, schema=configs.schema))
    elif lost == "row":
        store.write_table(name, configs.slice(0, 0))
    message = _refuse(workspace)
    assert (
        f"same truths, actions and states, broken by 1 rows, {first} is {first} of edition before" in message
    )


def test_lists_that_are_not_balanced_are_named_with_their_truths(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The paper's sampler drew them: under a plan that calls them balanced the gate says no."""
    monkeypatch.setattr(KumoPlan, "is_balanced", lambda _plan, _setting: True)
    edition = KumoEdition(workspace)
    cell = _first(workspace)
    encoded = _first_config(workspace)
    named = []
    for row in edition.instance_rows(cell):
        instance = instance_from_row(row, encoded.config)
        masks = encode_instance(encoded, instance).masks
        survivors = {~reduce(or_, states) & 0b1111 for states in product(*masks)}
        wrong = [repr(name) for place, name in enumerate(instance.truths) if 1 << place not in survivors]
        if wrong:
            where = f"{row['instance_id']} ({encoded.config.name}, easy)"
            named.append(f"{where}: {', '.join(wrong)} could not be the only survivor")
    assert 0 < len(named) < 6
    message = _refuse(workspace)
    sentence = "of a balanced instance every listed truth could be the only survivor"
    assert f"{sentence}, broken by {len(named)} rows, {'; '.join(named[:3])}" in message


def test_what_was_issued_before_raises_the_probability(workspace: Workspace) -> None:
    def others(rows: Rows) -> None:
        for number, row in enumerate(rows):
            row.update(instance_id=f"ki_{number:032x}", truths=["another", *row["truths"][1:]])

    _publish_copy(workspace, "earlier", others)
    rows = _pass_gate(workspace)
    easy = next(row for sentence, row in rows.items() if ", easy: " in sentence)
    assert "for 6 draws after 6 issued" in easy["observed"]
    compared = rows["no earlier edition holds the same instance_id"]["observed"]
    assert compared == "12 instances against 12 of 1 earlier editions"
    message = _refuse(workspace, GatePolicy(max_collision_probability=0.0))
    assert "a probability of at most 0 (max_collision_probability)" in message


def test_a_missing_earlier_file_is_damage(workspace: Workspace) -> None:
    workspace.staging.store.write_table(table_file("editions", "gone"), KUMO_ROW)
    with pytest.raises(Damaged, match="edition=gone"):
        _pass_gate(workspace)


def test_editions_of_another_benchmark_are_not_looked_at(workspace: Workspace) -> None:
    other = pa.table({"benchmark": ["other"]})
    workspace.staging.store.write_table(table_file("editions", "other"), other)
    rows = _pass_gate(workspace)
    compared = rows["no earlier edition holds the same instance_id"]["observed"]
    assert compared == "12 instances against 0 of 0 earlier editions"


def test_equal_books_count_against_the_threshold(workspace: Workspace) -> None:
    """Two instances that differ in an observation alone may share a book: no fault in itself."""
    batch = _first(workspace)
    twin, book = _twin_of(workspace, batch)
    _change_batch(workspace, "sample", "kumo_instances", lambda rows: rows.__setitem__(1, twin))
    _change_batch(workspace, "books", "kumo_books", lambda rows: rows.__setitem__(1, book))
    message = _refuse(workspace)
    assert (
        "is at least 1 (min_distinct_books), broken by 1 rows, 0.916667: 11 texts for 12 instances" in message
    )
    assert twin["instance_id"] in message
    rows = _pass_gate(workspace, GatePolicy(min_distinct_books=0.9))
    row = rows["the share of distinct texts among the books shown is at least 0.9 (min_distinct_books)"]
    assert (row["success"], row["unexpected_count"]) == (True, 1)


def _twin_of(workspace: Workspace, cell: Cell) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the row of an instance that differs from the first in one observed state, and the same book."""
    encoded = _first_config(workspace)
    outcomes = {outcome.action: outcome for outcome in encoded.config.outcomes}
    row = KumoEdition(workspace).instance_rows(cell)[0]
    truths = set(row["truths"])

    def list_excluded(states: Sequence[int]) -> set[str]:
        seen = zip(row["actions"], states, strict=True)
        return {name for action, state in seen for name in outcomes[action].states[state].rules_out} & truths

    for place, action in enumerate(row["actions"]):
        for number, state in enumerate(outcomes[action].states):
            states = [*row["states"][:place], number, *row["states"][place + 1 :]]
            if number != row["states"][place] and list_excluded(states) == list_excluded(row["states"]):
                shown = repr(state.low) if state.is_range else state.label
                observations = [*row["observations"][:place], shown, *row["observations"][place + 1 :]]
                twin = {**row, "states": states, "observations": observations, "index": 1}
                twin["instance_id"] = instance_id(encoded, instance_from_row(twin, encoded.config))
                book = {**KumoEdition(workspace).book_rows(cell)[0], "instance_id": twin["instance_id"]}
                return twin, {**book, "book_id": content_id("bk", book["instance_id"], 0, book["text"])}
    raise AssertionError("no state of this instance can be exchanged: take another one")


def test_an_instance_twice_is_named(workspace: Workspace) -> None:
    first = KumoEdition(workspace).instance_rows(_first(workspace))[0]["instance_id"]
    _change_batch(workspace, "sample", "kumo_instances", lambda rows: rows.__setitem__(1, dict(rows[0])))
    _change_batch(workspace, "books", "kumo_books", lambda rows: rows.__setitem__(1, dict(rows[0])))
    message = _refuse(workspace)
    assert f"no two instances have the same truths, actions and states, broken by 1 rows, {first}" in message


def test_a_trivial_instance_is_named_unless_its_share_is_allowed(workspace: Workspace) -> None:
    cell = _first(workspace)
    encoded = _first_config(workspace)
    sample = sample_instances(encoded, SamplingRequest(Setting.parse("easy"), 2_000, 5, min_expected_steps=0))
    instance, own_id = next(
        (one, id_)
        for one, id_ in zip(sample.instances, sample.ids, strict=True)
        if needs_no_test(encode_instance(encoded, one)) and _relates_all(encode_instance(encoded, one))
    )
    golden = [instance.actions[0], instance.valid_truths[0]]
    row = instance_row(
        instance, instance_id=own_id, config_id=encoded.config.config_id, expected_steps=1.0,
        golden=golden, signature="",
    )  # fmt: skip
    _change_batch(workspace, "sample", "kumo_instances", lambda rows: rows.__setitem__(0, row))
    staging = workspace.staging
    key = workspace.key(cell.batch("books"))
    staging.store.remove_folder(f"{staging.folder}/done/{key}.json")
    _run(workspace, cell.batch("books"))
    message = _refuse(workspace)
    assert "is at most 0 (max_trivial_share), broken by 1 rows, 0.0833333: 1 of 12 instances" in message
    assert own_id in message
    rows = _pass_gate(workspace, GatePolicy(max_trivial_share=0.1))
    assert all(row["success"] for row in rows.values())


def test_an_instance_that_takes_no_step_is_trivial(workspace: Workspace) -> None:
    _change_batch(workspace, "sample", "kumo_instances", lambda rows: rows[0].update(expected_steps=0.0))
    message = _refuse(workspace)
    assert "is at most 0 (max_trivial_share), broken by 1 rows" in message


def _relates_all(instance: EncodedInstance) -> bool:
    """Whether an action relates to each truth: Algorithm 3 then sees that a test is needed."""
    return reduce(or_, instance.related) == (1 << instance.n_truths) - 1


def test_a_space_that_is_too_small_is_refused_by_default(tmp_path: Path) -> None:
    small = settings_of(tmp_path, settings=["2x1"])
    with pytest.raises(AuditFailed, match=r"at most 1e-06 \(max_collision_probability\)"):
        grow_next(small)
    grow_next(settings_of(tmp_path, settings=["2x1"], max_collision_probability=0.5))


def test_rows_do_not_depend_on_chunks(
    staged: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _pass_gate(workspace)
    monkeypatch.setattr("flows.kumo.edition.CHUNK", 4)
    cells = KumoEdition(workspace).cells
    for stage, tables in (("sample", ("instances", "kumo_instances")), ("books", ("kumo_books",))):
        wholes = {
            c: {table: workspace.rows(replace(c, chunk=0).batch(stage), table) for table in tables}
            for c in cells
        }
        for cell, rows in wholes.items():
            chunk = slice(4 * cell.chunk, 4 * cell.chunk + 4)
            part = {table: rows[table][chunk] for table in tables}
            workspace.staging.write_batch(workspace.key(cell.batch(stage)), part)
    assert len(cells) == 4
    assert _pass_gate(workspace) == whole


def test_a_refresh_stops_at_the_gate_with_exit_code_4(
    harness: Harness, workspace: Workspace, tmp_path: Path
) -> None:
    named = KumoEdition(workspace).instance_rows(_first(workspace))[2]["instance_id"]
    _change_batch(workspace, "sample", "kumo_instances", _swap_observations)
    options = [f"--{name}={value}" for name, value in SETTINGS.items()]
    command = ("refresh", *options, "--edition", EDITION, "--root", _root(workspace))
    done = harness.perennial(*command, cwd=tmp_path)
    assert done.returncode == 4, done.stdout + done.stderr
    assert named in done.stderr
    assert done.stderr.count("\n") == 1
    assert "episodes" not in done.stdout
    root = Path(_root(workspace))
    assert not (root / "tables" / "editions").exists()
    assert (root / "staging" / EDITION / "plan.json").exists()


def test_what_passes_is_published_with_the_gates_rows(workspace: Workspace) -> None:
    grow(workspace, Policies.of(load_settings(SETTINGS)), PlainStages())
    audit_and_publish(_root(workspace), EDITION)
    audits = workspace.staging.store.read_table(table_file("audits", EDITION)).to_pylist()
    assert {"grader", "overlap", "cross_table", "kumo_books"} < {row["suite"] for row in audits}
    assert all(row["success"] for row in audits)
    gate = [row for row in audits if row["suite"] in ("grader", "overlap")]
    of = {"edition": EDITION, "evaluation": ""}
    assert sorted(gate, key=str) == sorted(({**of, **row} for row in _gate_audits(workspace)), key=str)
