"""What a page is, and what it is given: the visit, with the URL as the state of the page."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from threading import Lock
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from perennial.flows.console.row_formats import csv_row, escape_markdown, on_one_line, printable
from perennial.schemas.benchmark import Declaration, benchmarks
from perennial.schemas.errors import InvalidOption, UnreadableInput, shorten
from perennial.schemas.rows import Row
from perennial.schemas.units import is_evaluation, split_unit, units_by_edition
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, visible_units
from perennial.warehouse.catalog.confinement import Setting, quote
from perennial.warehouse.catalog.later_statistics import analysis_of, scale_files
from perennial.warehouse.catalog.scores import score_files
from perennial.warehouse.store.store import Store

# Text of data on a page: shown as text, whatever it holds.
#
# Streamlit reads titles, captions and messages as Markdown, in which a name could be a link or an image. Data
# is therefore shown in tables and code blocks, which know no markup, or escaped here.

_LONGEST_NAME = 120
_LONGEST_TEXT = 40_000


def plain(text: object) -> str:
    """Return the text so that Markdown shows it as it is: on one line, each sign of its syntax escaped."""
    return escape_markdown(shorten(on_one_line(str(text)), _LONGEST_NAME))


def plain_line(text: object) -> str:
    """Return a whole message so that Markdown shows it as it is."""
    return escape_markdown(" ".join(str(text).split()))


def show_text(text: str | None, height: int | None = None) -> None:
    """Show a text of a model, a program or a file as it is; of a very long one the beginning."""
    whole = "" if text is None else text
    printed = printable(whole[:_LONGEST_TEXT])
    st.code(
        printed or "(nothing)", language=None, wrap_lines=True, height="content" if height is None else height
    )
    if len(whole) > _LONGEST_TEXT:
        st.caption(f"the first {_LONGEST_TEXT:,} of {len(whole):,} characters")


# What the pages read: a snapshot of the data root, one catalog per edition, and query results kept by it.
#
# An edition and its evaluations are never changed, and analyses get a file of their own each: so a result is
# good as long as the names of what it was read from are the same, and these names are its key.

# mypy: disable-error-code="untyped-decorator"

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

    def select(self, *editions: str) -> "Snapshot":
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
        rows: Rows = _query(self.root, self.units, self.figures, sql)
        return rows

    def query_by_edition(self, sql: str) -> dict[str, list[Row] | None]:
        """Return the rows of the SQL by edition, None for one that cannot be read.

        The SQL has a column `edition`, of editions or evaluations. One query reads all editions; only where
        that fails is each one read by itself.
        """
        by_edition: dict[str, list[Row] | None] = {edition: [] for edition in self.editions}
        try:
            records = self.query(sql).records()
        except Exception as error:
            if isinstance(error, MemoryError):
                raise
            if len(by_edition) == 1:
                return dict.fromkeys(by_edition)
            return {edition: self.select(edition).query_by_edition(sql)[edition] for edition in by_edition}
        for record in records:
            edition_records = by_edition[split_unit(record["edition"])[0]]
            assert edition_records is not None
            edition_records.append(record)
        return by_edition

    def read(self, sql: str) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
        """Return columns and rows of the SQL over the snapshot, as figures are read."""
        rows = self.query(sql)
        return rows.columns, rows.rows

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
        index = self.columns.index(name)
        return [row[index] for row in self.rows]


@st.cache_data(ttl=_LOOK_AGAIN_S, show_spinner=False, max_entries=4)
def read_snapshot(root: str) -> Snapshot:
    """Return what is visible in the data root; raise Damaged where nobody can know."""
    store = Store(root)
    units = visible_units(store)
    analyses = (analysis_of(store, edition, members) for edition, members in units_by_edition(units).items())
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
    names, listed = list(columns), list(rows)
    values = zip(*listed, strict=True) if listed else ([] for _ in names)
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.table([pa.array(list(column)) for column in values], names=names), sink, compression="zstd"
    )
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


ALL = "all"


@dataclass(frozen=True)
class Visit:
    """One run of a page: the data root as it is now, and links to the other pages."""

    snapshot: Snapshot
    pages: Mapping[str, object]

    def link(self, page: str, label: str, **parameters: str) -> None:
        """Show a link to a page in this state; the label is text."""
        # Outside of the explorer, as in a test of one page, there is nothing to link to.
        if page in self.pages:
            st.page_link(self.pages[page], label=plain(label), query_params=parameters, icon="")

    def go(self, page: str, **parameters: str) -> None:
        """Go to a page in this state."""
        if page in self.pages:
            st.switch_page(self.pages[page], query_params=parameters)

    def choose_edition(
        self, benchmark: str | None = None, *, column: DeltaGenerator | None = None
    ) -> "Opened":
        """Return the edition that the URL names, or the newest one, after showing which there are."""
        listed = self.list_editions()
        fitting = [row for row in listed if benchmark in (None, row["benchmark"])]
        if not fitting:
            raise UnreadableInput(
                f"no edition{f' of {benchmark}' if benchmark else ''} is published in this data root: run "
                "`perennial refresh` first, or serve another --root"
            )
        names = [row["edition"] for row in fitting]
        return self.open_edition(choose("Edition", names, "edition", column=column))

    def open_edition(self, name: str) -> "Opened":
        """Return the edition of that name."""
        part = self.snapshot.select(name)
        (benchmark,) = part.query("SELECT benchmark FROM editions").rows[0]
        return Opened(name, part, benchmarks().get(benchmark), benchmark)

    def list_editions(self) -> list[Row]:
        """Return name and benchmark of each visible edition, the newest first."""
        # Page Editions names those that cannot be read.
        by_edition = self.snapshot.query_by_edition("FROM editions")
        rows = [row for records in by_edition.values() for row in records or ()]
        return sorted(rows, key=lambda row: (-row["created_at"].timestamp(), row["edition"]))


@dataclass(frozen=True)
class Opened:
    """An edition with what reads it; `declaration` is None where its benchmark is not installed here."""

    name: str
    snapshot: Snapshot
    declaration: Declaration | None
    benchmark_name: str

    def query(self, sql: str) -> Rows:
        """Return the rows of the SQL over this edition alone."""
        return self.snapshot.query(sql)

    def values(self, column: str, source: str = "instances") -> list[str]:
        """Return the different values of a column, sorted; `source` may add a condition to its table."""
        rows = self.query(f"SELECT DISTINCT {column} FROM {source} ORDER BY 1")
        return [str(value) for value in rows.column(column)]

    def require(self, table: str, column: str, value: str) -> Row:
        """Return the edition's row with this id; raise UnreadableInput where there is none."""
        records = self.query(f"FROM {table} WHERE {column} = {quote(value)} LIMIT 1").records()
        if not records:
            raise UnreadableInput(
                f"{column} {value!r} is not in edition {self.name}: check the link, or choose another edition"
            )
        return records[0]


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its name in the URL, its title, and what shows it."""

    name: str
    title: str
    show: Callable[[Visit], None]


def parameter(name: str) -> str:
    """Return the parameter of the URL, "" where it has none."""
    return str(st.query_params.get(name, ""))


def number_parameter(name: str, most: int) -> int:
    """Return the whole number that the URL gives, at most so large; 1 where it gives none."""
    text = parameter(name)
    if not (text.isascii() and text.isdecimal()):
        return 1
    # Python refuses to read a number of thousands of digits.
    digits = text.lstrip("0")[: len(str(most)) + 1]
    return min(int(digits), most) if digits else 1


def choose(
    label: str,
    options: Iterable[str],
    key: str,
    titles: Mapping[str, str] = MappingProxyType({}),
    column: DeltaGenerator | None = None,
) -> str:
    """Return the option that the URL names, else the first, after letting the visitor choose.

    `titles` are shown in place of options, and all of it in this column of the page. Raises InvalidOption
    where the URL names one that does not exist.
    """
    listed = list(options)
    linked = parameter(key)
    if linked and linked not in listed:
        choices = ", ".join(listed[:8]) + (", ..." if len(listed) > 8 else "")
        raise InvalidOption(f"{label.lower()} {linked!r} of the link is not here; there are: {choices}")
    index = listed.index(linked) if linked else 0
    # The URL is the state: with another value of it the box is another one.
    name = f"{key}:{linked}"

    def keep() -> None:
        st.query_params[key] = st.session_state[name]

    shown_as = {"format_func": lambda option: titles.get(option, option)} if titles else {}
    # Without a column the box stands where the page has come to.
    with column or nullcontext():
        return str(st.selectbox(label, listed, index, key=name, on_change=keep, **shown_as))


def choose_rows(
    columns: Iterable[DeltaGenerator], filters: Iterable[tuple[str, str, str, Iterable[str]]]
) -> str:
    """Let the visitor choose a value, or all, for each of the filters; return the condition in SQL.

    A filter has a label, its name in the URL, the SQL that has its value, and the values.
    """
    chosen = [
        (sql, choose(label, [ALL, *values], key, column=column))
        for column, (label, key, sql, values) in zip(columns, filters, strict=True)
    ]
    return " AND ".join(f"{sql} = {quote(value)}" for sql, value in chosen if value != ALL) or "true"


def choose_several(
    label: str, options: Sequence[str], key: str, column: DeltaGenerator | None = None
) -> list[str]:
    """Return the options that the URL names, separated by commas; none means all."""
    linked = [option for option in parameter(key).split(",") if option in options]
    name = f"{key}:{','.join(linked)}"

    def keep() -> None:
        st.query_params[key] = ",".join(st.session_state[name])

    with column or nullcontext():
        chosen = st.multiselect(label, options, linked, key=name, on_change=keep, placeholder="all")
    return list(chosen) or list(options)
