"""What A2RBench adds to the report: the leaderboard in the paper's columns, by author, and the curve."""

from tasks.a2rbench.report.authors import authors
from tasks.a2rbench.report.sections import curve, leaderboard
from tasks.report.content import Report

REPORT = Report(
    package="flows.a2rbench.report",
    queries=("a2rbench_leaderboard", "a2rbench_authors", "a2rbench_curve"),
    sources=("kinds",),
    order="kinds",
    after_rates=(leaderboard, authors, curve),
)
