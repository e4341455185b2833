"""Success rate and relative action count of each player, by setting (the paper's figures 4a and 4b)."""

from tasks.report.content import Drawing, Record, ReportData, Section, left_out, not_analysed
from tasks.report.figures.interval_bars import Bar, interval_bars
from tasks.report.wording import span, with_interval

_BOOTSTRAP = (
    "95% intervals by bootstrap over instances, as runs on one instance are not independent; n is the number "
    "of scored episodes."
)
_COUNTING = {
    "perennial": "a count is tests + 1, the actions and the one prediction",
    "kumo-2025": "a count is tests + 2, as the authors published",
}


def success_bars(data: ReportData) -> Section:
    """Return the section of success rates: a bar a player, a drawing a setting."""
    key, title = "success_rate", "Success rate by setting"
    table = data.tables["headline"]
    drawn = data.drawn_players()
    rows = [row for row in table.records() if row["success_rate"] is not None and row["player"] in drawn]
    if not rows:
        return left_out(key, title, [table], "No episode of this edition is scored.")
    drawings = []
    for number, setting in enumerate(data.settings()):
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
    caption = f"Each bar is the share of a player's scored episodes that it solved. {_BOOTSTRAP}"
    return Section(key, title, caption, (table,), tuple(drawings), names_players=True)


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
        for number, setting in enumerate(data.settings()):
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
        f"policy that is best on average. {_BOOTSTRAP}"
    )
    return Section(key, title, caption, (table,), tuple(drawings), names_players=True)


def _success_bar(row: Record) -> Bar:
    value, low, high = row["success_rate"], row["success_rate_low"], row["success_rate_high"]
    return Bar(row["player"], value, low, high, with_interval(value, low, high))


def _action_bar(row: Record) -> Bar:
    value, low, high = row["relative_action_count"], row["low"], row["high"]
    return Bar(row["player"], value, low, high, with_interval(value, low, high), series=3)
