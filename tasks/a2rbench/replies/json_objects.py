"""Find the JSON objects with a key in a text, in time that is linear in the text's length.

Objects are looked for from left to right, and what is inside one that was read is not looked at again.
An object that begins and is none is scanned once: what closed within it is read from that scan, and what
did not close fails where it failed. A brace within one of its strings may begin another scan; of two scans
that go on at one place one is in a string there and the other is not, so no character is met a third time.
"""

import json
import re
import sys
from dataclasses import dataclass, field
from math import isinf
from typing import Any, NamedTuple

# What is nested deeper is no answer, and Python reads it only as deep as its own stack allows.
MOST_NESTED = 400

_STRING = r'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"'
_BLANKS = r"[ \t\n\r]*+"
_KEY = re.compile(rf"{_BLANKS}(?:{_STRING}{_BLANKS}:|(\}}))")
_VALUE = re.compile(
    rf"{_BLANKS}(?:([{{\[\]])|{_STRING}|-?(0|[1-9][0-9]*+)((?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+)"
    r"|true|false|null)"
)
_AFTER = re.compile(rf"{_BLANKS}([,\]}}])")
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


@dataclass(slots=True)
class _Opened:
    """A list or an object that is not closed yet; one that is unfit closes, but can be no answer."""

    start: int
    keys: set[str] | None
    nested: int = 1
    is_unfit: bool = False


@dataclass(slots=True)
class _Scans:
    """What is known of each brace that was met outside of strings: None where no object begins there."""

    text: str
    ends: dict[int, int | None] = field(default_factory=dict)
    keys: dict[int, set[str]] = field(default_factory=dict)


class FoundObject(NamedTuple):
    """An outermost JSON object and its place in the text."""

    start: int
    end: int
    value: dict[str, Any]


def objects_with(key: str, text: str) -> list[FoundObject]:
    """Return the outermost JSON objects that have the key, from left to right.

    No JSON here are NaN and infinities, one key twice, whole numbers that Python refuses, half of a surrogate
    pair, and what is nested deeper than MOST_NESTED.
    """
    scans, found, place = _Scans(text), [], text.find("{")
    while place >= 0:
        if place not in scans.ends:
            _scan(scans, place)
        end = scans.ends[place]
        if end is not None and key in scans.keys[place]:
            found.append(FoundObject(place, end, json.loads(text[place:end])))
        place = text.find("{", place + 1 if end is None else end)
    return found


def _scan(scans: _Scans, start: int) -> None:
    """Note what begins at a brace and at those within; stop where it ends or is no JSON."""
    text, place, opened = scans.text, start + 1, [_Opened(start, set())]
    scans.ends[start] = None
    wanted, may_close = _KEY, True
    while found := wanted.match(text, place):
        inner, place = opened[-1], found.end()
        if wanted is _AFTER:
            if found[1] == ",":
                wanted, may_close = _VALUE if inner.keys is None else _KEY, False
                continue
            if (found[1] == "]") != (inner.keys is None):
                return
        elif wanted is _KEY:
            if inner.keys is not None and found[2] is None:
                name = _read_text(found[1], inner)
                if name in inner.keys:
                    return
                inner.keys.add(name)
                wanted, may_close = _VALUE, False
                continue
            if not may_close:
                return
        elif found[1] == "{" or found[1] == "[":
            is_object = found[1] == "{"
            opened.append(_Opened(place - 1, set() if is_object else None))
            if is_object:
                scans.ends[place - 1] = None
            wanted, may_close = _KEY if is_object else _VALUE, True
            continue
        elif found[1] is None:
            if not _takes_scalar(found, inner):
                return
            wanted = _AFTER
            continue
        elif inner.keys is not None or not may_close:
            return
        opened.pop()
        if inner.keys is not None:
            is_fit = not inner.is_unfit and inner.nested <= MOST_NESTED
            scans.ends[inner.start], scans.keys[inner.start] = place if is_fit else None, inner.keys
        if not opened:
            return
        opened[-1].nested = max(opened[-1].nested, inner.nested + 1)
        opened[-1].is_unfit |= inner.is_unfit
        wanted = _AFTER


def _takes_scalar(match: re.Match[str], inner: _Opened) -> bool:
    """Return whether a text, number or word is JSON, and mark what holds it where that can be no answer."""
    if match[2] is not None:
        _read_text(match[2], inner)
    elif match[4]:
        inner.is_unfit |= isinf(float(match[0]))
    elif match[3]:
        return not 0 < sys.get_int_max_str_digits() < len(match[3])
    return True


def _read_text(written: str, inner: _Opened) -> str:
    """Return the text that was written between quotes, and mark what holds half of a character."""
    text: str = json.loads(f'"{written}"') if "\\" in written else written
    if _HALF_CHARACTER.search(written):
        try:
            text.encode()
        except UnicodeEncodeError:
            inner.is_unfit = True
    return text
