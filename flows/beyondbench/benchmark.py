"""BeyondBench as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING

from perennial.schemas.benchmark import Declaration
from perennial.schemas.beyondbench.tables import BEYONDBENCH_TABLES
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


_UNLIKE_PAPER = (
    "SELECT edition, NULL, unnest(['prompts', 'problems']) FROM instances "
    "WHERE benchmark = 'beyondbench' GROUP BY edition"
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
        ),
    },
    importers={
        "beyondbench": (
            "perennial.flows.beyondbench.import_leaderboard:beyondbench",
            "Import the leaderboard of BeyondBench's authors as scores of another benchmark.",
        ),
    },
)
