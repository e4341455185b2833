"""Count an edition's episodes by player and instance."""

from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from warehouse.catalog.catalog import view_over_arrow

if TYPE_CHECKING:
    import pyarrow

# Of each shared table its key, and what is counted by or computed from: no texts.
CELL_COLUMNS: dict[str, tuple[str, ...]] = {
    "episodes": (
        *("episode_id", "instance_id", "player", "status", "success", "score", "tokens", "cost_usd"),
    ),
    "instances": ("instance_id", "domain", "setting"),
}


def count_cells(tables: "Mapping[str, pyarrow.Table]", own_sql: str = "") -> list[dict[str, Any]]:
    """Return a row a player and instance, sorted, of these tables of one edition.

    The columns are those of `cells.sql`; `statuses` maps each status that occurs to its number. `own_sql`
    gives more columns by player and instance_id.
    """
    sql = (files("warehouse.catalog") / "cells.sql").read_text(encoding="utf-8")
    if own_sql:
        joined = f"SELECT * FROM ({sql}) JOIN ({own_sql}) USING (player, instance_id)"
        sql = f"{joined} ORDER BY setting, domain, player, instance_id"
    connection = view_over_arrow(dict(tables))
    try:
        found = connection.execute(sql)
        names = [column[0] for column in found.description or []]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    finally:
        connection.close()
