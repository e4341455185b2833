"""Rows of data on standard output as CSV, as JSON or as a table, as they come: memory stays flat.

A table fits the terminal: where its columns do not stand side by side, they stand one below the other.
"""

import csv
import inspect
import json
import math
import os
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import wraps
from itertools import islice
from operator import itemgetter
from textwrap import TextWrapper
from typing import IO, Annotated, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from perennial.schemas.errors import InvalidOption, QueryFailed, QueryTimedOut, count, suggest

# Text of data as it may be printed: on a terminal, in CSV and in JSON.
#
# Names, replies and books come from models and from files of others. Printed as they are they could clear the
# screen, hide text, pass for our markup, or run as a formula in a spreadsheet.

# What a spreadsheet takes for the beginning of a formula; of the signs, in their wide form too.
_FORMULA = frozenset(("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"))
_MARKUP = re.compile(r"([!-/:-@\[-`{-~])")


def wrap_words(text: str, width: int, first: str = "", later: str | None = None) -> list[str]:
    """Lines of the text after these indents; names and options, which users copy, break at no hyphen."""
    wrapper = TextWrapper(width, first, first if later is None else later)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    return wrapper.wrap(text)


class Terminal(Console):
    """A console that shows text as it is: no markup, no emoji codes, control characters as escapes."""

    def __init__(
        self,
        *,
        stderr: bool = False,
        soft_wrap: bool = False,
        width: int | None = None,
        file: IO[str] | None = None,
    ) -> None:
        super().__init__(
            stderr=stderr,
            soft_wrap=soft_wrap,
            width=width,
            file=file,
            markup=False,
            emoji=False,
            highlight=False,
        )

    def render_str(self, text: str, **options: Any) -> Text:
        """Escape what could steer a terminal; rich calls this for all strings, also in tables and titles."""
        return super().render_str(printable(text), **options)

    def on_broken_pipe(self) -> None:
        """End quietly: the reader of the output, such as `head`, has seen enough."""
        self.quiet = True
        end_output()


def end_output() -> None:
    """End the command: nobody reads its output any more."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(0)


def escape_what_cannot_be_encoded() -> None:
    """Print what the locale's encoding lacks as an escape instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def printable(text: str) -> str:
    """Escape all that could steer a terminal or hide in it.

    Line breaks, tabs and spaces of any kind stay.
    """
    if text.isprintable():
        return text
    return "".join(char if _is_plain(char) else char.encode("unicode_escape").decode() for char in text)


def on_one_line(text: str) -> str:
    """Like `printable`, with line breaks and tabs escaped as well."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def escape_markdown(text: str) -> str:
    """Escape Markdown's syntax and line breaks, so that the text shows as it is."""
    return _MARKUP.sub(r"\\\1", on_one_line(text))


def csv_cell(text: str) -> str:
    """Like `printable`, with `'` before anything that a spreadsheet would run as a formula."""
    if text[:1] in _FORMULA and not _is_written_number(text):
        text = "'" + text
    return text if text.isprintable() else printable(text)


def print_json(value: object) -> None:
    """Print JSON in which non-ASCII text stays readable and what `printable` escapes is escaped."""
    text = json.dumps(value, indent=1, ensure_ascii=not _writes_unicode())
    sys.stdout.write(f"{escape_json(text)}\n")


def escape_json(text: str) -> str:
    r"""Write `\uXXXX` for each character that `printable` escapes; the JSON stays equal."""
    if text.isprintable():
        return text
    return "".join(char if _is_plain(char) else json.dumps(char)[1:-1] for char in text)


def json_encoder(default: Callable[[Any], str]) -> json.JSONEncoder:
    """An encoder of rows that raises ValueError for NaN and infinities, which JSON does not have."""
    return json.JSONEncoder(allow_nan=False, ensure_ascii=not _writes_unicode(), default=default)


def _writes_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


def _is_plain(char: str) -> bool:
    return char.isprintable() or char in "\n\t" or unicodedata.category(char) == "Zs"


