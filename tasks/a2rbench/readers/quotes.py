"""Whether an answer that a model says it has read stands in the reply, instead of being its own solution."""

import json

# Between two tokens of an answer as replies write it: brackets, quotes, a line break, `row 2:`.
_MOST_BETWEEN = 40


def is_quoted(answer: str, reply: str) -> bool:
    """Return whether all tokens of the answer (JSON) stand in the reply, in order and near each other.

    At most 40 characters are between two of them; how they are separated or bracketed does not matter. The
    first one begins and the last one ends no longer word. An answer without tokens must stand in the reply
    as JSON.
    """
    tokens = list(_tokens_of(json.loads(answer)))
    if not tokens:
        return answer in "".join(reply.split())
    first, *others = tokens
    ends = [end for end in _ends_of(first, reply) if _is_border(reply, end - len(first))]
    for token in others:
        ends = _continue_from(ends, token, reply)
    return any(_is_border(reply, end) for end in ends)


def _tokens_of(value: object) -> list[str]:
    if isinstance(value, list):
        return [token for part in value for token in _tokens_of(part)]
    if isinstance(value, dict):
        return [token for key, part in value.items() for token in (key, *_tokens_of(part))]
    return [value] if isinstance(value, str) else [json.dumps(value)]


def _ends_of(token: str, reply: str) -> list[int]:
    """Return where the token ends in the reply, wherever it stands, in order."""
    found, place = [], reply.find(token)
    while place >= 0:
        found.append(place + len(token))
        place = reply.find(token, place + 1)
    return found


def _continue_from(ends: list[int], token: str, reply: str) -> list[int]:
    """Return where the token ends, of those places at which it follows one of the ends closely."""
    found, at = [], 0
    for end in _ends_of(token, reply):
        start = end - len(token)
        while at < len(ends) and ends[at] < start - _MOST_BETWEEN:
            at += 1
        if at < len(ends) and ends[at] <= start:
            found.append(end)
    return found


def _is_border(text: str, place: int) -> bool:
    """Return whether no word of letters and digits goes on at this place."""
    return not (0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum())
