"""The covariance of a domain's cells as a sum of effects: matrices as large as these, not as the cells.

The covariance is V = D + Z G Z': D is diagonal, what each cell has alone; a column of Z is an effect that
cells have in common, and G its variance: of the domain, of the domain in each edition, of each player there,
and of the instances that players of an edition met together. With A = Z'D^-1 Z,

    Z'V^-1 Z = (I + A G)^-1 A    and    Z'V^-1 y = (I + A G)^-1 Z'D^-1 y

(M. A. Woodbury 1950; S. R. Searle, G. Casella and C. E. McCulloch, Variance Components, 1992, appendix M).
100 players in 12 editions are 1,200 cells of a domain, but some 125 effects. The design of the rates is among
them: the columns of players.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

_LEAST_OWN = 1e-9
"""Which share of a cell's sampling variance is its own at least, so that D can be inverted."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """The sampling errors of a domain's cells: their variances, what share of these is common to players of
    an edition, and the instances of each cell.
    """

    variances: "Floats"
    shared: "Floats"
    instances: "Ints"


@dataclass(frozen=True, slots=True)
class Block:
    """All cells of the domains that the same players met in the same editions: a row per domain.

    `players` and `editions` number the columns of `rates`; `names` are of the rows. `own` are the variances
    that the cells have alone (D), `effects` are Z; both have a row per domain too. Z's columns are the
    domain, the editions `in_editions`, the players `of_players` and the instances met together. `gram` is
    Z'D^-1 Z and `pulled` Z'D^-1 y of the rates.
    """

    names: tuple[str, ...]
    players: "Ints"
    editions: "Ints"
    rates: "Floats"
    in_editions: "Ints"
    of_players: "Ints"
    own: "Floats"
    effects: "Floats"
    gram: "Floats"
    pulled: "Floats"

    @property
    def spans(self) -> tuple[slice, slice, slice]:
        """Which columns of Z are the domain's, the editions' and the players'."""
        first = 1 + len(self.in_editions)
        return slice(0, 1), slice(1, first), slice(first, first + len(self.of_players))

    def scale(self, variances: "Floats") -> "Floats":
        """Return G's diagonal; effects of instances met together have their variances in Z."""
        import numpy as np

        found = np.ones(self.effects.shape[2])
        for span, variance in zip(self.spans, variances, strict=True):
            found[span] = variance
        return found

    def pull_from(self, values: "Floats", cells: "Bools", scale: "Floats") -> "Floats":
        """Return Z'V^-1 of the values, a row per domain, with these cells alone in Z, V and the values.

        `scale` is G's diagonal.
        """
        import numpy as np

        # The others are taken off: they are few.
        rest = ~cells
        effects = self.effects[:, rest]
        weighted = effects / self.own[:, rest, None]
        gram = self.gram - np.matmul(weighted.transpose(0, 2, 1), effects)
        kept = self.effects[:, cells]
        pulled = np.matmul((values / self.own)[:, None, cells], kept)[:, 0]
        whole = gram * scale
        whole += np.eye(len(scale))
        found: Floats = np.linalg.solve(whole, pulled[:, :, None])[:, :, 0]
        return found


@dataclass(frozen=True, slots=True)
class Weighted:
    """A block with its covariance inverted: Z'V^-1 Z (`products`) and Z'V^-1 y of the rates (`pulled`)."""

    block: Block
    products: "Floats"
    pulled: "Floats"

    def pull_gaps(self, rates: "Floats") -> "Floats":
        """Return Z'V^-1 of what the cells' rates differ by from those of their players, a row per domain."""
        players = self.products[:, :, self.block.spans[2]]
        found: Floats = self.pulled - players @ rates[self.block.of_players]
        return found


def make_block(
    names: Sequence[str],
    players: "Ints",
    editions: "Ints",
    rates: "Floats",
    slopes: "Floats",
    sampling: Sequence[Sampling],
) -> Block:
    """Return the block of these domains. `slopes` are of the cells; `rates` has, as `sampling`, a row per
    domain.

    In each edition the cells are in the same order by their instances in all of the domains
    (`rank_of_sizes`).
    """
    import numpy as np

    in_editions, edition_of = np.unique(editions, return_inverse=True)
    of_players, player_of = np.unique(players, return_inverse=True)
    cells = np.arange(len(players))
    common = np.zeros((len(cells), 1 + len(in_editions) + len(of_players)))
    common[:, 0] = slopes
    common[cells, 1 + edition_of] = slopes
    common[cells, 1 + len(in_editions) + player_of] = 1.0
    effects = np.stack([np.hstack((common, _met_together(one, editions))) for one in sampling])
    own = np.stack([one.variances * np.maximum(1 - one.shared, _LEAST_OWN) for one in sampling])
    weighted = effects / own[:, :, None]
    gram = np.matmul(weighted.transpose(0, 2, 1), effects)
    pulled = np.matmul(rates[:, None, :], weighted)[:, 0]
    return Block(tuple(names), players, editions, rates, in_editions, of_players, own, effects, gram, pulled)


def _met_together(sampling: Sampling, editions: "Ints") -> "Floats":
    """Return the columns of Z for instances that players of an edition met together.

    Of two cells the instances of the smaller one are among those of the larger: their errors' covariance goes
    with 1 / the larger number, and min(a, b) of two such reciprocals is a sum over the steps that both reach.
    """
    import numpy as np

    spread = np.sqrt(sampling.shared * sampling.variances * sampling.instances)
    columns = []
    for edition in np.unique(editions):
        inside = editions == edition
        below = 0.0
        for number in np.unique(sampling.instances[inside])[::-1]:
            reaches = inside & (sampling.instances <= number)
            columns.append(np.where(reaches, spread * (1 / number - below) ** 0.5, 0.0))
            below = 1 / number
    found: Floats = np.stack(columns, axis=1)
    return found


def rank_of_sizes(editions: Sequence[str], instances: Sequence[int]) -> tuple[int, ...]:
    """Return each cell's place among the different numbers of instances of its edition, from 0."""
    sizes = {edition: set[int]() for edition in editions}
    for edition, number in zip(editions, instances, strict=True):
        sizes[edition].add(number)
    places = {
        edition: {size: place for place, size in enumerate(sorted(own))} for edition, own in sizes.items()
    }
    return tuple(places[edition][number] for edition, number in zip(editions, instances, strict=True))


def weigh(block: Block, variances: "Floats") -> Weighted:
    """Return the block with the inverse of its covariance, with these variances of the three effects."""
    import numpy as np

    whole = block.gram * block.scale(variances)
    whole += np.eye(whole.shape[1])
    sides = np.concatenate((block.gram, block.pulled[:, :, None]), axis=2)
    found = np.asarray(np.linalg.solve(whole, sides), np.float64)
    return Weighted(block, found[:, :, :-1], found[:, :, -1])
