"""Read JSON from outside: one reader for bodies, files, records and lines, bounded and in linear time."""

import json
import re
from collections import Counter
from itertools import accumulate
from math import isfinite
from typing import Any, NoReturn

from perennial.schemas.errors import UnreadableInput, quote, shorten

MAX_BYTES = 100_000_000
# Whatever is read may be walked by functions that call themselves.
MAX_DEPTH = 100
# Each list or object takes up to 250 bytes once it is read, for as few as three bytes of text.
MAX_BRACKETS = 1_000_000
# Python converts no longer number; no count is as large.
_MAX_DIGITS = 4_000
# Whatever is no bracket, or in a text, whose end may be missing so that no quotation mark is looked at twice.
_NO_BRACKET = re.compile(r'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+"?)++', re.DOTALL)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


class UnreadableJson(UnreadableInput, ValueError):
    """A text that is no JSON, or none that is read; its words are one line without the text."""


class JsonBeyondBounds(UnreadableJson):
    """JSON that is too large or nested too deeply, however often it comes."""


def read_json(
    text: str | bytes, where: str = "", *, max_bytes: int = MAX_BYTES, any_number: bool = False
) -> Any:
    """Read one JSON document; raise UnreadableJson for anything else, JsonBeyondBounds beyond the bounds.

    `where` is what errors begin with.

    `any_number`: as servers write them. Of a number of more than 4,000 digits these are read, and NaN and
    infinity are numbers. Else those are refused, and so are an object with one key twice, and half of a
    surrogate pair, which no file can hold.
    """
    try:
        return _read(text, max_bytes, any_number=any_number)
    except UnreadableJson as error:
        raise type(error)(f"{where}: {error}" if where else str(error)) from None


def _read(text: str | bytes, max_bytes: int, *, any_number: bool) -> Any:
    if len(text) > max_bytes:
        raise JsonBeyondBounds(f"too large, with {len(text):,} bytes: expected {max_bytes:,} at most")
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UnreadableJson(
                f"not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
            ) from None
    if text.startswith("\ufeff"):
        raise UnreadableJson("not JSON: it starts with a byte order mark; save it as UTF-8 without one")
    brackets = text.count("[") + text.count("{")
    if brackets > MAX_BRACKETS:
        raise JsonBeyondBounds(f"too large, with more than {MAX_BRACKETS:,} opening brackets")
    if brackets > MAX_DEPTH:
        _refuse_depth(text)
    hooks = _AS_SERVERS_WRITE if any_number else _STRICTLY
    try:
        value = json.loads(text, **hooks)
        if not any_number and (not text.isascii() or _HALF_PAIR.search(text)):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        character = text[error.pos : error.pos + 1]
        got = f"got {character!r}" if character else "where the text ends, perhaps cut off"
        raise UnreadableJson(f"not JSON: {error}, {got}; give one whole document") from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise UnreadableJson(f"a text holds {half} alone, half of a character; write the whole one") from None
    return value


def _refuse_depth(text: str) -> None:
    depths = accumulate(map(_STEPS.__getitem__, _NO_BRACKET.sub("", text)))
    if max(depths, default=0) > MAX_DEPTH:
        raise JsonBeyondBounds(f"nested too deeply, more than {MAX_DEPTH} levels")


def _refuse_constant(constant: str) -> NoReturn:
    raise UnreadableJson(f"{constant} is not a JSON number; write a finite one")


def _read_float(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise UnreadableJson(f"{shorten(digits)} is too large for a number; write a smaller one")
    return number


def _read_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise UnreadableJson(f"a whole number of over {_MAX_DIGITS:,} digits; write a shorter one")
    return int(digits)


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise UnreadableJson(f"key {quote(key)} occurs twice in one object; keep one of them")
    return value


_STRICTLY: dict[str, Any] = {
    "parse_constant": _refuse_constant,
    "parse_float": _read_float,
    "parse_int": _read_int,
    "object_pairs_hook": _refuse_repeats,
}
_AS_SERVERS_WRITE: dict[str, Any] = {"parse_int": lambda digits: int(digits[:_MAX_DIGITS])}
