"""Count an edition's episodes by player and instance."""

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from warehouse.catalog import view_over_arrow

if TYPE_CHECKING:
    import pyarrow

CELL_TABLES = ("episodes", "kumo_instances", "seed_configs", "domains")


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
