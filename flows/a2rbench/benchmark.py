"""A2RBench as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from functools import partial
from pkgutil import resolve_name

from schemas.a2rbench.tables import A2RBENCH_TABLES
from schemas.benchmark import Benchmark, later
from schemas.measure import Floor, Measure
from schemas.populations import NEW_DOMAINS

_COLLAPSE = Measure(
    "collapse_rate",
    "any",
    "collapse rate",
    "collapse rate = share of scored replies without a usable answer, all wrong; its intervals by rule",
    "Collapse rate is the share of scored replies from which no final answer was read; these are wrong.",
)
_FLOOR = Floor(
    "guesser",
    "floor = guesser, by the form of an item alone",
    "The floor is the success rate of guesser, which reads no token: it gives the answer that was right most "
    "often in items of the same cell, variation and size of query of another draw.",
)

_ANSWERS = (
    "SELECT a.edition, a.evaluation, a.episode_id, a.answer, i.answer, NULL FROM a2rbench_answers AS a "
    "JOIN episodes AS e USING (edition, evaluation, episode_id) "
    "JOIN a2rbench_items AS i ON i.edition = e.edition AND i.instance_id = e.instance_id"
)

BENCHMARK = Benchmark(
    "a2rbench",
    settings=partial(resolve_name, "schemas.a2rbench.settings:A2RBenchSettings"),
    prepare=later("flows.a2rbench.prepare:prepare"),
    growing=partial(resolve_name, "flows.a2rbench.stages:STAGES"),
    playing=partial(resolve_name, "flows.a2rbench.seats:PLAYING"),
    analysis=partial(resolve_name, "flows.a2rbench.analysis:ANALYSIS"),
    tables=A2RBENCH_TABLES,
    sql="warehouse.a2rbench",
    answers=_ANSWERS,
    population=NEW_DOMAINS,
    measures=(_COLLAPSE,),
    floor=_FLOOR,
    report=partial(resolve_name, "flows.a2rbench.report.own_sections:REPORT"),
    protocol=later("flows.a2rbench.prepare:protocol_of"),
    estimate=later("flows.a2rbench.prepare:estimate_evaluation"),
    plays_imports=True,
    origins=partial(resolve_name, "warehouse.a2rbench.origins:ORIGINS"),
    summary=later("flows.a2rbench.summary:summary"),
    importers={
        "a2rbench": (
            "flows.a2rbench.cli.import_release:a2rbench",
            "Import items of the form that A2RBench's authors publish as an edition.",
        ),
    },
    pages=partial(resolve_name, "flows.a2rbench.web.own_pages:PAGES"),
)
