"""What the joint model rests on: each player's mean rate in each domain of each edition, with its variance.

Sampling variances come from the instances of a player in an edition, pooled over its domains: one of the
few instances of one domain would be 0 where all of them were solved, and such a cell would weigh the most.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.statistics.variance import Parts
from perennial.tasks.statistics.scale.effects import Block, Sampling, make_block, rank_of_sizes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_PRIOR_INSTANCES = 2.0
"""How many instances the benchmark's variance counts for beside those of the data."""
_TYPICAL = 0.2
"""Mean of rate * (1 - rate) over the players whose variance parts a benchmark has."""


class Cell(NamedTuple):
    """A player in a domain of an edition: its mean rate over instances, and the sum of their squared gaps."""

    edition: str
    domain: str
    player: str
    rate: float
    squares: float
    instances: int
    runs: float


@dataclass(frozen=True, slots=True)
class Observations:
    """The cells as blocks, with the names of players and editions, and the slope of each player.

    `parts` are those of the variance that the benchmark has.

    `slopes` say how far a player's rate follows when a domain is harder for all: rate * (1 - rate), in
    units of a typical player. A player that solves everything, or nothing, cannot tell a hard domain.
    """

    players: tuple[str, ...]
    editions: tuple[str, ...]
    blocks: tuple[Block, ...]
    slopes: "Floats"
    parts: Parts

    @property
    def n_domains(self) -> int:
        """The number of different domains."""
        return sum(len(block.names) for block in self.blocks)


def observe(cells: Iterable[Cell], parts: Parts) -> Observations:
    """Return the cells as the model takes them; cells without instances are left out."""
    import numpy as np

    kept = sorted(cell for cell in cells if cell.instances > 0)
    totals: dict[str, list[float]] = {}
    for cell in kept:
        total = totals.setdefault(cell.player, [0.0, 0.0])
        total[0] += cell.rate
        total[1] += 1
    players, editions = tuple(sorted(totals)), tuple(sorted({cell.edition for cell in kept}))
    rates = np.array([totals[player][0] / totals[player][1] for player in players])
    slopes = rates * (1 - rates) / _TYPICAL
    player_numbers = {name: number for number, name in enumerate(players)}
    edition_numbers = {name: number for number, name in enumerate(editions)}
    variances = _pool_variances(kept, parts)
    by_domain: dict[str, list[Cell]] = {}
    for cell in kept:
        by_domain.setdefault(cell.domain, []).append(cell)
    alike: dict[tuple[tuple[str, str, int], ...], list[str]] = {}
    for name, own in by_domain.items():
        ranks = rank_of_sizes([cell.edition for cell in own], [cell.instances for cell in own])
        pattern = tuple((cell.edition, cell.player, rank) for cell, rank in zip(own, ranks, strict=True))
        alike.setdefault(pattern, []).append(name)
    blocks = []
    for pattern, names in alike.items():
        numbers = np.array([player_numbers[player] for _, player, _ in pattern])
        blocks.append(
            make_block(
                names,
                numbers,
                np.array([edition_numbers[edition] for edition, *_ in pattern]),
                np.array([[cell.rate for cell in by_domain[name]] for name in names]),
                slopes[numbers],
                [_sampling(by_domain[name], variances, parts) for name in names],
            )
        )
    return Observations(players, editions, tuple(blocks), slopes, parts)


def _pool_variances(cells: Sequence[Cell], parts: Parts) -> dict[tuple[str, str], float]:
    """Return the variance between instances of a domain, by edition and player."""
    sums: dict[tuple[str, str], list[float]] = {}
    for cell in cells:
        own = sums.setdefault((cell.edition, cell.player), [0.0, 0.0, 0.0, 0.0])
        for place, value in enumerate((cell.squares, cell.instances - 1, cell.runs, 1)):
            own[place] += value
    return {
        key: (squares + _PRIOR_INSTANCES * parts.of_instances(runs / number)) / (free + _PRIOR_INSTANCES)
        for key, (squares, free, runs, number) in sums.items()
    }


def _sampling(cells: Sequence[Cell], variances: dict[tuple[str, str], float], parts: Parts) -> Sampling:
    """Return the sampling errors of the cells' rates: players of an edition met the same instances.

    Where one of two players met more, the instances of the other are taken to be among them.
    """
    import numpy as np

    number = np.array([cell.instances for cell in cells])
    own = np.array([variances[cell.edition, cell.player] for cell in cells])
    return Sampling(own / number, np.array([parts.shared_share(cell.runs) for cell in cells]), number)


def components(seen: Observations) -> Iterator[frozenset[str]]:
    """Yield the sets of editions that chains of shared players or shared domains link."""
    rest = [frozenset(seen.editions[place] for place in {*block.editions.tolist()}) for block in seen.blocks]
    by_player: dict[int, set[str]] = {}
    for block in seen.blocks:
        for player, edition in zip(block.players.tolist(), block.editions.tolist(), strict=True):
            by_player.setdefault(player, set()).add(seen.editions[edition])
    sets: list[frozenset[str]] = []
    for linked in (*rest, *map(frozenset, by_player.values())):
        touched = [one for one in sets if one & linked]
        sets = [one for one in sets if not one & linked] + [frozenset.union(linked, *touched)]
    yield from sorted(sets, key=min)
