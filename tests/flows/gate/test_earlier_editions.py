"""What an earlier edition holds stops the edition, and is named."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from perennial.flows.kumo.edition import KumoEdition
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.errors import Damaged
from perennial.schemas.kumo.things import GatePolicy
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.catalog.withdrawals import withdraw, withdrawn_units
from tests.flows.gate.staged_edition import (
    KUMO_ROW,
    Rows,
    first_cell,
    first_config,
    pass_gate,
    publish_copy,
    refuse,
    root_of,
)

pytestmark = pytest.mark.slow


def test_an_instance_of_an_earlier_edition_is_found_under_whatever_id(workspace: Workspace) -> None:
    """Earlier ids are no proof: the earlier edition issued the same task under another one."""
    first, second = KumoEdition(workspace).instance_rows(first_cell(workspace))[:2]

    def disguise(rows: Rows) -> None:
        kept = next(row for row in rows if row["instance_id"] == first["instance_id"])
        order = [3, 1, 5, 0, 2, 4]
        for column in ("actions", "states", "observations"):
            kept[column] = [kept[column][place] for place in order]
        kept.update(instance_id="ki_" + "f" * 32, truths=kept["truths"][::-1])
        rows[:] = [kept]

    publish_copy(workspace, "earlier", disguise)
    message = refuse(workspace)
    found = f"{first['instance_id']} is ki_{'f' * 32} of edition earlier"
    assert f"same truths, actions and observations, broken by 1 rows, {found}" in message
    assert f"same truths, actions and states, broken by 1 rows, {found}" in message
    assert "same instance_id" not in message
    assert second["instance_id"] not in message


def test_other_numbers_of_the_same_states_repeat_the_form_alone_and_a_withdrawn_edition_counts(
    workspace: Workspace,
) -> None:
    encoded = first_config(workspace)
    ranges = {o.action: o.states for o in encoded.config.outcomes if o.kind == "float"}
    row = next(
        row
        for row in KumoEdition(workspace).instance_rows(first_cell(workspace))
        if set(row["actions"]) & set(ranges)
    )

    def redraw(rows: Rows) -> None:
        kept = next(other for other in rows if other["instance_id"] == row["instance_id"])
        for place, action in enumerate(kept["actions"]):
            if action in ranges:
                state = ranges[action][kept["states"][place]]
                kept["observations"][place] = repr(state.low)
        rows[:] = [kept]

    publish_copy(workspace, "hidden", redraw)
    store = workspace.staging.store
    withdraw(store, "hidden", "a fault", "2026-01-01T00:00:00+00:00", "somebody")
    assert "hidden" in withdrawn_units(store)
    message = refuse(workspace)
    assert "same truths, actions and states, broken by 1 rows" in message
    assert "same instance_id, broken by 1 rows" in message
    assert "truths, actions and observations" not in message


def test_the_same_form_is_found_where_the_domain_has_another_configuration(workspace: Workspace) -> None:
    """States are renumbered and the configuration has another id: what they say is the same."""
    encoded = first_config(workspace)
    turned = tuple(replace(o, states=o.states[::-1]) for o in encoded.config.outcomes)
    other = replace(encoded.config, outcomes=turned, book_title="Another")
    row = KumoEdition(workspace).instance_rows(first_cell(workspace))[0]
    numbers = {o.action: len(o.states) for o in turned}

    def renumber(rows: Rows) -> None:
        kept = next(one for one in rows if one["instance_id"] == row["instance_id"])
        kept["states"] = [
            numbers[action] - 1 - state for action, state in zip(kept["actions"], kept["states"], strict=True)
        ]
        kept.update(config_id=other.config_id, instance_id="ki_" + "e" * 32)
        rows[:] = [kept]

    publish_copy(workspace, "before", renumber)
    store = workspace.staging.store
    configs = store.read_table(table_file("kumo_seed_configs", "before")).to_pylist()
    configs[0].update(config_id=other.config_id, config=json.dumps(other.as_json()))
    made = pa.Table.from_pylist(configs, schema=TABLES["kumo_seed_configs"].arrow_schema())
    store.write_table(table_file("kumo_seed_configs", "before"), made)
    message = refuse(workspace)
    assert f"same truths, actions and states, broken by 1 rows, {row['instance_id']} is" in message


@pytest.mark.parametrize("lost", ["file", "configuration", "row", "state"])
def test_an_earlier_instance_without_its_configuration_has_the_form_of_its_id(
    workspace: Workspace, lost: str
) -> None:
    first = KumoEdition(workspace).instance_rows(first_cell(workspace))[0]["instance_id"]

    def keep_one(rows: Rows) -> None:
        rows[:] = [row for row in rows if row["instance_id"] == first]
        if lost == "state":
            rows[0]["states"][0] = 99

    publish_copy(workspace, "before", keep_one)
    store, name = workspace.staging.store, table_file("kumo_seed_configs", "before")
    configs = store.read_table(name)
    if lost == "file":
        (Path(root_of(workspace)) / name).unlink()
    elif lost == "configuration":
        rows = [{**row, "config": "{}"} for row in configs.to_pylist()]
        store.write_table(name, pa.Table.from_pylist(rows, schema=configs.schema))
    elif lost == "row":
        store.write_table(name, configs.slice(0, 0))
    message = refuse(workspace)
    assert (
        f"same truths, actions and states, broken by 1 rows, {first} is {first} of edition before" in message
    )


def test_what_was_issued_before_raises_the_probability(workspace: Workspace) -> None:
    def others(rows: Rows) -> None:
        for number, row in enumerate(rows):
            row.update(instance_id=f"ki_{number:032x}", truths=["another", *row["truths"][1:]])

    publish_copy(workspace, "earlier", others)
    rows = pass_gate(workspace)
    easy = next(row for sentence, row in rows.items() if ", easy: " in sentence)
    assert "for 6 draws after 6 issued" in easy["observed"]
    compared = rows["no earlier edition holds the same instance_id"]["observed"]
    assert compared == "12 instances against 12 of 1 earlier editions"
    message = refuse(workspace, GatePolicy(max_collision_probability=0.0))
    assert "a probability of at most 0 (max_collision_probability)" in message


def test_a_missing_earlier_file_is_damage(workspace: Workspace) -> None:
    workspace.staging.store.write_table(table_file("editions", "gone"), KUMO_ROW)
    with pytest.raises(Damaged, match="edition=gone"):
        pass_gate(workspace)


def test_editions_of_another_benchmark_are_not_looked_at(workspace: Workspace) -> None:
    other = pa.table({"benchmark": ["other"]})
    workspace.staging.store.write_table(table_file("editions", "other"), other)
    rows = pass_gate(workspace)
    compared = rows["no earlier edition holds the same instance_id"]["observed"]
    assert compared == "12 instances against 0 of 0 earlier editions"
