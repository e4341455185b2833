"""Success rate of each player, by setting."""

from tasks.report.content import ReportData, Section, omit_section
from tasks.report.figures.interval_rows import Scale, read_estimate, rows_by_setting

SCORED_EPISODES = (
    "95% intervals are for instances that vary, as runs on one instance are not independent: by bootstrap, "
    "and of shares near 0 and 1 by Clopper and Pearson; n is the number of scored episodes."
)


def success_rows(data: ReportData) -> Section:
    """Return the section of success rates: a row a player, a column a setting."""
    key, title = "success_rate", "Success rate by setting"
    table = data.tables["headline"]
    rows = data.known_rows("headline", "success_rate")
    if not rows:
        return omit_section(key, title, [table], "No episode of this edition is scored.")
    scale = Scale(("share of scored episodes that are solved",), ends=(0, 1))
    drawings = rows_by_setting(
        data, title, rows, lambda row: [read_estimate(row, "success_rate", "scored")], scale
    )
    caption = (
        "Each point is a player's mean over instances of the share of scored runs that it solved. "
        f"{SCORED_EPISODES}"
    )
    return Section(key, title, caption, (table,), drawings)
