"""KnowLogic as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING

from perennial.schemas.benchmark import Declaration
from perennial.schemas.knowlogic.tables import KNOWLOGIC_TABLES
from perennial.schemas.statistics import Floor, Measure
from perennial.warehouse.knowlogic.origins import ORIGINS
from perennial.warehouse.knowlogic.published import published_scores

if TYPE_CHECKING:
    from perennial.flows.knowlogic.implementation import KnowLogic
    from perennial.schemas.knowlogic.settings import KnowLogicSettings

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


# The paper's prompts are its authors' sentences; its table 5 has nine columns.
_UNLIKE_PAPER = (
    "SELECT DISTINCT edition, NULL, 'prompts' FROM knowlogic_questions UNION ALL "
    "SELECT DISTINCT edition, NULL, 'questions' FROM knowlogic_questions WHERE scenario IS NOT NULL "
    "UNION ALL "
    "SELECT edition, NULL, 'domains or languages' FROM knowlogic_questions GROUP BY edition "
    "HAVING count(DISTINCT (domain, language)) FILTER ((domain, language) <> ('social', 'en')) < 9"
)


def _settings() -> "type[KnowLogicSettings]":
    from perennial.schemas.knowlogic.settings import KnowLogicSettings

    return KnowLogicSettings


def _implementation() -> "type[KnowLogic]":
    from perennial.flows.knowlogic.implementation import KnowLogic

    return KnowLogic


BENCHMARK = Declaration(
    "knowlogic",
    settings=_settings,
    implementation=_implementation,
    tables=KNOWLOGIC_TABLES,
    sql="perennial.warehouse.knowlogic",
    answers=_ANSWERS,
    measures=(_UNEXTRACTED, _LENIENT),
    floor=_FLOOR,
    published=published_scores,
    unlike_paper=_UNLIKE_PAPER,
    origins=ORIGINS,
    languages="SELECT instance_id, language FROM knowlogic_questions",
    commands={
        "knowledge": (
            "perennial.flows.knowlogic.commands:knowledge",
            "List and check KnowLogic's knowledge base, or draw a question from it.",
            "facts of KnowLogic",
        )
    },
    importers={
        "knowlogic": (
            "perennial.flows.knowlogic.commands:knowlogic",
            "Import questions of KnowLogic's published form as an edition.",
        )
    },
)
