"""KUMO's own rows of players: relative action counts (figure 4b), topology and success (figure 6e)."""

from tasks.report.content import Record, ReportData, Section, omit_section, omit_unanalysed
from tasks.report.figures.interval_rows import Scale, read_estimate, rows_by_setting
from tasks.report.figures.player_rows import SCORED_EPISODES
from tasks.report.wording import name_populations, p_text

_COUNTING = {
    "perennial": "the sum of counts / the sum of optima − 1, a count being tests + 1, the actions and the "
    "one prediction",
    "kumo-2025": "the mean of (count − optimum) / optimum with tests + 2, as the authors published",
}


def action_rows(data: ReportData) -> Section:
    """Return the section of relative action counts: a row per player, a drawing per setting and count."""
    key, title, column = "relative_action_counts", "Relative action count by setting", "relative_action_count"
    table = data.tables[key]
    rows = data.known_rows(key, column)
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
            lambda row: [read_estimate(row, column, "episodes")],
            scale,
            more=f", counted as {convention}",
        )
    ]
    counting = "; ".join(f"{name}: {meaning}" for name, meaning in _COUNTING.items())
    caption = (
        "Each point sets a player's counts of actions against the play of Algorithm 3; a failed episode "
        f"counts as all actions + 1. {counting}. "
        "Algorithm 3 does not use the promise of one valid truth throughout: a player that does, or a lucky "
        f"one, may need fewer tests, and its value is then negative. {name_populations(rows)} "
        f"{SCORED_EPISODES}"
    )
    return Section(key, title, caption, (table,), tuple(drawings))


def topology_rows(data: ReportData) -> Section:
    """Return the section of Cramer's V, as published and bias-corrected; a drawing per setting."""
    key, title = "topology", "Topology and success"
    table = data.tables[key]
    if not table.rows:
        return omit_unanalysed(key, title, [table])
    known = data.known_rows(key, "cramers_v_kumo_2025")
    if not known:
        missing = (
            "Cramér's V is undefined: no player both solved and failed instances, or all have one shape."
        )
        return omit_section(key, title, [table], missing)
    drawings = rows_by_setting(data, title, known, _read_both, Scale(("Cramér's V",), ends=(0, 1)))
    caption = (
        "Cramér's V between the shape of an instance's truth-action graph (its signature) and whether most "
        "runs on it succeed: 0 is no association, 1 the closest. The table behind it is sparse, which drives "
        "V up: compare the bias-corrected V. V and p of kumo-2025 are the paper's, over pooled domains, "
        "which differ in shapes and in difficulty: trust p by permuting labels within domains, adjusted by "
        "Holm over the players of one setting and kind. Lines are 95% intervals by noncentral chi-square. n "
        "is the number of instances. Players without a row solved all instances or none."
    )
    return Section(key, title, caption, (table,), drawings)


def _read_both(row: Record) -> list[Record]:
    series = (
        ("V, p (kumo-2025)", "cramers_v_kumo_2025", row["chi_square_p_kumo_2025"]),
        ("V corrected, p (Holm)", "corrected_v", row["permutation_p_holm"]),
    )
    return [
        read_estimate(row, column, "instances", series=name, more=f", {p_text(p)}")
        for name, column, p in series
    ]
