"""The leaderboard that a refresh prints: in the order of fair ranks, with their rates where sets differ."""

import json
import re
from pathlib import Path

import pytest

from perennial.flows.console.print_edition import print_edition
from perennial.flows.console.row_formats import Terminal
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import perennial
from tests.flows.report_root import MODEL, publish_floor, publish_narrow, publish_without_models

COLUMNS = ("place", "common_instances", "common_rate", "adjusted_rate", "adjusted_rate_se")


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


@pytest.mark.slow
def test_json_holds_every_rate_in_the_order_of_every_board(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Models come first though the program solved more, and that with a third of the instances has a rank."""
    first, second, program = json.loads(_print(root, "narrow", capsys, as_json=True))["leaderboard"]
    assert (program["player"], program["player_group"]) == ("algorithm-3", "reference")
    assert all(program[column] is not None for column in COLUMNS)
    assert (program["rank"], program["common_rate"], program["adjusted_rate"]) == (None, 1.0, 1.0)
    assert [row["place"] for row in (first, second, program)] == [1, 2, 3]
    assert [row["player_group"] for row in (first, second)] == ["models", "models"]
    assert sorted(row["instances"] for row in (first, second)) == [5, 15]
    assert [(row["rank"], row["ranked_by"]) for row in (first, second)] == [(1, "shared"), (2, "shared")]
    narrow = min(first, second, key=lambda row: row["instances"])
    assert narrow["common_instances"] == 0
    assert 0 < narrow["adjusted_rate"] < 1
    assert narrow["adjusted_rate"] != narrow["success_rate"]


@pytest.mark.slow
def test_rates_behind_ranks_are_printed_where_players_have_other_instances(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = _print(root, "narrow", capsys)
    assert re.search(r"adjusted rate ±.*\n.* s\.e\.", printed)
    assert "1.000 of 15" in printed
    assert re.search(r"\d more notes?: perennial report narrow --explain", " ".join(printed.split()))
    assert "adjusted rate" not in _print(root, "plain", capsys)


def test_players_that_never_test_are_marked_and_the_floor_is_named(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = _print(root, "floor", capsys)
    assert re.search(r"guesser \(never tests\) +│", printed)
    assert "algorithm-3 (" not in printed
    assert "floor = guesser" in " ".join(printed.split())


@pytest.mark.parametrize(
    "command",
    [
        ("query", "SELECT player, setting, success_rate FROM leaderboard WHERE edition = 'narrow'"),
        ("ask", "best_players"),
        ("design", "--players", MODEL, "--half-width", "0.1"),
        ("evaluate", "narrow", "--players", MODEL, "--dry-run"),
    ],
    ids=lambda command: command[0],
)
def test_no_table_of_a_narrow_terminal_cuts_a_name(
    root: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    shown = perennial(monkeypatch, capsys, *command, "--root", root)
    assert shown.code == 0, shown.err
    columns = zip(*(re.split(" │ |│|  +", line) for line in shown.out.splitlines()), strict=False)
    texts = ["".join(shown.out.split()), *("".join(column).replace(" ", "") for column in columns)]
    assert any(MODEL in text for text in texts), shown.out
    assert "…" not in shown.out


def test_the_columns_of_a_view_are_named_whole_on_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = perennial(monkeypatch, capsys, "tables", "kumo_leaderboard")
    assert "…" not in shown.out
    assert "relative_action_count_algorithm_3_these_domains_low"[:16] in shown.out
