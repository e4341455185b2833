"""The tables of a published edition as Prefect assets: one per table, and what each rests on."""

import re
from collections.abc import Mapping

from prefect.assets import Asset, AssetProperties
from prefect.context import AssetContext
from prefect.states import Completed

from perennial.schemas.ids import content_id
from perennial.schemas.rows import JsonObject
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.lineage import dataset_name, parent_tables, root_namespace
from perennial.warehouse.store.store import Store

_MADE_BY = "perennial"
_KEY_LENGTH = 512  # Prefect's own bound
# A scheme, and the characters that Prefect refuses in a key.
_NOT_IN_A_KEY = re.compile(r"[\x00\s#?&%\"'<>\[\]{}|\\^`]")


def asset_key(root: str, table: str) -> str:
    """Return the table's asset key: perennial://, the root without scheme and credentials, tables/<table>.

    A root too long for a key, or with characters that no key may hold, gets a hash to stay distinct.
    """
    place = root_namespace(root).partition("://")[2].strip("/")
    name = _NOT_IN_A_KEY.sub("_", place)
    longest = _KEY_LENGTH - len(f"perennial:///{dataset_name(table)}")
    if name != place or len(name) > longest:
        mark = f"_{content_id('root', place)}"
        name = name[: longest - len(mark)] + mark
    return f"perennial://{name}/{dataset_name(table)}"


def materialize_tables(root: str, unit: str, counts: Mapping[str, int]) -> None:
    """Materialize an asset for each table of the published unit that has rows, in the current task run.

    An asset depends on those of the tables that its rows are made from.
    """
    # Its own row is counted by nobody.
    known = {**counts, "evaluations" if is_evaluation(unit) else "editions": 1}
    rows = {name: known[name] for name in TABLES if known.get(name)}
    present = {*rows, *_questions(Store(root), unit)}
    edition, evaluation = split_unit(unit)
    for table in rows:
        asset = Asset(
            key=asset_key(root, table),
            properties=AssetProperties(name=table, description=f"A row is {TABLES[table].row}."),
        )
        metadata: JsonObject = {
            "edition": edition,
            "evaluation": evaluation,
            "rows": rows[table],
            "columns": [column.name for column in TABLES[table].file_columns],
        }
        parents = {Asset(key=asset_key(root, name)) for name in parent_tables(table) if name in present}
        # A task materializes all of its assets from the same ones: each table has its own parents.
        AssetContext(
            direct_asset_dependencies=parents,
            downstream_assets={asset},
            materialized_by=_MADE_BY,
            materialization_metadata={asset.key: metadata},
        ).emit_events(Completed())


def _questions(store: Store, unit: str) -> list[str]:
    """Return the tables of questions that the unit's edition has published: its answers rest on them."""
    questions = [name for name, table in TABLES.items() if table.kind == "questions"]
    return [name for name in questions if store.exists(table_file(name, split_unit(unit)[0]))]
