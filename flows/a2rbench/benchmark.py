"""A2RBench as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING

from perennial.flows.benchmark import Benchmark
from perennial.schemas.a2rbench.tables import A2RBENCH_TABLES
from perennial.schemas.late_module import LateModule
from perennial.schemas.statistics import NEW_DOMAINS, Floor, Measure

if TYPE_CHECKING:
    from perennial.flows.a2rbench import analysis, practice, prepare, presentation, seats, stages, summary
    from perennial.flows.a2rbench.paper import compare
    from perennial.flows.a2rbench.web import own_pages
    from perennial.schemas.a2rbench import settings as own_settings
    from perennial.tasks.a2rbench import report as own_sections
    from perennial.warehouse.a2rbench import origins
    from perennial.warehouse.a2rbench import published as scores
else:
    analysis = LateModule("perennial.flows.a2rbench.analysis")
    prepare = LateModule("perennial.flows.a2rbench.prepare")
    practice = LateModule("perennial.flows.a2rbench.practice")
    own_sections = LateModule("perennial.tasks.a2rbench.report")
    presentation = LateModule("perennial.flows.a2rbench.presentation")
    seats = LateModule("perennial.flows.a2rbench.seats")
    stages = LateModule("perennial.flows.a2rbench.stages")
    summary = LateModule("perennial.flows.a2rbench.summary")
    compare = LateModule("perennial.flows.a2rbench.paper.compare")
    own_pages = LateModule("perennial.flows.a2rbench.web.own_pages")
    own_settings = LateModule("perennial.schemas.a2rbench.settings")
    origins = LateModule("perennial.warehouse.a2rbench.origins")
    scores = LateModule("perennial.warehouse.a2rbench.published")

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
    "LEFT JOIN a2rbench_items AS i ON i.edition = e.edition AND i.instance_id = e.instance_id"
)

BENCHMARK = Benchmark(
    "a2rbench",
    settings=lambda: own_settings.A2RBenchSettings,
    prepare=lambda settings, store: prepare.prepare(settings, store),
    growing=lambda: stages.STAGES,
    playing=lambda: seats.PLAYING,
    analysis=lambda: analysis.ANALYSIS,
    tables=A2RBENCH_TABLES,
    sql="perennial.warehouse.a2rbench",
    answers=_ANSWERS,
    population=NEW_DOMAINS,
    measures=(_COLLAPSE,),
    floor=_FLOOR,
    report=lambda: own_sections.REPORT,
    protocol=lambda settings, _store, _growth: settings.reading().as_protocol(),
    estimate=lambda store, plan, prices: prepare.estimate_evaluation(store, plan, prices),
    plays_imports=True,
    published=lambda: scores.published_scores(),
    origins=lambda: origins.ORIGINS,
    summary=lambda catalog, plan: summary.summary(catalog, plan),
    practice=lambda: practice.PRACTICE,
    importers={
        "a2rbench": (
            "perennial.flows.a2rbench.cli.import_release:a2rbench",
            "Import items of the form that A2RBench's authors publish as an edition.",
        ),
    },
    pages=lambda: own_pages.PAGES,
    presentation=lambda: presentation.PRESENTATION,
    paper=lambda: compare.PAPER,
)
