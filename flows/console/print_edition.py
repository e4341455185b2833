"""What a refresh prints in the end: the leaderboard of the edition, what it holds and what it cost."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from textwrap import fill

from rich.cells import cell_len
from rich.table import Table

from perennial.flows.benchmark import find_benchmark
from perennial.flows.console.progress import calls_text, describe_rows
from perennial.flows.console.root_option import root_flag
from perennial.flows.console.row_formats import Terminal, figure, printable, wrap_words
from perennial.flows.editions.diagnosis import find_problems, problem_lines
from perennial.schemas.errors import count
from perennial.schemas.rows import JsonObject, Row
from perennial.schemas.statistics import (
    ABOVE_FLOOR,
    LINES,
    Floor,
    Measure,
    describe_floors,
    describe_populations,
    label_player,
    shown_measures,
)
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.tasks.report.figures.headline import describe_unasked, instances_differ
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, visible_editions
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.dictionary import leaderboard_sql
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.ledger.reading import Cause, count_causes, describe_causes
from perennial.warehouse.store.store import Store

# The leaderboard of a terminal: as many columns as fit beside names that are never cut.

_NAME_WIDTH, _LEAST_NAME_WIDTH = 32, 12
"""Names of players have this much room, as far as they need it; longer ones go on below, and none is cut."""
_HEADING_WIDTH, _FLOOR_WIDTH = 15, 10
_FAIR = ("common instances", "adjusted rate ± s.e.")
_NOTE_LINES = 2
_ANY_WIDTH = 10_000  # of a table that is only measured


def print_leaderboard(
    console: Terminal,
    title: str,
    board: Sequence[Row],
    measures: Sequence[Measure],
    floor: Floor | None,
    explained_by: str = "",
) -> None:
    """Print the table of these rows, in their order, and notes below it.

    There are two lines of notes, if a command is given that prints them all, which they name then.
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
    for printed, is_narrow, name_width in (*tried, (parts[-1], True, _LEAST_NAME_WIDTH)):
        table = _make_table(board, labels, printed, is_narrow, name_width)
        if _fits(console, table):
            break
    left_out = [name for name in columns if name not in printed]
    kept = [measure for measure in measures if measure.heading in printed]
    notes = [f"95% intervals: {describe_populations(row['population'] for row in board)}"]
    notes += [f"not shown, as the terminal is narrow: {', '.join(left_out)}"] if left_out else []
    floors = describe_floors(board)
    notes += [f"{floor.note}: {floors}" if floors else floor.note] if floor is not None else []
    notes += [
        *_reasons(board, kept),
        *(measure.note for measure in kept),
        *_ranking_notes(board),
        *describe_unasked(board),
    ]
    table.title = title
    console.print(table)
    for line in _wrap_notes(notes, console.width, explained_by):
        console.print(line)


def _wrap_notes(notes: Sequence[str], width: int, explained_by: str) -> list[str]:
    """Notes in lines: all of them, or as many whole ones as fit above the command that prints all."""
    whole = wrap_words("; ".join(notes), width)
    if not explained_by or len(whole) <= _NOTE_LINES:
        return whole
    fitting: list[str] = []
    for number in range(1, len(notes)):
        more = f"{count(len(notes) - number, 'more note')}: {explained_by}"
        lines = wrap_words("; ".join((*notes[:number], more)), width)
        if len(lines) <= _NOTE_LINES:
            fitting = lines
    return fitting or wrap_words(f"{count(len(notes), 'note')}: {explained_by}", width)


def _columns(board: Sequence[Row], measures: Iterable[Measure]) -> dict[str, list[str]]:
    columns = {
        "episodes": [_episodes(row) for row in board],
        "success rate": [figure(row, "success_rate") for row in board],
    }
    if any(row["above_floor"] is not None for row in board):
        columns[ABOVE_FLOOR] = [
            "–" if row["above_floor"] is None else figure(row, "above_floor") for row in board
        ]
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
    """The block of the board to which a row belongs: a setting's players, or its lines of reference."""
    return row["setting"], row["player_group"] in LINES


