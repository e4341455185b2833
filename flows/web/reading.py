"""What the pages read: a snapshot of the data root, one catalog per edition, and query results kept by it.

An edition and its evaluations are never changed, and analyses get a file of their own each: so a result is
good as long as the names of what it was read from are the same, and these names are its key.
"""

# mypy: disable-error-code="untyped-decorator"

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import streamlit as st

from perennial.flows.console.row_formats import csv_row
from perennial.schemas.rows import Row
from perennial.schemas.units import is_evaluation, split_unit, units_by_edition
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, visible_units
from perennial.warehouse.catalog.confinement import Setting
from perennial.warehouse.catalog.later_statistics import analysis_of, scale_files
from perennial.warehouse.catalog.scores import score_files
from perennial.warehouse.store.store import Store

_LIMITS: dict[str, Setting] = {"memory_limit": "4GB", "temp_directory": "", "max_execution_time": 120_000}
_LOOK_AGAIN_S = 2
_KEPT_RESULTS = 400
_KEPT_CATALOGS = 24


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Which editions and evaluations are visible in a data root, and the files of their figures."""

    root: str
    units: tuple[str, ...]
    figures: tuple[str, ...]

    @property
    def editions(self) -> tuple[str, ...]:
        """The visible editions, sorted."""
        return tuple(unit for unit in self.units if not is_evaluation(unit))

    def of(self, *editions: str) -> "Snapshot":
        """Return the part of the snapshot that is these editions."""
        units = tuple(unit for unit in self.units if split_unit(unit)[0] in editions)
        folders = tuple(f"/edition={edition}/" for edition in editions)
        figures = tuple(
            name
            for name in self.figures
            if "/edition=" not in name or any(folder in name for folder in folders)
        )
        return replace(self, units=units, figures=figures)

    def query(self, sql: str) -> "Rows":
        """Return the rows of the SQL over the snapshot; raise what `Catalog.query` raises."""
        found: Rows = _query(self.root, self.units, self.figures, sql)
        return found

    def query_by_edition(self, sql: str) -> dict[str, list[Row] | None]:
        """Return the rows of the SQL by edition, None for one that cannot be read.

        The SQL has a column `edition`, of editions or evaluations. One query reads all editions; only where
        that fails is each one read by itself.
        """
        found: dict[str, list[Row] | None] = {edition: [] for edition in self.editions}
        try:
            records = self.query(sql).records()
        except Exception as error:
            if isinstance(error, MemoryError):
                raise
            if len(found) == 1:
                return dict.fromkeys(found)
            return {edition: self.of(edition).query_by_edition(sql)[edition] for edition in found}
        for record in records:
            own = found[split_unit(record["edition"])[0]]
            assert own is not None
            own.append(record)
        return found

    def read(self, sql: str) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
        """Return columns and rows of the SQL over the snapshot, as figures are read."""
        found = self.query(sql)
        return found.columns, found.rows

    def open(self) -> Catalog:
        """Return a catalog of the snapshot that nobody else uses."""
        return open_catalog(Store(self.root), self.units, _LIMITS)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a query with the names of its columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def records(self) -> list[Row]:
        """Return each row by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def column(self, name: str) -> list[Any]:
        """Return the values of a column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]


@st.cache_data(ttl=_LOOK_AGAIN_S, show_spinner=False, max_entries=4)
def read_snapshot(root: str) -> Snapshot:
    """Return what is visible in the data root; raise Damaged where nobody can know."""
    store = Store(root)
    units = visible_units(store)
    analyses = (analysis_of(store, edition, own) for edition, own in units_by_edition(units).items())
    return Snapshot(root, units, (*filter(None, analyses), *score_files(store), *scale_files(store, units)))


def as_csv(columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> bytes:
    """Return the rows as CSV, as `perennial query --format csv` writes them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(csv_row(tuple(columns)))
    writer.writerows(map(csv_row, rows))
    return text.getvalue().encode()


def as_parquet(columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> bytes:
    """Return the rows as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names, listed = list(columns), list(rows)
    values = zip(*listed, strict=True) if listed else ([] for _ in names)
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table([pa.array(list(each)) for each in values], names=names), sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())


@st.cache_data(max_entries=_KEPT_RESULTS, show_spinner=False)
def _query(root: str, units: tuple[str, ...], figures: tuple[str, ...], sql: str) -> Rows:
    catalog, lock = _shared_catalog(root, units, figures)
    with lock:
        names, rows = catalog.query(sql)
    return Rows(tuple(names), tuple(rows))


@st.cache_resource(max_entries=_KEPT_CATALOGS, show_spinner=False)
def _shared_catalog(root: str, units: tuple[str, ...], figures: tuple[str, ...]) -> tuple[Catalog, Lock]:
    return Snapshot(root, units, figures).open(), Lock()
