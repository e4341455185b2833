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
        (
            *("setting", "rank", "player", "success rate", "instances", "common rate", "common instances"),
            *("adjusted rate ± s.e.", *measures, "episodes"),
        ),
        tuple(_cells(row, data.measures) for row in ordered),
        frozenset({1, *range(3, 9 + len(measures))}),
    )
    caption = " ".join(
        (
            "Success rate is the mean over the player's instances of the share of scored runs that are "
            "solved. Common rate is the same over the instances that all players with enough of them have. "
            "Adjusted rate is what the player would solve of all instances of the setting, by a Rasch "
            "model, with its standard error by instance and, in parentheses, by domain. The rank goes by "
            "the common rate; by the adjusted one where too few instances are common.",
            *(measure.doc for measure in data.measures),
            "Brackets hold 95% intervals for instances that vary: by bootstrap, and by Clopper and "
            "Pearson near 0 and 1. The last column counts scored episodes: those that an API error ended "
            "are not among them.",
        )
    )
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)


def _cells(row: Record, measures: Iterable[Measure]) -> tuple[str, ...]:
    scored, attempted = row["scored"], row["attempted"]
    return (
        clean(row["setting"]),
        "" if row["rank"] is None else str(row["rank"]),
        clean(row["player"]),
        _figure(row, "success_rate"),
        f"{row['instances']:,}",
        _figure(row, "common_rate"),
        "" if row["common_instances"] is None else f"{row['common_instances']:,}",
        _adjusted(row),
        *(_figure(row, measure.column) for measure in measures),
        f"{scored:,}" if scored == attempted else f"{scored:,} of {attempted:,}",
    )


def _figure(row: Record, name: str) -> str:
    return with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _adjusted(row: Record) -> str:
    rate, error, by_domain = (row[f"adjusted_rate{end}"] for end in ("", "_se", "_se_domains"))
    if rate is None:
        return ""
    return f"{rate:.3f} ± {error:.3f}" + ("" if by_domain is None else f" ({by_domain:.3f})")
