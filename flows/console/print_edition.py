"""What a refresh prints in the end: the leaderboard of the edition, what it holds and what it cost."""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from textwrap import fill

from rich.table import Table

from flows.benchmark import find_benchmark
from flows.console.progress import calls_text, describe_rows
from flows.console.terminal import Terminal
from flows.editions.diagnosis import find_problems, problem_lines
from schemas.errors import count
from schemas.rows import JsonObject, Row
from schemas.statistics.board import LINES
from schemas.statistics.measure import ABOVE_FLOOR, Measure, label_player, rate_above_floor
from schemas.statistics.populations import describe_populations
from schemas.tables import TABLES
from schemas.units import is_evaluation, split_unit
from tasks.report.figures.headline import describe_unasked, instances_differ
from warehouse.catalog.catalog import Catalog, open_catalog
from warehouse.catalog.leaderboard import leaderboard_sql
from warehouse.catalog.sql.confinement import quote
from warehouse.editions.publish import read_published_plan
from warehouse.ledger.causes import Cause, count_causes, describe_causes
from warehouse.store.store import Store

# Columns of the terminal. On one too narrow for all figures beside each other an interval has a line of its
# own; measures that do not fit even so are left out, and named.
_WIDE, _WIDE_FIGURE = 42, 26
_NARROW, _NARROW_FIGURE = 62, 18
_FLOOR = 10
_HEADING_WIDTH = 15


