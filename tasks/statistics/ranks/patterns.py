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

    from perennial.tasks.statistics.cells import Column

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Patterns:
    """Groups of instances, sorted by stratum: a row of each array is a group, a column per player.

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
    runs: "Column", solved: "Column", stratum: "Ints", weight: "Ints | None" = None
) -> Patterns:
    """Return the groups of the instances: columns of `runs` and `solved`, whose rows are players.

    `solved` of `runs` runs succeeded; each instance has a stratum (0, 1, ...), and each player a run
    somewhere. `weight` counts how many instances there are like each one (default: 1). The order of instances
    changes no more than rounding. Memory: 24 bytes for each instance and player.
    """
    import numpy as np

    counts = np.ones(len(stratum)) if weight is None else weight.astype(np.float64)
    group = stratum.astype(np.int64)
    for column in (*runs, solved.sum(axis=0, dtype=np.int64)):
        # Groups so far, split by one more number: sorting whole numbers is far faster than sorting rows.
        split = group * (int(column.max()) + 1) + column
        _, first, group = np.unique(split, return_index=True, return_inverse=True)
    columns = (*(solved / np.maximum(runs, 1)), *solved.astype(np.float64))
    return Patterns(
        stratum=stratum[first],
        runs=runs[:, first].T.astype(np.float64),
        solved=solved[:, first].sum(axis=0).astype(np.float64),
        instances=np.bincount(group, counts).astype(np.float64),
        sums=np.stack([np.bincount(group, counts * column) for column in columns], axis=1),
        products=np.array([[float(np.sum(counts * one * other)) for other in columns] for one in columns]),
    )
