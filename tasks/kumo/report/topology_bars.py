"""Cramer's V between an instance's graph signature and its being solved (the paper's figure 6e)."""

from tasks.report.content import Drawing, Record, ReportData, Section, left_out, not_analysed
from tasks.report.figures.interval_bars import Bar, interval_bars
from tasks.report.wording import decimals, p_text, span

_KEY = "topology"
_TITLE = "Topology and success"


def topology_bars(data: ReportData) -> Section:
    """Return the section of Cramer's V, as published and bias-corrected; a drawing a setting."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return not_analysed(_KEY, _TITLE, [table])
    drawn = data.drawn_players()
    known = [row for row in rows if row["cramers_v"] is not None and row["player"] in drawn]
    if not known:
        return left_out(
            _KEY,
            _TITLE,
            [table],
            "Cramér's V is undefined: no player both solved and failed instances, or all have one shape.",
        )
    drawings = []
    for number, setting in enumerate(data.settings):
        listed = [row for row in known if row["setting"] == setting]
        if listed:
            bars = [bar for row in listed for bar in _bars(row)]
            svg = interval_bars(f"{_KEY}-{number}", f"{_TITLE}: {setting}", bars, "Cramér's V", 1.0)
            n = span(row["instances"] for row in listed)
            drawings.append(Drawing(f"{setting}, n = {n} instances a player", svg))
    caption = (
        "Cramér's V between the shape of an instance's truth-action graph (its signature) and whether most "
        "runs on it succeed: 0 is no association, 1 the closest. The table behind it is sparse, which drives "
        "V up: compare the bias-corrected V, and trust p by permutation rather than by chi-square. V has no "
        "simple interval here; p is shown instead. n is the number of instances. Players without a bar "
        "solved all instances or none."
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings), names_players=True)


def _bars(row: Record) -> list[Bar]:
    plain = f"{decimals(row['cramers_v'])}, {p_text(row['chi_square_p'])}"
    corrected = f"{decimals(row['corrected_v'])}, {p_text(row['permutation_p'])}"
    return [
        Bar("V, p by chi-square", row["cramers_v"], None, None, plain, 0, row["player"]),
        Bar("V corrected, p by permutation", row["corrected_v"], None, None, corrected, 1),
    ]
