"""This edition's success rates beside another edition's, and their differences."""

from tasks.report.content import Comparison, Grid, ReportData, ReportTable, Section, omit_section
from tasks.report.edition_comparison import KEY, comparison_table
from tasks.report.figures.interval_rows import Scale, read_estimate, rows_by_setting
from tasks.report.wording import clean, decimals, p_number, with_interval


def edition_difference(data: ReportData, comparison: Comparison) -> Section:
    """Return the section of players that both editions have: a table, and a bar a difference."""
    title = f"Compared with edition {clean(comparison.edition)}"
    found = comparison_table(data, comparison)
    tables = (found, comparison.headline, comparison.domains)
    if not found.rows:
        return omit_section(KEY, title, tables, "No player has a rate in both editions.")
    minus = f"{clean(data.edition)} minus {clean(comparison.edition)}"
    rows = [row for row in found.records() if row["difference"] is not None]
    drawings = rows_by_setting(
        data,
        title,
        rows,
        lambda row: [read_estimate(row, "difference", "shared_domains")],
        Scale(("difference in standardised rate:", minus), has_zero_line=True),
        more=f": {minus}",
        unit="shared domains",
    )
    caption = (
        "Players that both editions have, setting by setting. Rates are over each edition's own "
        "instances, with 95% intervals by bootstrap over instances; SD is how much such a rate scatters "
        "over editions of as many random domains (the standard deviation of domain rates / the root of "
        "their number). The difference is between rates standardised to the domains that both editions "
        "have, n of them, each weighing the same; its interval and p come from a bootstrap over instances "
        "within domain and edition, and Holm's correction covers all rows. Without shared domains there "
        "is none: look at SD and at the anchors then."
    )
    grid = _grid(data.edition, comparison, found)
    return Section(KEY, title, caption, tables, drawings, grid)


def _grid(edition: str, comparison: Comparison, found: ReportTable) -> Grid:
    return Grid(
        (
            *("setting", "player", clean(edition), "SD", clean(comparison.edition), "SD"),
            *("difference", "n", "p", "p (Holm)"),
        ),
        tuple(
            (
                clean(row["setting"]),
                clean(row["player"]),
                with_interval(row["success_rate"], row["low"], row["high"]),
                decimals(row["domain_sd"]),
                with_interval(row["other_success_rate"], row["other_low"], row["other_high"]),
                decimals(row["other_domain_sd"]),
                with_interval(row["difference"], row["difference_low"], row["difference_high"]),
                str(row["shared_domains"]),
                p_number(row["p_value"]),
                p_number(row["p_holm"]),
            )
            for row in found.records()
        ),
        frozenset(range(2, 10)),
    )
