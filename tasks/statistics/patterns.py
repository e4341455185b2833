"""The answers of an edition as a Rasch model reads them: instances of one pattern are one group.

For that model all that an instance says of its difficulty is its stratum, how often each player tried it,
and how many of all these runs succeeded. Instances that agree in these are one group, so that work and
memory of a fit grow with the number of patterns, not with that of instances.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Patterns:
    """Groups of instances, sorted by stratum: a row of each array is a group, a column a player.

    `runs` are each player's runs on each of its instances, `solved` how many of all runs on one instance
    succeeded, `instances` the group's number of instances. `sums` holds, summed over those, each player's
    rate (solved / runs; 0 without runs) and, in as many further columns, its solved runs; `products` is the
    matrix of products of these columns, summed over all instances.
    """

    stratum: "Ints"
    runs: "Floats"
    solved: "Floats"
    instances: "Floats"
    sums: "Floats"
    products: "Floats"

    @property
    def rates(self) -> "Floats":
        """The sum of each player's rates, by group."""
        return self.sums[:, : self.runs.shape[1]]

    @property
    def successes(self) -> "Floats":
        """The sum of each player's solved runs, by group."""
        return self.sums[:, self.runs.shape[1] :]


def group_patterns(
    player: "Ints",
    instance: "Ints",
    stratum: "Ints",
    solved: "Ints",
    runs: "Ints",
    weight: "Ints | None" = None,
) -> Patterns:
    """Return the groups of these answers, each of a player (0, 1, ...) to an instance (0, 1, ...).

    An element of the arrays is one answer: `solved` of `runs` runs (1 or more) succeeded, on an instance of
    that stratum; none occurs twice. `weight` counts, by instance, how many like it there are (default: 1).
    The result does not depend on the order of answers, nor on that of instances. Memory: 20 bytes for each
    instance and player.
    """
    import numpy as np

    n_players, n_instances = int(player.max()) + 1, int(instance.max()) + 1
    counts = np.ones(n_instances) if weight is None else weight.astype(np.float64)
    tried = np.zeros((n_instances, n_players), dtype=np.int32)
    tried[instance, player] = runs
    succeeded = np.zeros((n_instances, n_players))
    succeeded[instance, player] = solved
    strata = np.zeros(n_instances, dtype=np.int64)
    strata[instance] = stratum
    group = strata
    for column in (*tried.T, succeeded.sum(axis=1).astype(np.int64)):
        # Groups so far, split by one more column: sorting whole numbers is far faster than sorting rows.
        split = group * (int(column.max()) + 1) + column
        _, first, group = np.unique(split, return_index=True, return_inverse=True)
    rates = succeeded / np.maximum(tried, 1)
    columns = (*rates.T, *succeeded.T)
    return Patterns(
        strata[first],
        tried[first].astype(np.float64),
        succeeded[first].sum(axis=1),
        np.bincount(group, counts).astype(np.float64),
        np.stack([np.bincount(group, counts * column) for column in columns], axis=1),
        np.array([[float(np.sum(counts * one * other)) for other in columns] for one in columns]),
    )
