"""What is wrong with an edition as a whole stops it: copies, trivial instances, small spaces."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import or_
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.kumo.edition import KumoEdition, WorkCell
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, Workspace, open_workspace
from perennial.schemas.errors import AuditFailed
from perennial.schemas.ids import content_id
from perennial.schemas.kumo.plan import KumoPlan
from perennial.schemas.kumo.things import GatePolicy, Setting
from perennial.schemas.settings import load_settings
from perennial.tasks.kumo.encoding import EncodedInstance, encode_instance, instance_id
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.sampling.solver import can_differ
from perennial.tasks.kumo.self_test import SelfTest
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.kumo.rows import instance_from_row, instance_row
from tests.flows.gate.staged_edition import (
    EDITION,
    SETTINGS,
    Rows,
    change_batch,
    first_cell,
    first_config,
    gate_audits,
    pass_gate,
    refuse,
    root_of,
    run_batch,
    stage_edition,
    swap_observations,
)
from tests.flows.grown_root import grow_next, settings_of
from tests.flows.prefect_harness import Harness

pytestmark = pytest.mark.slow


def test_lists_that_are_not_balanced_are_named_with_their_truths(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The paper's sampler drew them: under a plan that calls them balanced the gate says no."""
    monkeypatch.setattr(KumoPlan, "is_balanced", lambda _plan, _setting: True)
    edition = KumoEdition(workspace)
    cell = first_cell(workspace)
    encoded = first_config(workspace)
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
    message = refuse(workspace)
    sentence = "of a balanced instance every listed truth could be the only survivor"
    assert f"{sentence}, broken by {len(named)} rows, {'; '.join(named[:3])}" in message


def test_equal_books_count_against_the_threshold(workspace: Workspace) -> None:
    """Two instances that differ in an observation alone may share a book: no fault in itself."""
    batch = first_cell(workspace)
    twin, book = _twin_of(workspace, batch)
    change_batch(workspace, "sample", "kumo_instances", lambda rows: rows.__setitem__(1, twin))
    change_batch(workspace, "books", "kumo_books", lambda rows: rows.__setitem__(1, book))
    message = refuse(workspace)
    assert (
        "is at least 1 (min_distinct_books), broken by 1 rows, 0.916667: 11 texts for 12 instances" in message
    )
    assert twin["instance_id"] in message
    rows = pass_gate(workspace, GatePolicy(min_distinct_books=0.9))
    row = rows["the share of distinct texts among the books shown is at least 0.9 (min_distinct_books)"]
    assert (row["success"], row["unexpected_count"]) == (True, 1)


