"""Text of data as it may be printed: on a terminal, in CSV and in JSON.

Names, replies and books come from models and from files of others. Printed as they are they could clear the
screen, hide text, pass for our markup, or run as a formula in a spreadsheet.
"""

import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from rich.console import Console
from rich.text import Text

# What a spreadsheet takes for the beginning of a formula; of the signs, in their wide form too.
_FORMULA = frozenset(("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"))
_MARKUP = re.compile(r"([!-/:-@\[-`{-~])")


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
        """Return the text for printing; all strings pass here, those in tables and titles too."""
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
    """Return the text with all that could steer a terminal or hide in it written as escapes.

    Line breaks, tabs and spaces of any kind stay.
    """
    if text.isprintable():
        return text
    return "".join(char if _is_plain(char) else char.encode("unicode_escape").decode() for char in text)


def on_one_line(text: str) -> str:
    """Return the text as `printable` does, with line breaks and tabs escaped as well."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def escape_markdown(text: str) -> str:
    """Return the text so that Markdown shows it as it is: on one line, each sign of its syntax escaped."""
    return _MARKUP.sub(r"\\\1", on_one_line(text))


def csv_cell(text: str) -> str:
    """Return the text as `printable` does, with `'` before what a spreadsheet would run as a formula."""
    if text[:1] in _FORMULA and not _is_number(text):
        text = "'" + text
    return text if text.isprintable() else printable(text)


def json_text(value: object) -> str:
    """Return the value as JSON: non-ASCII text stays readable, what `printable` escapes is escaped."""
    return escape_json(json.dumps(value, indent=1, ensure_ascii=not _writes_unicode()))


def escape_json(text: str) -> str:
    """Return the JSON with `\\uXXXX` in place of each character that `printable` escapes."""
    if text.isprintable():
        return text
    return "".join(char if _is_plain(char) else json.dumps(char)[1:-1] for char in text)


def json_encoder(default: Callable[[Any], str]) -> json.JSONEncoder:
    """Return what encodes rows: it raises ValueError for NaN and infinities, which JSON does not have."""
    return json.JSONEncoder(allow_nan=False, ensure_ascii=not _writes_unicode(), default=default)


def _writes_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


def _is_plain(char: str) -> bool:
    return char.isprintable() or char in "\n\t" or unicodedata.category(char) == "Zs"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    # Python also reads 1_000, and spaces around a number.
    return not set(text) & set("_ \t\r\n")
