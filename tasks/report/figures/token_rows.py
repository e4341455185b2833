"""Mean tokens of an episode for each player, by setting."""

from tasks.report.content import ReportData, Section, omit_section
from tasks.report.figures.interval_rows import Scale, read_estimate, rows_by_setting

_KEY = "tokens"
_TITLE = "Tokens an episode"


def token_rows(data: ReportData) -> Section:
    """Return the section of token use; left out where no episode has a token count."""
    table = data.tables[_KEY]
    rows = data.known_rows(_KEY, "mean_tokens")
    if not rows:
        return omit_section(
            _KEY, _TITLE, [table], "No episode of this edition has a token count: no model played in it."
        )
    scale = Scale(("mean tokens an episode,", "prompts and replies together"), places=0)
    columns = ("mean_tokens", "episodes_with_tokens", "low", "high")
    drawings = rows_by_setting(data, _TITLE, rows, lambda row: [read_estimate(row, *columns)], scale)
    caption = (
        "Each point is the mean, over instances and their runs, of all tokens of a player's calls in a "
        "scored episode. 95% intervals by bootstrap over instances; n is the number of scored episodes whose "
        "tokens are known. Players that are no models have no row."
    )
    return Section(_KEY, _TITLE, caption, (table,), drawings)
