"""A2RBench as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING

from perennial.schemas.a2rbench.tables import A2RBENCH_TABLES
from perennial.schemas.benchmark import Declaration
from perennial.schemas.statistics import NEW_DOMAINS, Floor, Measure
from perennial.warehouse.a2rbench.origins import ORIGINS
from perennial.warehouse.a2rbench.published import published_scores

if TYPE_CHECKING:
    from perennial.flows.a2rbench.implementation import A2RBench
    from perennial.schemas.a2rbench.settings import A2RBenchSettings

_COLLAPSE = Measure(
    "collapse_rate",
    "any",
    "collapse rate",
    "collapse rate = share of scored replies without a usable answer, all wrong; its intervals by rule",
    "Collapse rate is the share of scored replies from which no final answer was read; these are wrong.",
)
_FLOOR = Floor(
    "guesser",
    "floor = guesser, which looks up places and infers no rule",
    "The floor is the success rate of guesser, which infers no rule: it copies the query's tokens from where "
    "the examples of the query's shape took theirs. No item that perennial draws has such an example.",
)

_ANSWERS = (
    "SELECT a.edition, a.evaluation, a.episode_id, a.answer, i.answer, NULL FROM a2rbench_answers AS a "
    "JOIN episodes AS e USING (edition, evaluation, episode_id) "
    "LEFT JOIN a2rbench_items AS i ON i.edition = e.edition AND i.instance_id = e.instance_id"
)


_UNLIKE_PAPER = (
    "SELECT edition, NULL, unnest(['prompts', 'items']) FROM a2rbench_items "
    "WHERE edition NOT IN (SELECT edition FROM a2rbench_published) GROUP BY edition "
    "UNION ALL SELECT DISTINCT edition, NULL, 'prompts' FROM a2rbench_published"
)


def _settings() -> "type[A2RBenchSettings]":
    from perennial.schemas.a2rbench.settings import A2RBenchSettings

    return A2RBenchSettings


def _implementation() -> "type[A2RBench]":
    from perennial.flows.a2rbench.implementation import A2RBench

    return A2RBench


BENCHMARK = Declaration(
    "a2rbench",
    settings=_settings,
    implementation=_implementation,
    tables=A2RBENCH_TABLES,
    sql="perennial.warehouse.a2rbench",
    answers=_ANSWERS,
    population=NEW_DOMAINS,
    is_fixed="SELECT bool_and(author = 'catalogue') FROM a2rbench_items",
    measures=(_COLLAPSE,),
    floor=_FLOOR,
    published=published_scores,
    unlike_paper=_UNLIKE_PAPER,
    origins=ORIGINS,
    importers={
        "a2rbench": (
            "perennial.flows.a2rbench.import_command:a2rbench",
            "Import items of the form that A2RBench's authors publish as an edition.",
        )
    },
)
