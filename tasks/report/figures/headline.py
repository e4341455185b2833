"""The first table of the page: how much each player solves in each setting, a row per player."""

from collections.abc import Iterable

from perennial.schemas.statistics import (
    ABOVE_FLOOR,
    ABOVE_FLOOR_DOC,
    Measure,
    describe_floors,
    label_player,
    rank_text,
    shown_measures,
)
from perennial.tasks.report.content import Content, Grid, Record, ReportData, figure
from perennial.tasks.report.wording import clean, name_populations, with_interval

_FAIR = ("instances", "common rate", "common instances", "adjusted rate ± s.e.")


@figure("Players", key="headline", missing="No player took part in this edition.")
def headline(data: ReportData, rows: list[Record]) -> Content:
    """The headline table; rates that adjust for instances only where these differ."""
    differs = instances_differ(rows)
    visible = shown_measures(data.measures, rows)
    measures = [measure.heading for measure in visible]
    is_known = any(row["above_floor"] is not None for row in rows)
    floored = (ABOVE_FLOOR,) if is_known else ()
    headings = ("rank", "success rate", *floored, *(_FAIR if differs else ()), *measures, "episodes")
    by_key = {(row["setting"], row["player"]): row for row in rows}
    cells = []
    for player in data.players():
        rows_of = [row for setting in data.settings if (row := by_key.get((setting, player))) is not None]
        line = [clean(label_player(data.floor, rows_of[0]))]
        for setting in data.settings:
            row = by_key.get((setting, player))
            if row is None:
                line += [""] * len(headings)
                continue
            above = with_interval(row["above_floor"], row["above_floor_low"], row["above_floor_high"])
            extra = (above,) if is_known else ()
            line += _cells(row, visible, differs, extra)
        cells.append(tuple(line))
    grid = Grid(
        ("player", *headings * len(data.settings)),
        tuple(cells),
        frozenset(range(1, 1 + len(headings) * len(data.settings))),
        (("", 1), *((clean(setting), len(headings)) for setting in data.settings)),
    )
    fair = (
        "Common rate is the same over the instances that all players of its kind with enough of them have. "
        "Adjusted rate is what the player would solve of all instances of the setting, by a Rasch "
        "model, with its standard error by instance and, in parentheses, by domain."
    )
    caption = " ".join(
        sentence
        for sentence in (
            "Success rate is the mean over the player's instances of the share of scored runs it solved.",
            fair if differs else "",
            "Models come first and are ranked among each other, each two on the instances that both have (by "
            "the adjusted rate where these are too few). Programs are lines of reference.",
            *(measure.doc for measure in visible),
            "" if data.floor is None else data.floor.doc,
            f"Floors: {clean(describe_floors(rows))}." if is_known else "",
            ABOVE_FLOOR_DOC if is_known else "",
            f"{name_populations(rows)} They are in brackets; where a figure has none, the table says why. "
            "Behind a rank are the places that it may have there, for all players together in 95%. "
            "The last column of a setting counts scored episodes: those that an API error ended are not "
            "among them.",
            *(f"{clean(text)}." for text in describe_unasked(rows)),
        )
        if sentence
    )
    return Content(caption, grid=grid)


def instances_differ(rows: Iterable[Record]) -> bool:
    """Whether a player of some setting has other instances than another of its kind."""
    return any(
        row["common_instances"] is not None and row["common_instances"] != row["instances"] for row in rows
    )


def describe_unasked(rows: Iterable[Record]) -> list[str]:
    """How many instances of each setting players were not asked, a text a player."""
    by_player: dict[str, list[str]] = {}
    for row in rows:
        if row.get("not_asked"):
            by_player.setdefault(row["player"], []).append(f"{row['not_asked']:,} of {row['setting']}")
    return [
        f"{player} was not asked {', '.join(texts)}, which its context does not hold"
        for player, texts in by_player.items()
    ]


def _cells(row: Record, measures: Iterable[Measure], differs: bool, above: tuple[str, ...]) -> list[str]:
    scored, attempted = row["scored"], row["attempted"]
    common = "" if row["common_instances"] is None else f"{row['common_instances']:,}"
    fair = (f"{row['instances']:,}", _figure(row, "common_rate"), common, _adjusted(row)) if differs else ()
    return [
        rank_text(row),
        _figure(row, "success_rate"),
        *above,
        *fair,
        *(_figure(row, measure.column) for measure in measures),
        f"{scored:,}" if scored == attempted else f"{scored:,} of {attempted:,}",
    ]


def _figure(row: Record, name: str) -> str:
    return with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _adjusted(row: Record) -> str:
    rate, error, by_domain = (row[f"adjusted_rate{end}"] for end in ("", "_se", "_se_domains"))
    if rate is None:
        return ""
    return f"{rate:.3f}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{error:.3f}" + (
        "" if by_domain is None else f" ({by_domain:.3f})"
    )
