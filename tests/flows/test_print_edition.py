"""The leaderboard that a refresh prints: in the order of fair ranks, with their rates where sets differ."""

import json
import re
from pathlib import Path

import pytest

from flows.console.print_edition import print_edition
from flows.console.terminal import Terminal
from tests.flows.report_root import publish_floor, publish_narrow, publish_without_models
from warehouse.store.store import Store

COLUMNS = ("rank", "common_instances", "common_rate", "adjusted_rate", "adjusted_rate_se", "ranked_by")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Editions `plain`, whose player has every instance, and `narrow`, one of whose players has a third."""
    folder = tmp_path_factory.mktemp("printed")
    publish_narrow(folder)
    publish_without_models(folder)
    publish_floor(folder)
    return folder


def _print(root: Path, edition: str, capsys: pytest.CaptureFixture[str], as_json: bool = False) -> str:
    print_edition(Store(str(root)), edition, Terminal(soft_wrap=True, width=200), as_json)
    return capsys.readouterr().out


def test_json_holds_every_rate_in_the_order_of_ranks(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, narrow = json.loads(_print(root, "narrow", capsys, as_json=True))["leaderboard"]
    assert first["player"] == "algorithm-3"
    assert all(first[column] is not None for column in COLUMNS)
    assert (first["rank"], first["common_rate"], first["adjusted_rate"]) == (1, 1.0, 1.0)
    # 5 of 15 instances are fewer than half of what others have: the ranks are on those of the other two.
    assert [row["instances"] for row in (first, second, narrow)] == [15, 15, 5]
    assert [row["common_instances"] for row in (first, second, narrow)] == [15, 15, 0]
    assert [row["rank"] for row in (first, second, narrow)] == [1, 2, None]
    assert 0 < narrow["adjusted_rate"] < 1
    assert narrow["adjusted_rate"] != narrow["success_rate"]


def test_rates_behind_ranks_are_printed_where_players_have_other_instances(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = _print(root, "narrow", capsys)
    assert re.search(r"adjusted rate ±.*\n.* s\.e\.", printed)
    assert "1.000 of 15" in printed
    assert "easy ranked by common rate" in printed
    assert "adjusted rate" not in _print(root, "plain", capsys)


def test_players_that_never_test_are_marked_and_the_floor_is_named(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = _print(root, "floor", capsys)
    assert re.search(r"guesser \(never tests\) +│", printed)
    assert "algorithm-3 (" not in printed
    assert "floor = guesser" in " ".join(printed.split())