def _is_written_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    # Python also reads 1_000, and spaces around a number.
    return not set(text) & set("_ \t\r\n")


_LONGEST_LINE = 240  # where no terminal says how much fits
# What a table shows at most: its widths are known only once all of it has been read.
_TABLE_ROWS = 1_000
_TABLE_CHARACTERS = 4_000_000

# What a CSV writer writes well by itself; a bool is an int to `isinstance` and not one here.
_AS_THEY_ARE = (int, float, type(None))

Row = Sequence[object]


class Format(StrEnum):
    """How rows are printed."""

    table = "table"
    csv = "csv"
    json = "json"


_FORMAT = typer.Option("--format", help=f"Format of the rows; a table shows at most {_TABLE_ROWS:,}.")
_JSON = typer.Option("--json", help="The same as --format json.")


def prints_rows(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command with a `format_` the options --format, unless it describes it, and --json.

    It gets the format that both ask for; InvalidOption is raised where they differ.
    """
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        is_plain = parameter.annotation is Format
        parameters.append(parameter.replace(annotation=Annotated[Format, _FORMAT]) if is_plain else parameter)
        if parameter.name == "format_":
            as_json = parameter.replace(name="as_json", default=False, annotation=Annotated[bool, _JSON])
            parameters.append(as_json)

    @wraps(function)
    def command(*, format_: Format, as_json: bool, **values: Any) -> None:
        if as_json and format_ is Format.csv:
            raise InvalidOption("--json and --format csv: expected one of them")
        function(format_=Format.json if as_json else format_, **values)

    # Typer reads options off a signature.
    setattr(command, "__signature__", inspect.Signature(parameters))  # noqa: B010  unknown to mypy
    return command


@dataclass(frozen=True, slots=True)
class TableForm:
    """What a table shows at most, and the options, told below it, that show more rows or other columns.

    `count_all` returns the number of all rows; without it those that are left out are read and counted.
    """

    rows: int = _TABLE_ROWS
    more_rows: str = "--format csv or json prints all"
    fewer_columns: str = ""
    count_all: Callable[[], int] | None = None


def choose_columns(
    names: Sequence[str], rows: Iterable[Row], chosen: Sequence[str]
) -> tuple[list[str], Iterator[Row]]:
    """Keep the chosen columns, in the order of the choice; raise InvalidOption for an unknown name."""
    for name in chosen:
        if name not in names:
            raise InvalidOption(
                f"--columns {name!r}: the result has no such column; it has {', '.join(names)}"
                f"{suggest(name, names)}"
            )
    places = [names.index(name) for name in chosen]
    pick = itemgetter(*places) if len(places) > 1 else lambda row: (row[places[0]],)
    return [names[position] for position in places], map(pick, rows)


def print_rows(
    names: Sequence[str], rows: Iterable[Row], format_: Format, form: TableForm = TableForm()
) -> None:
    """Print the rows on standard output, under their names; a table in this form.

    Raises InvalidOption for JSON with a name twice.
    """
    try:
        if format_ is Format.csv:
            _print_csv(names, rows)
        elif format_ is Format.json:
            _print_json(names, rows)
        else:
            _print_table(names, rows, form)
        sys.stdout.flush()
    except BrokenPipeError:
        end_output()


def _print_csv(names: Sequence[str], rows: Iterable[Row]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(csv_row(names))
    writer.writerows(map(csv_row, rows))


def csv_row(row: Row) -> list[object]:
    """The row for a CSV writer: no formula, no control character."""
    return [
        value if type(value) in _AS_THEY_ARE else csv_cell(value if type(value) is str else _text(value))
        for value in row
    ]


def _print_json(names: Sequence[str], rows: Iterable[Row]) -> None:
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InvalidOption(
            f"several columns are named {', '.join(map(repr, repeated))}, which JSON cannot hold: "
            "rename them with AS"
        )
    encode = json_encoder(_text).encode
    before = "[\n "
    for row in rows:
        record = dict(zip(names, row, strict=True))
        try:
            text = encode(record)
        except (TypeError, ValueError):
            text = encode(_for_json(record))
        sys.stdout.write(before + escape_json(text))
        before = ",\n "
    sys.stdout.write("[]\n" if before.startswith("[") else "\n]\n")


def _print_table(names: Sequence[str], rows: Iterable[Row], form: TableForm) -> None:
    """Print a table, or its rows one column below the other where they are too long for one line."""
    from rich.table import Table

    names = [on_one_line(name) for name in names]
    rest = iter(rows)
    are_numbers = [True] * len(names)
    printed: list[list[str]] = []
    characters = 0
    for row in islice(rest, form.rows):
        are_numbers = [all_ and _is_number(value) for all_, value in zip(are_numbers, row, strict=True)]
        printed.append([_format_cell(value) for value in row])
        characters += sum(map(len, printed[-1]))
        if characters >= _TABLE_CHARACTERS:
            break
    widths = [max(map(_width, column)) for column in zip(names, *printed, strict=True)]
    width = sum(widths) + 3 * len(widths) + 1
    console = Terminal()
    fits = width <= (console.width if console.is_terminal else max(console.width, _LONGEST_LINE))
    if fits:
        table = Table()
        for name, is_number in zip(names, are_numbers, strict=True):
            table.add_column(name, justify="right" if is_number else "left", no_wrap=True)
        for cells in printed:
            table.add_row(*cells)
        Terminal(width=max(console.width, width)).print(table)
    else:
        _print_records(console, names, printed)
    remedy = "" if fits or len(names) == 1 or not form.fewer_columns else f"; {form.fewer_columns}"
    if next(rest, None) is None:
        console.print(f"{count(len(printed), 'row')}{remedy}", soft_wrap=True)
    else:
        # What is counted is read again or to its end, which takes time: the table should be there before.
        sys.stdout.flush()
        total = _count_rows(len(printed), rest, form)
        console.print(f"the first {len(printed):,} of {total}: {form.more_rows}{remedy}", soft_wrap=True)


def _count_rows(n_printed: int, rest: Iterator[Row], form: TableForm) -> str:
    """How many rows there are, in words; `more than` if counting them takes too long."""
    if form.count_all is None:
        # One row more was read to know that the table is cut.
        return count(n_printed + 1 + sum(1 for _ in rest), "row")
    try:
        return count(form.count_all(), "row")
    except (QueryFailed, QueryTimedOut):
        return f"more than {count(n_printed, 'row')}"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) or value is None


def _print_records(console: Terminal, names: Sequence[str], printed: list[list[str]]) -> None:
    longest = max(map(cell_len, names))
    for number, cells in enumerate(printed, start=1):
        console.rule(f"row {number}", align="left")
        for name, cell in zip(names, cells, strict=True):
            console.print(f"{name:<{longest}}  {cell}", soft_wrap=True)


def _width(text: str) -> int:
    return max(map(cell_len, text.split("\n")))


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return printable(_text(value)).replace("\t", "\\t")


def figure(row: Mapping[str, Any], name: str) -> str:
    """A figure of a leaderboard's row, with its interval if it has one."""
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if value is None:
        return "undefined"
    return f"{value:z.3f}" if low is None or high is None else f"{value:z.3f} [{low:z.3f}, {high:z.3f}]"


def _text(value: object) -> str:
    """The value as text that shows its type; lists and structures as JSON."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return _bytes_text(value)
    if isinstance(value, list | tuple | dict):
        return json.dumps(_for_json(value), ensure_ascii=False, default=_text)
    return str(value)


def _for_json(value: object) -> Any:
    """Replace what JSON lacks: NaN and infinities by null, keys by their text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_for_json(part) for part in value]
    if isinstance(value, dict):
        return {_text(key): _for_json(part) for key, part in value.items()}
    return value


def _bytes_text(value: bytes) -> str:
    r"""Write bytes as DuckDB writes a BLOB: printable ASCII, and `\xNN` for the rest."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02X}" for byte in value)
