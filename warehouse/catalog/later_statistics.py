"""Where the statistics of an edition are kept: figures over all of its visible evaluations.

They are computed again when an evaluation is published or withdrawn, with newer definitions, or with scores
of other benchmarks. The name of a file says which evaluations it is computed from, so that views never show
figures of others than those that are visible. Each has a file of its own, so that a reader of an earlier one
can finish.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from perennial.schemas.ids import content_id
from perennial.schemas.tables import SCALE, TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.store.parquet import sort_by_key, with_place
from perennial.warehouse.store.store import Store, latest_version, write_version

if TYPE_CHECKING:
    import pyarrow
    from numpy.typing import NDArray

    Column = NDArray[Any]


STATISTICS = "statistics"
STATISTIC = "statistic"
ANALYSES = f"analyses/{STATISTICS}"


def analysis_folder(edition: str) -> str:
    """The folder of the edition's statistics, relative to the data root."""
    return f"{ANALYSES}/edition={edition}"


def analysis_of(store: Store, edition: str, units: Iterable[str]) -> str | None:
    """The name of the file that holds the edition's latest statistics over those of the units that are its
    evaluations; None where they were not analysed.
    """
    return latest_version(store, analysis_folder(edition), _stem(edition, units))


def keep_analysis(store: Store, edition: str, units: Iterable[str], statistics: "pyarrow.Table") -> None:
    """Keep statistics over these evaluations in place of earlier ones; equal rows give equal bytes."""
    write_version(store, analysis_folder(edition), _stem(edition, units), statistics)


def as_statistics(
    edition: str,
    rows: list[dict[str, Any]],
    sorted_tables: "Sequence[pyarrow.Table]" = (),
    canary: str = "",
) -> "pyarrow.Table":
    """The rows as table `statistics` of the edition, sorted by its key.

    Each of the sorted tables holds a statistic of its own, too long for rows, in the order of the key.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    table = TABLES[STATISTICS]
    made = sort_by_key(pa.Table.from_pylist(rows, schema=table.arrow_schema()), table)
    pieces = []
    for large in sorted(sorted_tables, key=lambda large: large[STATISTIC][0].as_py()):
        before = pc.sum(pc.less(made[STATISTIC], large[STATISTIC][0])).as_py() or 0
        pieces += [made.slice(0, before), large]
        made = made.slice(before)
    return with_place(pa.concat_tables([*pieces, made]).combine_chunks(), table, edition, canary)


def as_item_table(
    statistic: str,
    method: str,
    parts: "Iterable[tuple[str, pyarrow.RecordBatch]]",
    n: "Mapping[str, Column]",
    values: "Mapping[str, tuple[Column, Column | None, Column | None]]",
) -> "pyarrow.Table":
    """Figures of single instances, `other` being the id, as rows of `statistics` in its key's order.

    `parts` are domain and instance_id of each setting's instances by number, so many at a time; `n` and
    `values` (value, low, high; nan is undefined) are by setting. An instance with n = 0 has no row.
    """
    import pyarrow as pa

    schema = TABLES[STATISTICS].arrow_schema()
    tables = [schema.empty_table()]
    done: dict[str, int] = {}
    for setting, part in parts:
        first = done.get(setting, 0)
        done[setting] = first + part.num_rows
        rows = slice(first, first + part.num_rows)
        size = part.num_rows
        value, low, high = (
            pa.nulls(size, pa.float64()) if column is None else pa.array(column[rows], from_pandas=True)
            for column in values[setting]
        )
        columns: dict[str, Any] = {
            "statistic": statistic,
            "convention": "any",
            "setting": setting,
            "domain": part["domain"],
            "player": "all",
            "other": part["instance_id"],
            "n": pa.array(n[setting][rows]),
            "value": value,
            "low": low,
            "high": high,
            "method": method,
        }
        made = [
            pa.nulls(size, field.type)
            if field.name not in columns
            else pa.repeat(columns[field.name], size)
            if isinstance(columns[field.name], str)
            else columns[field.name]
            for field in schema
        ]
        whole = pa.Table.from_arrays(made, schema=schema)
        tables.append(whole.filter(pa.array(n[setting][rows] > 0)))
    return pa.concat_tables(tables)


def _stem(edition: str, units: Iterable[str]) -> str:
    names = {name for edition_part, name in map(split_unit, units) if edition_part == edition and name}
    return content_id("evaluations", sorted(names))


# Where table `scale` is kept: the players of all visible editions on one scale.
#
# As with statistics, the name of the file says which evaluations it is computed from: views never show
# figures of others than those that are visible.

SCALES = f"analyses/{SCALE.name}"


def scale_files(store: Store, units: Iterable[str]) -> list[str]:
    """The name of the file of the scale over these editions and evaluations; none: not computed."""
    name = latest_version(store, SCALES, _name_scale_file(units))
    return [name] if name else []


def superseded_scales(store: Store, units: Iterable[str]) -> list[str]:
    """The names of all files that are not the scale over these, relative to the data root."""
    current = scale_files(store, units)
    return [file for name in store.names(SCALES) if (file := f"{SCALES}/{name}") not in current]


def keep_scale(store: Store, units: Iterable[str], table: "pyarrow.Table") -> None:
    """Keep the scale over these editions and evaluations; equal rows give equal bytes."""
    write_version(store, SCALES, _name_scale_file(units), table)


def _name_scale_file(units: Iterable[str]) -> str:
    return content_id("evaluations", sorted(filter(is_evaluation, units)))
