"""Scores of other benchmarks: read from CSV, kept once a source, seen by every edition's analysis."""

import csv
import io
import math
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import UnreadableInput, quote
from perennial.schemas.ids import content_id
from perennial.schemas.statistics import PublishedScore
from perennial.schemas.table_form import DUCKDB_TYPES
from perennial.schemas.tables import EXTERNAL_SCORES, PUBLISHED_SCORES
from perennial.schemas.text import hidden_character
from perennial.warehouse.catalog.confinement import quote as quote_published_scores
from perennial.warehouse.store.store import Store, latest_versions, write_version

SCORES = "external_scores"
# What a browser takes for an address; only those of the web are let through.
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)
_WEB_ADDRESS = re.compile(r"https?://[^\s/?#@:\[\]\\]+(:[0-9]{1,5})?([/?#][^\s\\]*)?", re.IGNORECASE)
_COLUMNS = ("benchmark", "player", "score", "source")
# Shares, percent and indices below 0, and points such as Elo's.
_LEAST, _MOST = -100, 10_000


def parse_scores(content: bytes, name: str) -> list[dict[str, Any]]:
    """The rows of a CSV file with the columns benchmark, player, score and source.

    Raises UnreadableInput, naming file, line and value, for anything else: a score that is no number, a
    blank name, a player twice in one benchmark and source.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableInput(
            f"{name}: not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        if tuple(reader.fieldnames or ()) != _COLUMNS:
            heads = ",".join(reader.fieldnames or ()) or "nothing"
            raise UnreadableInput(f"{name}: line 1 is {quote(heads, 80)}, expected {','.join(_COLUMNS)}")
        rows = [_row(record, f"{name}: line {reader.line_num}") for record in reader]
    except csv.Error as error:
        raise UnreadableInput(f"{name}: line {reader.line_num}: not CSV ({error})") from None
    _refuse_repeats(rows, name)
    _refuse_mixed_scales(rows, name)
    if not rows:
        raise UnreadableInput(f"{name}: no score in it, expected a line per player below the headings")
    return rows


def keep_scores(store: Store, rows: list[dict[str, Any]]) -> list[str]:
    """Keep the scores, one file per source, in place of earlier ones of that source; return the sources."""
    import pyarrow as pa

    sources = sorted({row["source"] for row in rows})
    for source in sources:
        of_source = sorted(
            (row for row in rows if row["source"] == source),
            key=lambda row: (row["benchmark"], row["player"]),
        )
        table = pa.Table.from_pylist(of_source, schema=EXTERNAL_SCORES.arrow_schema())
        write_version(store, SCORES, content_id("source", source), table)
    return sources


def score_files(store: Store) -> list[str]:
    """The names of the files that hold the latest scores, one a source, relative to the data root."""
    return latest_versions(store, SCORES)


def load_scores(store: Store) -> dict[str, dict[str, float]]:
    """Each other benchmark's scores by player.

    Where several sources give one score, the first source by name counts.
    """
    rows = [row for name in score_files(store) for row in store.read_table(name).to_pylist()]
    scores: dict[str, dict[str, float]] = {}
    for row in sorted(rows, key=lambda row: (row["benchmark"], row["player"], row["source"])):
        scores.setdefault(row["benchmark"], {}).setdefault(row["player"], row["score"])
    return scores


def _row(record: dict[str, Any], where: str) -> dict[str, Any]:
    if None in record or None in record.values():
        raise UnreadableInput(f"{where}: expected {len(_COLUMNS)} values ({', '.join(_COLUMNS)})")
    values = {key: value.strip() for key, value in record.items()}
    for column in ("benchmark", "player", "source"):
        if not values[column]:
            raise UnreadableInput(f"{where}: {column} is blank, expected a name")
        # As it is in the file: stripping takes line breaks at the ends away.
        hidden = hidden_character(record[column])
        if hidden is not None:
            raise UnreadableInput(
                f"{where}: {column} {values[column][:80]!a} holds the invisible character "
                f"U+{ord(hidden):04X}; expected a name on one line, of characters that can be seen"
            )
    if _ADDRESS.match(values["source"]) and not _WEB_ADDRESS.fullmatch(values["source"]):
        raise UnreadableInput(
            f"{where}: source {quote(values['source'])} is an address, and not one of the web: expected "
            "http:// or https:// with a host, or text that does not begin with a word and a colon"
        )
    try:
        score = float(values["score"])
    except ValueError:
        score = math.nan
    # No count or share is that small: what cannot be written in full precision is a slip.
    if not _LEAST <= score <= _MOST or 0 < abs(score) < sys.float_info.min:
        raise UnreadableInput(
            f"{where}: score {quote(values['score'], 80)} is not a number such as 0.731 or 73.1, from "
            f"{_LEAST} to {_MOST:,}"
        )
    return {**values, "score": score}


def _refuse_repeats(rows: list[dict[str, Any]], name: str) -> None:
    seen: set[tuple[str, str, str]] = set()
    for row in rows:
        key = row["benchmark"], row["player"], row["source"]
        if key in seen:
            raise UnreadableInput(
                f"{name}: {quote(row['player'])} has two scores in {quote(row['benchmark'])} from "
                f"{quote(row['source'])}; keep one"
            )
        seen.add(key)


def _refuse_mixed_scales(rows: list[dict[str, Any]], name: str) -> None:
    """Raise UnreadableInput where a source has both shares (0.64) and other numbers (71) of a benchmark."""
    shares: dict[tuple[str, str], str] = {}
    others: dict[tuple[str, str], str] = {}
    for row in rows:
        if abs(row["score"]) not in (0, 1):
            scale = shares if abs(row["score"]) < 1 else others
            scale.setdefault(
                (row["benchmark"], row["source"]), f"{quote(row['player'])} has {row['score']:g}"
            )
    for key in shares.keys() & others.keys():
        raise UnreadableInput(
            f"{name}: {shares[key]} and {others[key]} in {quote(key[0])} from {quote(key[1])}, which are two "
            "scales: write all as shares from 0 to 1"
        )


# What papers and sites print: facts that come with each benchmark, as rows and as the SQL of a table.
#
# They are in no file of a data root, so that every root has them, whoever may write to it. A benchmark keeps
# them as small CSV files: a row per player, and a column per number, headed `figure`, `figure/setting` or
# `figure/setting/domain`; a cell holds a number, with `±` and its standard deviation where that is printed.

# What a row of such a file says of its numbers; every other column is a number. `printed_as` is the label
# that the source gives the row, where that is not the player whose numbers they are.
_SAID = ("player", "settings", "setting", "domain", "model", "printed_as")
_BETWEEN_ROWS, _BETWEEN_CELLS = "\n", "\t"
_PUBLISHED_COLUMNS = PUBLISHED_SCORES.columns


def read_wide(
    package: str, name: str, source: str, where: str, units: Mapping[str, str]
) -> Iterator[PublishedScore]:
    """The numbers of the CSV file of the package, row by row; `units` says the unit of each figure."""
    for row in read_rows(package, name):
        for heading, cell in row.items():
            if heading in _SAID or not cell:
                continue
            figure, setting, domain = (*heading.split("/"), "", "")[:3]
            value, _, deviation = cell.partition("±")
            yield PublishedScore(
                source,
                where,
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
    """The numbers of a CSV file that has one per row, with its place, figure and value."""
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
    """The rows of a CSV file that comes with the package."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(io.StringIO(text)))


