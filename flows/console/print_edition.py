"""What a refresh prints in the end: the leaderboard of the edition, what it holds and what it cost."""

import json
import sys
from collections import Counter
from dataclasses import asdict

from perennial.flows.benchmark import find_benchmark
from perennial.flows.console.leaderboard_table import leaderboard_table
from perennial.flows.console.progress import calls_text, describe_rows
from perennial.flows.console.terminal import Terminal
from perennial.flows.editions.diagnosis import find_problems, problem_lines
from perennial.schemas.errors import count
from perennial.schemas.rows import JsonObject, Row
from perennial.schemas.statistics import rate_above_floor
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.dictionary import leaderboard_sql
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.ledger.reading import Cause, count_causes, describe_causes
from perennial.warehouse.store.store import Store


def print_edition(store: Store, unit: str, console: Terminal, as_json: bool) -> None:
    """Print a published edition with its evaluations for people, or as JSON on standard output.

    `unit` is what was just published of it: the edition itself, or one of its evaluations.
    """
    catalog = open_catalog(store)
    plan = read_published_plan(store, split_unit(unit)[0])
    benchmark = find_benchmark(plan.benchmark)
    declaration = benchmark.declaration
    names, rows = catalog.query(leaderboard_sql(plan.edition, declaration.figures))
    board = [dict(zip(names, row, strict=True)) for row in rows]
    above = rate_above_floor(declaration.floor, board)
    if any(value is not None for value in above):
        board = [row | {"above_floor": value} for row, value in zip(board, above, strict=True)]
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
    table = leaderboard_table(console, board, declaration.measures, declaration.floor)
    table.title = f"Edition {plan.edition}"
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
