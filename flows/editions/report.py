"""Gather what the report of an edition shows: its queries as they are run, and what is computed from them."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any

from perennial.flows.benchmark import Benchmark, find_benchmark, find_installed
from perennial.flows.editions.diagnosis import find_problems
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.plan import EditionPlan, way_of
from perennial.schemas.rows import ReadJson
from perennial.tasks.play import parse_model_player
from perennial.tasks.report.comparison import ANSWER_PATTERNS
from perennial.tasks.report.content import (
    EditionComparison,
    Figure,
    Query,
    Record,
    Report,
    ReportData,
    ReportTable,
    queries_of,
)
from perennial.tasks.report.figures.heat_map import DOMAINS
from perennial.tasks.report.page import SHARED
from perennial.tasks.report.profiles import QUERIES, ProfileData
from perennial.tasks.statistics.scale.design import POWER, measure_plan
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.dictionary import leaderboard_sql
from perennial.warehouse.disclosure import is_retired
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.store.store import Store

# Read what figures are drawn of: their queries over one edition, and what the benchmark computes of them.

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
    """Read everything that these figures of the edition are drawn from, the headline first, without facts.

    `seed` returns the edition's public seed, which is needed where the benchmark computes something.
    `step` gets the name of each step. Without a benchmark, as where none of that name is installed, there is
    nothing of its own.
    """
    report, listed = own_report(benchmark), list(figures)
    is_computed = any(figure.is_computed for figure in listed)
    queries = queries_of(listed)
    sources = {source.name: source for source in report.sources} if is_computed else {}
    if report.order:
        sources[report.order.name] = report.order
    queried = {}
    for name, sql in fill_queries(benchmark, edition, {**queries, **sources}.values()).items():
        step(f"query {name}")
        queried[name] = query_table(read, name, sql)
    step("computing figures")
    extras = report.compute(queried, seed()) if is_computed and report.compute else None
    uncomputed = [table for name, table in queried.items() if name not in sources]
    return ReportData(
        edition,
        (),
        _settings(read_record(read, edition), queried.get(report.order.name) if report.order else None),
        {table.name: table for table in (*uncomputed, *(extras.tables if extras else ()))},
        benchmark.declaration.measures if benchmark else (),
        report,
        extras.drawing_data if extras else None,
        floor=benchmark.declaration.floor if benchmark else None,
    )


def own_report(benchmark: Benchmark | None) -> Report:
    """What the benchmark adds to the shared report; an empty report for an unknown benchmark."""
    return benchmark.report() if benchmark else Report()


def order_settings(read: Read, benchmark: Benchmark | None, edition: str) -> list[str]:
    """The settings of an edition in the order of its benchmark's report: from easy to hard."""
    order = own_report(benchmark).order
    rows = query_table(read, order.name, fill_query(order, edition)).records() if order else []
    return list(dict.fromkeys(row["setting"] for row in rows))


def fill_queries(benchmark: Benchmark | None, edition: str, queries: Iterable[Query]) -> dict[str, str]:
    """SQL of the headline and of these queries of the edition, by name."""
    filled = {query.name: fill_query(query, edition) for query in queries}
    return {
        "headline": leaderboard_sql(edition, benchmark.declaration.figures if benchmark else ()),
        **filled,
    }


def fill_query(query: Query, edition: str = "") -> str:
    """Put the edition into the query's SQL, quoted."""
    return re.sub(r"\$edition\b", lambda _: quote(edition), query.sql).strip()


def query_table(read: Read, name: str, sql: str) -> ReportTable:
    """Run the SQL and keep its rows under that name; raises what `Catalog.query` raises."""
    columns, rows = read(sql)
    return ReportTable(name, tuple(columns), tuple(rows), sql)


def read_record(read: Read, edition: str) -> Record:
    """The edition's benchmark, counts and settings."""
    (record,) = query_table(read, "edition", fill_query(EDITION, edition)).records()
    return record


def _settings(record: Record, ordered: ReportTable | None) -> tuple[str, ...]:
    """The edition's settings in the order of the benchmark's query; others follow by name."""
    first = [row["setting"] for row in ordered.records()] if ordered else []
    return tuple(dict.fromkeys((*first, *record["setting_names"])))


# Read the edition that a report is compared with, and the anchors that tie the two.


