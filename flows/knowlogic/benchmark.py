"""KnowLogic as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING

from perennial.flows.benchmark import Benchmark
from perennial.schemas.knowlogic.tables import KNOWLOGIC_TABLES
from perennial.schemas.late_module import LateModule
from perennial.schemas.statistics import Floor, Measure

if TYPE_CHECKING:
    from perennial.flows.knowlogic import analysis, practice, prepare, presentation, seats, stages, summary
    from perennial.flows.knowlogic.paper import compare
    from perennial.flows.knowlogic.web import own_pages
    from perennial.schemas.knowlogic import settings as own_settings
    from perennial.tasks.knowlogic import report as own_sections
    from perennial.warehouse.knowlogic import origins
    from perennial.warehouse.knowlogic import published as scores
else:
    analysis = LateModule("perennial.flows.knowlogic.analysis")
    prepare = LateModule("perennial.flows.knowlogic.prepare")
    practice = LateModule("perennial.flows.knowlogic.practice")
    own_sections = LateModule("perennial.tasks.knowlogic.report")
    presentation = LateModule("perennial.flows.knowlogic.presentation")
    seats = LateModule("perennial.flows.knowlogic.seats")
    stages = LateModule("perennial.flows.knowlogic.stages")
    summary = LateModule("perennial.flows.knowlogic.summary")
    compare = LateModule("perennial.flows.knowlogic.paper.compare")
    own_pages = LateModule("perennial.flows.knowlogic.web.own_pages")
    own_settings = LateModule("perennial.schemas.knowlogic.settings")
    origins = LateModule("perennial.warehouse.knowlogic.origins")
    scores = LateModule("perennial.warehouse.knowlogic.published")

_UNEXTRACTED = Measure(
    "unextracted_rate",
    "any",
    "unextracted rate",
    "unextracted rate = share of scored replies without letters, all of them wrong; its intervals by pair",
    "Unextracted rate is the share of scored replies from which no letters were read; these are wrong.",
)
_LENIENT = Measure(
    "lenient_accuracy",
    "any",
    "lenient rate",
    "lenient rate = success rate if letters without the brackets that the prompt asks for counted too",
    "Lenient rate is the success rate if letters without the brackets that the prompt asks for counted too; "
    "it is shown where a player's two rates differ by more than 1%.",
    is_optional=True,
)
_FLOOR = Floor(
    "guesser",
    "floor = guesser, by the form of a question alone",
    "The floor is the success rate of guesser, which reads neither text nor options: it gives the letters "
    "that were right most often in questions of the same domain, type and difficulty of another draw.",
)

_ANSWERS = (
    "SELECT a.edition, a.evaluation, a.episode_id, a.letters, i.letters, CASE a.error_class "
    "WHEN 'subset' THEN 'right letters missing' WHEN 'superset' THEN 'wrong letters added' "
    "WHEN 'overlap' THEN 'right letters missing, wrong added' WHEN 'disjoint' THEN 'no right letter' END "
    "FROM knowlogic_answers AS a "
    "JOIN episodes AS e USING (edition, evaluation, episode_id) "
    "LEFT JOIN knowlogic_questions AS i ON i.edition = e.edition AND i.instance_id = e.instance_id"
)

BENCHMARK = Benchmark(
    "knowlogic",
    settings=lambda: own_settings.KnowLogicSettings,
    prepare=lambda settings, store: prepare.prepare(settings, store),
    growing=lambda: stages.STAGES,
    playing=lambda: seats.PLAYING,
    analysis=lambda: analysis.ANALYSIS,
    tables=KNOWLOGIC_TABLES,
    sql="perennial.warehouse.knowlogic",
    answers=_ANSWERS,
    measures=(_UNEXTRACTED, _LENIENT),
    floor=_FLOOR,
    report=lambda: own_sections.REPORT,
    estimate=lambda store, plan, prices: prepare.estimate_evaluation(store, plan, prices),
    unfit=lambda own: prepare.unfit(own),
    plays_imports=True,
    published=lambda: scores.published_scores(),
    origins=lambda: origins.ORIGINS,
    pages=lambda: own_pages.PAGES,
    presentation=lambda: presentation.PRESENTATION,
    paper=lambda: compare.PAPER,
    languages="SELECT instance_id, language FROM knowlogic_questions",
    summary=lambda catalog, plan: summary.summary(catalog, plan),
    practice=lambda: practice.PRACTICE,
    commands={
        "knowledge": (
            "perennial.flows.knowlogic.cli.knowledge:knowledge",
            "List and check KnowLogic's knowledge base, or draw a question from it.",
            "facts of KnowLogic",
        ),
    },
    importers={
        "knowlogic": (
            "perennial.flows.knowlogic.cli.import_questions:knowlogic",
            "Import questions of KnowLogic's published form as an edition.",
        ),
    },
)
