"""What pages over several editions are made from: read once from the whole data root."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.benchmark import benchmarks
from flows.editions.figure_data import fill_query, query_table
from flows.website.boards import Rates, choose_players, floor_rates, make_chart
from flows.website.edition_part import KINDS, order_settings
from flows.website.visible import Edition, present
from schemas.rows import Row
from schemas.statistics.measure import Floor
from tasks.report.profiles.sections import PROFILE_SCORES
from tasks.website.line_chart import LineChart
from warehouse.catalog.catalog import Catalog

_SCORES = (
    "SELECT edition, setting, player, rank, rank_low, rank_high, instances, success_rate, success_rate_low, "
    "success_rate_high, population FROM leaderboard ORDER BY edition, setting, rank NULLS LAST, player"
)
_SCALE = (
    "SELECT benchmark, setting, player, other, value, low, high FROM scale "
    "WHERE statistic = 'rate_in_edition' ORDER BY ALL"
)
_INSTANCES = "SELECT edition, count(*) FROM instances GROUP BY edition"
_PEOPLE = (
    "SELECT edition, setting, max(people) AS people, sum(success_rate * instances) / sum(instances) AS rate "
    "FROM people_drawn GROUP BY ALL ORDER BY ALL"
)


@dataclass(frozen=True, slots=True)
class Overview:
    """All visible editions, the newest first, with rows of leaderboards, profiles and people."""

    editions: tuple[Edition, ...]
    scores: Mapping[str, list[Row]]
    sizes: Mapping[str, Row]
    kinds: Mapping[str, str]
    profiles: tuple[Row, ...]
    scale: tuple[Row, ...]
    settings: Mapping[str, list[str]]
    people: tuple[Row, ...]

    def of_benchmark(self, benchmark: str) -> list[Edition]:
        """Return the editions of the benchmark, the newest first."""
        return [edition for edition in self.editions if edition.benchmark == benchmark]

    def answered(self, benchmark: str) -> list[Edition]:
        """Return those that somebody has answered."""
        return [edition for edition in self.of_benchmark(benchmark) if self.scores.get(edition.name)]

    @property
    def benchmarks(self) -> list[str]:
        """The benchmarks that have editions, by name."""
        return sorted({edition.benchmark for edition in self.editions})

    @property
    def players(self) -> list[str]:
        """All players on leaderboards: models first, then by name."""
        names = {row["player"] for rows in self.scores.values() for row in rows}
        return sorted(
            names, key=lambda name: (self.kinds.get(name) != "models", self.kinds.get(name, ""), name)
        )

    def charts(self, benchmark: str) -> list[LineChart]:
        """Return a chart per setting of the benchmark: rates over its editions, the oldest first."""
        editions = [(one.name, f"{one.created_at:%Y-%m-%d}") for one in reversed(self.answered(benchmark))]
        title, floor = present(benchmark).title, find_floor(benchmark)
        settings = self.settings.get(benchmark, ())
        scaled = {setting: self._scaled(benchmark, setting) for setting in settings}
        rates = {setting: scaled[setting] or self._raw(benchmark, setting) for setting in settings}
        players = choose_players(list(rates.values()), self.kinds, floor)
        drawn = [
            make_chart(
                f"{title}, {setting}: {'common scale' if scaled[setting] else 'success rate'}",
                editions,
                rates[setting],
                players,
                floor,
            )
            for setting in settings
        ]
        return [chart for chart in drawn if chart is not None]

    def _scaled(self, benchmark: str, setting: str) -> Rates:
        found: dict[str, dict[str, tuple[float, float | None, float | None]]] = {}
        for row in self.scale:
            if (row["benchmark"], row["setting"]) == (benchmark, setting):
                found.setdefault(row["player"], {})[row["other"]] = (row["value"], row["low"], row["high"])
        return found

    def _raw(self, benchmark: str, setting: str) -> Rates:
        found: dict[str, dict[str, tuple[float, float | None, float | None]]] = {}
        for edition in self.answered(benchmark):
            for row in self.scores[edition.name]:
                if row["setting"] == setting and row["success_rate"] is not None:
                    rate = row["success_rate"], row["success_rate_low"], row["success_rate_high"]
                    found.setdefault(row["player"], {})[edition.name] = rate
        return found

    def floors(self, edition: Edition) -> dict[str, float]:
        """Return the floor of each setting of the edition."""
        return floor_rates(self.scores.get(edition.name, ()), find_floor(edition.benchmark))


def find_floor(benchmark: str) -> Floor | None:
    """Return what an answer without the work is worth; None where the benchmark has no such program."""
    installed = benchmarks().get(benchmark)
    return installed.floor if installed else None


def read_overview(catalog: Catalog, editions: Sequence[Edition]) -> Overview:
    """Return what the catalog, which shows these editions, holds of them."""
    of = {edition.name: edition for edition in editions}
    kinds: dict[str, str] = {}
    for edition, player, kind in catalog.query(KINDS)[1]:
        if edition in of:
            kinds[player] = kind
    scores: dict[str, list[Row]] = {}
    for row in query_table(catalog.query, "scores", _SCORES).records():
        row |= {"benchmark": of[row["edition"]].benchmark, "kind": kinds.get(row["player"], "")}
        scores.setdefault(row["edition"], []).append(row)
    counts = dict(catalog.query(_INSTANCES)[1])
    sizes: dict[str, Row] = {
        name: {
            "instances": counts.get(name, 0),
            "players": len({row["player"] for row in scores.get(name, ())}),
        }
        for name in of
    }
    profiles = query_table(catalog.query, "profiles", fill_query(PROFILE_SCORES)).records()
    settings = {}
    for benchmark in {edition.benchmark for edition in editions}:
        own = [edition for edition in editions if edition.benchmark == benchmark and scores.get(edition.name)]
        known = [row for edition in own for row in scores[edition.name]]
        settings[benchmark] = order_settings(catalog, own[0], known) if own else []
    return Overview(
        tuple(editions),
        scores,
        sizes,
        kinds,
        tuple(profiles),
        tuple(query_table(catalog.query, "scale", _SCALE).records()),
        settings,
        tuple(query_table(catalog.query, "people", _PEOPLE).records()),
    )
