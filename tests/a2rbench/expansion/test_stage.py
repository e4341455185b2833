"""Stage `expansions` over rules that are staged: items, attempts and rejections, and the gate after them."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from perennial.flows.stages.grow import progress_of
from perennial.flows.stages.workspace import Workspace, open_workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import AuditFailed
from perennial.schemas.rows import Row
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.a2rbench.authored_rules import AUTHOR, SQUARES, SWAP, TURN
from tests.a2rbench.expansion.growing import DOMAINS, VARIATIONS, begin, grow_all
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

OPTIONS = ServerOptions(models=("m-expander", "m-judge"), roles="tests.a2rbench.scripted_expander", seed=2)


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    faults = {"expander.raises": 0.15, "expander.few": 0.15, "judge.refuses": 0.15, "judge.prose": 0.1}
    with running_server(replace(OPTIONS, faults=faults)) as running:
        yield running


def rows(workspace: Workspace, table: str) -> list[Row]:
    return [row for name in DOMAINS for row in workspace.rows(Batch("expansions", (name,)), table)]


def missing(workspace: Workspace, rule: str, reason: str = "") -> list[int]:
    """Return the variations of a rule's first seed that are missing, or that have no copy."""
    return [
        int(row["subject"].rpartition("V")[2])
        for row in rows(workspace, "rejections")
        if row["subject"].startswith(f"{rule} seed 0 ")
        and (row["rule"] == reason if reason else row["rule"] != "not_remapped")
    ]


@pytest.fixture(scope="module")
def grown(server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    workspace = begin(tmp_path_factory.mktemp("expansions"))
    grow_all(workspace, server.url)
    return workspace


def test_all_batches_are_staged_and_no_others(grown: Workspace) -> None:
    progress = progress_of(grown)
    assert progress.missing == []
    assert {key.split("_")[0] for key in progress.unasked} <= {"rules"}
    gate = [
        row
        for name, rule in (("line_symbolic", SWAP), ("grid_symbolic", TURN), ("line_semantic", SQUARES))
        for row in grown.rows(Batch("gate", (name, rule.name)), "a2rbench_gate")
    ]
    items = Counter(row["rule"] for row in rows(grown, "a2rbench_items"))
    assert {row["rule"]: row["items"] for row in gate} == dict(items)


def test_items_are_of_their_rule_and_symbolic_ones_that_commute_have_copies(grown: Workspace) -> None:
    items = rows(grown, "a2rbench_items")
    assert {row["author"] for row in items} == {AUTHOR}
    for rule in (SWAP, TURN, SQUARES):
        own = [row for row in items if row["rule"] == rule.name]
        assert {row["code"] for row in own} == {rule.code}
        originals = [row["variation"] for row in own if not row["is_remapped"]]
        assert sorted([*originals, *missing(grown, rule.name)]) == list(range(VARIATIONS + 1))
        assert 0 in originals
        copies = [row["variation"] for row in own if row["is_remapped"]]
        assert copies == (originals if rule is SWAP else [])
    assert {row["commutes"] for row in items if row["rule"] == TURN.name} == {False}
    assert len(missing(grown, TURN.name, "not_remapped")) == len([i for i in items if i["rule"] == TURN.name])


def test_each_instance_has_an_index_of_its_own(grown: Workspace) -> None:
    places = [(row["domain"], row["setting"], row["index"]) for row in rows(grown, "instances")]
    assert len(set(places)) == len(places)
    assert {row["index"] for row in rows(grown, "instances") if row["setting"] == "seed"} == {0}


def test_equal_code_is_used_once(grown: Workspace) -> None:
    refused = [
        (row["subject"], row["message"]) for row in rows(grown, "rejections") if row["rule"] == "same_code"
    ]
    assert refused == [("rule_swap seed 1 V0", "the code is that of seed 0 of line_symbolic")]


def test_attempts_say_which_call_each_step_took(grown: Workspace) -> None:
    attempts = rows(grown, "a2rbench_attempts")
    calls = {row["call_id"] for row in rows(grown, "calls")}
    assert {row["call_id"] for row in attempts if row["call_id"]} == calls
    assert all((row["call_id"] is None) == (row["step"] == "inputs_run") for row in attempts)
    assert {(row["author"], row["candidate"]) for row in attempts} == {("m-expander", 1)}
    keys = [
        tuple(row[name] for name in ("domain", "number", "variation", "step", "attempt")) for row in attempts
    ]
    assert len(set(keys)) == len(keys)
    assert {"raised", "wrong_number"} & {row["reason"] for row in attempts}
    judged = [row for row in attempts if row["step"] == "inputs_judged" and row["passed"]]
    augmented = [row for row in rows(grown, "instances") if row["setting"] == "augmented"]
    assert len(judged) == len(augmented) > 3


def test_another_run_on_the_same_ledger_asks_nothing_and_stages_the_same(
    grown: Workspace, server: RunningServer, tmp_path: Path
) -> None:
    before = len(server.log())
    root = Path(grown.staging.store.root)
    shutil.copytree(root, tmp_path / "again")
    staged = Staging(Store(str(tmp_path / "again")), "e1")
    staged.remove()
    again = begin(tmp_path / "again")
    grow_all(again, server.url)
    assert len(server.log()) == before
    for table in ("instances", "a2rbench_items", "a2rbench_attempts", "rejections", "calls"):
        assert rows(again, table) == rows(grown, table)
    assert set(answers_by_digest(server.log()).values()) == {1}


def test_a_changed_item_of_a_model_is_found_by_the_gate(
    grown: Workspace, server: RunningServer, tmp_path: Path
) -> None:
    shutil.copytree(grown.staging.store.root, tmp_path / "again")
    staging = Staging(Store(str(tmp_path / "again")), "e1")
    workspace = open_workspace(str(tmp_path / "again"), "e1")
    batch = Batch("expansions", ("line_symbolic",))
    tables = {
        name: workspace.rows(batch, name) for name in ("instances", "a2rbench_items", "a2rbench_attempts")
    }
    item = tables["a2rbench_items"][0]
    item["answer"] = json.dumps(json.loads(item["answer"])[::-1], separators=(",", ":"))
    staging.write_batch(workspace.key(batch), tables)
    for file in Path(tmp_path).rglob("*"):
        if file.is_file() and workspace.key(Batch("gate", ("line_symbolic", SWAP.name))) in file.name:
            file.unlink()
    with pytest.raises(AuditFailed, match="outputs are not those of the code"):
        grow_all(workspace, server.url)
