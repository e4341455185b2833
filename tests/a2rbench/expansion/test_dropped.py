"""A rule that fails at the gate is dropped with its items; the edition goes on, or says why not."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import UnusableConfig
from tests.a2rbench.authored_rules import ORDER, SWAP, rule_row
from tests.a2rbench.expansion.growing import VARIATIONS, begin, grow_all
from tests.a2rbench.expansion.test_stage import OPTIONS
from tests.server.running import RunningServer, running_server

DOMAIN = "line_symbolic"
pytestmark = pytest.mark.slow  # each test grows an edition with a server


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server(replace(OPTIONS, faults={})) as running:
        yield running


def test_a_rule_that_fails_at_the_gate_is_dropped_and_the_edition_goes_on(
    server: RunningServer, tmp_path: Path
) -> None:
    workspace = begin(tmp_path, {DOMAIN: [rule_row(ORDER, 0), rule_row(SWAP, 1)]})
    grow_all(workspace, server.url)
    batch = Batch("expansions", (DOMAIN,))
    assert {row["rule"] for row in workspace.rows(batch, "a2rbench_items")} == {SWAP.name}
    items = [row["instance_id"] for row in workspace.rows(batch, "a2rbench_items")]
    assert [row["instance_id"] for row in workspace.rows(batch, "instances")] == items
    dropped = [row for row in workspace.rows(batch, "rejections") if row["rule"] == "failed_at_gate"]
    assert [row["subject"] for row in dropped] == [
        f"{ORDER.name} seed 0 V{variation}" for variation in range(VARIATIONS + 1)
    ]
    for row in dropped:
        assert "the gate refuses its rule: " in row["message"]
        assert "outputs are not those of the code" in row["message"]
        assert "\n" not in row["message"]
    counts = {
        rule.name: workspace.rows(Batch("gate", (DOMAIN, rule.name)), "a2rbench_gate")[0]["items"]
        for rule in (ORDER, SWAP)
    }
    assert counts == {ORDER.name: 0, SWAP.name: len(items)}


def test_an_edition_without_any_item_says_so_in_one_line(server: RunningServer, tmp_path: Path) -> None:
    workspace = begin(tmp_path, {DOMAIN: [rule_row(ORDER, 0)]})
    with pytest.raises(UnusableConfig) as refused:
        grow_all(workspace, server.url)
    said = str(refused.value)
    assert said.startswith(
        "no rule of m-author gave an item that holds; rule_order seed 0 V0: the gate refuses"
    )
    assert said.endswith("try another model, or name drawn among --author")
    assert "\n" not in said
    assert not workspace.is_done(Batch("expansions", (DOMAIN,)))
