"""What BeyondBench adds to the report: the paper's leaderboard and figures 1 to 5."""

from tasks.beyondbench.report.best_answers import best_answers
from tasks.beyondbench.report.extras import SUITES, compute_extras
from tasks.beyondbench.report.leaderboard import leaderboard
from tasks.beyondbench.report.scaling import quantization, scaling
from tasks.beyondbench.report.sizes import all_sizes, size_curves
from tasks.beyondbench.report.static import static_benchmarks
from tasks.beyondbench.report.violins import violins
from tasks.report.content import Report

REPORT = Report(
    after_rates=(leaderboard, best_answers, size_curves, static_benchmarks),
    at_end=(scaling, quantization, violins),
    sources=(SUITES,),
    compute=compute_extras,
    order=SUITES,
    explored=(all_sizes,),
)
