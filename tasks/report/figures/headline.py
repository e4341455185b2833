"""The first table of the page: how much each player solves in each setting."""

from collections.abc import Iterable

from schemas.measure import Measure
from tasks.report.content import Grid, Record, ReportData, Section, omit_section
from tasks.report.wording import clean, with_interval

_KEY = "headline"
_TITLE = "Players"


def headline(data: ReportData) -> Section:
    """Return the section of the headline table."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_section(_KEY, _TITLE, [table], "No player took part in this edition.")
    place = {setting: number for number, setting in enumerate(data.settings)}
    ordered = sorted(rows, key=lambda row: place.get(row["setting"], len(place)))
    measures = [measure.heading for measure in data.measures]
    grid = Grid(
        ("setting", "player", "success rate", *measures, "episodes"),
        tuple(_cells(row, data.measures) for row in ordered),
        frozenset(range(2, 4 + len(measures))),
    )
    caption = " ".join(
        (
            "Success rate is the mean over instances of the share of scored episodes that are solved.",
            *(measure.doc for measure in data.measures),
            "Brackets hold 95% intervals for instances that vary: by bootstrap, and by Clopper and Pearson "
            "near 0 and 1. Episodes that an API error ended are "
            "attempted but not scored.",
        )
    )
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)


def _cells(row: Record, measures: Iterable[Measure]) -> tuple[str, ...]:
    scored, attempted = row["scored"], row["attempted"]
    return (
        clean(row["setting"]),
        clean(row["player"]),
        *(_figure(row, name) for name in ("success_rate", *(measure.column for measure in measures))),
        f"{scored:,}" if scored == attempted else f"{scored:,} of {attempted:,}",
    )


def _figure(row: Record, name: str) -> str:
    return with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"])
