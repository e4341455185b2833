"""A player's reply as a model that reads it is shown it: bounded, between marks that it cannot hold."""

from typing import NamedTuple

from perennial.schemas.ids import content_id

_HEAD, _TAIL = 4_000, 12_000


class Excerpt(NamedTuple):
    """What is shown of a reply, and the word in the marks before and after it."""

    text: str
    mark: str


def excerpt(reply: str) -> Excerpt:
    """Return a reply with its middle left out where it is long: answers are at the end.

    The mark is derived from the reply, so that no reply can hold its own.
    """
    left_out = len(reply) - _HEAD - _TAIL
    if left_out > 0:
        reply = f"{reply[:_HEAD]}\n[... {left_out:,} characters are left out here ...]\n{reply[-_TAIL:]}"
    # Half of a surrogate pair cannot be sent.
    text = reply.encode(errors="replace").decode()
    return Excerpt(text, mark_of(text))


def mark_of(*texts: str) -> str:
    """Return the word in the marks around these texts, which none of them holds."""
    number, mark = 0, content_id("data", texts)
    while any(mark in text for text in texts):
        number += 1
        mark = content_id("data", texts, number)
    return mark
