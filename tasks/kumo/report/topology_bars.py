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
    known = data.drawn_rows(_KEY, "cramers_v")
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
        "V up: compare the bias-corrected V, and trust p by permutation rather than by chi-square. V has no "
        "simple interval here; p is shown instead. n is the number of instances. Players without a bar "
        "solved all instances or none."
    )
    return Section(_KEY, _TITLE, caption, (table,), drawings, names_players=True)


def _bars(row: Record) -> list[Bar]:
    plain = f"{decimals(row['cramers_v'])}, {p_text(row['chi_square_p'])}"
    corrected = f"{decimals(row['corrected_v'])}, {p_text(row['permutation_p'])}"
    return [
        Bar("V, p by chi-square", row["cramers_v"], None, None, plain, 0, row["player"]),
        Bar("V corrected, p by permutation", row["corrected_v"], None, None, corrected, 1),
    ]
