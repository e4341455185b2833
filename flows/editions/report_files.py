"""Write a report: one page, or the tables behind it as a file each."""

import csv
import io
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from perennial.flows.console.input_files import show_path
from perennial.flows.console.row_formats import Terminal, csv_row
from perennial.schemas.errors import InvalidOption
from perennial.tasks.report.content import ReportData, ReportTable
from perennial.tasks.report.page import all_tables, explain_missing_figures, render_page
from perennial.tasks.report.profiles import ProfileData, render_profiles

PROFILES = "profiles"


def write_page(data: ReportData, folder: Path) -> Path:
    """Write `folder/EDITION.html` and return its path; raise InvalidOption where it cannot be written.

    Data Docs in `folder/EDITION-data-docs` are linked.
    """
    docs = f"{data.edition}-data-docs/index.html"
    page_data = replace(data, data_docs=docs) if (folder / docs).is_file() else data
    return _write_page(folder / f"{data.edition}.html", render_page(page_data))


def write_tables(data: ReportData, folder: Path, form: str) -> list[Path]:
    """Write each table as `folder/EDITION/NAME.csv` or `.parquet`; return the paths, sorted.

    Raises InvalidOption where they cannot be written.
    """
    return _write_each(all_tables(data), folder / data.edition, form)


def write_profiles(data: ProfileData, folder: Path, form: str = "html") -> list[Path]:
    """Write `folder/profiles.html`, or each table as `folder/profiles/NAME.csv` or `.parquet`.

    Returns the paths, sorted; raises InvalidOption where they cannot be written.
    """
    if form == "html":
        return [_write_page(folder / f"{PROFILES}.html", render_profiles(data))]
    return _write_each([data.tables[name] for name in sorted(data.tables)], folder / PROFILES, form)


def _write_page(path: Path, page: str) -> Path:
    """Write the page, and print why it has no figures where it has none."""
    _write(path, page.encode())
    if missing := explain_missing_figures():
        Terminal(stderr=True, soft_wrap=True).print(f"note: {missing}")
    return path


def _write_each(tables: Iterable[ReportTable], folder: Path, form: str) -> list[Path]:
    encode = _parquet if form == "parquet" else _csv
    return [_write(folder / f"{table.name}.{form}", encode(table)) for table in tables]


def _csv(table: ReportTable) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(csv_row(table.columns))
    writer.writerows(map(csv_row, table.rows))
    return text.getvalue().encode()


def _parquet(table: ReportTable) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: Iterable[Any] = zip(*table.rows, strict=True) if table.rows else ([] for _ in table.columns)
    arrays = [pa.array(list(values)) for values in columns]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(arrays, names=list(table.columns)), sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())


def _write(path: Path, content: bytes) -> Path:
    """Write the file so that it is there whole or not at all, and return its path."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(content)
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise InvalidOption(
            f"--out: {show_path(path)} cannot be written: {error.strerror or error}; "
            "name a folder that you can write"
        ) from None
    return path
