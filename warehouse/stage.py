"""Staging: the work in progress of one edition, batch by batch, under `staging/<edition>/`.

A batch's parts are written first and its mark under `done/` last. Only marked batches count, so that
a crash between two parts leaves nothing half done.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schemas.errors import EditionConflict
from schemas.plan import RefreshPlan
from schemas.tables import TABLES
from warehouse.store import Store

if TYPE_CHECKING:
    import pyarrow

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Staging:
    """The staged batches of one edition."""

    store: Store
    edition: str

    @property
    def folder(self) -> str:
        """The staging folder, relative to the data root."""
        return f"staging/{self.edition}"

    def write_plan(self, plan: RefreshPlan) -> None:
        """Keep the plan: the first thing that a refresh stages."""
        text = json.dumps(plan.as_json(), indent=1, ensure_ascii=False)
        self.store.write_bytes(f"{self.folder}/plan.json", text.encode())

    def read_plan(self) -> RefreshPlan | None:
        """Return the staged plan, or None where nothing is staged; raise EditionConflict if unreadable."""
        try:
            content = self.store.read_bytes(f"{self.folder}/plan.json")
        except FileNotFoundError:
            return None
        try:
            return RefreshPlan.from_json(json.loads(content))
        except (ValueError, KeyError, TypeError) as error:
            raise EditionConflict(
                f"{self.store.location(self.folder)}/plan.json is not a plan of this version ({error}): "
                f"use another --edition, or remove that folder"
            ) from None

    def is_done(self, key: str) -> bool:
        """Whether the batch is staged whole."""
        return self.store.exists(self._mark(key))

    def counts(self, key: str) -> dict[str, int]:
        """Return the rows of each table that the staged batch holds."""
        mark = json.loads(self.store.read_bytes(self._mark(key)))
        return {table: int(rows) for table, rows in mark.items()}

    def write_batch(self, key: str, tables: Mapping[str, Rows]) -> dict[str, int]:
        """Stage the rows of a batch, all or none, and return the rows of each table."""
        import pyarrow as pa

        counts = {}
        for name, rows in tables.items():
            if rows:
                _refuse_other_columns(name, rows)
                table = pa.Table.from_pylist(rows, schema=TABLES[name].arrow_schema())
                self.store.write_table(self._part(name, key), table)
                counts[name] = len(rows)
        self.store.write_bytes(self._mark(key), json.dumps(counts).encode())
        return counts

    def read_batch(self, key: str, table: str) -> Rows:
        """Return the batch's rows of that table, in the order in which they were staged."""
        if table not in self.counts(key):
            return []
        rows: Rows = self.store.read_table(self._part(table, key)).to_pylist()
        return rows

    def read_all(self, table: str) -> "pyarrow.Table":
        """Return the table's rows of all staged batches, sorted by its key."""
        import pyarrow as pa

        schema = TABLES[table].arrow_schema()
        parts = [self.store.read_table(self._part(table, key)) for key in self._done_keys(table)]
        whole = pa.concat_tables([schema.empty_table(), *(part.cast(schema) for part in parts)])
        if TABLES[table].is_shared:
            whole = _each_key_once(whole, TABLES[table].key[0])
        return whole.sort_by([(name, "ascending") for name in TABLES[table].key]).combine_chunks()

    def remove(self) -> None:
        """Remove all that is staged for the edition."""
        self.store.remove_folder(self.folder)

    def _done_keys(self, table: str) -> Iterable[str]:
        names = self.store.names(f"{self.folder}/done")
        keys = (name.removesuffix(".json") for name in names if name.endswith(".json"))
        return [key for key in keys if table in self.counts(key)]

    def _mark(self, key: str) -> str:
        return f"{self.folder}/done/{key}.json"

    def _part(self, table: str, key: str) -> str:
        return f"{self.folder}/{table}/{key}.parquet"


def _each_key_once(rows: "pyarrow.Table", key: str) -> "pyarrow.Table":
    """Return the first row of each key: the others are equal to it, as the key is a content id."""
    import pyarrow as pa

    numbered = pa.table({"key": rows[key], "row": pa.array(range(rows.num_rows), pa.int64())})
    first = numbered.group_by("key", use_threads=False).aggregate([("row", "min")])
    return rows.take(first["row_min"])


def _refuse_other_columns(table: str, rows: Rows) -> None:
    """Raise ValueError where a row has other keys than the table: Arrow would drop or fill them silently."""
    names = {column.name for column in TABLES[table].columns}
    for row in rows:
        if row.keys() != names:
            raise ValueError(f"a row of {table} differs in {sorted(row.keys() ^ names)} from its columns")


def staged_editions(store: Store) -> list[str]:
    """Return the names of the editions that have work in progress."""
    return [name for name in store.names("staging") if store.exists(f"staging/{name}/plan.json")]
