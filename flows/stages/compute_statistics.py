"""The figures of an edition, from the answers of its evaluations alone: no model is called.

`warehouse/catalog/cells.sql` counts; `tasks/statistics` computes from the counts.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.benchmark import Rows, find_benchmark
from schemas.table_form import Table
from schemas.tables import TABLES
from tasks.statistics.analysis import Analysis
from tasks.statistics.cells import Cell, by_player, group_cells
from tasks.statistics.figure import Figure
from tasks.statistics.pair_figures import pair_figures
from tasks.statistics.rank_figures import collect_answers, rank_figures
from tasks.statistics.rate_figures import rate_figures
from tasks.statistics.study_figures import correlation_figures, item_figures
from warehouse.catalog.catalog import table_file
from warehouse.catalog.count_cells import CELL_COLUMNS, count_cells
from warehouse.catalog.external_scores import load_scores
from warehouse.catalog.later_statistics import as_statistics
from warehouse.editions.publish import read_published_plan
from warehouse.store.parquet import parquet_table
from warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow

Scores = Mapping[str, Mapping[str, float]]


def analyse_edition(
    store: Store, edition: str, evaluations: Sequence[str], files: Mapping[str, Path] | None = None
) -> "pyarrow.Table":
    """Return table `statistics` of a published edition over these of its evaluations.

    `files` are the tables of one more evaluation, which is about to be published.
    """
    plan = read_published_plan(store, edition)
    tables = {
        name: _read(store, TABLES[name], list(columns), edition, evaluations, files or {})
        for name, columns in _read_columns(plan.benchmark).items()
    }
    return as_statistics(edition, edition_statistics(plan.benchmark, tables, plan.seed, load_scores(store)))


def _read(
    store: Store,
    table: Table,
    columns: list[str],
    edition: str,
    evaluations: Sequence[str],
    files: Mapping[str, Path],
) -> "pyarrow.Table":
    import pyarrow as pa

    units = evaluations if table.kind == "answers" else (edition,)
    parts = [store.read_table(table_file(table.name, unit), columns) for unit in units]
    if table.name in files:
        parts.append(parquet_table(files[table.name].read_bytes(), columns))
    nothing = table.arrow_schema().empty_table().select(columns)
    return pa.concat_tables([nothing, *(part.cast(nothing.schema) for part in parts)])


def _read_columns(benchmark: str) -> dict[str, tuple[str, ...]]:
    """Return the columns of each table that the statistics of this benchmark are computed from."""
    return {**CELL_COLUMNS, **_analysis(benchmark).columns}


def edition_statistics(
    benchmark: str, tables: "Mapping[str, pyarrow.Table]", seed: int, external: Scores
) -> Rows:
    """Return all rows of `statistics` for an edition's tables; equal tables and scores give equal rows."""
    analysis = _analysis(benchmark)
    cells = [analysis.cell(**row) for row in count_cells(tables, analysis.cells_sql)]
    return [figure._asdict() for figure in _figures(analysis, cells, tables, seed, external)]


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
    groups = group_cells(cells)
    settings = sorted({cell.setting for cell in cells})
    return [
        *rate_figures(groups, seed, analysis.means),
        *(figure for setting in settings for figure in _rank(by_player(cells, setting), setting, seed)),
        *pair_figures(cells, settings, seed),
        *item_figures(cells, settings),
        *correlation_figures(groups, external),
        *analysis.figures(cells, tables, seed),
    ]


def _rank(played: Mapping[str, Mapping[str, Cell]], setting: str, seed: int) -> list[Figure]:
    if not played:
        return []
    found = [(player, cell) for player, cells in played.items() for cell in cells.values()]
    answers = collect_answers(
        [player for player, _ in found],
        *([getattr(cell, name) for _, cell in found] for name in ("instance_id", "domain", "solved", "runs")),
    )
    return list(rank_figures(setting, list(played), answers, seed))
