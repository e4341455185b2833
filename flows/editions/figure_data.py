"""Read what figures are drawn of: their queries over one edition, and what the benchmark computes of them."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from perennial.flows.benchmark import Benchmark
from perennial.tasks.report.content import Figure, Query, Record, Report, ReportData, ReportTable, queries_of
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.dictionary import leaderboard_sql

# Columns and rows of SQL: `Catalog.query`, or a kept result of it.
Read = Callable[[str], tuple[Sequence[str], Sequence[tuple[Any, ...]]]]
EDITION = Query(
    "edition",
    """
-- What is this edition?
SELECT e.benchmark, e.created_at, e.code_version,
       count(DISTINCT i.domain) AS domains,
       count(i.instance_id) AS instances,
       (SELECT count(*) FROM episodes WHERE edition = $edition) AS episodes,
       (SELECT count(*) FROM private_instances WHERE edition = $edition) AS private,
       coalesce(list(DISTINCT i.setting ORDER BY i.setting) FILTER (i.setting IS NOT NULL), [])
           AS setting_names
FROM editions AS e
LEFT JOIN instances AS i USING (edition)
WHERE e.edition = $edition
GROUP BY ALL
""",
)


def read_figures(
    read: Read,
    edition: str,
    benchmark: Benchmark | None,
    figures: Iterable[Figure],
    seed: Callable[[], int],
    step: Callable[[str], None] = lambda name: None,
) -> ReportData:
    """Return all that these figures of the edition are drawn of, the headline first, without facts.

    `seed` returns the edition's public seed, which is needed where the benchmark computes something.
    `step` gets the name of each step. Without a benchmark, as where none of that name is installed, there is
    nothing of its own.
    """
    own, listed = own_report(benchmark), list(figures)
    is_computed = any(one.is_computed for one in listed)
    queries = queries_of(listed)
    sources = {one.name: one for one in own.sources} if is_computed else {}
    if own.order:
        sources[own.order.name] = own.order
    queried = {}
    for name, sql in fill_queries(benchmark, edition, {**queries, **sources}.values()).items():
        step(f"query {name}")
        queried[name] = query_table(read, name, sql)
    step("computing figures")
    extras = own.compute(queried, seed()) if is_computed else None
    shown = [table for name, table in queried.items() if name not in sources]
    return ReportData(
        edition,
        (),
        _settings(read_record(read, edition), queried.get(own.order.name) if own.order else None),
        {table.name: table for table in (*shown, *(extras.tables if extras else ()))},
        benchmark.declaration.measures if benchmark else (),
        own,
        extras.drawing_data if extras else None,
        floor=benchmark.declaration.floor if benchmark else None,
    )


def own_report(benchmark: Benchmark | None) -> Report:
    """Return what the benchmark adds to the report; most of it is shared."""
    return benchmark.report() if benchmark else Report()


def order_settings(read: Read, benchmark: Benchmark | None, edition: str) -> list[str]:
    """Return the settings of an edition in the order of its benchmark's report: from easy to hard."""
    order = own_report(benchmark).order
    rows = query_table(read, order.name, fill_query(order, edition)).records() if order else []
    return list(dict.fromkeys(row["setting"] for row in rows))


def fill_queries(benchmark: Benchmark | None, edition: str, queries: Iterable[Query]) -> dict[str, str]:
    """Return the SQL of the headline and of these queries of the edition, by name."""
    filled = {query.name: fill_query(query, edition) for query in queries}
    return {
        "headline": leaderboard_sql(edition, benchmark.declaration.figures if benchmark else ()),
        **filled,
    }


def fill_query(query: Query, edition: str = "") -> str:
    """Return the SQL of the query with the edition in its place."""
    return re.sub(r"\$edition\b", lambda _: quote(edition), query.sql).strip()


def query_table(read: Read, name: str, sql: str) -> ReportTable:
    """Return the rows of the SQL under that name; raise what `Catalog.query` raises."""
    columns, rows = read(sql)
    return ReportTable(name, tuple(columns), tuple(rows), sql)


def read_record(read: Read, edition: str) -> Record:
    """Return benchmark, counts and settings of the edition."""
    (record,) = query_table(read, "edition", fill_query(EDITION, edition)).records()
    return record


def _settings(record: Record, ordered: ReportTable | None) -> tuple[str, ...]:
    """Return the edition's settings in the order of the benchmark's query, those that it lacks by name."""
    first = [row["setting"] for row in ordered.records()] if ordered else []
    return tuple(dict.fromkeys((*first, *record["setting_names"])))
