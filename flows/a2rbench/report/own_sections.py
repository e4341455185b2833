"""What A2RBench adds to the report: the leaderboard, accuracy by author, the curve, analyses, authors."""

from tasks.a2rbench.report.authoring import authoring
from tasks.a2rbench.report.authors import authors
from tasks.a2rbench.report.dimensions import dimensions
from tasks.a2rbench.report.failures import failures
from tasks.a2rbench.report.measures import measures
from tasks.a2rbench.report.sections import curve, leaderboard, papers_tables
from tasks.report.content import Report

REPORT = Report(
    package="flows.a2rbench.report",
    queries=(
        "a2rbench_leaderboard",
        "a2rbench_authors",
        "a2rbench_curve",
        "a2rbench_failures",
        "a2rbench_agreement",
        "a2rbench_measures",
        "a2rbench_funnel",
        "a2rbench_author_costs",
        "a2rbench_dimensions",
        "a2rbench_paper",
        "a2rbench_task_costs",
    ),
    sources=("kinds",),
    order="kinds",
    after_rates=(leaderboard, papers_tables, dimensions, authors, curve, failures, measures, authoring),
)
