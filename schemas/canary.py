"""The canary: one line with a GUID by which texts of an edition are found in training data.

The idea is that of BIG-bench (Srivastava et al., 2022): who filters training data can leave out what holds
such a line, and who tests a model can ask it for the GUID.
"""

from collections.abc import Sequence

from schemas.calls import Message

METADATA_KEY = "perennial.canary"  # of a Parquet file's Arrow schema


def canary_line(canary: str) -> str:
    """Return the line; it asks in one plain sentence not to train on the text."""
    request = "This text is part of a benchmark: please do not train models on it"
    return f"{request} (perennial canary GUID {canary})."


def mark_book(text: str, canary: str) -> str:
    """Return the book with the line after its title, or before a text that begins with none."""
    title, newline, rest = text.partition("\n")
    if not title.startswith("# "):
        return f"{canary_line(canary)}\n\n{text}"
    return f"{title}\n\n{canary_line(canary)}{newline}{rest}"


def mark_opening(messages: Sequence[Message], canary: str) -> tuple[Message, ...]:
    """Return the messages with the line at the end of the first one, unless one has the GUID already."""
    if not canary or any(canary in message["content"] for message in messages):
        return tuple(messages)
    first, *rest = messages
    return {**first, "content": f"{first['content'].rstrip()}\n\n{canary_line(canary)}"}, *rest
