"""What A2RBench adds to the report: the leaderboard, accuracy by author, the curve, analyses, authors."""

from tasks.a2rbench.report.authoring import authoring
from tasks.a2rbench.report.authors import authors
from tasks.a2rbench.report.dimensions import dimensions
from tasks.a2rbench.report.failures import failures
from tasks.a2rbench.report.measures import measures
from tasks.a2rbench.report.sections import curve, leaderboard, papers_tables
from tasks.report.content import Query, Report, table_figure

REMAPPING = Query(
    "a2rbench_remapping",
    """
-- How much better are players on originals than on copies in other tokens?
SELECT * EXCLUDE (edition)
FROM a2rbench_remapping
WHERE edition = $edition
ORDER BY domain <> 'all', domain, delta_s DESC, player
""",
)

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
    explored=(
        table_figure(
            "a2rbench_remapping",
            "Originals and copies in other tokens",
            "delta_s is the accuracy on originals (P0) minus that on their copies (P1), over the pairs that "
            "a player has both answers to, with 95% intervals.",
            REMAPPING,
        ),
    ),
)
