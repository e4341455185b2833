"""What the joint model rests on: each player's mean rate in each domain of each edition, with its variance.

Sampling variances come from the instances of a player in an edition, pooled over its domains: one of the
few instances of one domain would be 0 where all of them were solved, and such a cell would weigh the most.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perennial.schemas.statistics import Parts
from perennial.tasks.statistics.cells import Counts, Mask, Numbers

# The covariance of a domain's cells as a sum of effects: matrices as large as these, not as the cells.
#
# The covariance is V = D + Z G Z': D is diagonal, what each cell has alone; a column of Z is an effect that
# cells have in common, and G its variance: of the domain, of the domain in each edition, of each player
# there, and of the instances that players of an edition met together. With A = Z'D^-1 Z,
#
#     Z'V^-1 Z = (I + A G)^-1 A    and    Z'V^-1 y = (I + A G)^-1 Z'D^-1 y
#
# (M. A. Woodbury 1950; S. R. Searle, G. Casella and C. E. McCulloch, Variance Components, 1992, appendix M).
# 100 players in 12 editions are 1,200 cells of a domain, but some 125 effects. The design of the rates is
# among them: the columns of players.

_LEAST_OWN = 1e-9
"""Which share of a cell's sampling variance is its own at least, so that D can be inverted."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """The sampling errors of a domain's cells: their variances, what share of these is common to players of
    an edition, and the instances of each cell.
    """

    variances: Numbers
    shared: Numbers
    instances: Counts


@dataclass(frozen=True, slots=True)
class Block:
    """All cells of the domains that the same players met in the same editions: a row per domain.

    `players` and `editions` number the columns of `rates`; `names` are of the rows. `noise` are the variances
    that the cells have alone (D), `effects` are Z; both have a row per domain too. Z's columns are the
    domain, the editions `in_editions`, the players `of_players` and the instances met together. `gram` is
    Z'D^-1 Z and `pulled` Z'D^-1 y of the rates.
    """

    names: tuple[str, ...]
    players: Counts
    editions: Counts
    rates: Numbers
    in_editions: Counts
    of_players: Counts
    noise: Numbers
    effects: Numbers
    gram: Numbers
    pulled: Numbers

    @property
    def spans(self) -> tuple[slice, slice, slice]:
        """Which columns of Z are the domain's, the editions' and the players'."""
        first = 1 + len(self.in_editions)
        return slice(0, 1), slice(1, first), slice(first, first + len(self.of_players))

    def scale(self, variances: Numbers) -> Numbers:
        """Return G's diagonal; effects of instances met together have their variances in Z."""
        scale = np.ones(self.effects.shape[2])
        for span, variance in zip(self.spans, variances, strict=True):
            scale[span] = variance
        return scale

    def pull_from(self, values: Numbers, cells: Mask, scale: Numbers) -> Numbers:
        """Return Z'V^-1 of the values, a row per domain, with these cells alone in Z, V and the values.

        `scale` is G's diagonal.
        """
        # The others are taken off: they are few.
        rest = ~cells
        effects = self.effects[:, rest]
        weighted = effects / self.noise[:, rest, None]
        gram = self.gram - np.matmul(weighted.transpose(0, 2, 1), effects)
        kept = self.effects[:, cells]
        pulled = np.matmul((values / self.noise)[:, None, cells], kept)[:, 0]
        whole = gram * scale
        whole += np.eye(len(scale))
        pull: Numbers = np.linalg.solve(whole, pulled[:, :, None])[:, :, 0]
        return pull


@dataclass(frozen=True, slots=True)
class Weighted:
    """A block with its covariance inverted: Z'V^-1 Z (`products`) and Z'V^-1 y of the rates (`pulled`)."""

    block: Block
    products: Numbers
    pulled: Numbers

    def pull_gaps(self, rates: Numbers) -> Numbers:
        """Return Z'V^-1 of what the cells' rates differ by from those of their players, a row per domain."""
        players = self.products[:, :, self.block.spans[2]]
        gaps: Numbers = self.pulled - players @ rates[self.block.of_players]
        return gaps


def make_block(
    names: Sequence[str],
    players: Counts,
    editions: Counts,
    rates: Numbers,
    slopes: Numbers,
    sampling: Sequence[Sampling],
) -> Block:
    """Return the block of these domains. `slopes` are of the cells; `rates` has, as `sampling`, a row per
    domain.

    In each edition the cells are in the same order by their instances in all of the domains
    (`rank_of_sizes`).
    """
    in_editions, edition_of = np.unique(editions, return_inverse=True)
    of_players, player_of = np.unique(players, return_inverse=True)
    cells = np.arange(len(players))
    common = np.zeros((len(cells), 1 + len(in_editions) + len(of_players)))
    common[:, 0] = slopes
    common[cells, 1 + edition_of] = slopes
    common[cells, 1 + len(in_editions) + player_of] = 1.0
    effects = np.stack([np.hstack((common, _met_together(sample, editions))) for sample in sampling])
    noise = np.stack([sample.variances * np.maximum(1 - sample.shared, _LEAST_OWN) for sample in sampling])
    scaled = effects / noise[:, :, None]
    gram = np.matmul(scaled.transpose(0, 2, 1), effects)
    pulled = np.matmul(rates[:, None, :], scaled)[:, 0]
    effects_of = in_editions, of_players
    return Block(tuple(names), players, editions, rates, *effects_of, noise, effects, gram, pulled)


