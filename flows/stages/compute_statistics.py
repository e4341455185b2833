"""Stage 5: the figures of an edition, from its episodes alone: no model is called.

`warehouse/catalog/cells.sql` counts; `tasks/statistics` computes from the counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from flows.stages.policies import Policies
from flows.stages.workspace import Workspace
from schemas.benchmark import Batch, find_benchmark
from tasks.statistics.analysis import Analysis
from tasks.statistics.cells import Cell, grouped
from tasks.statistics.figure import Figure
from tasks.statistics.pair_figures import pair_figures
from tasks.statistics.rate_figures import rate_figures
from tasks.statistics.study_figures import correlation_figures, item_figures
from warehouse.catalog.count_cells import CELL_COLUMNS, count_cells
from warehouse.catalog.external_scores import load_scores
from warehouse.staging.staging import Rows

if TYPE_CHECKING:
    import pyarrow

EDITION = Batch("statistics")
Scores = Mapping[str, Mapping[str, float]]


def compute_statistics(workspace: Workspace, _batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the statistics of the staged episodes."""
    staging, plan = workspace.staging, workspace.plan
    columns = read_columns(plan.benchmark)
    tables = {name: staging.read_all(name, names) for name, names in columns.items()}
    return {"statistics": edition_statistics(plan.benchmark, tables, plan.seed, load_scores(staging.store))}


def read_columns(benchmark: str) -> dict[str, tuple[str, ...]]:
    """Return the columns of each table that the statistics of this benchmark are computed from."""
    return {**CELL_COLUMNS, **_analysis(benchmark).columns}


def edition_statistics(
    benchmark: str, tables: "Mapping[str, pyarrow.Table]", seed: int, external: Scores
) -> Rows:
    """Return all rows of `statistics` for an edition's tables; equal tables and scores give equal rows."""
    analysis = _analysis(benchmark)
    cells = [analysis.cell(**row) for row in count_cells(tables, analysis.cells_sql)]
    return [asdict(figure) for figure in _figures(analysis, cells, tables, seed, external)]


def _analysis(benchmark: str) -> Analysis:
    analysis: Analysis = find_benchmark(benchmark).analysis()
    return analysis


def _figures(
    analysis: Analysis,
    cells: Sequence[Cell],
    tables: "Mapping[str, pyarrow.Table]",
    seed: int,
    external: Scores,
) -> list[Figure]:
    groups = grouped(cells)
    settings = sorted({cell.setting for cell in cells})
    return [
        *rate_figures(groups, seed, analysis.means),
        *pair_figures(cells, settings, seed),
        *item_figures(cells, settings),
        *correlation_figures(groups, external),
        *analysis.figures(cells, tables, seed),
    ]