def _fair_cells(row: Row) -> tuple[str, str]:
    common, adjusted, error = (row[name] for name in ("common_rate", "adjusted_rate", "adjusted_rate_se"))
    return (
        "none" if common is None else f"{common:.3f} of {row['common_instances']:,}",
        "undefined" if adjusted is None else f"{adjusted:.3f} ± {error:.3f}",
    )


def _reasons(board: Sequence[Row], measures: Iterable[Measure]) -> list[str]:
    """Why figures of the board have no interval, each reason once."""
    headings: dict[str, dict[str, None]] = {}
    for measure in measures:
        for row in board:
            if reason := row[f"{measure.column}_no_interval"]:
                headings.setdefault(reason, {})[measure.heading] = None
    return [f"no interval of {' or '.join(named)}: {reason}" for reason, named in headings.items()]


def _ranking_notes(board: Sequence[Row]) -> list[str]:
    """What ranks go by if players have different instances."""
    if not instances_differ(board) or all(row["rank"] is None for row in board):
        return []
    adjusted = sorted({row["setting"] for row in board if row["ranked_by"] == "adjusted"})
    notes = ["each two models are ranked on the instances that both have"]
    if adjusted:
        notes.append(f"{', '.join(adjusted)}: in part by adjusted rates, as too few are shared")
    return notes


# The line that says what to type next.


def next_after_scores(store: Store) -> str:
    """The next command after an import of scores; without an edition there is nothing to analyse."""
    if visible_editions(store):
        return "next: perennial analyse"
    return 'next: perennial query "FROM external_scores"; an edition\'s statistics will correlate with them'


def print_edition(
    store: Store, unit: str, console: Terminal, as_json: bool, *, explains: bool = False
) -> None:
    """Print a published edition with its evaluations for people, or as JSON on standard output.

    `unit` is what was just published of it: the edition itself, or one of its evaluations. `explains`: with
    all notes on the leaderboard.
    """
    catalog = open_catalog(store)
    plan = read_published_plan(store, split_unit(unit)[0])
    benchmark = find_benchmark(plan.benchmark)
    declaration = benchmark.declaration
    board = catalog.records(leaderboard_sql(plan.edition, declaration.figures))
    grown, *answered = _counts(catalog, plan.edition)
    counts = sum(answered, grown)
    counts["statistics"] = catalog.count(f"FROM statistics WHERE edition = '{plan.edition}'")
    if as_json:
        document: JsonObject = {"edition": plan.edition}
        if is_evaluation(unit):
            document["evaluation"] = split_unit(unit)[1]
        document |= {"root": store.root, "counts": counts, "leaderboard": board}
        document["models"] = sum_calls(catalog, plan.edition)
        document["failed"] = [
            {"error": error, "calls": calls} for error, calls in _causes(catalog, plan.edition)
        ]
        document["problems"] = [asdict(problem) for problem in find_problems(catalog, plan.edition)]
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
        return
    flag = root_flag(store)
    explained_by = "" if explains else f"perennial report {plan.edition} --explain{flag}"
    title = f"Edition {plan.edition}"
    print_leaderboard(console, title, board, declaration.measures, declaration.floor, explained_by)
    whole = "published:"
    if is_evaluation(unit):
        whole = "edition:"
        console.print(f"published: {_describe_new(catalog, unit)}")
    row_counts = describe_rows({name: counts[name] for name in TABLES if name != "audits"})
    console.print(
        f"{whole:<10} {row_counts}; {counts['audits']:,} expectations held, "
        f"{grown['audits']:,} of the edition and {counts['audits'] - grown['audits']:,} of "
        f"{count(len(answered), 'evaluation')}"
    )
    if counts.get("calls"):
        console.print(f"models:    {_describe_spending(sum_calls(catalog, plan.edition))}")
        causes = _causes(catalog, plan.edition)
        if causes:
            console.print(f"failed:    {describe_causes(causes)}")
    for line in problem_lines(catalog, plan.edition):
        console.print(line)
    if text := _describe_scale(catalog, plan.benchmark):
        console.print(f"scale:     {text}")
    for name, text in benchmark.summary(catalog, plan).items():
        console.print(f"{name + ':':<10} {text}")
    console.print(f"tables:    {store.location('tables')}/<table>/edition={plan.edition}/")
    console.print(f"next:      perennial report {plan.edition}{flag}")
    console.print(f"           perennial ask best_players edition={plan.edition}{flag}")


