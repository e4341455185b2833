"""Relative action count of each player, by setting and convention (the paper's figure 4b)."""

from tasks.report.content import ReportData, Section, omit_unanalysed
from tasks.report.figures.interval_rows import Scale, read_estimate, rows_by_setting
from tasks.report.figures.success_rows import SCORED_EPISODES

_COLUMN = "relative_action_count"
_COUNTING = {
    "perennial": "the sum of counts / the sum of optima − 1, a count being tests + 1, the actions and the "
    "one prediction",
    "kumo-2025": "the mean of (count − optimum) / optimum with tests + 2, as the authors published",
}


def action_rows(data: ReportData) -> Section:
    """Return the section of relative action counts: a row a player, a drawing a setting and convention."""
    key, title = "relative_action_counts", "Relative action count by setting"
    table = data.tables[key]
    rows = data.known_rows(key, _COLUMN)
    if not rows:
        return omit_unanalysed(key, title, [table])
    scale = Scale(("relative action count:", "0 is Algorithm 3's, lower is better"), has_zero_line=True)
    drawings = [
        drawing
        for convention in _COUNTING
        for drawing in rows_by_setting(
            data,
            title,
            [row for row in rows if row["convention"] == convention],
            lambda row: [read_estimate(row, _COLUMN, "episodes", "low", "high")],
            scale,
            more=f", counted as {convention}",
        )
    ]
    caption = (
        "Each point sets a player's counts of actions against the play of Algorithm 3; a failed episode "
        f"counts as all actions + 1. perennial: {_COUNTING['perennial']}; "
        f"kumo-2025: {_COUNTING['kumo-2025']}. "
        "Algorithm 3 does not use the promise of one valid truth throughout: a player that does, or a lucky "
        f"one, may need fewer tests, and its value is then negative. {SCORED_EPISODES}"
    )
    return Section(key, title, caption, (table,), tuple(drawings))
