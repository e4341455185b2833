"""What KnowLogic adds to the report: the paper's table 5 and figures 4 to 12, paired languages, errors."""

from tasks.knowlogic.report.errors import error_classes
from tasks.knowlogic.report.fields import scenarios, types
from tasks.knowlogic.report.languages import languages
from tasks.knowlogic.report.leaderboard import leaderboard
from tasks.knowlogic.report.lines import difficulty, levels, reply_tokens
from tasks.knowlogic.report.model_means import model_means
from tasks.report.content import Report

REPORT = Report(
    package="flows.knowlogic.report",
    queries=(
        *("leaderboard", "model_means", "difficulty", "scenarios", "types"),
        *("reply_tokens", "levels", "languages", "errors"),
    ),
    sources=("difficulties",),
    order="difficulties",
    after_rates=(leaderboard, model_means, difficulty, scenarios, types),
    at_end=(reply_tokens, levels, languages, error_classes),
)
