"""Values at a place of a reply, as models write them: JSON5, curly quotes, tokens without quotes.

pyjson5 reads JSON5 in C, in linear time, and refuses what it cannot read: nothing is repaired.
"""

import re
from typing import Any, NamedTuple

import pyjson5

from perennial.schemas.ids import canonical_json

# Of a value in characters; a longer one is not read. An input has at most 400 tokens of 12 characters.
LONGEST = 20_000
_MOST_NESTED = 100

_COMMAND = r"\\(?:boxed|fbox|text|texttt|mathrm|mathtt) ?\{"
_BEFORE = re.compile(
    rf"(?:[\s*_`$]|\\\(|\\\[(?=\s|\\|\[)|```[a-zA-Z0-9]{{0,10}}\n|{_COMMAND}){{0,20}}",
)
_PIECE = re.compile(
    r'"(?:[^"\\]|\\.)*+"|'
    r"'(?:[^'\\]|\\.)*+'|\u201c[^\u201d]*+\u201d|[\[\]{}]|[^\[\]{}\"'\u201c]++",
    re.DOTALL,
)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"|\'((?:[^\'\\]|\\.)*+)\'|\u201c([^\u201d]*+)\u201d', re.DOTALL)
_NOTHING = re.compile(r"(?:null|None)\b")
_BARE = re.compile(r"\s*+([\[\],]|[^\[\],\s]++)")
_CURLY = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})
_BOX = re.compile(_COMMAND)
_IN_BOX = re.compile(r"([^{}\n]{1,2000}+)\}")
_MATRIX = re.compile(
    r"\s*+\\begin\{([a-z]{0,6}matrix|array)\}(?:\{[clr|]{1,40}\})?"
    r"((?:[^{}\\]|\\(?!end)){1,5000}+)\\end\{\1\}\s*+\}"
)
_QUOTES = "\"'\u201c\u201d\u2018\u2019"


class FoundValue(NamedTuple):
    """A value and where it ends; `is_bare`: a text without brackets or quotes, in a box."""

    value: Any
    end: int
    is_bare: bool = False


def decode(text: str) -> Any | None:
    """Return the value that a text is as JSON5, or as lists of tokens without quotes; else None."""
    if not any(quote in text for quote in _QUOTES) and text.startswith("["):
        return _read_bare(text)
    for written in (text, text.translate(_CURLY)):
        try:
            value = pyjson5.decode(written, maxdepth=_MOST_NESTED)
        except (pyjson5.Json5Exception, ValueError, OverflowError):
            continue
        return value if _is_json(value) else None
    return None


def read_value(text: str, place: int) -> FoundValue | None:
    """Return the value that begins at this place, behind blanks, emphasis, a fence or a box; else None."""
    before = _BEFORE.match(text, place)
    assert before is not None
    begun = before.end()
    sign = text[begun : begun + 1]
    if sign and sign in "[{":
        end = _find_end(text, begun)
        value = None if end is None else decode(text[begun:end])
        return None if value is None or end is None else FoundValue(value, end)
    if sign and sign in "\"'\u201c":
        found = _STRING.match(text, begun, begun + LONGEST)
        if found is None:
            return None
        value = decode(found[0])
        # A line break within quotes is no JSON5.
        raw = next(group for group in found.groups() if group is not None)
        return FoundValue(value if isinstance(value, str) else raw, found.end())
    if nothing := _NOTHING.match(text, begun):
        return FoundValue(None, nothing.end())
    if _BOX.search(before[0]) and (inside := _IN_BOX.match(text, begun)):
        return FoundValue(inside[1], inside.end(), True)
    return None


def read_matrix(text: str, begun: int) -> FoundValue | None:
    """Return the rows of a matrix of LaTeX that begins at this place, as lines; None for another text."""
    found = _MATRIX.match(text, begun)
    if found is None:
        return None
    rows = found[2].replace("\\\\", "\n").replace("&", " ")
    return FoundValue(rows, found.end(), True)


def _find_end(text: str, begun: int) -> int | None:
    """Return where the bracket at this place is closed; None where it is not, or a quotation is not."""
    depth, place, last = 0, begun, min(len(text), begun + LONGEST)
    while piece := _PIECE.match(text, place, last):
        place = piece.end()
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(piece[0], 0)
        if not depth:
            return place
        if depth > _MOST_NESTED:
            return None
    return None


def _read_bare(text: str) -> Any | None:
    """Return lists of tokens without quotes, with or without commas between them; None for another text."""
    root: list[Any] = []
    opened, place = [root], 0
    while piece := _BARE.match(text, place):
        place, token = piece.end(), piece[1]
        if token == "[":
            inner: list[Any] = []
            opened[-1].append(inner)
            opened.append(inner)
        elif token == "]":
            opened.pop()
            if not opened:
                return None
        elif token != ",":
            opened[-1].append(token)
        if len(opened) == 1 and text[place:].strip():
            return None
    return root[0] if len(opened) == 1 and len(root) == 1 else None


def _is_json(value: Any) -> bool:
    """Return whether the value is JSON: no infinity, no half of a character, no number without bound."""
    try:
        canonical_json(value).encode()
    except (ValueError, TypeError, RecursionError):
        return False
    return True
