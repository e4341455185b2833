"""Gather what the report of an edition shows: its queries as they are run, and what is computed from them."""

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC
from importlib.resources import files

from flows.benchmark import Benchmark, Playing, find_benchmark
from flows.editions.diagnosis import find_problems
from flows.refresh.planning.plan_precision import measure_plan
from schemas.errors import InvalidOption
from schemas.plan import EditionPlan, way_of
from schemas.rows import ReadJson
from tasks.play.model_player import parse_model_player
from tasks.report.content import Comparison, Record, Report, ReportData, ReportTable
from tasks.statistics.scale.design import POWER
from warehouse.catalog.catalog import Catalog, open_catalog
from warehouse.catalog.leaderboard import leaderboard_sql
from warehouse.catalog.sql.confinement import quote
from warehouse.disclosure.retirements import is_retired
from warehouse.editions.publish import read_published_plan
from warehouse.editions.selectors import select_unit
from warehouse.store.store import Store

SHARED_QUERIES = "flows.editions.report_queries"
_MOST_PROBLEMS = 5
_QUERIES = ("domains", "player_pairs", "tokens", "statuses", "other_benchmarks", "models", "scale")


def choose_edition(catalog: Catalog, store: Store, edition: str | None) -> str:
    """Return the edition, or the newest one where none is named.

    Raises UnreadableInput where none is published, InvalidOption where that one is not.
    """
    return select_unit(store, edition, catalog.editions)


def report_data(
    store: Store,
    edition: str | None = None,
    compare: str | None = None,
    anchors: Sequence[str] = (),
    step: Callable[[str], None] = lambda name: None,
) -> ReportData:
    """Return all that the page of the edition shows, compared with another edition where one is named.

    `step` gets the name of each step. `anchors` are players that are the same in both; without any, those
    that both were evaluated with as such.
    Raises what `choose_edition` raises, and InvalidOption for an edition compared with itself or with one of
    another benchmark.
    """
    # Sums of floats depend on their order, which several threads leave open.
    catalog = open_catalog(store, settings={"threads": 1})
    chosen = choose_edition(catalog, store, edition)
    record = _edition_record(catalog, chosen)
    benchmark = find_benchmark(record["benchmark"])
    comparison = None
    if compare is not None:
        step(f"comparing with {compare}")
        comparison = _comparison(catalog, choose_edition(catalog, store, compare), chosen, benchmark, anchors)
    own = own_report(benchmark)
    queried = {}
    for name, sql in report_queries(benchmark, chosen).items():
        step(f"query {name}")
        queried[name] = query_table(catalog, name, sql)
    step("computing figures")
    plan = read_published_plan(store, chosen)
    extras = own.compute(queried, plan.public_seed)
    shown = [table for name, table in queried.items() if name not in own.sources]
    return ReportData(
        chosen,
        (
            *_facts(record, plan, is_retired(store, chosen)),
            *_protocols(catalog, chosen),
            *_precision(catalog, chosen, benchmark),
            *_problems(catalog, chosen),
        ),
        _settings(record, queried.get(own.order)),
        {table.name: table for table in (*shown, *extras.tables)},
        benchmark.measures,
        own,
        extras.drawing_data,
        comparison,
        floor=benchmark.floor,
    )


def own_report(benchmark: Benchmark) -> Report:
    """Return what the benchmark adds to the report; most of it is shared."""
    report: Report = benchmark.report() if benchmark.report is not None else Report()
    return report


def report_queries(benchmark: Benchmark, edition: str) -> dict[str, str]:
    """Return the SQL of every query behind the edition's report, by name."""
    own = own_report(benchmark)
    return {
        "headline": leaderboard_sql(edition, benchmark.figures),
        **{name: query_text(SHARED_QUERIES, name, edition) for name in _QUERIES},
        **{name: query_text(own.package, name, edition) for name in (*own.queries, *own.sources)},
    }


def query_text(package: str, name: str, edition: str = "") -> str:
    """Return the SQL of the package's file, with the edition in its place."""
    sql = (files(package) / f"{name}.sql").read_text(encoding="utf-8")
    return re.sub(r"\$edition\b", lambda _: quote(edition), sql).strip()


def query_table(catalog: Catalog, name: str, sql: str) -> ReportTable:
    """Return the rows of the SQL under that name; raise what `Catalog.query` raises."""
    columns, rows = catalog.query(sql)
    return ReportTable(name, tuple(columns), tuple(rows), sql)


