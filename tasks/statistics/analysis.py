"""What a benchmark adds to the shared statistics of an edition."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.statistics.cells import Cell
from tasks.statistics.figure import Figure
from tasks.statistics.rate_figures import Mean

OwnFigures = Callable[[Sequence[Any], Mapping[str, Any], int], Iterable[Figure]]


def _none(_cells: Sequence[Any], _tables: Mapping[str, Any], _seed: int) -> Iterable[Figure]:
    return ()


@dataclass(frozen=True, slots=True)
class Analysis:
    """A benchmark's own counts, means and figures.

    `columns` are the columns of its own tables that are read. `cells_sql` gives, by player and instance_id,
    the fields of `cell` beside the shared ones. `figures` gets the cells, the Arrow tables read and the seed.
    """

    cell: type[Cell] = Cell
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cells_sql: str = ""
    means: tuple[Mean, ...] = ()
    figures: OwnFigures = _none
