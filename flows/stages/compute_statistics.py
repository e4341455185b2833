"""Stage 5: the figures of an edition, from its episodes alone: no model is called.

What is counted comes from one query (`warehouse/catalog/cells.sql`), what is computed from it stands in
`tasks/statistics`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from flows.stages.workspace import open_workspace, stage_once
from tasks.kumo.configuration import parse_config
from tasks.statistics.cells import Cell, grouped
from tasks.statistics.figure import Figure
from tasks.statistics.pair_figures import pair_figures
from tasks.statistics.rate_figures import rate_figures
from tasks.statistics.study_figures import (
    correlation_figures,
    domain_figures,
    item_figures,
    topology_figures,
)
from warehouse.catalog.count_cells import CELL_COLUMNS, count_cells
from warehouse.catalog.external_scores import load_scores
from warehouse.staging.staging import Rows

if TYPE_CHECKING:
    import pyarrow

Scores = Mapping[str, Mapping[str, float]]


def analyse_edition(root: str, edition: str) -> dict[str, int]:
    """Stage the statistics of the staged episodes; return the row counts."""
    workspace = open_workspace(root, edition)
    staging = workspace.staging

    def rows() -> dict[str, Rows]:
        tables = {name: staging.read_all(name, columns) for name, columns in CELL_COLUMNS.items()}
        return {"statistics": edition_statistics(tables, workspace.plan.seed, load_scores(staging.store))}

    return stage_once(workspace, workspace.statistics_key, rows)


def edition_statistics(tables: dict[str, "pyarrow.Table"], seed: int, external: Scores) -> Rows:
    """Return all rows of `statistics` for an edition's tables; equal tables and scores give equal rows."""
    cells = [Cell(**row) for row in count_cells(tables)]
    return [_row(figure) for figure in _figures(cells, _configs(tables), seed, external)]


def _figures(cells: Sequence[Cell], configs: Mapping[str, Any], seed: int, external: Scores) -> list[Figure]:
    groups = grouped(cells)
    settings = sorted({cell.setting for cell in cells})
    return [
        *rate_figures(groups, seed),
        *pair_figures(cells, settings, seed),
        *topology_figures(cells, settings, seed),
        *item_figures(cells, settings),
        *correlation_figures(groups, external),
        *domain_figures(configs, seed),
    ]


def _configs(tables: dict[str, "pyarrow.Table"]) -> dict[str, Any]:
    """Return the configurations by domain name."""
    names = dict(zip(*(tables["domains"][key].to_pylist() for key in ("domain_id", "name")), strict=True))
    rows = zip(*(tables["seed_configs"][key].to_pylist() for key in ("domain_id", "config")), strict=True)
    return {names[domain_id]: parse_config(text, names[domain_id]) for domain_id, text in sorted(rows)}


def _row(figure: Figure) -> dict[str, Any]:
    return asdict(figure)