def _comparison(
    catalog: Catalog, other: str, chosen: str, benchmark: Benchmark, anchors: Sequence[str]
) -> Comparison:
    if other == chosen:
        raise InvalidOption(f"--compare {other!r} is the report's own edition: name another one")
    if (found := _edition_record(catalog, other)["benchmark"]) != benchmark.name:
        raise InvalidOption(
            f"--compare {other!r} is an edition of {found}, but {chosen!r} of {benchmark.name}: name one of "
            "the same benchmark"
        )
    queries = report_queries(benchmark, other)
    headline, domains = (
        query_table(catalog, f"{name}_{other}", queries[name]) for name in ("headline", "domains")
    )
    answers, own_answers = (
        query_table(
            catalog,
            f"answer_patterns_{edition}",
            query_text(SHARED_QUERIES, "answer_patterns", edition),
        )
        for edition in (other, chosen)
    )
    tied = tuple(anchors) or _shared_anchors(catalog, (chosen, other), benchmark)
    both = set.intersection(
        *({name for row in table.records() for name in row["players"]} for table in (answers, own_answers))
    )
    for name in anchors:
        if name not in both:
            raise InvalidOption(
                f"--anchors {name!r} has no scored episodes in {chosen}, in {other} or in both: name players "
                "of both"
            )
    return Comparison(other, headline, domains, answers, own_answers, tied)


def _shared_anchors(catalog: Catalog, editions: Sequence[str], benchmark: Benchmark) -> tuple[str, ...]:
    """Return the anchors that each of the editions was evaluated with, models with equal parameters."""
    playing = benchmark.playing()
    programs = playing.programs
    found = []
    for edition in editions:
        anchors: set[tuple[str, str]] = set()
        for (text,) in catalog.query(f"SELECT settings FROM evaluations WHERE edition = {quote(edition)}")[1]:
            plan = json.loads(text)
            for name in plan.get("anchors", ()):
                anchors.add((name, "" if name in programs else _asked_how(plan, name, playing)))
        found.append(anchors)
    return tuple(sorted({name for name, _ in set.intersection(*found)}))


def _asked_how(settings: ReadJson, player: str, playing: Playing) -> str:
    """Return parameters and protocol that a model was asked with in an evaluation, by its plan."""
    model = parse_model_player(player, {}, playing.variants).choice.model
    params = settings.get("model_params", {}).get(model, settings["player_params"])
    return json.dumps([params, way_of(settings.get("protocol", {}), player)], sort_keys=True)


def _edition_record(catalog: Catalog, edition: str) -> Record:
    sql = query_text(SHARED_QUERIES, "edition", edition)
    (record,) = query_table(catalog, "edition", sql).records()
    return record


def _settings(record: Record, ordered: ReportTable | None) -> tuple[str, ...]:
    """Return the edition's settings in the order of the benchmark's query, those that it lacks by name."""
    first = [row["setting"] for row in ordered.records()] if ordered else []
    return tuple(dict.fromkeys((*first, *record["setting_names"])))


def _facts(record: Record, plan: EditionPlan, retired: bool) -> tuple[tuple[str, str], ...]:
    place = "in exports, as the edition is retired" if retired else "in no export"
    private = f"{record['private']:,}, {place}; figures are over all instances, these included"
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
    """Return how models were asked in evaluations where that is not the benchmark's usual way."""
    sql = f"SELECT evaluation, settings FROM evaluations WHERE edition = {quote(edition)} ORDER BY evaluation"
    names = {name: json.loads(text).get("protocol", {}).get("name") for name, text in catalog.query(sql)[1]}
    told = [f"{protocol} in evaluation {name}" for name, protocol in names.items() if protocol]
    return [("protocol", ", ".join(told))] if told else []


def _problems(catalog: Catalog, edition: str) -> list[tuple[str, str]]:
    """Return the commonest reasons why players have no score, each with an example."""
    found = find_problems(catalog, edition)
    more = [f"{len(found) - _MOST_PROBLEMS} more"] if len(found) > _MOST_PROBLEMS else []
    told = [problem.describe() for problem in found[:_MOST_PROBLEMS]]
    return [("problems", "; ".join(told + more))] if found else []


def _precision(catalog: Catalog, edition: str, benchmark: Benchmark) -> list[tuple[str, str]]:
    """Return the differences that the edition detects, where its domains are a draw."""
    if benchmark.variance is None:
        return []
    sql = query_text(SHARED_QUERIES, "sizes", edition)
    rows = catalog.query(sql)[1]
    told = []
    for setting, domains, instances, runs in rows:
        measured = measure_plan(benchmark.name, {setting: (domains, instances)}, max(1, round(runs or 1)))
        told += [f"{name} {one['detectable_difference']:.3f}" for name, one in measured.items()]
    note = f"in success rate between two models, over new domains, with power {POWER:g}"
    source = f"variance of {benchmark.variance.source}"
    return [("detectable difference", f"{', '.join(told)} ({note}; {source})")] if told else []


def _describe_seed(plan: EditionPlan) -> str:
    seed = f"SHA-256 {plan.seed_commitment}" if plan.seed is None else str(plan.seed)
    return f"{seed} ({plan.freshness})"
