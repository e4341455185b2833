"""Cramer's V between an instance's graph signature and its being solved (the paper's figure 6e)."""

from tasks.report.content import Record, ReportData, Section, omit_section, omit_unanalysed
from tasks.report.figures.interval_rows import Estimate, Scale, read_estimate, rows_by_setting
from tasks.report.wording import p_text

_KEY = "topology"
_TITLE = "Topology and success"


def topology_rows(data: ReportData) -> Section:
    """Return the section of Cramer's V, as published and bias-corrected; a drawing a setting."""
    table = data.tables[_KEY]
    if not table.rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    known = data.known_rows(_KEY, "cramers_v_kumo_2025")
    if not known:
        return omit_section(
            _KEY,
            _TITLE,
            [table],
            "Cramér's V is undefined: no player both solved and failed instances, or all have one shape.",
        )
    drawings = rows_by_setting(data, _TITLE, known, _estimates, Scale(("Cramér's V",), ends=(0, 1)))
    caption = (
        "Cramér's V between the shape of an instance's truth-action graph (its signature) and whether most "
        "runs on it succeed: 0 is no association, 1 the closest. The table behind it is sparse, which drives "
        "V up: compare the bias-corrected V. V and p of kumo-2025 are the paper's, over pooled domains, "
        "which differ in shapes and in difficulty: trust p by permuting labels within domains, adjusted by "
        "Holm over the players of one setting and kind. Lines are 95% intervals by noncentral chi-square. n "
        "is the number of instances. Players without a row solved all instances or none."
    )
    return Section(_KEY, _TITLE, caption, (table,), drawings)


def _estimates(row: Record) -> list[Estimate]:
    series = (
        ("V, p (kumo-2025)", "cramers_v_kumo_2025", row["chi_square_p_kumo_2025"]),
        ("V corrected, p (Holm)", "corrected_v", row["permutation_p_holm"]),
    )
    return [
        read_estimate(row, column, "instances", series=name, more=f", {p_text(p)}")
        for name, column, p in series
    ]
