"""Where the statistics of an edition are kept: figures over all of its visible evaluations.

They are computed again when an evaluation is published or withdrawn, with newer definitions, or with scores
of other benchmarks. The name of a file says which evaluations it is computed from, so that views never show
figures of others than those that are visible. Each has a file of its own, so that a reader of an earlier one
can finish.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from schemas.ids import content_id
from schemas.tables import TABLES
from schemas.units import split_unit
from warehouse.store.parquet import sort_by_key, with_place
from warehouse.store.store import Store
from warehouse.store.versioned_files import latest_version, write_version

if TYPE_CHECKING:
    import pyarrow

STATISTICS = "statistics"
ANALYSES = f"analyses/{STATISTICS}"


def analysis_folder(edition: str) -> str:
    """Return the folder of the edition's statistics, relative to the data root."""
    return f"{ANALYSES}/edition={edition}"


def analysis_of(store: Store, edition: str, units: Iterable[str]) -> str | None:
    """Return the name of the file that holds the edition's latest statistics over those of the units that are
    its evaluations; None where they were not analysed.
    """
    return latest_version(store, analysis_folder(edition), _stem(edition, units))


def keep_analysis(store: Store, edition: str, units: Iterable[str], statistics: "pyarrow.Table") -> None:
    """Keep statistics over these evaluations in place of earlier ones; equal rows give equal bytes."""
    write_version(store, analysis_folder(edition), _stem(edition, units), statistics)


def as_statistics(edition: str, rows: list[dict[str, Any]], canary: str = "") -> "pyarrow.Table":
    """Return the rows as table `statistics` of the edition, sorted by its key."""
    import pyarrow as pa

    table = TABLES[STATISTICS]
    made = sort_by_key(pa.Table.from_pylist(rows, schema=table.arrow_schema()), table)
    return with_place(made, table, edition, canary)


def _stem(edition: str, units: Iterable[str]) -> str:
    names = {name for of, name in map(split_unit, units) if of == edition and name}
    return content_id("evaluations", sorted(names))
