"""BeyondBench as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING

from perennial.flows.benchmark import Benchmark
from perennial.schemas.beyondbench.tables import BEYONDBENCH_TABLES
from perennial.schemas.late_module import LateModule
from perennial.schemas.statistics import Floor, Measure

if TYPE_CHECKING:
    from perennial.flows.beyondbench import (
        analysis,
        kernels,
        practice,
        prepare,
        presentation,
        seats,
        stages,
        summary,
    )
    from perennial.flows.beyondbench.paper import compare
    from perennial.flows.beyondbench.web import own_pages
    from perennial.schemas.beyondbench import settings as own_settings
    from perennial.tasks.beyondbench import report as own_sections
    from perennial.warehouse.beyondbench import origins
    from perennial.warehouse.beyondbench import published as scores
else:
    analysis = LateModule("perennial.flows.beyondbench.analysis")
    kernels = LateModule("perennial.flows.beyondbench.kernels")
    prepare = LateModule("perennial.flows.beyondbench.prepare")
    compare = LateModule("perennial.flows.beyondbench.paper.compare")
    practice = LateModule("perennial.flows.beyondbench.practice")
    own_sections = LateModule("perennial.tasks.beyondbench.report")
    presentation = LateModule("perennial.flows.beyondbench.presentation")
    seats = LateModule("perennial.flows.beyondbench.seats")
    stages = LateModule("perennial.flows.beyondbench.stages")
    summary = LateModule("perennial.flows.beyondbench.summary")
    own_pages = LateModule("perennial.flows.beyondbench.web.own_pages")
    own_settings = LateModule("perennial.schemas.beyondbench.settings")
    origins = LateModule("perennial.warehouse.beyondbench.origins")
    scores = LateModule("perennial.warehouse.beyondbench.published")

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
    "LEFT JOIN beyondbench_instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id"
)

BENCHMARK = Benchmark(
    "beyondbench",
    settings=lambda: own_settings.BeyondBenchSettings,
    prepare=lambda settings, store: prepare.prepare(settings, store),
    growing=lambda: stages.STAGES,
    playing=lambda: seats.PLAYING,
    analysis=lambda: analysis.ANALYSIS,
    tables=BEYONDBENCH_TABLES,
    sql="perennial.warehouse.beyondbench",
    answers=_ANSWERS,
    measures=(_ACCURACY, _FOLLOWING),
    floor=_FLOOR,
    report=lambda: own_sections.REPORT,
    protocol=lambda settings, _store, _growth: prepare.protocol_of(settings),
    estimate=lambda store, plan, prices: prepare.estimate_evaluation(store, plan, prices),
    published=lambda: scores.published_scores(),
    origins=lambda: origins.ORIGINS,
    pages=lambda: own_pages.PAGES,
    presentation=lambda: presentation.PRESENTATION,
    paper=lambda: compare.PAPER,
    summary=lambda catalog, plan: summary.summary(catalog, plan),
    warm_up=lambda: kernels.prepare_kernels(),
    practice=lambda: practice.PRACTICE,
    commands={
        "tasks": (
            "perennial.flows.beyondbench.cli.tasks:tasks",
            "List the tasks of BeyondBench, try one, or draw problems.",
            "tasks of BeyondBench",
        ),
    },
    importers={
        "beyondbench": (
            "perennial.flows.beyondbench.cli.import_leaderboard:beyondbench",
            "Import the leaderboard of BeyondBench's authors as scores of another benchmark.",
        ),
    },
)
