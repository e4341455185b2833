"""What KnowLogic adds to the report: the paper's table 5 and figures 4 to 12, paired languages, errors."""

from perennial.tasks.knowlogic.report.errors import error_classes
from perennial.tasks.knowlogic.report.fields import scenarios, types
from perennial.tasks.knowlogic.report.languages import languages
from perennial.tasks.knowlogic.report.leaderboard import leaderboard
from perennial.tasks.knowlogic.report.lines import difficulty, levels, reply_tokens
from perennial.tasks.knowlogic.report.model_means import model_means
from perennial.tasks.report.content import Figure, Query, Report, table_figure

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

_EXPLORED = {
    "knowlogic_scores": ("By difficulty", "How does each player do by domain, language and difficulty?"),
    "knowlogic_scenarios": ("By scenario", "How does each player do in each scenario, by language?"),
    "knowlogic_types": ("By question type", "How does each player do by type and number of right letters?"),
    "knowlogic_properties": ("By property and relation", "Which properties and relations are hard?"),
    "knowlogic_errors": ("Errors", "What is wrong about wrong letters, by language and difficulty?"),
    "knowlogic_tokens": ("Tokens", "How long are right and wrong replies, by language?"),
    "knowlogic_levels": ("By level", "How does each player do by level, in each language?"),
}
_CAPTION = (
    "Accuracy is over questions, each in one language, with exactly the right letters. Intervals (95%) are "
    "for questions that vary, the two texts of a pair counting once."
)


def _explore(view: str, title: str, question: str) -> Figure:
    """Return the table of a view with all languages and classes, of which the report shows a part."""
    sql = f"-- {question}\nSELECT * EXCLUDE (edition)\nFROM {view}\nWHERE edition = $edition"
    return table_figure(view, f"{title}, all languages", _CAPTION, Query(view, sql))


REPORT = Report(
    after_rates=(leaderboard, model_means, difficulty, scenarios, types),
    at_end=(reply_tokens, levels, languages, error_classes),
    sources=(DIFFICULTIES,),
    order=DIFFICULTIES,
    explored=tuple(_explore(view, *texts) for view, texts in _EXPLORED.items()),
)
