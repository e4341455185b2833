"""The gate of a balanced edition: guesses over the edition must be at chance."""

import json
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.kumo.edition import KumoEdition
from perennial.flows.kumo.web import read_instance
from perennial.flows.stages.workspace import Workspace
from perennial.flows.web.page import Rows
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import AuditFailed
from perennial.tasks.kumo.encoding import encode_instance
from perennial.tasks.kumo.optimum import NODE_LIMIT
from perennial.tasks.kumo.search.solve import solve_instances
from perennial.warehouse.kumo.overlap import FACTS, read_facts
from perennial.warehouse.kumo.rows import instance_from_row
from tests.flows.gate.staged_edition import EDITION, first_cell, gate_audits, run_batch, stage_edition

BALANCED_LISTS = "of a balanced instance every listed truth could be the only survivor"


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root in which all of a balanced edition is staged that comes before the gate."""
    root = tmp_path_factory.mktemp("staged")
    stage_edition(root, EDITION, settings="easy", sampler="balanced")
    return root


def observed_by_rule(workspace: Workspace) -> dict[str, str]:
    return {row["expectation"]: row["observed"] for row in gate_audits(workspace)}


def _write_ranks(workspace: Workspace, guess: str, ranks: list[int]) -> None:
    """Stage what the gate counted of a batch again, with other ranks."""
    key = workspace.key(first_cell(workspace).batch("gate"))
    facts = read_facts(workspace.staging, key)
    assert facts is not None
    about = {**facts.about, "ranks": {**facts.about["ranks"], guess: ranks}}
    schema = facts.columns.schema.with_metadata({FACTS: json.dumps(about)})
    store = workspace.staging.store
    store.write_table(workspace.staging.part_file(FACTS, key), facts.columns.cast(schema))


@pytest.mark.slow
def test_a_balanced_edition_passes_and_its_guesses_are_counted(workspace: Workspace) -> None:
    run_batch(workspace, first_cell(workspace).batch("gate"))
    run_batch(workspace, Batch("overlap"))
    observed = observed_by_rule(workspace)
    assert observed[BALANCED_LISTS] == "6 balanced instances"
    guesses = [sentence for sentence in observed if "at each rank" in sentence]
    assert guesses == [
        f"of balanced instances the valid truth is at each rank of the guess by {guess} equally often "
        "(chi-squared, p > 1e-06)"
        for guess in ("fewest states", "most choices")
    ]
    assert all(
        observed[sentence].endswith("(chance 0.250, n = 6); too few instances to tell")
        for sentence in guesses
    )


def test_its_optimum_is_that_of_the_distribution_that_was_drawn(workspace: Workspace) -> None:
    edition, cell = KumoEdition(workspace), first_cell(workspace)
    encoded = edition.config(*edition.configs_of(cell))
    rows = edition.instance_rows(cell)
    boards = [encode_instance(encoded, instance_from_row(row, encoded.config)) for row in rows]
    steps = {}
    for is_balanced in (True, False):
        solved = solve_instances(boards, node_limit=NODE_LIMIT, is_balanced=is_balanced)
        steps[is_balanced] = [one.optimum.steps for one in solved if one.optimum is not None]
    assert [row["promise_steps"] for row in rows] == pytest.approx(steps[True])
    assert steps[True] != pytest.approx(steps[False])


def test_guesses_that_beat_chance_stop_the_edition(workspace: Workspace) -> None:
    run_batch(workspace, first_cell(workspace).batch("gate"))
    _write_ranks(workspace, "most choices", [60, 40, 50, 50])
    run_batch(workspace, Batch("overlap"))
    assert any(
        "easy 0.300 (chance 0.250, n = 200); p = 0.26" in text
        for text in observed_by_rule(workspace).values()
    )
    _write_ranks(workspace, "most choices", [90, 40, 40, 30])
    with pytest.raises(
        AuditFailed, match=r"guess by most choices equally often .*easy 0\.450 \(chance 0\.250"
    ):
        run_batch(workspace, Batch("overlap"))


@pytest.mark.parametrize(("sampler", "is_balanced"), [("balanced", True), ("kumo-2025", False)])
def test_the_explorer_reads_the_prior_off_the_plan(
    workspace: Workspace, sampler: str | None, is_balanced: bool
) -> None:
    """A plan from before there were two samplers names none."""
    edition, cell = KumoEdition(workspace), first_cell(workspace)
    row = edition.instance_rows(cell)[0]
    config = edition.config(*edition.configs_of(cell)).config
    plan = workspace.plan.as_json()
    plan["own"] = {**plan["own"], "sampler": sampler}

    class Staged:
        name = EDITION

        def require(self, table: str, _column: str, _value: str) -> dict[str, Any]:
            return row if table == "kumo_instances" else {"config": json.dumps(config.as_json())}

        def query(self, _sql: str) -> Rows:
            return Rows(("settings",), ((json.dumps(plan),),))

    assert read_instance(Staged(), row["instance_id"]).is_balanced == is_balanced  # type: ignore[arg-type]
