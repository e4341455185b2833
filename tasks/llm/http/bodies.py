"""Read the JSON of a body that may be made to exhaust its reader."""

import json
from typing import Any

# Each list or object takes up to 250 bytes once it is read, for as few as three bytes of text.
_MAX_BRACKETS = 1_000_000
# Python converts no longer number; no count of a reply is as large, and the body is kept as it came.
_MAX_DIGITS = 4_000


class UnreadableBody(Exception):
    """A body that cannot be read as JSON however often it comes, unlike one that was cut or garbled."""


def read_json(text: str) -> Any:
    """Return what the JSON says, None where the text is none.

    Of a number of more than 4,000 digits these are read. Raises UnreadableBody for JSON that is nested too
    deeply, or has more than a million opening brackets.
    """
    if text.count("[") + text.count("{") > _MAX_BRACKETS:
        raise UnreadableBody(f"the body has more than {_MAX_BRACKETS:,} opening brackets")
    try:
        return _load(text)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        raise UnreadableBody("the body is nested too deeply") from None


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a whole number of more digits than Python converts
        return json.loads(text, parse_int=_parse_int)


def _parse_int(digits: str) -> int:
    return int(digits[:_MAX_DIGITS])
