"""Whether an answer that a model says it has read stands in the reply, instead of being its own solution.

Sets of places in the reply are whole numbers, a bit a place, so that an answer of thousands of equal tokens
takes no longer than another.
"""

import json
from collections.abc import Iterable
from functools import cache

# Between two tokens of an answer as replies write it: brackets, quotes, a line break, `row 2:`.
MOST_BETWEEN = 40


def is_quoted(answer: str, reply: str) -> bool:
    """Return whether all tokens of the answer (JSON) stand in the reply, in order and near each other.

    At most 40 characters are between two of them; how they are separated or bracketed does not matter. The
    first one begins and the last one ends no longer word. An answer without tokens must stand in the reply
    as JSON.
    """
    tokens = _tokens_of(json.loads(answer))
    if not tokens:
        return answer in "".join(reply.split())
    places = cache(lambda token: _places_of(token, reply))
    borders = _as_bits(place for place in range(len(reply) + 1) if _is_border(reply, place))
    first, *others = tokens
    ends = (places(first) & borders) << len(first)
    for token in others:
        if not ends:
            return False
        ends = (_widen(ends) & places(token)) << len(token)
    return bool(ends & borders)


def _tokens_of(value: object) -> list[str]:
    if isinstance(value, list):
        return [token for part in value for token in _tokens_of(part)]
    if isinstance(value, dict):
        return [token for key, part in value.items() for token in (key, *_tokens_of(part))]
    # An empty token is quoted as it is written.
    return [value or '""'] if isinstance(value, str) else [json.dumps(value)]


def _places_of(token: str, reply: str) -> int:
    """Return the places where the token begins in the reply."""
    found, place = [], reply.find(token)
    while place >= 0:
        found.append(place)
        place = reply.find(token, place + 1)
    return _as_bits(found)


def _as_bits(places: Iterable[int]) -> int:
    """Return a number that has a bit at each of the places."""
    found = list(places)
    bits = bytearray(max(found, default=0) // 8 + 1)
    for place in found:
        bits[place // 8] |= 1 << place % 8
    return int.from_bytes(bits, "little")


def _widen(places: int) -> int:
    """Return the places that are 0 to 40 characters behind one of these."""
    reach = 0
    while reach < MOST_BETWEEN:
        step = min(reach + 1, MOST_BETWEEN - reach)
        places |= places << step
        reach += step
    return places


def _is_border(text: str, place: int) -> bool:
    """Return whether no word of letters and digits goes on at this place."""
    return not (0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum())