def _twin_of(workspace: Workspace, cell: WorkCell) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the row of an instance that differs from the first in one observed state, and the same book."""
    encoded = first_config(workspace)
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
    first = KumoEdition(workspace).instance_rows(first_cell(workspace))[0]["instance_id"]
    change_batch(workspace, "sample", "kumo_instances", lambda rows: rows.__setitem__(1, dict(rows[0])))
    change_batch(workspace, "books", "kumo_books", lambda rows: rows.__setitem__(1, dict(rows[0])))
    message = refuse(workspace)
    assert f"no two instances have the same truths, actions and states, broken by 1 rows, {first}" in message


def test_a_trivial_instance_is_named_unless_its_share_is_allowed(workspace: Workspace) -> None:
    cell = first_cell(workspace)
    encoded = first_config(workspace)
    sample = sample_instances(encoded, SamplingRequest(Setting.parse("easy"), 2_000, 5, min_expected_steps=0))
    instance, own_id = next(
        (one, id_)
        for one, id_ in zip(sample.instances, sample.ids, strict=True)
        if not can_differ(encode_instance(encoded, one)) and _relates_all(encode_instance(encoded, one))
    )
    golden = [instance.actions[0], instance.valid_truths[0]]
    row = instance_row(
        instance, instance_id=own_id, config_id=encoded.config.config_id, expected_steps=1.0,
        golden=golden, signature="",
    )  # fmt: skip
    change_batch(workspace, "sample", "kumo_instances", lambda rows: rows.__setitem__(0, row))
    staging = workspace.staging
    key = workspace.key(cell.batch("books"))
    staging.store.remove_folder(f"{staging.folder}/done/{key}.json")
    run_batch(workspace, cell.batch("books"))
    message = refuse(workspace)
    assert "is at most 0 (max_trivial_share), broken by 1 rows, 0.0833333: 1 of 12 instances" in message
    assert own_id in message
    rows = pass_gate(workspace, GatePolicy(max_trivial_share=0.1))
    assert all(row["success"] for row in rows.values())


def test_an_instance_that_takes_no_step_is_trivial(workspace: Workspace) -> None:
    change_batch(workspace, "sample", "kumo_instances", lambda rows: rows[0].update(expected_steps=0.0))
    message = refuse(workspace)
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
    whole = pass_gate(workspace)
    monkeypatch.setattr("perennial.flows.kumo.edition.CHUNK", 4)
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
    assert pass_gate(workspace) == whole


def test_a_refresh_stops_at_the_gate_with_exit_code_4(
    harness: Harness, workspace: Workspace, tmp_path: Path
) -> None:
    named = KumoEdition(workspace).instance_rows(first_cell(workspace))[2]["instance_id"]
    change_batch(workspace, "sample", "kumo_instances", swap_observations)
    options = [f"--{name}={value}" for name, value in SETTINGS.items()]
    command = ("refresh", *options, "--edition", EDITION, "--root", root_of(workspace))
    done = harness.perennial(*command, cwd=tmp_path)
    assert done.returncode == 4, done.stdout + done.stderr
    assert named in done.stderr
    assert done.stderr.count("\n") == 1
    assert "episodes" not in done.stdout
    root = Path(root_of(workspace))
    assert not (root / "tables" / "editions").exists()
    assert (root / "staging" / EDITION / "plan.json").exists()


def test_what_passes_is_published_with_the_gates_rows(workspace: Workspace) -> None:
    grow(workspace, Policies.read(load_settings(SETTINGS)), PlainStages())
    audit_and_publish(root_of(workspace), EDITION)
    audits = workspace.staging.store.read_table(table_file("audits", EDITION)).to_pylist()
    assert {"grader", "overlap", "cross_table", "kumo_books"} < {row["suite"] for row in audits}
    assert all(row["success"] for row in audits)
    gate = [row for row in audits if row["suite"] in ("grader", "overlap")]
    of = {"edition": EDITION, "evaluation": ""}
    assert sorted(gate, key=str) == sorted(({**of, **row} for row in gate_audits(workspace)), key=str)


def test_each_domain_of_a_batch_is_looked_at_by_its_own_configuration(tmp_path: Path) -> None:
    domains = "mineral_identification,chemical_analysis"
    stage_edition(tmp_path, EDITION, domains=domains, settings="easy", instances=3)
    workspace = open_workspace(str(tmp_path), EDITION)
    edition = KumoEdition(workspace)
    (cell,) = edition.cells
    rows = pass_gate(workspace)
    assert rows["no two instances have the same truths, actions and states"]["observed"] == "6 of 6"
    spaces = [observed for sentence, observed in rows.items() if "uniform draws" in sentence]
    assert len(spaces) == 2
    assert all("for 3 draws after 0 issued" in row["observed"] for row in spaces)

    last = edition.instance_rows(cell)[-1]
    name = edition.config(last["config_id"]).config.name

    def break_last(rows: Rows) -> None:
        seen = rows[-1]["observations"]
        seen[0], seen[1] = seen[1], seen[0]

    change_batch(workspace, "sample", "kumo_instances", break_last)
    assert f"{last['instance_id']} ({name}, easy)" in refuse(workspace)


def test_an_answer_that_the_game_grades_wrongly_stops_the_edition(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SelfTest, "find_misgrading", lambda _test, _board: "a wrong truth is right")
    message = refuse(workspace)
    assert "naming a valid truth is graded as solved, and naming any other one as wrong" in message
    assert "a wrong truth is right" in message
