"""What BeyondBench adds to the statistics of an edition."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING

from perennial.tasks.beyondbench.statistics import COLUMNS, PlayedCell, cell_figures
from perennial.tasks.statistics.multiplicity import Figure
from perennial.tasks.statistics.rate_figures import Analysis

if TYPE_CHECKING:
    import pyarrow

_PLAYED = "played_cells"


def _figures(tables: "Mapping[str, pyarrow.Table]", seed: int) -> Iterable[Figure]:
    return cell_figures(_played_cells(tables[_PLAYED]), seed)


def _played_cells(table: "pyarrow.Table") -> Iterator[PlayedCell]:
    names = (table[name].to_pylist() for name in ("player", "suite", "task", "variation"))
    for row, (player, suite, task, variation) in enumerate(zip(*names, strict=True)):
        columns = {column: table[column][row].values.to_numpy() for column in COLUMNS}
        yield PlayedCell(player, suite, task, variation, columns)


ANALYSIS = Analysis(
    queries={_PLAYED: (files("perennial.flows.beyondbench") / f"{_PLAYED}.sql").read_text(encoding="utf-8")},
    table_figures=_figures,
)