def read_comparison(
    read: Read, other: str, chosen: str, benchmark: Benchmark, anchors: Sequence[str] = ()
) -> EditionComparison:
    """Compare with `chosen`, tied by these anchors, else by the anchors of both editions.

    Raises InvalidOption for an edition of another benchmark, for the same one, and for an anchor that has no
    scored episodes in both.
    """
    if other == chosen:
        raise InvalidOption(f"--compare {other!r} is the report's own edition: name another one")
    if (theirs := read_record(read, other)["benchmark"]) != benchmark.name:
        raise InvalidOption(
            f"--compare {other!r} is an edition of {theirs}, but {chosen!r} of {benchmark.name}: name one of "
            "the same benchmark"
        )
    queries = fill_queries(benchmark, other, [DOMAINS])
    headline, domains = (
        query_table(read, f"{name}_{other}", queries[name]) for name in ("headline", DOMAINS.name)
    )
    answers, own_answers = (
        query_table(read, f"{ANSWER_PATTERNS.name}_{edition}", fill_query(ANSWER_PATTERNS, edition))
        for edition in (other, chosen)
    )
    tied = tuple(anchors) or shared_anchors(read, (chosen, other), benchmark)
    both = set.intersection(
        *({name for row in table.records() for name in row["players"]} for table in (answers, own_answers))
    )
    for name in anchors:
        if name not in both:
            raise InvalidOption(
                f"--anchors {name!r} has no scored episodes in {chosen}, in {other} or in both: name players "
                "of both"
            )
    return EditionComparison(other, headline, domains, answers, own_answers, tied)


def shared_anchors(read: Read, editions: Sequence[str], benchmark: Benchmark) -> tuple[str, ...]:
    """Anchors that each of the editions was evaluated with: for models, with equal parameters."""
    programs = benchmark.programs
    anchor_sets = []
    for edition in editions:
        anchors: set[tuple[str, str]] = set()
        for (text,) in read(f"SELECT settings FROM evaluations WHERE edition = {quote(edition)}")[1]:
            plan = json.loads(text)
            for name in plan.get("anchors", ()):
                anchors.add((name, "" if name in programs else _asked_how(plan, name, benchmark)))
        anchor_sets.append(anchors)
    return tuple(sorted({name for name, _ in set.intersection(*anchor_sets)}))


def _asked_how(settings: ReadJson, player: str, benchmark: Benchmark) -> str:
    """Parameters and protocol that a model was asked with in an evaluation, by its plan."""
    model = parse_model_player(player, {}, benchmark.variants).choice.model
    params = settings.get("model_params", {}).get(model, settings["player_params"])
    return json.dumps([params, way_of(settings.get("protocol", {}), player)], sort_keys=True)


# What stands at the head of a report: what the edition is, how models were asked, what it can detect.

SIZES = Query(
    "sizes",
    """
-- How many domains, instances and runs has each setting?
SELECT setting, count(DISTINCT domain), count(DISTINCT instance_id), median(runs)
FROM instances
LEFT JOIN (
    SELECT instance_id, player, count(*) AS runs FROM episodes WHERE edition = $edition GROUP BY ALL
) USING (instance_id)
WHERE edition = $edition
GROUP BY setting
ORDER BY setting
""",
)
_MOST_PROBLEMS = 5


def state_facts(
    catalog: Catalog, benchmark: Benchmark, plan: EditionPlan, retired: bool
) -> tuple[tuple[str, str], ...]:
    """What the head of the report says of the plan's edition, as pairs of name and value."""
    record = read_record(catalog.query, plan.edition)
    return (
        *_facts(record, plan, retired),
        *_protocols(catalog, plan.edition),
        *_precision(catalog, plan.edition, benchmark),
        *_problems(catalog, plan.edition),
        *_audit(catalog, plan.edition),
    )


def _facts(record: Record, plan: EditionPlan, retired: bool) -> tuple[tuple[str, str], ...]:
    where = "in exports, as the edition is retired" if retired else "in no export"
    private = f"{record['private']:,}, {where}; figures are over all instances, these included"
    return (
        ("benchmark", str(record["benchmark"])),
        ("published", f"{record['created_at'].astimezone(UTC):%Y-%m-%d %H:%M} UTC"),
        ("seed", _describe_seed(plan)),
        ("perennial", str(record["code_version"])),
        *((name, f"{record[name]:,}") for name in ("domains", "instances", "episodes")),
        *([("private instances", private)] if record["private"] else []),
        ("canary", plan.canary),
    )


def _protocols(catalog: Catalog, edition: str) -> list[tuple[str, str]]:
    """How models were asked in evaluations that deviate from the benchmark's protocol."""
    sql = f"SELECT evaluation, settings FROM evaluations WHERE edition = {quote(edition)} ORDER BY evaluation"
    names = {name: json.loads(text).get("protocol", {}).get("name") for name, text in catalog.query(sql)[1]}
    lines = [f"{protocol} in evaluation {name}" for name, protocol in names.items() if protocol]
    return [("protocol", ", ".join(lines))] if lines else []


def _problems(catalog: Catalog, edition: str) -> list[tuple[str, str]]:
    """The most frequent reasons why players have no score, each with an example."""
    problems = find_problems(catalog, edition)
    more = [f"{len(problems) - _MOST_PROBLEMS} more"] if len(problems) > _MOST_PROBLEMS else []
    texts = [problem.describe() for problem in problems[:_MOST_PROBLEMS]]
    return [("problems", "; ".join(texts + more))] if problems else []