def published_rows() -> list[dict[str, Any]]:
    """All rows of `published_scores`, by its key."""
    rows = [
        {"benchmark": name, **score._asdict()}
        for name, benchmark in benchmarks().items()
        for score in benchmark.published()
    ]
    return sorted(rows, key=lambda row: tuple(row[column] for column in PUBLISHED_SCORES.key))


@cache
def published_sql() -> str:
    """The SQL of `published_scores`: its rows as one text, which any DuckDB reads in an instant."""
    lines = (
        _BETWEEN_CELLS.join(_write(row[column.name]) for column in _PUBLISHED_COLUMNS)
        for row in published_rows()
    )
    text = quote_published_scores(_BETWEEN_ROWS.join(lines))
    columns = ", ".join(
        f"nullif(cells[{number}], '')::{DUCKDB_TYPES[column.type]} AS \"{column.name}\""
        if column.nullable
        else f'cells[{number}]::{DUCKDB_TYPES[column.type]} AS "{column.name}"'
        for number, column in enumerate(_PUBLISHED_COLUMNS, start=1)
    )
    return (
        f"SELECT {columns} FROM (SELECT string_split(line, chr({ord(_BETWEEN_CELLS)})) AS cells "
        f"FROM (SELECT unnest(string_split({text}, chr({ord(_BETWEEN_ROWS)}))) AS line) WHERE line <> '')"
    )


def _write(value: Any) -> str:
    return "" if value is None else repr(value) if isinstance(value, float) else value
