"""The leaderboard of a terminal: as many columns as fit beside names that are never cut."""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill

from rich.cells import cell_len
from rich.table import Table

from perennial.flows.console.terminal import Terminal, printable
from perennial.schemas.rows import Row
from perennial.schemas.statistics import (
    ABOVE_FLOOR,
    LINES,
    Floor,
    Measure,
    describe_populations,
    label_player,
    shown_measures,
)
from perennial.tasks.report.figures.headline import describe_unasked, instances_differ

_NAME_WIDTH, _LEAST_NAME_WIDTH = 32, 12
"""Names of players have this much room, as far as they need it; longer ones go on below, and none is cut."""
_HEADING_WIDTH, _FLOOR_WIDTH = 15, 10
_FAIR = ("common instances", "adjusted rate ± s.e.")
_ANY_WIDTH = 10_000  # of a table that is only measured


def leaderboard_table(
    console: Terminal, board: Sequence[Row], measures: Sequence[Measure], floor: Floor | None
) -> Table:
    """Make the table of these rows, in their order, with notes below it.

    On a narrow terminal intervals go below their figures. If that is not enough, columns go in this order
    until names have their room: the measures, the last one first, then what is above the floor, adjusted
    rates, common instances and episodes.
    """
    measures = shown_measures(measures, board)
    columns = _columns(board, measures)
    dropped_in_order = [
        *(measure.heading for measure in reversed(measures)),
        ABOVE_FLOOR,
        *reversed(_FAIR),
        "episodes",
    ]
    labels = [label_player(floor, row) for row in board]
    longest = max((cell_len(word) for label in labels for word in printable(label).split()), default=0)
    room = min(max(longest, _LEAST_NAME_WIDTH), _NAME_WIDTH)
    parts = [columns]
    parts += [
        {name: cells for name, cells in columns.items() if name not in dropped_in_order[:gone]}
        for gone in range(len(dropped_in_order) + 1)
    ]
    tried = [(part, number > 0, room) for number, part in enumerate(parts)]
    for shown, is_narrow, name_width in (*tried, (parts[-1], True, _LEAST_NAME_WIDTH)):
        table = _make_table(board, labels, shown, is_narrow, name_width)
        if _fits(console, table):
            break
    left_out = [name for name in columns if name not in shown]
    kept = [measure for measure in measures if measure.heading in shown]
    notes = [
        f"95% intervals: {describe_populations(row['population'] for row in board)}",
        *_reasons(board, kept),
        *(measure.note for measure in kept),
        *_ranking_notes(board),
        *describe_unasked(board),
    ]
    notes += [floor.note] if floor is not None else []
    notes += [f"not shown, as the terminal is narrow: {', '.join(left_out)}"] if left_out else []
    table.caption = "; ".join(notes)
    return table


def _columns(board: Sequence[Row], measures: Iterable[Measure]) -> dict[str, list[str]]:
    """Return the cells of all columns of figures, by heading, in their order."""
    columns = {
        "episodes": [_episodes(row) for row in board],
        "success rate": [figure(row, "success_rate") for row in board],
    }
    if any("above_floor" in row for row in board):
        above = (row["above_floor"] for row in board)
        columns[ABOVE_FLOOR] = ["–" if value is None else f"{value:.3f}" for value in above]
    if instances_differ(board):
        columns |= dict(zip(_FAIR, map(list, zip(*map(_fair_cells, board), strict=True)), strict=True))
    return columns | {measure.heading: [figure(row, measure.column) for row in board] for measure in measures}


def _make_table(
    board: Sequence[Row],
    labels: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    is_narrow: bool,
    name_width: int,
) -> Table:
    table = Table(title_justify="left", caption_justify="left", padding=(0, 0 if is_narrow else 1))
    table.add_column("setting", overflow="fold")
    table.add_column("player", overflow="fold", min_width=name_width)
    for heading in columns:
        width = _FLOOR_WIDTH if heading == ABOVE_FLOOR else _HEADING_WIDTH
        table.add_column(fill(heading, width), justify="right", no_wrap=True)
    for number, (row, label) in enumerate(zip(board, labels, strict=True)):
        cells = [texts[number] for texts in columns.values()]
        cells = [text.replace(" [", "\n[") if is_narrow else text for text in cells]
        ends = number + 1 < len(board) and _part_of(row) != _part_of(board[number + 1])
        table.add_row(row["setting"], label, *cells, end_section=ends)
    return table


def _fits(console: Terminal, table: Table) -> bool:
    """Whether nothing but names that are longer than their room has to be broken."""
    names = table.columns[1]
    names.max_width = names.min_width
    needed = console.measure(table, options=console.options.update(width=_ANY_WIDTH)).maximum
    names.max_width = None
    return needed <= console.width


def _episodes(row: Row) -> str:
    scored, attempted = row["scored"], row["attempted"]
    return f"{scored:,}" if scored == attempted else f"{scored:,} of {attempted:,}"


def _part_of(row: Row) -> tuple[str, bool]:
    """Return what is between two lines of the board: a setting's players, or its lines of reference."""
    return row["setting"], row["player_group"] in LINES


def _fair_cells(row: Row) -> tuple[str, str]:
    common, adjusted, error = (row[name] for name in ("common_rate", "adjusted_rate", "adjusted_rate_se"))
    return (
        "none" if common is None else f"{common:.3f} of {row['common_instances']:,}",
        "undefined" if adjusted is None else f"{adjusted:.3f} ± {error:.3f}",
    )


def _reasons(board: Sequence[Row], measures: Iterable[Measure]) -> list[str]:
    """Return why figures of the board have no interval, each reason once."""
    reasons = {(m.heading, row[f"{m.column}_no_interval"]) for row in board for m in measures}
    return [
        f"no interval of {heading}: {reason}"
        for heading, reason in sorted(reasons - {(heading, None) for heading, _ in reasons})
    ]


def _ranking_notes(board: Sequence[Row]) -> list[str]:
    """Return what ranks go by, where players have different instances."""
    if not instances_differ(board) or all(row["rank"] is None for row in board):
        return []
    adjusted = sorted({row["setting"] for row in board if row["ranked_by"] == "adjusted"})
    notes = ["each two models are ranked on the instances that both have"]
    if adjusted:
        notes.append(f"{', '.join(adjusted)}: in part by adjusted rates, as too few are shared")
    return notes


def figure(row: Row, name: str) -> str:
    """Return a figure of a leaderboard's row with its interval, where it has one."""
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if value is None:
        return "undefined"
    return f"{value:.3f}" if low is None or high is None else f"{value:.3f} [{low:.3f}, {high:.3f}]"
