"""What pages over several editions are made from: read once from the whole data root."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from perennial.flows.editions.report import query_table
from perennial.flows.website.boards import Rates, choose_models, make_chart
from perennial.flows.website.edition_part import order_settings
from perennial.flows.website.visible import Edition, present
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.rows import Row
from perennial.schemas.statistics import MODELS, Floor
from perennial.tasks.website.line_chart import LineChart
from perennial.warehouse.catalog.catalog import Catalog
from perennial.warehouse.catalog.confinement import quote_all

LEAST_QUESTIONS = 100
"""A rate on fewer questions says little: it never takes the place of one on more."""
_SCORES = (
    "SELECT edition, setting, place, player_group, player, rank, rank_low, rank_high, instances, "
    "success_rate, success_rate_low, success_rate_high, population FROM leaderboard "
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
        row |= {
            "benchmark": names[row["edition"]].benchmark,
            "player_group": row["player_group"] or "",
        }
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
