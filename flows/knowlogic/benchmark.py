"""KnowLogic as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from functools import partial
from pkgutil import resolve_name

from schemas.benchmark import Benchmark, later
from schemas.knowlogic.tables import KNOWLOGIC_TABLES
from schemas.measure import Floor, Measure

_UNEXTRACTED = Measure(
    "unextracted_rate",
    "any",
    "unextracted rate",
    "unextracted rate = share of scored replies without letters, all of them wrong; its intervals by pair",
    "Unextracted rate is the share of scored replies from which no letters were read; these are wrong.",
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
    "JOIN knowlogic_questions AS i ON i.edition = e.edition AND i.instance_id = e.instance_id"
)

BENCHMARK = Benchmark(
    "knowlogic",
    settings=partial(resolve_name, "schemas.knowlogic.settings:KnowLogicSettings"),
    prepare=later("flows.knowlogic.prepare:prepare"),
    growing=partial(resolve_name, "flows.knowlogic.stages:STAGES"),
    playing=partial(resolve_name, "flows.knowlogic.seats:PLAYING"),
    analysis=partial(resolve_name, "flows.knowlogic.analysis:ANALYSIS"),
    tables=KNOWLOGIC_TABLES,
    sql="warehouse.knowlogic",
    answers=_ANSWERS,
    measures=(_UNEXTRACTED,),
    floor=_FLOOR,
    report=partial(resolve_name, "flows.knowlogic.report.own_sections:REPORT"),
    estimate=later("flows.knowlogic.prepare:estimate_evaluation"),
    unfit=later("flows.knowlogic.prepare:unfit"),
    plays_imports=True,
    origins=partial(resolve_name, "warehouse.knowlogic.origins:ORIGINS"),
    pages=partial(resolve_name, "flows.knowlogic.web.own_pages:PAGES"),
    languages="SELECT instance_id, language FROM knowlogic_questions",
    summary=later("flows.knowlogic.summary:summary"),
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
