"""The leaderboard of a benchmark over its editions: the newest result of each model on enough questions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10

from perennial.flows.website.boards import WrittenRate, estimate_of, find_bounds
from perennial.flows.website.overview import LEAST_QUESTIONS, Overview, find_floor
from perennial.flows.website.visible import Edition, present
from perennial.schemas.rows import Row
from perennial.schemas.statistics import FLOOR, LINES, MODELS, order_board
from perennial.tasks.report.wording import decimals

_MOST_NAMED = 3
_ALONE = "not compared: the only model of its edition"
_MOST_LEFT_OUT = 600
_BYTES_PER_CELL, _BYTES_PER_ROW = 700, 600


@dataclass(frozen=True, slots=True)
class ModelRow:
    """The newest result of a player: an estimate per setting, None where it has none there."""

    player: str
    group: str
    edition: str
    day: str
    cells: tuple[WrittenRate | None, ...]
    instances: int
    cost: str
    cost_value: float | None


@dataclass(frozen=True, slots=True)
class BestModel:
    """The model with the highest rate in a setting; `others`: which may be first as well, or why none may."""

    setting: str
    player: str
    estimate: WrittenRate
    others: str


@dataclass(frozen=True, slots=True)
class ModelBoard:
    """The leaderboard: results on enough questions, those on fewer, and lines of comparison.

    `hidden` are players that no row is for, so that the page stays below its size.
    """

    benchmark: str
    title: str
    asks: str
    settings: tuple[str, ...]
    rows: tuple[ModelRow, ...]
    small: tuple[ModelRow, ...]
    lines: tuple[tuple[str, str, tuple[str, ...]], ...]
    best: tuple[BestModel, ...]
    hidden: tuple[str, ...]
    main: Edition | None
    editions: int


def make_model_board(overview: Overview, benchmark: str, most_bytes: int) -> ModelBoard:
    """Return the leaderboard of the benchmark, in so many bytes of a page or a little more."""
    about = present(benchmark)
    settings = tuple(overview.settings.get(benchmark, ()))
    every = _read_rows(overview, benchmark, settings)
    most = max(most_bytes // (_BYTES_PER_ROW + _BYTES_PER_CELL * max(len(settings), 1)), 1)
    large = [row for row in every if row.instances >= LEAST_QUESTIONS]
    small = [row for row in every if row.instances < LEAST_QUESTIONS]
    rows, fewer = large[:most], small[: max(most - len(large), 0)]
    main = overview.main_edition(benchmark)
    return ModelBoard(
        benchmark,
        about.title,
        about.asks[0] if about.asks else "",
        settings,
        tuple(rows),
        tuple(fewer),
        tuple(_read_lines(overview, main, settings)) if main else (),
        tuple(_find_best(overview, large or small, settings)),
        tuple(row.player for row in [*large[len(rows) :], *small[len(fewer) :]][:_MOST_LEFT_OUT]),
        main,
        len(overview.of_benchmark(benchmark)),
    )


def _read_rows(overview: Overview, benchmark: str, settings: Sequence[str]) -> list[ModelRow]:
    """Return a row per player: its newest result on enough questions, else that on most of them."""
    results: dict[str, list[ModelRow]] = {}
    lowest, best_player = find_floor(benchmark), present(benchmark).best_player
    for edition in overview.answered(benchmark):
        scores = overview.scores[edition.name]
        bounds = find_bounds(scores, lowest, best_player)
        by_player: dict[str, dict[str, Row]] = {}
        for row in scores:
            if row["player_group"] not in LINES:
                by_player.setdefault(row["player"], {})[row["setting"]] = row
        for player, held in by_player.items():
            cells = [estimate_of(held[name], bounds) if name in held else None for name in settings]
            cost = overview.costs.get((edition.name, player), {})
            results.setdefault(player, []).append(
                ModelRow(
                    player,
                    next(iter(held.values()))["player_group"],
                    edition.name,
                    f"{edition.created_at:%Y-%m-%d}",
                    tuple(cells),
                    sum(row["instances"] for row in held.values()),
                    *describe_cost(cost),
                )
            )
    # The first, which is the newest, of those on enough questions.
    chosen = [max(rows, key=lambda row: min(row.instances, LEAST_QUESTIONS)) for rows in results.values()]
    return _order(chosen)


def _order(rows: Sequence[ModelRow]) -> list[ModelRow]:
    """Sort rows by their mean place over settings, which are never counted together otherwise."""
    places: dict[str, list[int]] = {row.player: [] for row in rows}
    for column in zip(*(row.cells for row in rows), strict=True):
        rates = sorted({cell.rate for cell in column if cell and cell.rate is not None}, reverse=True)
        for row, cell in zip(rows, column, strict=True):
            places[row.player].append(rates.index(cell.rate) if cell and cell.rate in rates else len(rates))
    by_player = {row.player: row for row in rows}
    keys = (
        {"player": row.player, "player_group": row.group, "rank": sum(places[row.player])} for row in rows
    )
    return [by_player[key["player"]] for key in order_board(keys)]


def describe_cost(cost: Row) -> tuple[str, float | None]:
    """Return the cost of a success in words and as a number: ≥ where costs of some episodes are not known."""
    if not cost or cost["cost_usd"] is None or not cost["solved"]:
        return "", None
    value = cost["cost_usd"] / cost["solved"]
    least = "≥ " if cost["episodes_with_cost"] < cost["episodes"] else ""
    places = max(2, 1 - floor(log10(value))) if value > 0 else 2  # at least two digits other than 0
    return f"{least}{decimals(value, places)}", value


def _read_lines(
    overview: Overview, edition: Edition, settings: Sequence[str]
) -> Iterable[tuple[str, str, tuple[str, ...]]]:
    """Yield what models are compared with in the edition: its name, what it is, its rate per setting."""
    best_player = present(edition.benchmark).best_player
    named = [(best_player, "reference")]
    rows = overview.scores[edition.name]
    named += sorted({(row["player"], "floor") for row in rows if row["player_group"] == FLOOR})
    rates = {(row["player"], row["setting"]): decimals(row["success_rate"], 2) for row in rows}
    for player, role in named:
        cells = tuple(rates.get((player, setting), "") for setting in settings)
        if any(cells):
            yield player, role, cells
    people = {
        row["setting"]: f"{decimals(row['rate'], 2)} ({row['people']:,} took part)"
        for row in overview.people
        if row["edition"] == edition.name
    }
    if people:
        yield "people", "one per question", tuple(people.get(setting, "") for setting in settings)


def _find_best(overview: Overview, rows: Sequence[ModelRow], settings: Sequence[str]) -> Iterable[BestModel]:
    for column, setting in enumerate(settings):
        rated = [
            (cell.rate, row, cell)
            for row in rows
            if row.group == MODELS and (cell := row.cells[column]) is not None and cell.rate is not None
        ]
        if not rated:
            continue
        _, best, estimate = max(rated, key=lambda result: result[0])
        others = {
            row["player"]: row["rank_low"]
            for row in overview.scores[best.edition]
            if row["setting"] == setting and row["player_group"] == MODELS and row["player"] != best.player
        }
        first = _list_names([name for name, rank_low in others.items() if rank_low == 1])
        yield BestModel(setting, best.player, estimate, first if others else _ALONE)


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join([*names[:_MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])])
