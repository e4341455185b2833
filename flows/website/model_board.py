"""The leaderboard of a benchmark over its editions: the newest result of each model on enough questions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10

from perennial.flows.editions.report import query_table
from perennial.flows.website.boards import (
    Rates,
    WrittenRate,
    choose_models,
    estimate_of,
    find_bounds,
    make_chart,
    order_settings,
)
from perennial.flows.website.visible import Edition, present
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.rows import Row
from perennial.schemas.statistics import FLOOR, LINES, MODELS, Floor, label_player, mark_answers, order_board
from perennial.tasks.report.wording import decimals
from perennial.tasks.website.line_chart import LineChart
from perennial.warehouse.catalog.catalog import Catalog
from perennial.warehouse.catalog.confinement import quote_all

# What pages over several editions are made from: read once from the whole data root.

LEAST_QUESTIONS = 100
"""A rate on fewer questions says little: it never takes the place of one on more."""
_SCORES = (
    "SELECT edition, setting, place, player_group, player, answers, rank, rank_low, rank_high, instances, "
    "success_rate, success_rate_low, success_rate_high, population, floor FROM leaderboard "
    "WHERE edition IN ({editions}) ORDER BY edition, setting, place"
)
_SCALE = (
    "SELECT benchmark, setting, player, other, value, low, high FROM scale "
    "WHERE statistic = 'rate_in_edition' AND other IN ({editions}) ORDER BY ALL"
)
_INSTANCES = "SELECT edition, count(*) FROM instances WHERE edition IN ({editions}) GROUP BY edition"
_COSTS = (
    "SELECT edition, player, count(*) AS episodes, count(cost_usd) AS episodes_with_cost, "
    "count(*) FILTER (success) AS solved, sum(round(cost_usd * 1e12)::HUGEINT) / 1e12 AS cost_usd "
    "FROM episodes WHERE version IS NULL AND edition IN ({editions}) GROUP BY ALL"
)
_PEOPLE = (
    "SELECT edition, setting, max(people) AS people, sum(success_rate * instances) / sum(instances) AS rate "
    "FROM people_drawn WHERE edition IN ({editions}) GROUP BY ALL ORDER BY ALL"
)


@dataclass(frozen=True, slots=True)
class Overview:
    """The editions of a website, the newest first, with the rows of their leaderboards in order.

    `costs` are by edition and player, `settings` by benchmark in their order.
    """

    editions: tuple[Edition, ...]
    scores: Mapping[str, list[Row]]
    sizes: Mapping[str, Row]
    costs: Mapping[tuple[str, str], Row]
    scale: tuple[Row, ...]
    settings: Mapping[str, list[str]]
    people: tuple[Row, ...]

    def of_benchmark(self, benchmark: str) -> list[Edition]:
        """Return the editions of the benchmark, the newest first."""
        return [edition for edition in self.editions if edition.benchmark == benchmark]

    def answered(self, benchmark: str) -> list[Edition]:
        """Return those that somebody has answered."""
        return [edition for edition in self.of_benchmark(benchmark) if self.scores.get(edition.name)]

    def main_edition(self, benchmark: str) -> Edition | None:
        """Return the newest edition that models answered and that is large enough, else the largest."""
        answered = self.answered(benchmark)
        if not answered:
            return None

        def weigh(edition: Edition) -> tuple[bool, int]:
            has_models = any(row["player_group"] == MODELS for row in self.scores[edition.name])
            return has_models, min(self.sizes[edition.name]["instances"], LEAST_QUESTIONS)

        return max(answered, key=weigh)  # the first, which is the newest, of equal ones

    @property
    def benchmarks(self) -> list[str]:
        """The benchmarks that have editions, by name."""
        return sorted({edition.benchmark for edition in self.editions})

    def charts(self, benchmark: str) -> list[LineChart]:
        """Return a chart per setting in which a model's rate changed from one edition to another."""
        answered = self.answered(benchmark)
        large = [edition for edition in answered if self.sizes[edition.name]["instances"] >= LEAST_QUESTIONS]
        charted = large if len(large) > 1 else answered
        editions = [(edition.name, f"{edition.created_at:%Y-%m-%d}") for edition in reversed(charted)]
        title, floor = present(benchmark).title, find_floor(benchmark)
        settings = self.settings.get(benchmark, ())
        rates = {setting: self._rates(benchmark, setting) for setting in settings}
        models = {
            row["player"]
            for name, _ in editions
            for row in self.scores[name]
            if row["player_group"] == MODELS
        }
        players = choose_models([player_rates for player_rates, _ in rates.values()], models)
        drawn = [
            make_chart(
                f"{title}, {setting}: {'common scale' if is_scaled else 'success rate'}",
                editions,
                player_rates,
                players,
                floor,
                is_scaled,
            )
            for setting, (player_rates, is_scaled) in rates.items()
        ]
        return [chart for chart in drawn if chart is not None]

    def _rates(self, benchmark: str, setting: str) -> tuple[Rates, bool]:
        """Return rates on the common scale, else on the questions of each edition, and which of these."""
        scaled = [
            (row["player"], row["other"], row["value"], row["low"], row["high"])
            for row in self.scale
            if (row["benchmark"], row["setting"]) == (benchmark, setting)
        ]
        asked = [
            (row["player"], row["edition"], *(row[f"success_rate{end}"] for end in ("", "_low", "_high")))
            for edition in self.answered(benchmark)
            for row in self.scores[edition.name]
            if row["setting"] == setting and row["success_rate"] is not None
        ]
        rates: dict[str, dict[str, tuple[float, float | None, float | None]]] = {}
        for player, edition, *rate in scaled or asked:
            rates.setdefault(player, {})[edition] = (rate[0], rate[1], rate[2])
        return rates, bool(scaled)


