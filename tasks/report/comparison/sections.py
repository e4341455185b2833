"""This edition beside another: the same players' rates and differences, and drift on the scale of anchors."""

from perennial.tasks.report.comparison.tables import KEY, LINK_KEY, comparison_table, link_table
from perennial.tasks.report.content import Comparison, Grid, ReportData, Section, omit_section
from perennial.tasks.report.figures.interval_rows import Scale, read_estimate, rows_by_setting
from perennial.tasks.report.wording import clean, decimals, p_number, with_interval

_LINK_CAPTION = (
    "Anchors, players that are the same in both editions, tie them to one scale: a Rasch model with an "
    "effect of each player, domain and instance, in logits (at a rate of one half, 0.4 is about a tenth "
    "of the rate). A positive drift means that this edition is harder than the other, in the domains that "
    "both have or, where they share none, over all; a positive change, that the player is abler than it "
    "was. An anchor's own change is estimated with the other anchors as ties: one that changed should be "
    "no anchor. Errors are by instance or by domain, whichever is larger. Holm's correction covers the "
    "drifts, and apart from them the changes of players that are not anchors. Slope p (Holm) tests that a "
    "player follows difficulty as the others do, that of the drift being the smallest: below 0.05 the model "
    "does not fit, and drift and changes are underestimated."
)


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
        "instances, with the 95% intervals of the leaderboard; SD is how much such a rate scatters "
        "over editions of as many random domains (the standard deviation of domain rates / the root of "
        "their number). The difference is between rates standardised to the domains that both editions "
        "have, n of them, each weighing the same; its interval and p are for other instances of these "
        "domains, and Holm's correction covers all rows. Without shared domains there "
        "is none: look at SD and at the anchors then."
    )
    own, other = clean(data.edition), clean(comparison.edition)
    grid = Grid(
        ("setting", "player", own, "SD", other, "SD", "difference", "n", "p", "p (Holm)"),
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
    return Section(KEY, title, caption, tables, drawings, grid)


def edition_link(data: ReportData, comparison: Comparison) -> Section:
    """Return the section of the linked scale: a table of the drift and of each player's change."""
    title = f"Drift and change since edition {clean(comparison.edition)}"
    found = link_table(data, comparison)
    tables = (found, comparison.answers, comparison.own_answers)
    if not found.rows:
        return omit_section(LINK_KEY, title, tables, _missing(comparison))
    grid = Grid(
        (
            "setting",
            "what",
            "player",
            "logits",
            "standard error",
            "p",
            "p (Holm)",
            "slope p",
            "domains",
            "anchors",
        ),
        tuple(
            (
                clean(row["setting"]),
                row["of"],
                clean(row["player"]),
                with_interval(row["value"], row["low"], row["high"]),
                decimals(row["standard_error"]),
                p_number(row["p_value"]),
                p_number(row["p_holm"]),
                p_number(row["slope_p_holm"]),
                f"{row['shared_domains']:,}",
                f"{row['anchors']:,}",
            )
            for row in found.records()
        ),
        frozenset(range(3, 10)),
    )
    return Section(LINK_KEY, title, _LINK_CAPTION, tables, grid=grid)


def _missing(comparison: Comparison) -> str:
    if not comparison.anchors:
        return (
            "No anchor ties these editions: name three or four pinned models or programs as anchors in "
            "perennial.toml, so that every refresh evaluates them, or with --anchors those that both have."
        )
    return (
        "No anchor ties these editions: in both it must have solved some instances and failed some; anchors "
        f"given: {clean(', '.join(comparison.anchors))}."
    )
