"""A row per player: its value as a point, the interval as a line through it, and both as text."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import altair as alt

from perennial.schemas.statistics import Floor, mark_player
from perennial.tasks.report.content import (
    UNANALYSED,
    Content,
    Drawing,
    Grid,
    Query,
    Record,
    ReportData,
    figure,
)
from perennial.tasks.report.figures.chart import (
    FOUND,
    ROWS,
    SERIES,
    SOFT,
    Spec,
    compile_chart,
    cut,
    make_drawing,
    player_axis,
    series_colours,
    tips,
)
from perennial.tasks.report.wording import (
    brackets,
    clean,
    decimals,
    name_populations,
    p_number,
    p_text,
    span,
    with_interval,
)

# What a benchmark's paper prints of the same models: hollow marks beside ours, and their legend.

PAPER_SCORES = Query(
    "paper_scores",
    """
-- What does the benchmark's paper print of the same models, over its own questions?
SELECT player, figure, setting, domain, value, place, printed_as, settings, differs
FROM paper_scores
WHERE edition = $edition AND source <> 'site'
ORDER BY player, figure, setting, domain, NOT starts_with(place, 'table'), place
""",
)
_MARK, _DOTTED = "\N{WHITE CIRCLE}", "\N{DOTTED CIRCLE}"
PAPER_DOC = (
    f" {_MARK} is what the benchmark's paper prints of a model of exactly this name, which was asked here in "
    f"the paper's protocol, setting and language; {_DOTTED} is the same where something of these differs, as "
    "the heading says: a distance is then no error. The heading names the table."
)


def read_paper_values(data: ReportData, figure: str) -> dict[tuple[str, str], Record]:
    """What the paper prints as this figure over all its domains, by setting (or `all`) and player.

    Where several tables print it, a row of the first.
    """
    values: dict[tuple[str, str], Record] = {}
    # Hand-made data may lack the table.
    table = data.tables.get(PAPER_SCORES.name)
    for row in table.records() if table else ():
        if (row["figure"], row["domain"]) == (figure, "all"):
            values.setdefault((row["setting"], row["player"]), row)
    return values


def describe_mark(printed: Record | None, places: int) -> Record:
    """The fields of a hollow mark: its place on the axis, and its text."""
    if printed is None:
        return {"paper": None, "printed": "", "differs": None}
    where = ", ".join(part for part in (printed["place"], printed["printed_as"], printed["settings"]) if part)
    unlike = f"; differs: {printed['differs']}" if printed["differs"] else ""
    text = f"{decimals(printed['value'], places)} ({clean(where)}){clean(unlike)}"
    return {"paper": printed["value"], "printed": text, "differs": printed["differs"]}


def name_places(printed: Iterable[Record]) -> str:
    """The legend of these marks: the tables that they are of, and what differs; empty without marks."""
    tables: dict[str, set[str]] = {}
    for row in printed:
        tables.setdefault(row["differs"] or "", set()).add(str(row["place"]))
    return "".join(
        f"; {_DOTTED if differs else _MARK} the paper's value: {', '.join(sorted(places))}"
        + (f", where {clean(differs)} differ" if differs else "")
        for differs, places in sorted(tables.items())
    )


_STEP, _SERIES_STEP, _PAIR_STEP = 19, 12, 32
_LAST = 1e300
_KEY = "order == 'name' ? datum.by_name : order == 'value' ? datum.by_value : datum.place"


@dataclass(frozen=True, slots=True)
class Scale:
    """The horizontal axis: lines of its title, decimals of texts, its ends where fixed, and a line at 0.

    `floor` is where another line is drawn, with its label.
    """

    title: tuple[str, ...]
    places: int = 3
    ends: tuple[float, float] | None = None
    has_zero_line: bool = False
    lines: tuple[tuple[float, str], ...] = ()


def read_estimate(
    row: Record,
    value: str,
    n: str,
    ends: Sequence[str] = (),
    series: str = "",
    other: str = "",
    more: str = "",
    paper: Record | None = None,
) -> Record:
    """What is drawn of a row: its columns `value`, `n` and `ends` (else `VALUE_low` and `VALUE_high`).

    `other` is the player whose value was taken from it; `more` is added to its text. `paper` is what the
    benchmark's paper prints of the player (`perennial.tasks.report.figures.interval_rows`).
    """
    low, high = ends or (f"{value}_low", f"{value}_high")
    first, second = clean(row["player"]), clean(other)
    figures = {"value": row[value], "low": row[low], "high": row[high], "n": row[n]}
    player = f"{first}\n{second}" if other else first
    return {
        "player": player,
        "first": first,
        "other": second,
        "series": series,
        **figures,
        "more": more,
        "paper": paper,
    }


def draw_beside_paper(
    data: ReportData,
    rows: Sequence[Record],
    title: str,
    column: str,
    counts: str,
    *,
    figure: str,
    part: str,
    unit: str,
    axis: str,
    setting: str = "all",
) -> tuple[Drawing, ...]:
    """A drawing of a share; none where the paper prints the figure, in this setting, of no player.

    `counts` is the column of n, whose `unit` the heading says after the name of the part.
    """
    printed = read_paper_values(data, figure)
    drawn = [
        read_estimate(row, column, counts, paper=printed.get((setting, row["player"])))
        for row in rows
        if row[column] is not None
    ]
    if not any(row["paper"] for row in drawn):
        return ()
    heading = f"{part}, n = {span(row['n'] for row in drawn)} {unit} per player"
    return (interval_rows(heading, title, drawn, Scale((axis,), ends=(0, 1)), data.players()),)


def rows_by_setting(
    data: ReportData,
    title: str,
    rows: Sequence[Record],
    read: Callable[[Record], list[Record]],
    scale: Scale,
    *,
    more: str = "",
    unit: str = "per player",
    lines: Mapping[str, tuple[tuple[float, str], ...]] | None = None,
) -> tuple[Drawing, ...]:
    """A drawing of each setting that has rows, of what `read` gives of them, in the order of the page.

    The heading adds `more` to the setting's name, and says after n what `unit` it counts. `lines` are
    those of the settings, each with its label.
    """
    drawings = []
    for setting in data.settings:
        drawn = [estimate for row in rows if row["setting"] == setting for estimate in read(row)]
        if drawn:
            heading = f"{setting}{more}, n = {span(row['n'] for row in drawn)} {unit}"
            axis = replace(scale, lines=(lines or {}).get(setting, ()))
            drawings.append(interval_rows(heading, f"{title}: {setting}{more}", drawn, axis, data.players()))
    return tuple(drawings)


def interval_rows(
    heading: str, title: str, drawn: Sequence[Record], scale: Scale, order: Sequence[str] = ()
) -> Drawing:
    """The estimates as a drawing, a row per player (or pair of players), in this order or as given.

    What a paper prints of a player is a hollow mark in its row; the heading says of which table it is.
    """
    names = list(dict.fromkeys((*map(clean, order), *(row["player"] for row in drawn))))
    by_name = sorted(names, key=str.casefold)
    # A row of several series stands where its first one belongs.
    leading = {row["player"]: row["value"] for row in reversed(drawn)}
    printed = [row["paper"] for row in drawn if row.get("paper") is not None]
    rows = [
        {
            **row,
            **describe_mark(row.get("paper"), scale.places),
            "place": names.index(row["player"]),
            "by_name": by_name.index(row["player"]),
            "by_value": _LAST if (value := leading[row["player"]]) is None else -value,
            "text": with_interval(row["value"], row["low"], row["high"], scale.places) + row["more"],
            "short": decimals(row["value"], scale.places),
            "n": f"{row['n']:,}",
        }
        for row in drawn
    ]
    series = tuple(dict.fromkeys(row["series"] for row in drawn))
    is_pair = any(row["other"] for row in drawn)
    spec = _compile(scale, series, is_pair, bool(printed))
    players = ("player", "first", "other")
    return make_drawing(heading + name_places(printed), title, spec, rows, players=players)


@lru_cache(maxsize=64)
def _compile(scale: Scale, series: tuple[str, ...], is_pair: bool, has_paper: bool) -> Spec:
    step = _PAIR_STEP if is_pair else _STEP if len(series) == 1 else _SERIES_STEP
    labels = cut("datum.label")
    if is_pair:
        first, other = (f"split(datum.label, '\\n')[{part}]" for part in (0, 1))
        labels = f"[{cut(first)}, 'minus ' + {cut(other, 28, 18)}]"
    shared: dict[str, Any] = {
        "y": player_axis(labels),
        "tooltip": tips(
            **({"first": "player", "other": "minus"} if is_pair else {"first": "player"}),
            **({"series": "what"} if any(series) else {}),
            text="value [95%]",
            n="n",
        ),
    }
    shared["color"] = series_colours(series) if any(series) else alt.value(SERIES[0])
    if len(series) > 1:
        shared["yOffset"] = alt.YOffset("series:N", sort=list(series))
    ends = {"domain": list(scale.ends)} if scale.ends else {"zero": True, "nice": True}
    across: dict[str, Any] = {
        "scale": alt.Scale(**ends),
        "axis": alt.Axis(orient="top", title=list(scale.title), tickCount=5),
    }
    base = alt.Chart().encode(**shared)
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", **across), x2="high:Q"),
        base.mark_point().encode(x=alt.X("value:Q", **across)),
        base.mark_text(align="left", dx=8, fontSize=10).encode(
            x=alt.value("width"), text="shown:N", color=alt.value(SOFT)
        ),
    ]
    if has_paper:
        tip = tips(first="player", printed="the paper's value")
        layers += [
            base.mark_point(filled=False, size=70, strokeWidth=1.5, strokeDash=dash)
            .encode(x=alt.X("paper:Q", **across), tooltip=tip)
            .transform_filter(f"isValid(datum.paper) && {test}isValid(datum.differs)")
            for test, dash in (("!", [1, 0]), ("", [1.5, 2]))
        ]
    if scale.has_zero_line:
        zero = alt.Chart(alt.InlineData(values=[{}])).mark_rule(strokeWidth=1.2, color=SOFT)
        layers.insert(0, zero.encode(x=alt.datum(0)))
    for number, line in enumerate(scale.lines):
        layers[:0] = _draw_line(*line, number)
    return compile_chart(
        alt.layer(*layers, data=ROWS)
        .transform_filter(FOUND)
        .transform_calculate(key=_KEY, shown="narrow ? datum.short : datum.text")
        .properties(width="container", height=alt.Step(step))
    )


def _draw_line(value: float, label: str, number: int) -> tuple[alt.Chart, alt.Chart]:
    """A dashed line across all rows, and its label at the foot, below those of lines before it."""
    base = alt.Chart(alt.InlineData(values=[{}])).encode(x=alt.datum(value))
    below = 3 + 11 * number
    return (
        base.mark_rule(strokeWidth=1.2, strokeDash=[4, 3], color=SOFT),
        base.mark_text(
            text=label, align="left", baseline="top", dx=3, dy=below, fontSize=10, color=SOFT
        ).encode(y=alt.value("height")),
    )


# Players in pairs, on the instances that both played: neighbours in rank, and those that do not differ.

PLAYER_PAIRS = Query(
    "player_pairs",
    """
