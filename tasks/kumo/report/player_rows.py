"""KUMO's own rows of players: relative action counts (figure 4b), topology and success (figure 6e)."""

from perennial.tasks.report.content import (
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_section,
    omit_unanalysed,
    table_figure,
)
from perennial.tasks.report.figures.interval_rows import Scale, read_estimate, rows_by_setting
from perennial.tasks.report.figures.player_rows import SCORED_EPISODES
from perennial.tasks.report.wording import name_populations, p_text

RELATIVE_ACTION_COUNTS = Query(
    "relative_action_counts",
    """
-- How many more actions than each reference does each player take?
SELECT convention, setting, player, episodes, relative_action_count, relative_action_count_low,
       relative_action_count_high,
       population, no_interval
FROM relative_action_count
WHERE edition = $edition AND domain = 'all'
ORDER BY convention, setting, relative_action_count NULLS LAST, player
""",
)

TOPOLOGY = Query(
    "topology",
    """
-- Does the shape of an instance's truth-action graph go with solving it?
SELECT setting, player, instances, topology_trend, topology_trend_low, topology_trend_high, topology_trend_p,
       topology_trend_p_holm, topology_trend_undefined, cramers_v_pooled, permuted_v, classes, share_in_other,
       cramers_v_pooled_p, cramers_v_pooled_p_holm, cramers_v_pooled_undefined,
       cramers_v_kumo_2025, chi_square_p_kumo_2025, chi_square_p_kumo_2025_shown
FROM topology_association
WHERE edition = $edition AND domain = 'all'
ORDER BY setting, player
""",
)

_COUNTING = {
    "algorithm-3": "the sum of counts / the sum of Algorithm 3's − 1, a count being tests + 1, the actions "
    "and the one prediction",
    "optimum": "the same relative to the optimum, on instances where it is proved",
    "kumo-2025": "the mean of (count − Algorithm 3's) / Algorithm 3's with tests + 2, as published",
}
_REFERENCES = {
    "algorithm-3": "relative to Algorithm 3",
    "optimum": "relative to the optimum",
    "kumo-2025": "as the paper counts (kumo-2025)",
}


@figure("relative_action_counts", "Relative action count by setting", RELATIVE_ACTION_COUNTS)
def action_rows(data: ReportData) -> Section:
    """Return the section of relative action counts: a row per player, a drawing per setting and count."""
    key, title, column = action_rows.key, action_rows.title, "relative_action_count"
    table = data.tables[key]
    rows = data.known_rows(key, column)
    if not rows:
        return omit_unanalysed(key, title, [table])
    scale = Scale(("relative action count:", "0 is the reference, lower is better"), has_zero_line=True)
    drawings = [
        drawing
        for convention in _COUNTING
        for drawing in rows_by_setting(
            data,
            title,
            [row for row in rows if row["convention"] == convention],
            lambda row: [read_estimate(row, column, "episodes")],
            scale,
            more=f", {_REFERENCES[convention]}",
        )
    ]
    counting = "; ".join(f"{name}: {meaning}" for name, meaning in _COUNTING.items())
    caption = (
        "Each point compares a player's counts of actions with those of a reference, whose value is 0; a "
        f"failed episode counts as all actions + 1. {counting}. "
        "Algorithm 3, the paper's reference, ignores part of what players know, so the optimum can score "
        f"below it. {name_populations(rows)} "
        f"{SCORED_EPISODES}"
    )
    return Section(key, title, caption, (table,), tuple(drawings))


@figure("topology", "Topology and success", TOPOLOGY)
def topology_rows(data: ReportData) -> Section:
    """Return the section of the trend of success on edges, and of V in its table; a drawing per setting."""
    key, title, column = topology_rows.key, topology_rows.title, "topology_trend"
    table = data.tables[key]
    if not table.rows:
        return omit_unanalysed(key, title, [table])
    known = data.known_rows(key, column)
    if not known:
        missing = (
            "No trend is defined: it takes 50 instances of a player, which differ in edges and in success "
            "within domains. The table says why for each player."
        )
        return omit_section(key, title, [table], missing)
    scale = Scale(("percentage points of success per edge",), has_zero_line=True)
    drawings = rows_by_setting(data, title, known, _read_trend, scale)
    caption = (
        "How many percentage points of success one more edge of an instance's truth-action graph gives or "
        "costs, within domains: 0 is no trend. Lines are 95% intervals by resampling domains, from ten "
        "domains on. p is by permuting within domains, adjusted by Holm over the players of one setting "
        "and kind. n is the number of instances. The table also has the bias-corrected Cramér's V of the "
        "graph's shape and the majority label, with shapes of fewer than five instances in one class "
        "(compare permuted_v, its mean without association), and the paper's V and p (kumo_2025) for "
        "players with five runs per instance. Columns that end in _undefined say why a figure is missing."
    )
    return Section(key, title, caption, (table,), drawings)


def _read_trend(row: Record) -> list[Record]:
    more = f", {p_text(row['topology_trend_p_holm'])} (Holm)"
    return [read_estimate(row, "topology_trend", "instances", more=more)]


KUMO_LEADERBOARD = Query(
    "kumo_leaderboard",
    """
-- How many actions does each player need beside how much it solves?
SELECT setting, rank, player, instances, success_rate, success_rate_low, success_rate_high, population,
       relative_action_count_algorithm_3, relative_action_count_algorithm_3_low,
       relative_action_count_algorithm_3_high, relative_action_count_optimum, excess_tests_algorithm_3,
       excess_tests_algorithm_3_low, excess_tests_algorithm_3_high, guess_share, mean_tests,
       relative_action_count_kumo_2025
FROM kumo_leaderboard
WHERE edition = $edition
ORDER BY setting, place, player
""",
)

action_table = table_figure(
    "kumo_leaderboard",
    "Action counts and excess tests",
    "Relative action count: sum of counts / sum of the reference's − 1, a count being tests + 1 and "
    "a failed episode counting as all actions + 1; the reference, whose value is 0, is Algorithm 3 "
    "or the optimum. Excess tests: tests − Algorithm 3's, all actions counting as tests where the "
    "outcomes seen did not decide the answer; guess share: share of episodes that answered so.",
    KUMO_LEADERBOARD,
)
