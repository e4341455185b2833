"""What A2RBench adds to the report: the leaderboard, accuracy by author, the curve, analyses, authors."""

from perennial.tasks.a2rbench.report.authoring import authoring
from perennial.tasks.a2rbench.report.authors import authors
from perennial.tasks.a2rbench.report.dimensions import dimensions
from perennial.tasks.a2rbench.report.failures import failures
from perennial.tasks.a2rbench.report.measures import measures
from perennial.tasks.a2rbench.report.sections import curve, leaderboard, papers_tables, remapping
from perennial.tasks.report.content import Query, Report

KINDS = Query(
    "kinds",
    """
-- Which kinds of items does the edition have: seeds, variations, copies?
SELECT DISTINCT setting, list_position(['seed', 'augmented', 'remapped'], setting) AS place
FROM instances
WHERE edition = $edition
ORDER BY place
""",
)

REPORT = Report(
    after_rates=(leaderboard, papers_tables, dimensions, authors, curve, failures, measures, authoring),
    sources=(KINDS,),
    order=KINDS,
    explored=(remapping,),
)