-- Which of two players is better on the instances that both played? The better one stands first.
SELECT setting, player, other_player, instances, difference, difference_low, difference_high,
       difference_simultaneous_low, difference_simultaneous_high, population, p_value, p_adjusted, family,
       p_shown, discordant_instances, mcnemar_p_these_instances
FROM paired_comparisons
WHERE edition = $edition AND (difference > 0 OR (difference = 0 AND player < other_player))
ORDER BY setting, abs(difference) DESC, player, other_player
""",
)

_LEVEL = 0.05
_MOST_NAMED = 6
Pairs = dict[tuple[str, str], Record]


@figure("Players in pairs", PLAYER_PAIRS, missing="")
def player_pairs(data: ReportData, rows: list[Record]) -> Content | str:
    """Paired comparisons: a drawing of neighbours per setting, and a row per player."""
    if len(data.players()) < 2:
        return "This edition has one player only."
    if not rows:
        return UNANALYSED
    drawings, cells = [], []
    for setting in data.settings:
        pairs = _pairs([row for row in rows if row["setting"] == setting])
        ranked = [row["player"] for row in data.tables["headline"].records() if row["setting"] == setting]
        neighbours = [_estimate(pairs[pair]) for pair in pairwise(ranked) if pair in pairs]
        if neighbours:
            n = span(row["n"] for row in neighbours)
            title = ("difference in success rate:", "the player of the better rank minus the next")
            scale = Scale(title, has_zero_line=True)
            heading = f"{setting}: neighbours in rank, n = {n} instances per pair"
            drawings.append(interval_rows(heading, f"{player_pairs.title}: {setting}", neighbours, scale))
        cells += [_cells(setting, player, ranked, pairs) for player in ranked]
    headings = ("setting", "player", "next in rank", "difference", "simultaneous", "n", "p", "p (adjusted)")
    caption = (
        "Difference is the first player's success rate minus the other's, over the instances that both "
        f"played; n counts these instances. {name_populations(rows)} p is below .05 where this interval "
        "leaves out 0. Simultaneous intervals hold together in 95% for all pairs of one setting and kind of "
        "player (models, programs, controls (VARIANT:MODEL), training checkpoints, or two of these kinds); "
        "p (adjusted) is below .05 where they leave out 0, and intervals of ranks come from them. Players "
        f"do not differ where p (adjusted) is at least {_LEVEL}: this does not show that they are equal. All "
        "pairs are in the table behind it, with McNemar's exact p, which is of these instances alone."
    )
    players = ("player", "next in rank", "does not differ from")
    grid = Grid((*headings, players[-1]), tuple(cells), frozenset(range(3, 8)), players=players)
    return Content(caption, drawings, grid)


def draw_pairs_of(data: ReportData, setting: str, player: str) -> tuple[Drawing, ...]:
    """A drawing of the player beside each other one in the setting; none where it met nobody."""
    rows = [row for row in data.tables[PLAYER_PAIRS.name].records() if row["setting"] == setting]
    drawn = [_estimate(row) for (first, _), row in _pairs(rows).items() if first == player]
    if not drawn:
        return ()
    scale = Scale(("difference in success rate:", "the player minus each other one"), has_zero_line=True)
    heading = f"{setting}: {clean(player)}, n = {span(row['n'] for row in drawn)} instances per pair"
    drawn.sort(key=lambda row: -row["value"])
    return (interval_rows(heading, f"{player_pairs.title}: {setting}, {clean(player)}", drawn, scale),)


def _pairs(rows: list[Record]) -> Pairs:
    turned = [
        {**row, "player": row["other_player"], "other_player": row["player"]}
        | {
            name: None if row[column] is None else -row[column]
            for name, column in (
                ("difference", "difference"),
                ("difference_low", "difference_high"),
                ("difference_high", "difference_low"),
                ("difference_simultaneous_low", "difference_simultaneous_high"),
                ("difference_simultaneous_high", "difference_simultaneous_low"),
            )
        }
        for row in rows
    ]
    return {(row["player"], row["other_player"]): row for row in (*rows, *turned)}


def _estimate(row: Record) -> Record:
    more = f", {p_text(row['p_value'])}"
    return read_estimate(row, "difference", "instances", other=row["other_player"], more=more)


def _cells(setting: str, player: str, ranked: list[str], pairs: Pairs) -> tuple[str, ...]:
    after = ranked[ranked.index(player) + 1 :]
    row = pairs.get((player, after[0])) if after else None
    alike = [
        other
        for other in ranked
        if (pair := pairs.get((player, other))) is not None
        and (pair["p_adjusted"] is None or pair["p_adjusted"] >= _LEVEL)
    ]
    named = ", ".join(clean(other) for other in alike[:_MOST_NAMED])
    beyond = len(alike) - _MOST_NAMED
    compared = any(first == player for first, _ in pairs)
    others = (
        f"{named} and {beyond} more" if beyond > 0 else named or ("nobody" if compared else "not compared")
    )
    if row is None:
        return (clean(setting), clean(player), clean(after[0]) if after else "", *[""] * 5, others)
    low, high = row["difference_simultaneous_low"], row["difference_simultaneous_high"]
    figures = (
        with_interval(row["difference"], row["difference_low"], row["difference_high"]),
        "" if low is None else brackets(decimals(low), decimals(high)),
        f"{row['instances']:,}",
        p_number(row["p_value"]),
        p_number(row["p_adjusted"]),
    )
    return (clean(setting), clean(player), clean(after[0]), *figures, others)


# Rates of each player by setting: success, and how episodes end that were not solved.

STATUSES = Query(
    "statuses",
    """
