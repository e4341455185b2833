"""Cramer's V between an instance's graph signature and its being solved (the paper's figure 6e)."""

from tasks.report.content import Record, ReportData, Section, omit_section, omit_unanalysed
from tasks.report.figures.interval_bars import Bar, bars_by_setting
from tasks.report.wording import decimals, p_text, span

_KEY = "topology"
_TITLE = "Topology and success"


def topology_bars(data: ReportData) -> Section:
    """Return the section of Cramer's V, as published and bias-corrected; a drawing a setting."""
    table = data.tables[_KEY]
    if not table.rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    known = data.drawn_rows(_KEY, "cramers_v_kumo_2025")
    if not known:
        return omit_section(
            _KEY,
            _TITLE,
            [table],
            "Cramér's V is undefined: no player both solved and failed instances, or all have one shape.",
        )
    drawings = bars_by_setting(
        _KEY,
        _TITLE,
        data.settings,
        known,
        lambda listed: [bar for row in listed for bar in _bars(row)],
        "Cramér's V",
        lambda listed: f"{span(row['instances'] for row in listed)} instances a player",
        1.0,
    )
    caption = (
        "Cramér's V between the shape of an instance's truth-action graph (its signature) and whether most "
        "runs on it succeed: 0 is no association, 1 the closest. The table behind it is sparse, which drives "
        "V up: compare the bias-corrected V. V and p of kumo-2025 are the paper's, over pooled domains, "
        "which differ in shapes and in difficulty: trust p by permuting labels within domains, adjusted by "
        "Holm over the players of one setting and kind. Lines are 95% intervals by noncentral chi-square. n "
        "is the number of instances. Players without a bar solved all instances or none."
    )
    return Section(_KEY, _TITLE, caption, (table,), drawings, names_players=True)


def _bars(row: Record) -> list[Bar]:
    return [
        _bar(row, "V, p (kumo-2025)", "cramers_v_kumo_2025", row["chi_square_p_kumo_2025"], 0, row["player"]),
        _bar(row, "V corrected, p (Holm)", "corrected_v", row["permutation_p_holm"], 1),
    ]


def _bar(row: Record, label: str, column: str, p: float | None, series: int, heading: str = "") -> Bar:
    text = f"{decimals(row[column])}, {p_text(p)}"
    return Bar(label, row[column], row[f"{column}_low"], row[f"{column}_high"], text, series, heading)
