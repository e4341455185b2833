"""What A2RBench adds to the report: the paper's leaderboard, by author, the curve, the authors' funnel."""

from tasks.a2rbench.report.authoring import authoring
from tasks.a2rbench.report.authors import authors
from tasks.a2rbench.report.sections import curve, leaderboard
from tasks.report.content import Report

REPORT = Report(
    package="flows.a2rbench.report",
    queries=(
        "a2rbench_leaderboard",
        "a2rbench_authors",
        "a2rbench_curve",
        "a2rbench_funnel",
        "a2rbench_author_costs",
    ),
    sources=("kinds",),
    order="kinds",
    after_rates=(leaderboard, authors, curve, authoring),
)
