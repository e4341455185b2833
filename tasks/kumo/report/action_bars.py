"""Relative action count of each player, by setting and convention (the paper's figure 4b)."""

from tasks.report.content import ReportData, Section, omit_unanalysed
from tasks.report.figures.interval_bars import bars_by_setting, count_a_player, interval_bar
from tasks.report.figures.success_bars import SCORED_EPISODES

_COUNTING = {
    "perennial": "the sum of counts / the sum of optima − 1, a count being tests + 1, the actions and the "
    "one prediction",
    "kumo-2025": "the mean of (count − optimum) / optimum with tests + 2, as the authors published",
}


def action_bars(data: ReportData) -> Section:
    """Return the section of relative action counts: a bar a player, a drawing a setting and convention."""
    key, title = "relative_action_counts", "Relative action count by setting"
    table = data.tables[key]
    rows = data.drawn_rows(key, "relative_action_count")
    if not rows:
        return omit_unanalysed(key, title, [table])
    drawings = [
        drawing
        for convention in _COUNTING
        for drawing in bars_by_setting(
            f"{key}-{convention}",
            title,
            data.settings,
            [row for row in rows if row["convention"] == convention],
            lambda listed: [
                interval_bar(row["player"], row, "relative_action_count", series=3) for row in listed
            ],
            "relative action count: 0 is Algorithm 3's, lower is better",
            count_a_player("episodes"),
            more=f", counted as {convention}",
        )
    ]
    caption = (
        "Each bar sets a player's counts of actions against the play of Algorithm 3; a failed episode counts "
        f"as all actions + 1. perennial: {_COUNTING['perennial']}; kumo-2025: {_COUNTING['kumo-2025']}. "
        "Algorithm 3 does not use the promise of one valid truth throughout: a player that does, or a lucky "
        f"one, may need fewer tests, and its value is then negative. {SCORED_EPISODES}"
    )
    return Section(key, title, caption, (table,), tuple(drawings), names_players=True)