def find_floor(benchmark: str) -> Floor | None:
    """Return what an answer without the work is worth; None where the benchmark has no such program."""
    installed = benchmarks().get(benchmark)
    return installed.floor if installed else None


def read_overview(catalog: Catalog, editions: Sequence[Edition]) -> Overview:
    """Return what the catalog holds of these editions."""
    names = {edition.name: edition for edition in editions}

    def read(sql: str) -> list[Row]:
        return query_table(catalog.query, "rows", sql.format(editions=quote_all(names))).records()

    scores: dict[str, list[Row]] = {}
    for row in read(_SCORES):
        row |= {"benchmark": names[row["edition"]].benchmark, "player_group": row["player_group"] or ""}
        scores.setdefault(row["edition"], []).append(row)
    counts = {row["edition"]: row["count_star()"] for row in read(_INSTANCES)}
    return Overview(
        tuple(editions),
        scores,
        {
            name: {"instances": counts.get(name, 0), "players": _count_players(scores.get(name, ()))}
            for name in names
        },
        {(row["edition"], row["player"]): row for row in read(_COSTS)},
        tuple(read(_SCALE)),
        _read_settings(catalog, editions, scores),
        tuple(read(_PEOPLE)),
    )


def _count_players(rows: Iterable[Row]) -> int:
    return len({row["player"] for row in rows})


def _read_settings(
    catalog: Catalog, editions: Sequence[Edition], scores: Mapping[str, list[Row]]
) -> dict[str, list[str]]:
    settings: dict[str, list[str]] = {}
    for benchmark in {edition.benchmark for edition in editions}:
        answered = [
            edition for edition in editions if edition.benchmark == benchmark and edition.name in scores
        ]
        rows = [row for edition in answered for row in scores[edition.name]]
        # The order of the edition with most settings: a tiny one knows some of them only.
        largest = max(
            answered, key=lambda edition: len({row["setting"] for row in scores[edition.name]}), default=None
        )
        settings[benchmark] = order_settings(catalog, largest, rows) if largest else []
    return settings


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
    answers: str
    cost: str
    cost_value: float | None


@dataclass(frozen=True, slots=True)
class BestModel:
    """The model with the highest rate in a setting; `others`: which may be first as well, or why none may."""

    setting: str
    player: str
    answers: str
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
    best_player = present(benchmark).best_player
    for edition in overview.answered(benchmark):
        scores = overview.scores[edition.name]
        bounds = find_bounds(scores, best_player, find_floor(benchmark))
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
                    mark_answers(next(iter(held.values()))),
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
            label_player(None, row): row["rank_low"]
            for row in overview.scores[best.edition]
            if row["setting"] == setting and row["player_group"] == MODELS and row["player"] != best.player
        }
        first = _list_names([name for name, rank_low in others.items() if rank_low == 1])
        yield BestModel(setting, best.player, best.answers, estimate, first if others else _ALONE)


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join([*names[:_MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])])
