"""What papers and sites print: facts that come with each benchmark, as rows and as the SQL of a table.

They are in no file of a data root, so that every root has them, whoever may write to it. A benchmark keeps
them as small CSV files: a row per player, and a column per number, headed `figure`, `figure/setting` or
`figure/setting/domain`; a cell holds a number, with `±` and its standard deviation where that is printed.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from perennial.schemas.benchmark import benchmarks
from perennial.schemas.statistics.analysis_tables import PUBLISHED_SCORES
from perennial.schemas.statistics.published import PublishedScore
from perennial.schemas.table_form import DUCKDB_TYPES
from perennial.warehouse.catalog.sql.confinement import quote

# What a row of such a file says of its numbers; every other column is a number. `printed_as` is the label
# that the source gives the row, where that is not the player whose numbers they are.
_SAID = ("player", "settings", "setting", "domain", "model", "printed_as")
_BETWEEN_ROWS, _BETWEEN_CELLS = "\n", "\t"
_COLUMNS = PUBLISHED_SCORES.columns


def read_wide(
    package: str, name: str, source: str, place: str, units: Mapping[str, str]
) -> Iterator[PublishedScore]:
    """Yield the numbers of the CSV file of the package, row by row; `units` says the unit of each figure."""
    for row in read_rows(package, name):
        for heading, cell in row.items():
            if heading in _SAID or not cell:
                continue
            figure, setting, domain = (*heading.split("/"), "", "")[:3]
            value, _, deviation = cell.partition("±")
            yield PublishedScore(
                source,
                place,
                player=row["player"],
                figure=figure,
                value=float(value),
                unit=units[figure],
                settings=row.get("settings", ""),
                setting=setting or row.get("setting", "all"),
                domain=domain or row.get("domain", "all"),
                deviation=float(deviation) if deviation else None,
                model=row.get("model") or None,
            )


def read_long(package: str, name: str, source: str, units: Mapping[str, str]) -> Iterator[PublishedScore]:
    """Yield the numbers of a CSV file that has one per row, with its place, figure and value."""
    for row in read_rows(package, name):
        yield PublishedScore(
            source,
            place=row["place"],
            player=row["player"],
            figure=row["figure"],
            value=float(row["value"]),
            unit=units[row["figure"]],
            settings=row["settings"],
            setting=row["setting"],
            domain=row["domain"],
        )


@cache
def read_rows(package: str, name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a CSV file that comes with the package."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(io.StringIO(text)))


def published_rows() -> list[dict[str, Any]]:
    """Return all rows of `published_scores`, by its key."""
    rows = [
        {"benchmark": name, **score._asdict()}
        for name, benchmark in benchmarks().items()
        for score in benchmark.published()
    ]
    return sorted(rows, key=lambda row: tuple(row[column] for column in PUBLISHED_SCORES.key))


def published_sql() -> str:
    """Return the SQL of `published_scores`: its rows as one text, which any DuckDB reads in an instant."""
    lines = (_BETWEEN_CELLS.join(_write(row[column.name]) for column in _COLUMNS) for row in published_rows())
    text = quote(_BETWEEN_ROWS.join(lines))
    columns = ", ".join(
        f"nullif(cells[{number}], '')::{DUCKDB_TYPES[column.type]} AS \"{column.name}\""
        if column.nullable
        else f'cells[{number}]::{DUCKDB_TYPES[column.type]} AS "{column.name}"'
        for number, column in enumerate(_COLUMNS, start=1)
    )
    return (
        f"SELECT {columns} FROM (SELECT string_split(line, chr({ord(_BETWEEN_CELLS)})) AS cells "
        f"FROM (SELECT unnest(string_split({text}, chr({ord(_BETWEEN_ROWS)}))) AS line) WHERE line <> '')"
    )


def _write(value: Any) -> str:
    return "" if value is None else repr(value) if isinstance(value, float) else value
