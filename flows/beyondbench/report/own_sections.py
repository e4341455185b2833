"""What BeyondBench adds to the report: the paper's leaderboard, sizes, parameters, quantisation, violins."""

from tasks.beyondbench.report.extras import compute_extras
from tasks.beyondbench.report.leaderboard import leaderboard
from tasks.beyondbench.report.scaling import quantization, scaling
from tasks.beyondbench.report.sizes import size_curves
from tasks.beyondbench.report.violins import violins
from tasks.report.content import Report

REPORT = Report(
    package="flows.beyondbench.report",
    queries=("leaderboard", "scores", "sizes", "model_facts"),
    sources=("suites",),
    compute=compute_extras,
    order="suites",
    after_rates=(leaderboard, size_curves),
    at_end=(scaling, quantization, violins),
)
