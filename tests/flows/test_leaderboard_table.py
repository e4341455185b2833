"""The leaderboard at every width of a terminal: names are whole, and columns go in the stated order."""

from io import StringIO
from itertools import product
from typing import Any

import pytest
from rich.cells import cell_len

from perennial.flows.console.print_edition import print_leaderboard
from perennial.flows.console.row_formats import Terminal
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.statistics import ABOVE_FLOOR

PREFIX = "a-provider/a-model-of-a-long-name-70b-"
NAMES = (
    "m",
    "org/model-name-70b-instruct",
    f"{PREFIX}instruct-2026-01-01",
    f"{PREFIX}instruct-2026-02-02",
    "日本語/模型の名前はとても長いので折り返します-2026",
    "a model of several words",
)
FAIR = ("common instances", "adjusted rate ± s.e.")


def _board(benchmark: str, has_floor: bool, differs: bool) -> list[dict[str, Any]]:
    measures = benchmarks()[benchmark].figures
    groups = [(name, "models") for name in NAMES] + [("optimum", "reference"), ("guesser", "floor")]
    return [
        {
            "setting": setting,
            "player": player,
            "player_group": group,
            "rank": 1 if group == "models" else None,
            "ranked_by": "shared" if group == "models" else None,
            "population": "new domains",
            "scored": 1234,
            "attempted": 1240,
            "instances": 200 if number or not differs else 40,
            "common_instances": 200,
            "common_rate": 0.5,
            "adjusted_rate": 0.5,
            "adjusted_rate_se": 0.02,
            "floor": 0.25 if has_floor else None,
            "floor_low": None,
            "floor_high": None,
            "above_floor": 0.4 if number and has_floor else None,
            "above_floor_low": 0.3,
            "above_floor_high": 0.5,
            **{f"success_rate{end}": value for end, value in (("", 0.5), ("_low", 0.4), ("_high", 0.6))},
            **{
                f"{measure.column}{end}": value
                for measure in measures
                for end, value in (("", 10.25), ("_low", 9.5), ("_high", 11.0), ("_no_interval", None))
            },
        }
        for setting, (number, (player, group)) in product(("easy", "augmented"), enumerate(groups))
    ]


def _print(benchmark: str, board: list[dict[str, Any]], width: int, explained_by: str = "") -> list[str]:
    declared = benchmarks()[benchmark]
    out = StringIO()
    console = Terminal(width=width, file=out)
    print_leaderboard(console, "", board, declared.measures, declared.floor, explained_by)
    return out.getvalue().splitlines()


def _cells(lines: list[str]) -> list[list[str]]:
    """The rows of the printed table, each cell as one text; a row begins where its setting is."""
    rows: list[list[str]] = []
    for line in lines:
        if line.startswith("│"):
            cells = [cell.strip() for cell in line.strip("│").split("│")]
            if cells[0]:
                rows.append(cells)
            else:
                rows[-1] = [before + after for before, after in zip(rows[-1], cells, strict=True)]
    return rows


def _check(benchmark: str, board: list[dict[str, Any]], width: int) -> list[str]:
    """Check what is printed, and return what the note says is left out."""
    lines = _print(benchmark, board, width)
    assert max(map(cell_len, lines)) <= width
    rows = _cells(lines)
    assert [row[0] for row in rows] == [row["setting"] for row in board]
    for shown, row in zip(rows, board, strict=True):
        assert shown[1].replace(" ", "").removesuffix("(nevertests)") == row["player"].replace(" ", "")
        assert "…" not in "".join(shown)
    headings = benchmarks()[benchmark].measures
    note = " ".join(line for line in lines[next(n for n, line in enumerate(lines) if "└" in line) + 1 :])
    _, _, said = " ".join(note.split()).partition("not shown, as the terminal is narrow: ")
    left_out = said.partition("; ")[0].split(", ") if said else []
    going = [
        *(measure.heading for measure in reversed(headings)),
        *([ABOVE_FLOOR] if board[0]["floor"] is not None else []),
        *(reversed(FAIR) if any(row["instances"] != 200 for row in board) else []),
        "episodes",
    ]
    assert set(left_out) == set(going[: len(left_out)]), "columns go in the order that is stated"
    assert len(rows[0]) == 2 + 2 + len(going) - 1 - len(left_out)
    return left_out


@pytest.mark.slow
def test_names_are_whole_at_every_width_from_60_to_220() -> None:
    board = _board("kumo", True, True)[2:6]  # names of one prefix, wide ones, and those of several words
    board[0]["instances"] = 40
    left_out = [len(_check("kumo", board, width)) for width in range(60, 221, 4)]
    assert left_out == sorted(left_out, reverse=True)
    assert (left_out[0], left_out[-1]) == (7, 0)


@pytest.mark.parametrize("benchmark", ["a2rbench", "beyondbench", "knowlogic", "kumo"])
@pytest.mark.parametrize(("has_floor", "differs"), [(True, False), (False, True), (False, False)])
def test_names_are_whole_with_every_set_of_columns(benchmark: str, has_floor: bool, differs: bool) -> None:
    board = _board(benchmark, has_floor, differs)
    for width in (60, 80, 100, 120, 156, 165, 220):
        _check(benchmark, board, width)


def test_a_line_parts_settings_and_models_from_programs() -> None:
    lines = _print("kumo", _board("kumo", True, True), 220)
    assert sum(line.startswith("├") for line in lines) == 3


@pytest.mark.parametrize("width", [60, 80, 97, 120, 200])
@pytest.mark.parametrize("benchmark", ["kumo", "knowlogic"])
def test_two_lines_of_notes_name_the_command_that_prints_the_rest(benchmark: str, width: int) -> None:
    board = _board(benchmark, True, True)[2:6]
    whole, short = (_print(benchmark, board, width, by) for by in ("", "perennial report kumo-2 --explain"))
    (end,) = (number for number, line in enumerate(whole) if "└" in line)
    assert short[: end + 1] == whole[: end + 1]
    notes = short[end + 1 :]
    assert len(notes) <= 2
    assert max(map(len, notes)) <= width
    said = " ".join(notes)
    if notes == whole[end + 1 :]:
        assert (benchmark, width) == ("knowlogic", 200), "the only ones that fit"
        return
    kept, _, rest = said.rpartition("; ")
    assert " ".join(whole[end + 1 :]).startswith(kept)
    assert rest.split(":")[0].split(" ")[1:] in (["more", "notes"], ["more", "note"], ["notes"])
    assert rest.endswith("perennial report kumo-2 --explain")
