"""Success rate of each player, by setting."""

from tasks.report.content import ReportData, Section, omit_section
from tasks.report.figures.interval_bars import bars_by_setting, count_a_player, interval_bar

SCORED_EPISODES = (
    "95% intervals are for instances that vary, as runs on one instance are not independent: by bootstrap, "
    "and of shares near 0 and 1 by Clopper and Pearson; n is the number of scored episodes."
)


def success_bars(data: ReportData) -> Section:
    """Return the section of success rates: a bar a player, a drawing a setting."""
    key, title = "success_rate", "Success rate by setting"
    table = data.tables["headline"]
    rows = data.drawn_rows("headline", "success_rate")
    if not rows:
        return omit_section(key, title, [table], "No episode of this edition is scored.")
    drawings = bars_by_setting(
        key,
        title,
        data.settings,
        rows,
        lambda listed: [
            interval_bar(row["player"], row, "success_rate", "success_rate_low", "success_rate_high")
            for row in listed
        ],
        "share of scored episodes that are solved",
        count_a_player("scored"),
        1.0,
    )
    caption = (
        "Each bar is a player's mean over instances of the share of scored runs that it solved. "
        f"{SCORED_EPISODES}"
    )
    return Section(key, title, caption, (table,), drawings, names_players=True)
