"""Drift of the edition against change of its players, on the scale that anchors tie."""

from tasks.report.content import Comparison, Grid, ReportData, Section, omit_section
from tasks.report.edition_comparison import LINK_KEY, link_table
from tasks.report.wording import clean, decimals, p_number, with_interval

_CAPTION = (
    "Anchors, players that are the same in both editions, tie them to one scale: a Rasch model with an "
    "effect of each player, domain and instance, in logits (at a rate of one half, 0.4 is about a tenth "
    "of the rate). A positive drift means that this edition is harder than the other, in the domains that "
    "both have or, where they share none, over all; a positive change, that the player is abler than it "
    "was. An anchor's own change is estimated with the other anchors as ties: one that changed should be "
    "no anchor. Errors are by instance or by domain, whichever is larger. Holm's correction covers the "
    "drifts, and apart from them the changes of players that are no anchors."
)


def edition_link(data: ReportData, comparison: Comparison) -> Section:
    """Return the section of the linked scale: a table of the drift and of each player's change."""
    title = f"Drift and change since edition {clean(comparison.edition)}"
    found = link_table(data, comparison)
    tables = (found, comparison.answers, comparison.own_answers)
    if not found.rows:
        return omit_section(LINK_KEY, title, tables, _missing(comparison))
    grid = Grid(
        ("setting", "what", "player", "logits", "standard error", "p", "p (Holm)", "domains", "anchors"),
        tuple(
            (
                clean(row["setting"]),
                row["of"],
                clean(row["player"]),
                with_interval(row["value"], row["low"], row["high"]),
                decimals(row["standard_error"]),
                p_number(row["p_value"]),
                p_number(row["p_holm"]),
                f"{row['shared_domains']:,}",
                f"{row['anchors']:,}",
            )
            for row in found.records()
        ),
        frozenset(range(3, 9)),
    )
    return Section(LINK_KEY, title, _CAPTION, tables, grid=grid)


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
