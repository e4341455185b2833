"""BeyondBench as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING

from perennial.schemas.benchmark import Declaration
from perennial.schemas.beyondbench.tables import BEYONDBENCH_TABLES
from perennial.schemas.beyondbench.things import BEYONDBENCH_2025
from perennial.schemas.statistics import Floor, Measure
from perennial.warehouse.beyondbench.origins import ORIGINS
from perennial.warehouse.beyondbench.published import published_scores

if TYPE_CHECKING:
    from perennial.flows.beyondbench.implementation import BeyondBench
    from perennial.schemas.beyondbench.settings import BeyondBenchSettings

_ACCURACY = Measure(
    "common_accuracy",
    "any",
    "accuracy",
    "accuracy = unweighted mean over tasks of means over their cells, INVALID replies being wrong, on the "
    "problems that all players with half of a suite or more have",
    "Accuracy is the unweighted mean over tasks of the means over their variations, on the problems that all "
    "players with at least half of a suite have.",
)
_FOLLOWING = Measure(
    "instruction_following",
    "any",
    "instruction following",
    "instruction following = share of answers in exactly the required format",
    "Instruction following is the share of scored replies whose answer has exactly the required format.",
)
_FLOOR = Floor(
    "guesser",
    "floor = guesser, by the cell, size and form of a problem alone",
    "The floor is the success rate of guesser, which reads no number, list or clue of a problem: it gives "
    "the answer that was right most often in problems of the same variation and size of another draw.",
    heuristic="heuristic",
)

_ANSWERS = (
    "SELECT a.edition, a.evaluation, a.episode_id, a.answer, i.reference, a.detail "
    "FROM beyondbench_answers AS a "
    "JOIN episodes AS e USING (edition, evaluation, episode_id) "
    "LEFT JOIN beyondbench_instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id"
)


# Prompts are the paper's where calls bear the name of its authors' protocol; problems, where an edition has
# exactly the cells that the paper counts, in each suite that it holds.
_CALLS = (
    "FROM beyondbench_answers AS a JOIN episodes AS e USING (edition, evaluation, episode_id) "
    "LEFT JOIN turns AS t USING (edition, evaluation, episode_id) "
    "LEFT JOIN calls AS c ON c.edition = t.edition AND c.call_id = t.call_id "
)
_UNLIKE_PAPER = (
    f"SELECT DISTINCT e.edition, e.player, 'prompts' {_CALLS}"
    f"WHERE NOT starts_with(c.template, '{BEYONDBENCH_2025}') UNION ALL "
    f"SELECT DISTINCT e.edition, e.player, 'settings' {_CALLS}"
    "WHERE c.request IS NOT NULL AND ((c.request ->> '$.params.temperature')::DOUBLE IS DISTINCT FROM 0 "
    "OR (c.request ->> '$.params.top_p')::DOUBLE IS DISTINCT FROM 0.9 "
    "OR (c.request ->> '$.params.max_tokens')::DOUBLE IS DISTINCT FROM 32768) UNION ALL "
    "SELECT edition, NULL, 'problems' FROM beyondbench_instances "
    "JOIN instances USING (edition, instance_id) GROUP BY edition "
    "HAVING count(DISTINCT (domain, variation)) FILTER (suite = 'easy') NOT IN (0, 29) "
    "OR bool_or(suite = 'easy' AND variation = 'large') "
    "OR count(DISTINCT (domain, variation)) FILTER (suite = 'medium') NOT IN (0, 49) "
    "OR count(DISTINCT (domain, variation)) FILTER (suite = 'hard' AND variation <> 'empty') NOT IN (0, 68)"
)


def _settings() -> "type[BeyondBenchSettings]":
    from perennial.schemas.beyondbench.settings import BeyondBenchSettings

    return BeyondBenchSettings


def _implementation() -> "type[BeyondBench]":
    from perennial.flows.beyondbench.implementation import BeyondBench

    return BeyondBench


BENCHMARK = Declaration(
    "beyondbench",
    settings=_settings,
    implementation=_implementation,
    tables=BEYONDBENCH_TABLES,
    sql="perennial.warehouse.beyondbench",
    answers=_ANSWERS,
    measures=(_ACCURACY, _FOLLOWING),
    floor=_FLOOR,
    published=published_scores,
    unlike_paper=_UNLIKE_PAPER,
    origins=ORIGINS,
    commands={
        "tasks": (
            "perennial.flows.beyondbench.tasks_command:tasks",
            "List the tasks of BeyondBench, try one, or draw problems.",
            "tasks of BeyondBench",
        )
    },
    importers={
        "beyondbench": (
            "perennial.flows.beyondbench.import_leaderboard:beyondbench",
            "Import the leaderboard of BeyondBench's authors as scores of another benchmark.",
        )
    },
)
