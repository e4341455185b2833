"""The first table of the page: how much each player solves in each setting, and with how many actions."""

from tasks.report.content import Grid, Record, ReportData, Section, left_out
from tasks.report.wording import clean, with_interval

_KEY = "headline"
_TITLE = "Players"


def headline(data: ReportData) -> Section:
    """Return the section of the headline table."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return left_out(_KEY, _TITLE, [table], "No player took part in this edition.")
    place = {setting: number for number, setting in enumerate(data.settings())}
    ordered = sorted(rows, key=lambda row: place.get(row["setting"], len(place)))
    grid = Grid(
        ("setting", "player", "success rate", "relative action count", "episodes"),
        tuple(_cells(row) for row in ordered),
        frozenset({2, 3, 4}),
    )
    caption = (
        "Success rate is solved / scored episodes. Relative action count is the mean of (count − optimum) / "
        "optimum, where a count is tests + 1 and a failed episode counts as all actions + 1: 0 is optimal, "
        "lower is better. Brackets hold 95% intervals by bootstrap over instances. Episodes that an API "
        "error ended are attempted but not scored."
    )
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)


def _cells(row: Record) -> tuple[str, ...]:
    scored, attempted = row["scored"], row["attempted"]
    return (
        clean(row["setting"]),
        clean(row["player"]),
        with_interval(row["success_rate"], row["success_rate_low"], row["success_rate_high"]),
        with_interval(
            row["relative_action_count"], row["relative_action_count_low"], row["relative_action_count_high"]
        ),
        f"{scored:,}" if scored == attempted else f"{scored:,} of {attempted:,}",
    )