def print_edition(store: Store, unit: str, console: Terminal, as_json: bool) -> None:
    """Print a published edition with its evaluations for people, or as JSON on standard output.

    `unit` is what was just published of it: the edition itself, or one of its evaluations.
    """
    catalog = open_catalog(store)
    plan = read_published_plan(store, split_unit(unit)[0])
    benchmark = find_benchmark(plan.benchmark)
    measures = benchmark.measures
    names, rows = catalog.query(leaderboard_sql(plan.edition, benchmark.figures))
    board = [dict(zip(names, row, strict=True)) for row in rows]
    above = rate_above_floor(benchmark.floor, board)
    has_floor = any(value is not None for value in above)
    for row, value in zip(board, above, strict=True):
        row |= {"above_floor": value} if has_floor else {}
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
        document["problems"] = [asdict(one) for one in find_problems(catalog, plan.edition)]
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
        return
    is_narrow = console.width < max(100, _WIDE + _WIDE_FIGURE * (1 + len(measures)) + _FLOOR * has_floor)
    if is_narrow:
        measures = measures[: max(1, (console.width - _NARROW - _FLOOR * has_floor) // _NARROW_FIGURE + 1)]
    left_out = [measure.heading for measure in benchmark.measures[len(measures) :]]
    title, padding = f"Edition {plan.edition}", (0, 0 if is_narrow else 1)
    table = Table(title=title, title_justify="left", caption_justify="left", padding=padding)
    table.add_column("setting", no_wrap=True)
    table.add_column("player", overflow="fold", min_width=11)
    differs = instances_differ(board)
    fair = ("common instances", "adjusted rate ± s.e.") if differs else ()
    floored = (ABOVE_FLOOR,) if has_floor else ()
    for heading in ("episodes", "success rate", *floored, *fair, *(measure.heading for measure in measures)):
        width = _FLOOR if heading == ABOVE_FLOOR else _HEADING_WIDTH
        table.add_column(fill(heading, width), justify="right", no_wrap=True)
    for row, after in zip(board, [*board[1:], None], strict=True):
        scored, attempted = row["scored"], row["attempted"]
        episodes = f"{scored:,}" if scored == attempted else f"{scored:,} of {attempted:,}"
        floor = (("–" if row["above_floor"] is None else f"{row['above_floor']:.3f}"),) if has_floor else ()
        rates = [figure(row, "success_rate"), *floor, *(_fair_cells(row) if differs else ())]
        figures = [figure(row, measure.column) for measure in measures]
        cells = [text.replace(" [", "\n[") if is_narrow else text for text in (*rates, *figures)]
        ends = after is not None and _part_of(row) != _part_of(after)
        table.add_row(row["setting"], label_player(benchmark.floor, row), episodes, *cells, end_section=ends)
    populations = describe_populations(row["population"] for row in board)
    notes = [
        f"95% intervals: {populations}",
        *_reasons(board, measures),
        *(m.note for m in measures),
        *_ranking_notes(board),
        *describe_unasked(board),
    ]
    notes += [benchmark.floor.note] if benchmark.floor is not None else []
    notes += [f"not shown, as the terminal is narrow: {', '.join(left_out)}"] if left_out else []
    table.caption = "; ".join(notes)
    console.print(table)
    whole = "published:"
    if is_evaluation(unit):
        whole = "edition:"
        console.print(f"published: {_describe_new(catalog, unit)}")
    shown = describe_rows({name: counts[name] for name in TABLES if name != "audits"})
    console.print(
        f"{whole:<10} {shown}; {counts['audits']:,} expectations held, "
        f"{grown['audits']:,} of the edition and {counts['audits'] - grown['audits']:,} of "
        f"{count(len(answered), 'evaluation')}"
    )
    if counts.get("calls"):
        console.print(f"models:    {_describe_spending(sum_calls(catalog, plan.edition))}")
        causes = _causes(catalog, plan.edition)
        if causes:
            console.print(f"failed:    {describe_causes(causes)}")
    for line in problem_lines(catalog, plan.edition):
        console.print(line, markup=False, highlight=False)
    if text := _describe_scale(catalog, plan.benchmark):
        console.print(f"scale:     {text}")
    for name, text in benchmark.summary(catalog, plan).items():
        console.print(f"{name + ':':<10} {text}")
    console.print(f"tables:    {store.location('tables')}/<table>/edition={plan.edition}/")
    flag = "" if store.root == "warehouse/data" else f" --root {store.root}"
    console.print(
        f"next:      perennial query{flag} \"FROM domain_scores WHERE edition = '{plan.edition}'\"",
    )


def _part_of(row: Row) -> tuple[str, bool]:
    """Return what is between two lines of the board: a setting's players, or its lines of reference."""
    return row["setting"], row["player_group"] in LINES


def _counts(catalog: Catalog, edition: str) -> list[Counter[str]]:
    """Return the rows of each table, of the edition and then of each of its evaluations."""
    tables = ("editions", "evaluations")
    found = (catalog.query(f"SELECT counts FROM {name} WHERE edition = '{edition}'")[1] for name in tables)
    return [Counter(json.loads(text)) for rows in found for (text,) in rows]


def _describe_new(catalog: Catalog, evaluation: str) -> str:
    """Return what was published of an evaluation alone."""
    edition, name = split_unit(evaluation)
    sql = f"SELECT counts FROM evaluations WHERE edition = {quote(edition)} AND evaluation = {quote(name)}"
    ((text,),) = catalog.query(sql)[1]
    counts = Counter(json.loads(text))
    return describe_rows({table: counts[table] for table in TABLES if table != "audits"})


def _describe_scale(catalog: Catalog, benchmark: str) -> str:
    """Return how many editions and players are on the benchmark's common scale; "" for one edition."""
    ((editions, players),) = catalog.query(
        "SELECT count(DISTINCT other) FILTER (statistic = 'shift_of_edition'), "
        "count(DISTINCT player) FILTER (statistic = 'rate') "
        f"FROM scale WHERE benchmark = '{benchmark}'"
    )[1]
    if not editions:
        return ""
    return f"{count(players, 'player')} of {editions:,} editions are on one scale: table scale, or the report"


def _fair_cells(row: Row) -> tuple[str, str]:
    common, adjusted, error = (row[name] for name in ("common_rate", "adjusted_rate", "adjusted_rate_se"))
    return (
        "none" if common is None else f"{common:.3f} of {row['common_instances']:,}",
        "undefined" if adjusted is None else f"{adjusted:.3f} ± {error:.3f}",
    )


def _reasons(board: list[Row], measures: Iterable[Measure]) -> list[str]:
    """Return why figures of the board have no interval, each reason once."""
    found = {(m.heading, row[f"{m.column}_no_interval"]) for row in board for m in measures}
    return [
        f"no interval of {heading}: {reason}"
        for heading, reason in sorted(found - {(h, None) for h, _ in found})
    ]


def _ranking_notes(board: list[Row]) -> list[str]:
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


def sum_calls(catalog: Catalog, edition: str) -> JsonObject:
    """Return the edition's calls, tokens and known cost, and for how many calls each is unknown."""
    names, rows = catalog.query(
        "SELECT count(*) AS calls, sum(prompt_tokens)::BIGINT AS prompt_tokens, "
        "sum(completion_tokens)::BIGINT AS completion_tokens, "
        "count(*) FILTER (usage = 'missing') AS calls_without_usage, "
        "count(*) FILTER (usage = 'bounded') AS calls_with_bounded_usage, "
        "sum(cost_usd) AS known_cost_usd, count(*) FILTER (cost_usd IS NULL) AS calls_of_unknown_cost "
        f"FROM calls WHERE edition = '{edition}'"
    )
    return dict(zip(names, rows[0], strict=True))


def _causes(catalog: Catalog, edition: str) -> list[Cause]:
    """Return why the calls failed that episodes ended with, with counts, the most frequent first."""
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
    return f"{counted}; {tokens}" + (f" ({', '.join(notes)})" if notes else "")
