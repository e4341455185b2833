"""What a benchmark adds to the shared statistics of an edition."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from perennial.tasks.statistics.cells import Cells
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.figures.rate_figures import Mean


def _nothing(*_of: Any) -> Iterable[Figure]:
    return ()


@dataclass(frozen=True, slots=True)
class Analysis:
    """A benchmark's own counts, means and figures.

    `counts` are SQL aggregates by the name of their column, over the episodes `e` of a player on an instance
    and what `joins` joins to them. `cell_figures` gets the cells of some players in one setting and the
    seed, `table_figures` the Arrow tables of `queries`, SQL over the edition's tables by name, and the seed.
    Tests of the statistics `families` are adjusted by Holm. Players whose names begin with `checkpoints` are
    training checkpoints.
    """

    joins: str = ""
    counts: Mapping[str, str] = field(default_factory=dict)
    means: tuple[Mean, ...] = ()
    cell_figures: Callable[[Cells, int], Iterable[Figure]] = _nothing
    queries: Mapping[str, str] = field(default_factory=dict)
    table_figures: Callable[[Mapping[str, Any], int], Iterable[Figure]] = _nothing
    families: tuple[str, ...] = ()
    checkpoints: str = ""
