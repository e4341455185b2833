"""Relative action count of each player, by setting and convention (the paper's figure 4b)."""

from tasks.report.content import Drawing, Record, ReportData, Section, not_analysed
from tasks.report.figures.interval_bars import Bar, interval_bars
from tasks.report.figures.success_bars import SCORED_EPISODES
from tasks.report.wording import span, with_interval

_COUNTING = {
    "perennial": "a count is tests + 1, the actions and the one prediction",
    "kumo-2025": "a count is tests + 2, as the authors published",
}


def action_bars(data: ReportData) -> Section:
    """Return the section of relative action counts: a bar a player, a drawing a setting and convention."""
    key, title = "relative_action_counts", "Relative action count by setting"
    table = data.tables[key]
    drawn = data.drawn_players()
    known = (row for row in table.records() if row["relative_action_count"] is not None)
    rows = [row for row in known if row["player"] in drawn]
    if not rows:
        return not_analysed(key, title, [table])
    drawings = []
    for convention in _COUNTING:
        for number, setting in enumerate(data.settings):
            listed = [row for row in rows if (row["convention"], row["setting"]) == (convention, setting)]
            if listed:
                heading = f"{setting}, counted as {convention}"
                svg = interval_bars(
                    f"{key}-{convention}-{number}",
                    f"{title}: {heading}",
                    [_action_bar(row) for row in listed],
                    "relative action count: 0 is optimal, lower is better",
                )
                n = span(row["episodes"] for row in listed)
                drawings.append(Drawing(f"{heading}, n = {n} a player", svg))
    caption = (
        "Each bar is a player's mean of (count − optimum) / optimum over its scored episodes; a failed "
        f"episode counts as all actions + 1. perennial: {_COUNTING['perennial']}; kumo-2025: "
        f"{_COUNTING['kumo-2025']}. It can be below 0, as a lucky player may need fewer tests than the "
        f"policy that is best on average. {SCORED_EPISODES}"
    )
    return Section(key, title, caption, (table,), tuple(drawings), names_players=True)


def _action_bar(row: Record) -> Bar:
    value, low, high = row["relative_action_count"], row["low"], row["high"]
    return Bar(row["player"], value, low, high, with_interval(value, low, high), series=3)
