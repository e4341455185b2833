"""Mappings from numbers to words as text: the pairs that it holds, strictly and loosely."""

import re
from functools import cache

from perennial.tasks.beyondbench.forms.lines import find_last_lines, flatten_tables

Pairs = dict[str, str]

MAX_TEXT = 20_000
_GROUP = re.compile(r"\{([^{}]{1,20000})\}")
_KEY = r"[\"']?(?:vertex|node|variable|var|v|x)?[ _]?(\d{1,4})[\"']?"
_ESCAPED_BRACE = re.compile(r"\\([{}])")
_INDEX = re.compile(r"_ ?\{ ?(\d{1,4}) ?\}")


def read_pairs(text: str, value: str) -> Pairs | None:
    """Return the pairs of `{0: value, 1: value}`, a text in exactly that format, else None."""
    if len(text) > MAX_TEXT or text[:1] != "{" or text[-1:] != "}":
        return None
    return _pairs(text[1:-1].split(","), _exact(value))


def read_pairs_loosely(text: str, value: str) -> Pairs | None:
    """Return the pairs of a text that holds nothing else: JSON, Python, equations, a line each."""
    text = _INDEX.sub(r"\1", _ESCAPED_BRACE.sub(r"\1", flatten_tables(text))).strip()
    if text[:1] in ("{", "[", "(") and text[-1:] in ("}", "]", ")"):
        text = text[1:-1]
    if len(text) > MAX_TEXT:
        return None
    pieces = (" ".join(piece.split()) for piece in re.split(r"[,;\n]", text))
    return _pairs([piece for piece in pieces if piece], _loose(value))


def find_last_pairs(text: str, value: str) -> Pairs | None:
    """Return the pairs of the last braces that hold pairs, else of the last lines that do."""
    for group in reversed(_GROUP.findall(_ESCAPED_BRACE.sub(r"\1", text))):
        if (pairs := read_pairs_loosely(group, value)) is not None:
            return pairs
    return find_last_lines(flatten_tables(text), lambda lines: read_pairs_loosely(lines, value))


def _pairs(pieces: list[str], pattern: re.Pattern[str]) -> Pairs | None:
    """Return the pairs, None where a piece is none or a key has two values."""
    pairs: Pairs = {}
    for piece in pieces:
        found = pattern.fullmatch(piece)
        if not found or pairs.setdefault(str(int(found[1])), found[2]) != found[2]:
            return None
    return pairs or None


@cache
def _exact(value: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(\d{{1,4}}): *{value}\s*")


@cache
def _loose(value: str) -> re.Pattern[str]:
    quoted = value.replace('"', "[\"']?")
    return re.compile(rf"(?:[-*•] )?{_KEY} ?(?::|=|->|→|=>|is) ?[\"']?{quoted}[\"']?\.?", re.IGNORECASE)
