"""Which values may pass between worker and parent: JSON of exact types, bounded in depth; for both sides."""

import json


def check_value(value: object, depth: int) -> str:
    """Why a value may not pass, "" if it may: exact types, no floats, no nulls, no surrogates."""
    kind = type(value)
    if kind is str:
        assert isinstance(value, str)
        return (
            ""
            if value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)
            else "a lone surrogate"
        )
    if kind is int or kind is bool:
        return ""
    if kind is not list and kind is not dict:
        return f"a value of type {str(kind.__name__)[:40]}: expected text, integers, booleans, lists, objects"
    if depth <= 0:
        return "a value that is nested too deeply"
    parts: list[object] = []
    if isinstance(value, dict):
        for key in value:
            if type(key) is not str:
                return "an object with a key that is no text"
            parts.append(key)
        parts.extend(value.values())
    elif isinstance(value, list):
        parts.extend(value)
    for part in parts:
        fault = check_value(part, depth - 1)
        if fault:
            return fault
    return ""


def dump(value: object) -> bytes:
    """Write the value as one line of JSON."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def load(line: bytes) -> object:
    """The value of a line of JSON; raise ValueError for anything else, NaN included."""
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None