def _counts(catalog: Catalog, edition: str) -> list[Counter[str]]:
    """Rows by table: first of the edition, then of each of its evaluations."""
    tables = ("editions", "evaluations")
    answers = (catalog.query(f"SELECT counts FROM {name} WHERE edition = '{edition}'")[1] for name in tables)
    return [Counter(json.loads(text)) for rows in answers for (text,) in rows]


def _describe_new(catalog: Catalog, evaluation: str) -> str:
    edition, name = split_unit(evaluation)
    sql = f"SELECT counts FROM evaluations WHERE edition = {quote(edition)} AND evaluation = {quote(name)}"
    ((text,),) = catalog.query(sql)[1]
    counts = Counter(json.loads(text))
    return describe_rows({table: counts[table] for table in TABLES if table != "audits"})


def _describe_scale(catalog: Catalog, benchmark: str) -> str:
    """How many editions and players are on the benchmark's common scale; "" for one edition."""
    ((editions, players),) = catalog.query(
        "SELECT count(DISTINCT other) FILTER (statistic = 'shift_of_edition'), "
        "count(DISTINCT player) FILTER (statistic = 'rate') "
        f"FROM scale WHERE benchmark = '{benchmark}'"
    )[1]
    if not editions:
        return ""
    return f"{count(players, 'player')} of {editions:,} editions are on one scale: table scale, or the report"


def sum_calls(catalog: Catalog, edition: str) -> JsonObject:
    """The edition's calls, tokens and known cost, and for how many calls each is unknown."""
    rows = catalog.records(
        "SELECT count(*) AS calls, sum(prompt_tokens)::BIGINT AS prompt_tokens, "
        "sum(completion_tokens)::BIGINT AS completion_tokens, "
        "count(*) FILTER (usage = 'missing') AS calls_without_usage, "
        "count(*) FILTER (usage = 'bounded') AS calls_with_bounded_usage, "
        "sum(cost_usd) AS known_cost_usd, count(*) FILTER (cost_usd IS NULL) AS calls_of_unknown_cost, "
        "string_agg(DISTINCT price_source, '; ' ORDER BY price_source) AS price_sources "
        f"FROM calls WHERE edition = '{edition}' AND role <> 'tool'"
    )
    return rows[0]


def _causes(catalog: Catalog, edition: str) -> list[Cause]:
    """Why the calls failed that ended episodes, with counts, the most frequent first."""
    _, rows = catalog.query(
        "SELECT error, count(*) AS calls FROM calls "
        f"WHERE edition = '{edition}' AND role = 'player' AND error IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    return count_causes((str(error), int(calls)) for error, calls in rows)


def _describe_spending(spent: Row) -> str:
    counted = calls_text(spent["calls"], spent["calls_of_unknown_cost"], spent["known_cost_usd"] or 0.0)
    tokens = f"{spent['prompt_tokens'] or 0:,} tokens in, {spent['completion_tokens'] or 0:,} out"
    kinds = {"without usage": "calls_without_usage", "with bounded usage": "calls_with_bounded_usage"}
    notes = [f"{spent[name]:,} calls {kind}" for kind, name in kinds.items() if spent[name]]
    notes += [f"prices of {spent['price_sources']}"] * bool(spent["price_sources"])
    return f"{counted}; {tokens}" + (f" ({', '.join(notes)})" if notes else "")
