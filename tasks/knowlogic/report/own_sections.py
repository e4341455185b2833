"""What KnowLogic adds to the report: the paper's table 5 and figures 4 to 12, paired languages, errors."""

from tasks.knowlogic.report.errors import error_classes
from tasks.knowlogic.report.fields import scenarios, types
from tasks.knowlogic.report.languages import languages
from tasks.knowlogic.report.leaderboard import leaderboard
from tasks.knowlogic.report.lines import difficulty, levels, reply_tokens
from tasks.knowlogic.report.model_means import model_means
from tasks.report.content import Query, Report

DIFFICULTIES = Query(
    "difficulties",
    """
-- Which difficulties does the edition have, from easy to hard?
SELECT DISTINCT difficulty AS setting, list_position(['easy', 'medium', 'hard'], difficulty) AS place
FROM knowlogic_questions
WHERE edition = $edition
ORDER BY place
""",
)

REPORT = Report(
    after_rates=(leaderboard, model_means, difficulty, scenarios, types),
    at_end=(reply_tokens, levels, languages, error_classes),
    sources=(DIFFICULTIES,),
    order=DIFFICULTIES,
)
