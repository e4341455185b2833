"""Mean tokens of an episode for each player, by setting."""

from tasks.report.content import ReportData, Section, omit_section
from tasks.report.figures.interval_bars import bars_by_setting, count_a_player, interval_bar

_KEY = "tokens"
_TITLE = "Tokens an episode"


def token_bars(data: ReportData) -> Section:
    """Return the section of token use; left out where no episode has a token count."""
    table = data.tables[_KEY]
    rows = data.drawn_rows(_KEY, "mean_tokens")
    if not rows:
        return omit_section(
            _KEY, _TITLE, [table], "No episode of this edition has a token count: no model played in it."
        )
    drawings = bars_by_setting(
        _KEY,
        _TITLE,
        data.settings,
        rows,
        lambda listed: [
            interval_bar(row["player"], row, "mean_tokens", series=1, places=0) for row in listed
        ],
        "mean tokens an episode, prompts and replies together",
        count_a_player("episodes_with_tokens"),
    )
    caption = (
        "Each bar is the mean, over instances and their runs, of all tokens of a player's calls in a scored "
        "episode. 95% intervals by bootstrap over instances; n is the number of scored episodes whose tokens "
        "are known. Players that are no models have no bar."
    )
    return Section(_KEY, _TITLE, caption, (table,), drawings, names_players=True)