def _met_together(sampling: Sampling, editions: Counts) -> Numbers:
    """Return the columns of Z for instances that players of an edition met together.

    Of two cells the instances of the smaller one are among those of the larger: their errors' covariance goes
    with 1 / the larger number, and min(a, b) of two such reciprocals is a sum over the steps that both reach.
    """
    spread = np.sqrt(sampling.shared * sampling.variances * sampling.instances)
    columns = []
    for edition in np.unique(editions):
        inside = editions == edition
        below = 0.0
        for number in np.unique(sampling.instances[inside])[::-1]:
            reaches = inside & (sampling.instances <= number)
            columns.append(np.where(reaches, spread * (1 / number - below) ** 0.5, 0.0))
            below = 1 / number
    effects: Numbers = np.stack(columns, axis=1)
    return effects


def rank_of_sizes(editions: Sequence[str], instances: Sequence[int]) -> tuple[int, ...]:
    """Return each cell's place among the different numbers of instances of its edition, from 0."""
    sizes = {edition: set[int]() for edition in editions}
    for edition, number in zip(editions, instances, strict=True):
        sizes[edition].add(number)
    places = {
        edition: {size: rank for rank, size in enumerate(sorted(played))} for edition, played in sizes.items()
    }
    return tuple(places[edition][number] for edition, number in zip(editions, instances, strict=True))


def weigh(block: Block, variances: Numbers) -> Weighted:
    """Return the block with the inverse of its covariance, with these variances of the three effects."""
    whole = block.gram * block.scale(variances)
    whole += np.eye(whole.shape[1])
    sides = np.concatenate((block.gram, block.pulled[:, :, None]), axis=2)
    solved = np.asarray(np.linalg.solve(whole, sides), np.float64)
    return Weighted(block, solved[:, :, :-1], solved[:, :, -1])


_PRIOR_INSTANCES = 2.0
"""How many instances the benchmark's variance counts for beside those of the data."""
_TYPICAL = 0.2
"""Mean of rate * (1 - rate) over the players whose variance parts a benchmark has."""


class DomainCell(NamedTuple):
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
    slopes: Numbers
    parts: Parts

    @property
    def n_domains(self) -> int:
        """The number of different domains."""
        return sum(len(block.names) for block in self.blocks)


def observe(cells: Iterable[DomainCell], parts: Parts) -> Observations:
    """Return the cells as the model takes them; cells without instances are left out."""
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
    by_domain: dict[str, list[DomainCell]] = {}
    for cell in kept:
        by_domain.setdefault(cell.domain, []).append(cell)
    alike: dict[tuple[tuple[str, str, int], ...], list[str]] = {}
    for name, group in by_domain.items():
        ranks = rank_of_sizes([cell.edition for cell in group], [cell.instances for cell in group])
        pattern = tuple((cell.edition, cell.player, rank) for cell, rank in zip(group, ranks, strict=True))
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


def _pool_variances(cells: Sequence[DomainCell], parts: Parts) -> dict[tuple[str, str], float]:
    sums: dict[tuple[str, str], list[float]] = {}
    for cell in cells:
        pooled = sums.setdefault((cell.edition, cell.player), [0.0, 0.0, 0.0, 0.0])
        for column, value in enumerate((cell.squares, cell.instances - 1, cell.runs, 1)):
            pooled[column] += value
    return {
        key: (squares + _PRIOR_INSTANCES * parts.of_instances(runs / number)) / (free + _PRIOR_INSTANCES)
        for key, (squares, free, runs, number) in sums.items()
    }


def _sampling(cells: Sequence[DomainCell], variances: dict[tuple[str, str], float], parts: Parts) -> Sampling:
    """Return the sampling errors of the cells' rates: players of an edition met the same instances.

    Where one of two players met more, the instances of the other are taken to be among them.
    """
    number = np.array([cell.instances for cell in cells])
    noise = np.array([variances[cell.edition, cell.player] for cell in cells])
    return Sampling(noise / number, np.array([parts.shared_share(cell.runs) for cell in cells]), number)


def components(seen: Observations) -> Iterator[frozenset[str]]:
    """Yield the sets of editions that chains of shared players or shared domains link."""
    rest = [frozenset(seen.editions[index] for index in {*block.editions.tolist()}) for block in seen.blocks]
    by_player: dict[int, set[str]] = {}
    for block in seen.blocks:
        for player, edition in zip(block.players.tolist(), block.editions.tolist(), strict=True):
            by_player.setdefault(player, set()).add(seen.editions[edition])
    sets: list[frozenset[str]] = []
    for linked in (*rest, *map(frozenset, by_player.values())):
        touched = [group for group in sets if group & linked]
        sets = [group for group in sets if not group & linked] + [frozenset.union(linked, *touched)]
    yield from sorted(sets, key=min)
