"""The tables of a published edition as Prefect assets: one per table, and what each rests on."""

import re
from collections.abc import Container

from prefect.assets import Asset, AssetProperties, materialize
from prefect.cache_policies import NO_CACHE

from perennial.flows.watchers.watcher import Watcher
from perennial.schemas.ids import content_id
from perennial.schemas.plan import Plan
from perennial.schemas.rows import JsonObject
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import table_file
from perennial.warehouse.lineage.columns import origin_tables
from perennial.warehouse.lineage.datasets import dataset_name, root_namespace
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


class AssetWatcher(Watcher):
    """Materialises an asset for each table that has rows, once it is published."""

    def __init__(self) -> None:
        self._root = ""
        self._unit = ""

    def unit_started(self, root: str, plan: Plan) -> None:
        """Keep where the edition or evaluation goes."""
        self._root, self._unit = root, plan.unit

    def published(self, counts: dict[str, int]) -> None:
        """Run one materialising task per table."""
        # Its own row is counted by nobody.
        known = {**counts, "evaluations" if is_evaluation(self._unit) else "editions": 1}
        rows = {name: known[name] for name in TABLES if known.get(name)}
        present = {*rows, *_questions(Store(self._root), self._unit)}
        for table in rows:
            _materialise(self._root, self._unit, table, rows[table], present)


def _questions(store: Store, unit: str) -> list[str]:
    """Return the tables of questions that the unit's edition has published: its answers rest on them."""
    questions = [name for name, table in TABLES.items() if table.kind == "questions"]
    return [name for name in questions if store.exists(table_file(name, split_unit(unit)[0]))]


def _materialise(root: str, unit: str, table: str, rows: int, present: Container[str]) -> None:
    asset = Asset(
        key=asset_key(root, table),
        properties=AssetProperties(name=table, description=f"A row is {TABLES[table].row}."),
    )
    metadata: JsonObject = {
        "edition": split_unit(unit)[0],
        "evaluation": split_unit(unit)[1],
        "rows": rows,
        "columns": [column.name for column in TABLES[table].file_columns],
    }
    materialize(
        asset,
        by=_MADE_BY,
        name=f"asset {table}",
        asset_deps=[asset_key(root, name) for name in _rests_on(table) if name in present],
        persist_result=False,
        cache_policy=NO_CACHE,
    )(lambda: asset.add_metadata(metadata))()


def _rests_on(table: str) -> tuple[str, ...]:
    """Return the tables that a table is made from; an audit reads them all."""
    return tuple(TABLES) if table in ("audits", "validations") else origin_tables(table)
