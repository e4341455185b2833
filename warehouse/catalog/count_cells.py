"""Count an edition's episodes by player and instance."""

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from warehouse.catalog.catalog import view_over_arrow

if TYPE_CHECKING:
    import pyarrow

# Of each table its key, and what is counted by or computed from: no texts of moves or books.
CELL_COLUMNS = {
    "episodes": (
        "episode_id",
        "instance_id",
        "player",
        "status",
        "success",
        "tests",
        "tokens",
        "cost_usd",
    ),
    "kumo_instances": ("instance_id", "config_id", "setting", "n_actions", "optimal_tests", "signature"),
    "seed_configs": ("config_id", "domain_id", "config"),
    "domains": ("domain_id", "name"),
}
CELL_TABLES = tuple(CELL_COLUMNS)


def count_cells(tables: dict[str, "pyarrow.Table"]) -> list[dict[str, Any]]:
    """Return a row a player and instance, sorted; `tables` are those of CELL_TABLES, of one edition.

    The columns are those of `cells.sql`; `statuses` maps each status that occurs to its number.
    """
    sql = (files("warehouse") / "analysis" / "cells.sql").read_text(encoding="utf-8")
    connection = view_over_arrow({name: tables[name] for name in CELL_TABLES})
    try:
        found = connection.execute(sql)
        names = [column[0] for column in found.description or []]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    finally:
        connection.close()
