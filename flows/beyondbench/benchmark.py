"""BeyondBench as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from functools import partial
from pkgutil import resolve_name

from schemas.benchmark import Benchmark, later
from schemas.beyondbench.tables import BEYONDBENCH_TABLES
from schemas.measure import Floor, Measure

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
)

_ANSWERS = (
    "SELECT a.edition, a.evaluation, a.episode_id, a.answer, i.reference, a.detail "
    "FROM beyondbench_answers AS a "
    "JOIN episodes AS e USING (edition, evaluation, episode_id) "
    "JOIN beyondbench_instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id"
)

BENCHMARK = Benchmark(
    "beyondbench",
    settings=partial(resolve_name, "schemas.beyondbench.settings:BeyondBenchSettings"),
    prepare=later("flows.beyondbench.prepare:prepare"),
    growing=partial(resolve_name, "flows.beyondbench.stages:STAGES"),
    playing=partial(resolve_name, "flows.beyondbench.seats:PLAYING"),
    analysis=partial(resolve_name, "flows.beyondbench.analysis:ANALYSIS"),
    tables=BEYONDBENCH_TABLES,
    sql="warehouse.beyondbench",
    answers=_ANSWERS,
    measures=(_ACCURACY, _FOLLOWING),
    floor=_FLOOR,
    report=partial(resolve_name, "flows.beyondbench.report.own_sections:REPORT"),
    protocol=later("flows.beyondbench.prepare:protocol_of"),
    estimate=later("flows.beyondbench.prepare:estimate_evaluation"),
    origins=partial(resolve_name, "warehouse.beyondbench.origins:ORIGINS"),
    pages=partial(resolve_name, "flows.beyondbench.web.own_pages:PAGES"),
    summary=later("flows.beyondbench.summary:summary"),
    warm_up=later("flows.beyondbench.kernels:prepare_kernels"),
    commands={
        "tasks": (
            "flows.beyondbench.cli.tasks:tasks",
            "List the tasks of BeyondBench, try one, or draw problems.",
            "tasks of BeyondBench",
        ),
    },
    importers={
        "beyondbench": (
            "flows.beyondbench.cli.import_leaderboard:beyondbench",
            "Import the leaderboard of BeyondBench's authors as scores of another benchmark.",
        ),
    },
)