-- How do each player's episodes end? The share of each status among all attempted episodes.
SELECT setting, player, substr(statistic, length('status_') + 1) AS status, n AS attempted,
       value AS share, low AS share_low, high AS share_high, population
FROM statistics
WHERE edition = $edition AND starts_with(statistic, 'status_') AND domain = 'all'
ORDER BY setting, player, status
""",
)

SCORED_EPISODES = "n is the number of scored episodes."
_ENDS = {
    "wrong": "wrong answer",
    "unparsed": "parse error",
    "truncated": "reply cut off",
    "refused": "refused",
    "tool_call": "tool call",
    "turn_limit": "turn limit",
    "api_error": "API error",
}


@figure("Success rate by setting", PAPER_SCORES, key="success_rate", table="headline", missing="")
def success_rows(data: ReportData, rows: list[Record]) -> Content | str:
    """A row per player, a drawing per setting."""
    key = success_rows.key
    rows = [row for row in rows if row[key] is not None]
    if not rows:
        return "No episode of this edition is scored."
    scale = Scale(("share of scored episodes that are solved",), ends=(0, 1))
    floor = data.floor
    lines = {} if floor is None else _find_lines(rows, floor)
    printed = read_paper_values(data, key)

    def read(row: Record) -> list[Record]:
        paper = printed.get((row["setting"], row["player"]))
        return [read_estimate(row, key, "scored", more=_mark(data, row), paper=paper)]

    drawings = rows_by_setting(data, success_rows.title, rows, read, scale, lines=lines)
    caption = (
        "Each point is a player's mean over instances of the share of scored runs that it solved. "
        f"{name_populations(rows)} {SCORED_EPISODES}"
    )
    if floor is not None and lines:
        caption += f" The dashed line is the floor. {floor.doc}"
        if any(row["player"] == floor.heuristic for row in rows):
            caption += f" The second line is the success rate of {floor.heuristic}."
    if any((row["setting"], row["player"]) in printed for row in rows):
        caption += PAPER_DOC
    return Content(caption, drawings)


def _find_lines(rows: Sequence[Record], floor: Floor) -> dict[str, tuple[tuple[float, str], ...]]:
    """Of each setting the floor, where it is known, then the rate of the floor's heuristic."""
    lines: dict[str, tuple[tuple[float, str], ...]] = {
        row["setting"]: ((row["floor"], f"floor: {row['floor']:.3f}"),)
        for row in rows
        if row.get("floor") is not None
    }
    for row in rows:
        if row["player"] == floor.heuristic:
            label = f"{floor.heuristic}: {row['success_rate']:.3f}"
            lines[row["setting"]] = (*lines.get(row["setting"], ()), (row["success_rate"], label))
    return lines


def _mark(data: ReportData, row: Record) -> str:
    mark = mark_player(data.floor, row)
    return f" ({mark})" if mark else ""


@figure("Parse errors and other ends", STATUSES)
def status_rows(data: ReportData, rows: list[Record]) -> Content | str:
    """Rates of statuses; left out where every episode was solved."""
    rows = [row for row in rows if row["status"] in _ENDS]
    if not rows:
        return UNANALYSED
    seen = {row["status"] for row in rows if row["share"]}
    if not seen:
        return "Every episode of this edition was solved."
    drawings = rows_by_setting(
        data,
        status_rows.title,
        [row for row in rows if row["status"] in seen],
        lambda row: [read_estimate(row, "share", "attempted", series=_ENDS[row["status"]])],
        Scale(("share of episodes",)),
    )
    absent = [name for status, name in _ENDS.items() if status not in seen]
    caption = (
        "Each point is the mean over instances of the share of a player's attempted episodes that ended so. "
        f"{name_populations(rows)} n is the number of attempted episodes."
        + (f" Never seen in this edition: {', '.join(absent)}." if absent else "")
    )
    return Content(caption, drawings)
