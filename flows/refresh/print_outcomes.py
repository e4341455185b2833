"""What a refresh of several benchmarks prints in the end: a line about each edition."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from perennial.flows.console.print_edition import sum_calls
from perennial.flows.console.terminal import Terminal
from perennial.schemas.rows import Row
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from perennial.flows.refresh.several import Outcome


def print_outcomes(store: Store, outcomes: "Sequence[Outcome]", console: Terminal, as_json: bool) -> None:
    """Print what became of each edition for people, or as JSON on standard output."""
    catalog = open_catalog(store)
    rows = [_describe(catalog, outcome) for outcome in outcomes]
    if as_json:
        sys.stdout.write(json.dumps({"root": store.root, "editions": rows}, indent=1) + "\n")
        return
    table = Table(title="Editions of this refresh", title_justify="left", padding=0)
    for heading in ("benchmark", "edition"):
        table.add_column(heading, overflow="fold")
    for heading in ("instances", "evaluation", "calls", "cost", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(row["benchmark"], row["edition"], *_cells(row))
    console.print(table)
    for row in rows:
        if row["error"]:
            console.print(f"failed: {row['edition']}: {row['error']}", markup=False, highlight=False)
    flag = "" if store.root == "warehouse/data" else f" --root {store.root}"
    console.print(f'next:   perennial query{flag} "FROM leaderboard"', markup=False, highlight=False)


def _describe(catalog: Catalog, outcome: "Outcome") -> Row:
    edition = outcome.edition
    grown = catalog.query(f"SELECT counts FROM editions WHERE edition = '{edition}'")[1]
    played = catalog.query(f"SELECT evaluation, counts FROM evaluations WHERE edition = '{edition}'")[1]
    # What is not published has its calls in the ledger alone.
    spent = sum_calls(catalog, edition) if played else {}
    return {
        "benchmark": outcome.benchmark,
        "edition": edition,
        "instances": json.loads(grown[0][0])["instances"] if grown else None,
        "evaluation": played[0][0] if played else None,
        "episodes": sum(json.loads(counts).get("episodes", 0) for _, counts in played) if played else None,
        "calls": spent.get("calls"),
        "known_cost_usd": spent.get("known_cost_usd"),
        "calls_of_unknown_cost": spent.get("calls_of_unknown_cost"),
        "seconds": round(outcome.seconds, 1),
        "error": outcome.error,
    }


def _cells(row: Row) -> list[str]:
    known = row["known_cost_usd"] or 0
    cost = "-" if row["calls"] is None else "unknown" if row["calls_of_unknown_cost"] else f"${known:,.2f}"
    counts = (row["instances"], row["evaluation"], row["calls"])
    cells = ["-" if value is None else f"{value:,}" if isinstance(value, int) else value for value in counts]
    return [*cells, cost, f"{row['seconds']:,.1f}"]
