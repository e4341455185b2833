"""KnowLogic as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING

from flows.benchmark import Benchmark
from schemas.knowlogic.tables import KNOWLOGIC_TABLES
from schemas.late_module import LateModule
from schemas.statistics.measure import Floor, Measure

if TYPE_CHECKING:
    from flows.knowlogic import analysis, practice, prepare, presentation, seats, stages, summary
    from flows.knowlogic.paper import compare
    from flows.knowlogic.web import own_pages
    from schemas.knowlogic import settings as own_settings
    from tasks.knowlogic.report import own_sections
    from warehouse.knowlogic import origins
    from warehouse.knowlogic.published import scores
else:
    analysis = LateModule("flows.knowlogic.analysis")
    prepare = LateModule("flows.knowlogic.prepare")
    practice = LateModule("flows.knowlogic.practice")
    own_sections = LateModule("tasks.knowlogic.report.own_sections")
    presentation = LateModule("flows.knowlogic.presentation")
    seats = LateModule("flows.knowlogic.seats")
    stages = LateModule("flows.knowlogic.stages")
    summary = LateModule("flows.knowlogic.summary")
    compare = LateModule("flows.knowlogic.paper.compare")
    own_pages = LateModule("flows.knowlogic.web.own_pages")
    own_settings = LateModule("schemas.knowlogic.settings")
    origins = LateModule("warehouse.knowlogic.origins")
    scores = LateModule("warehouse.knowlogic.published.scores")

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
    sql="warehouse.knowlogic",
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
            "flows.knowlogic.cli.knowledge:knowledge",
            "List and check KnowLogic's knowledge base, or draw a question from it.",
            "facts of KnowLogic",
        ),
    },
    importers={
        "knowlogic": (
            "flows.knowlogic.cli.import_questions:knowlogic",
            "Import questions of KnowLogic's published form as an edition.",
        ),
    },
)
