"""What BeyondBench adds to the report: the paper's leaderboard and figures 1 to 5."""

from tasks.beyondbench.report.best_answers import best_answers
from tasks.beyondbench.report.extras import SUITES, compute_extras
from tasks.beyondbench.report.leaderboard import leaderboard
from tasks.beyondbench.report.scaling import quantization, scaling
from tasks.beyondbench.report.sizes import size_curves
from tasks.beyondbench.report.static import static_benchmarks
from tasks.beyondbench.report.violins import violins
from tasks.report.content import Query, Report, table_figure

ALL_SIZES = Query(
    "beyondbench_sizes",
    """
-- How does accuracy fall with size in the tasks of all suites?
SELECT * EXCLUDE (edition)
FROM beyondbench_sizes
WHERE edition = $edition
ORDER BY suite, task, size, accuracy DESC, player
""",
)

REPORT = Report(
    after_rates=(leaderboard, best_answers, size_curves, static_benchmarks),
    at_end=(scaling, quantization, violins),
    sources=(SUITES,),
    compute=compute_extras,
    order=SUITES,
    explored=(
        table_figure(
            "beyondbench_sizes",
            "Accuracy and size in all suites",
            "Accuracy is the unweighted mean over the variations of a task that have problems of this size. "
            "Intervals (95%) are for instances that vary.",
            ALL_SIZES,
        ),
    ),
)
