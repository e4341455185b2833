"""This edition's success rates beside another edition's, and their differences."""

from tasks.report.content import Comparison, Grid, ReportData, ReportTable, Section, omit_section
from tasks.report.edition_comparison import KEY, comparison_table
from tasks.report.figures.interval_bars import bars_by_setting, interval_bar
from tasks.report.wording import clean, p_number, with_interval


def difference_bars(data: ReportData, comparison: Comparison) -> Section:
    """Return the section of players that both editions have: a table, and a bar a difference."""
    title = f"Compared with edition {clean(comparison.edition)}"
    found = comparison_table(data, comparison)
    tables = (found, comparison.headline, comparison.domains)
    if not found.rows:
        return omit_section(KEY, title, tables, "No player has a rate in both editions.")
    drawings = bars_by_setting(
        KEY,
        title,
        data.settings,
        found.records(),
        lambda listed: [
            interval_bar(row["player"], row, "difference", "difference_low", "difference_high", series=2)
            for row in listed
        ],
        f"difference in success rate, {data.edition} minus {comparison.edition}",
        lambda listed: f"{len(listed)} {'player' if len(listed) == 1 else 'players'}",
    )
    caption = (
        "Players that both editions have, setting by setting. Rates have 95% intervals by bootstrap over "
        "instances; the difference has the 95% interval that follows from both (Zou and Donner), with the "
        "editions taken as independent, as they share no instance. p tests the difference on the domains "
        "that both editions have, paired by domain (exact sign flips), and Holm's correction covers all rows "
        "of this table; n counts those domains."
    )
    grid = _grid(data.edition, comparison, found)
    return Section(KEY, title, caption, tables, drawings, grid)


def _grid(edition: str, comparison: Comparison, found: ReportTable) -> Grid:
    return Grid(
        ("setting", "player", clean(edition), clean(comparison.edition), "difference", "n", "p", "p (Holm)"),
        tuple(
            (
                clean(row["setting"]),
                clean(row["player"]),
                with_interval(row["success_rate"], row["low"], row["high"]),
                with_interval(row["other_success_rate"], row["other_low"], row["other_high"]),
                with_interval(row["difference"], row["difference_low"], row["difference_high"]),
                str(row["shared_domains"]),
                p_number(row["p_value"]),
                p_number(row["p_holm"]),
            )
            for row in found.records()
        ),
        frozenset(range(2, 8)),
    )
