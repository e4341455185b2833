"""What BeyondBench adds to the report: the paper's leaderboard, and accuracy by size."""

from tasks.beyondbench.report.leaderboard import leaderboard
from tasks.beyondbench.report.sizes import size_curves
from tasks.report.content import Report

REPORT = Report(
    package="flows.beyondbench.report",
    queries=("leaderboard", "scores", "sizes"),
    sources=("suites",),
    order="suites",
    after_rates=(leaderboard, size_curves),
)
