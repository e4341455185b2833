"""What all statistics rest on: each player's episodes on each instance, counted, as columns of one setting.

A cell is a player on an instance. Cells are rows of arrays, never objects: a column of a million cells takes
4 or 8 MB.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from perennial.schemas.statistics import THESE_DOMAINS, Population

Column = NDArray[Any]
Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]

# What several runs on one instance say together: pass@k and pass^k, for k up to the number of runs.
#
# A player's figure is the mean over instances.


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return the chance that at least one of k runs succeeds, estimated from c successes in n runs.

    1 - C(n - c, k) / C(n, k), computed as 1 - product over i = n - c + 1 .. n of (1 - k / i); unbiased.
    Source: Chen et al. 2021, Evaluating Large Language Models Trained on Code, equation 1 and figure 3.
    """
    if n - c < k:
        return 1.0
    return 1.0 - prod(1 - k / i for i in range(n - c + 1, n + 1))


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Return the chance that all of k runs succeed (pass^k), estimated from c successes in n runs.

    C(c, k) / C(n, k); unbiased, and 0 where c < k. Source: Yao et al. 2024, tau-bench.
    """
    return comb(c, k) / comb(n, k)


ALL = "all"
# Units of cost, with the columns of their sums and of the runs in which they are known.
COSTS = {"US dollars": ("cost_usd", "runs_with_cost"), "tokens": ("tokens", "runs_with_tokens")}


class Domains(NamedTuple):
    """The domains of a setting, sorted; instances are numbered by domain, then by id.

    Those of domain `names[i]` have the numbers from `starts[i]` up to `starts[i + 1]`.
    """

    names: tuple[str, ...]
    starts: tuple[int, ...]

    @property
    def n_instances(self) -> int:
        """The number of instances of the setting."""
        return self.starts[-1]

    def number_of(self, instances: Column) -> Column:
        """Return a number for each instance, which is the same for those of one domain."""
        return np.searchsorted(self.starts, instances, side="right")

    def parts(self, instances: Column) -> Iterator[tuple[str, slice]]:
        """Yield the domains that these sorted instances are of, each with its slice of them."""
        # Numbered by domain, the instances of one are a slice of all.
        edges = np.searchsorted(instances, self.starts).tolist()
        for domain, rows in zip(self.names, map(slice, edges, edges[1:]), strict=True):
            if rows.start < rows.stop:
                yield domain, rows


class Group(NamedTuple):
    """The cells of a player in a domain, or in all of them: a slice of the columns."""

    domain: str
    player: str
    rows: slice


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of some players in one setting, sorted by player and then by the instance's number.

    `player` holds positions in `players`, `instance` numbers of instances; column `rank` is their order by
    id, `cluster` numbers what is drawn together. `population` is the widest that a figure can be of. Other
    `columns` count episodes: those of `warehouse/catalog/cells.sql` and a benchmark's own. `status_NAME`
    counts all attempted episodes; all else is of the scored ones, those without an API error: `runs` of them,
    `solved`, and the sum of their `score`; `tokens` and `cost_usd` are sums over the
    `runs_with_tokens` and `runs_with_cost` in which they are known.
    """

    setting: str
    domains: Domains
    players: tuple[str, ...]
    player: Column
    instance: Column
    columns: Mapping[str, Column]
    population: Population = THESE_DOMAINS

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def has_majority(self) -> Column:
        """Return whether more than half of the scored runs succeeded (the paper: 3 of 5), a cell each."""
        return 2 * self["solved"] > self["runs"]

    def groups(self) -> Iterator[Group]:
        """Yield each player's cells in all domains, and then in each domain that it has cells of."""
        bounds = np.searchsorted(self.player, np.arange(len(self.players) + 1))
        for number, player in enumerate(self.players):
            first, last = int(bounds[number]), int(bounds[number + 1])
            if first == last:
                continue
            yield Group(ALL, player, slice(first, last))
            for domain, rows in self.by_domain(slice(first, last)):
                yield Group(domain, player, rows)

    def by_domain(self, rows: slice) -> Iterator[tuple[str, slice]]:
        """Yield the domains of a player's rows, each with its own; a domain without any is left out."""
        for domain, part in self.domains.parts(self.instance[rows]):
            yield domain, slice(rows.start + part.start, rows.start + part.stop)


@dataclass(frozen=True, slots=True)
class SettingGrid:
    """Scored and solved runs of all players of a setting: a row per player (sorted), a column per instance.

    `rank` is the order of the instances by id, `cluster` numbers what is drawn together, and `population` is
    the widest that a figure can be of. `costs` are means over runs, by unit (nan: unknown).
    """

    setting: str
    domains: Domains
    players: tuple[str, ...]
    runs: Column
    solved: Column
    rank: Column
    cluster: Column
    population: Population = THESE_DOMAINS
    costs: Mapping[str, Numbers] = field(default_factory=dict)

    @property
    def domain(self) -> Column:
        """The number of each instance's domain."""
        return np.repeat(np.arange(len(self.domains.names)), np.diff(self.domains.starts))

    def places(self) -> Iterator[tuple[str, slice]]:
        """Yield all domains as one, then each domain, with its columns."""
        yield ALL, slice(None)
        for number, domain in enumerate(self.domains.names):
            yield domain, slice(self.domains.starts[number], self.domains.starts[number + 1])


class PlayerPart(NamedTuple):
    """A player's instances, their ranks and clusters, its runs on them, the solved ones, and mean costs."""

    instance: Column
    rank: Column
    cluster: Column
    runs: Column
    solved: Column
    costs: Mapping[str, Numbers]


def part_of(cells: Cells, number: int) -> PlayerPart:
    """Return the part of the player at that position, as arrays of its own."""
    first, last = np.searchsorted(cells.player, [number, number + 1])
    columns = (cells.instance, cells["rank"], cells["cluster"], cells["runs"], cells["solved"])
    costs = {}
    for unit, names in COSTS.items():
        total, counted = (cells[name][first:last] for name in names)
        costs[unit] = np.divide(total, counted, out=np.full(last - first, np.nan), where=counted > 0)
    instance, rank, cluster, runs, solved = (column[first:last].copy() for column in columns)
    return PlayerPart(instance, rank, cluster, runs, solved, costs)


def grid_of(
    setting: str, domains: Domains, parts: Mapping[str, PlayerPart], population: Population = THESE_DOMAINS
) -> SettingGrid:
    """Return the grid of the players' parts."""
    players = tuple(sorted(parts))
    runs = np.zeros((len(players), domains.n_instances), np.int32)
    solved, rank = np.zeros_like(runs), np.zeros(domains.n_instances, np.int32)
    cluster = np.zeros_like(rank)
    costs = {unit: np.full(runs.shape, np.nan) for unit in COSTS}
    for row, player in enumerate(players):
        part = parts[player]
        runs[row, part.instance], solved[row, part.instance] = part.runs, part.solved
        rank[part.instance], cluster[part.instance] = part.rank, part.cluster
        for unit, values in part.costs.items():
            costs[unit][row, part.instance] = values
    return SettingGrid(setting, domains, players, runs, solved, rank, cluster, population, costs)
