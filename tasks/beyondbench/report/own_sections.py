"""What BeyondBench adds to the report: the paper's leaderboard and figures 1 to 5."""

from perennial.tasks.beyondbench.report.best_answers import best_answers
from perennial.tasks.beyondbench.report.extras import SUITES, compute_extras
from perennial.tasks.beyondbench.report.leaderboard import leaderboard
from perennial.tasks.beyondbench.report.scaling import quantization, scaling
from perennial.tasks.beyondbench.report.sizes import all_sizes, size_curves
from perennial.tasks.beyondbench.report.static import static_benchmarks
from perennial.tasks.beyondbench.report.violins import violins
from perennial.tasks.report.content import Report

REPORT = Report(
    after_rates=(leaderboard, best_answers, size_curves, static_benchmarks),
    at_end=(scaling, quantization, violins),
    sources=(SUITES,),
    compute=compute_extras,
    order=SUITES,
    explored=(all_sizes,),
)