def _audit(catalog: Catalog, edition: str) -> list[tuple[str, str]]:
    """How many expectations held, and how to see each; nothing if there was no audit."""
    ((held,),) = catalog.query(f"SELECT count(*) FROM audits WHERE edition = {quote(edition)} AND success")[1]
    command = f"perennial audit {edition} --docs reports/{edition}-data-docs"
    return [("audit", f"{held:,} expectations held; {command} shows each in Data Docs")] if held else []


def _precision(catalog: Catalog, edition: str, benchmark: Benchmark) -> list[tuple[str, str]]:
    variance = benchmark.declaration.variance
    if variance is None:
        return []
    rows = catalog.query(fill_query(SIZES, edition))[1]
    parts = []
    for setting, domains, instances, runs in rows:
        measured = measure_plan(variance, {setting: (domains, instances)}, max(1, round(runs or 1)))
        parts += [f"{name} {row['detectable_difference']:.3f}" for name, row in measured.items()]
    note = f"in success rate between two models, over new domains, with power {POWER:g}"
    source = f"variance of {variance.source}"
    return [("detectable difference", f"{', '.join(parts)} ({note}; {source})")] if parts else []


def _describe_seed(plan: EditionPlan) -> str:
    seed = f"SHA-256 {plan.seed_commitment}" if plan.seed is None else str(plan.seed)
    return f"{seed} ({plan.freshness})"


def report_data(
    store: Store,
    edition: str | None = None,
    compare: str | None = None,
    anchors: Sequence[str] = (),
    step: Callable[[str], None] = lambda name: None,
) -> ReportData:
    """Read all that the page of the edition shows, compared with another edition if one is named.

    `step` gets the name of each step. `anchors` are players that are the same in both; without any, those
    that both were evaluated with as such.
    Raises what `select_unit` raises, and InvalidOption for an edition compared with itself or with one of
    another benchmark.
    """
    # Sums of floats depend on their order, which several threads leave open.
    catalog = open_catalog(store, settings={"threads": 1})
    chosen = select_unit(store, edition, catalog.editions)
    benchmark = find_benchmark(read_record(catalog.query, chosen)["benchmark"])
    comparison = None
    if compare is not None:
        step(f"comparing with {compare}")
        other = select_unit(store, compare, catalog.editions)
        comparison = read_comparison(catalog.query, other, chosen, benchmark, anchors)
    plan = read_published_plan(store, chosen)
    figures = (*SHARED, *benchmark.report().figures)
    data = read_figures(
        catalog.query,
        edition=chosen,
        benchmark=benchmark,
        figures=figures,
        seed=lambda: plan.public_seed,
        step=step,
    )
    facts = state_facts(catalog, benchmark, plan, is_retired(store, chosen))
    return replace(data, facts=facts, comparison=comparison)


# Gather what the page of profiles shows: the newest edition of each benchmark, side by side.


def profile_data(store: Store, step: Callable[[str], None] = lambda name: None) -> ProfileData:
    """Read all that the page of profiles shows; `step` gets the name of each step.

    Raises UnreadableInput where no edition of the data root has a profile.
    """
    # Sums of floats depend on their order, which several threads leave open.
    data = read_profiles(open_catalog(store, settings={"threads": 1}).query, step)
    if not data.tables["profile_scores"].rows:
        raise UnreadableInput(
            f"no edition in {store.root} has profiles: publish one with `perennial refresh`, or compute "
            "those of editions from an earlier version with `perennial analyse`"
        )
    return data


def read_profiles(read: Read, step: Callable[[str], None] = lambda name: None) -> ProfileData:
    """Read what the page shows of the editions that `read` sees; no rows if none has a profile."""
    tables = {}
    for query in QUERIES:
        step(f"query {query.name}")
        tables[query.name] = query_table(read, query.name, fill_query(query))
    facts = tuple(
        (
            row["benchmark"],
            f"edition {row['edition']}, {row['created_at'].astimezone(UTC):%Y-%m-%d}, {row['freshness']}, "
            f"{row['players']} players",
        )
        for row in tables["profile_editions"].records()
    )
    step("settings")
    return ProfileData(facts, tables, _columns(read, tables))


def _columns(read: Read, tables: Mapping[str, ReportTable]) -> tuple[tuple[str, str], ...]:
    """Benchmark and setting per column: settings in the order of their benchmark's report."""
    scored = sorted({(row["benchmark"], row["setting"]) for row in tables["profile_scores"].records()})
    columns = []
    for row in tables["profile_editions"].records():
        name = row["benchmark"]
        ordered = order_settings(read, find_installed(name), row["edition"])
        first = [(name, setting) for setting in ordered]
        settings = dict.fromkeys((*first, *scored))
        columns += [column for column in settings if column[0] == name and column in scored]
    return tuple(columns)
