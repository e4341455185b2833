"""Success rate of each player, by setting."""

from tasks.report.content import Drawing, Record, ReportData, Section, left_out
from tasks.report.figures.interval_bars import Bar, interval_bars
from tasks.report.wording import span, with_interval

SCORED_EPISODES = (
    "95% intervals by bootstrap over instances, as runs on one instance are not independent; n is the number "
    "of scored episodes."
)


def success_bars(data: ReportData) -> Section:
    """Return the section of success rates: a bar a player, a drawing a setting."""
    key, title = "success_rate", "Success rate by setting"
    table = data.tables["headline"]
    drawn = data.drawn_players()
    rows = [row for row in table.records() if row["success_rate"] is not None and row["player"] in drawn]
    if not rows:
        return left_out(key, title, [table], "No episode of this edition is scored.")
    drawings = []
    for number, setting in enumerate(data.settings):
        bars = [_success_bar(row) for row in rows if row["setting"] == setting]
        if bars:
            svg = interval_bars(
                f"{key}-{number}",
                f"{title}: {setting}",
                bars,
                "share of scored episodes that are solved",
                1.0,
            )
            n = span(row["scored"] for row in rows if row["setting"] == setting)
            drawings.append(Drawing(f"{setting}, n = {n} a player", svg))
    caption = f"Each bar is the share of a player's scored episodes that it solved. {SCORED_EPISODES}"
    return Section(key, title, caption, (table,), tuple(drawings), names_players=True)


def _success_bar(row: Record) -> Bar:
    value, low, high = row["success_rate"], row["success_rate_low"], row["success_rate_high"]
    return Bar(row["player"], value, low, high, with_interval(value, low, high))
