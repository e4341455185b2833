"""Read a line of a batch's files: what a call of its own would have received.

The lines are untrusted text, in any order. A line that cannot be read counts for the call whose id it begins
with, if it is one of ours: what was paid for and came broken is a failed call, not a missing one.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from perennial.schemas.errors import count
from perennial.tasks.llm.retry_policy import Received
from perennial.tasks.llm.server_batches.forms import OutputLine, ServerBatch, read_form

# Where servers write the id of a line: before what may be long.
_ID = re.compile(r'"custom_id"\s*:\s*"([^"\\]{1,200})"')
_HEAD = 1_000


@dataclass(slots=True)
class LineCounts:
    """Lines that are dropped: they cannot be read, name no call of the batch, or one that had a line."""

    unreadable: int = 0
    unknown: int = 0
    duplicate: int = 0

    def add(self, other: "LineCounts") -> None:
        """Count the lines of another file too."""
        self.unreadable += other.unreadable
        self.unknown += other.unknown
        self.duplicate += other.duplicate

    def describe(self) -> str:
        """Return them in words, "" where there were none."""
        parts = (
            (self.unreadable, " that cannot be read"),
            (self.unknown, " with an unknown custom_id"),
            (self.duplicate, " that came again"),
        )
        return ", ".join(count(number, "line") + tail for number, tail in parts if number)


@dataclass(frozen=True, slots=True)
class Line:
    """What a line gave: to which call, None where it names none."""

    call_id: str | None
    received: Received


def read_line(line: bytes, is_cut: bool, max_line_bytes: int, batch: ServerBatch) -> Line:
    """Return what a line of a batch gives to the call that it names; `is_cut`: it is only its beginning."""
    text = line.decode("utf-8", "replace")
    if is_cut:
        why = f"is longer than {max_line_bytes / 1e6:g} MB, the limit that max_reply_mb (--max-reply-mb) sets"
        received = Received(200, text[:_HEAD], batch.seconds, why_cut=why, batch_id=batch.id)
        return Line(_find_id(text), received)
    read = read_form(OutputLine, text)
    if read is None:
        return Line(_find_id(text), Received(200, text, batch.seconds, batch_id=batch.id))
    if read.response is not None:
        body = _as_text(read.response.body)
        return Line(
            read.custom_id, Received(read.response.status_code, body, batch.seconds, batch_id=batch.id)
        )
    said = read.error and (read.error.message or read.error.code)
    problem = f"batch {batch.id} gave no answer to the call: {said or 'no reason given'}"
    return Line(read.custom_id, Received(None, text, batch.seconds, problem, batch_id=batch.id))


def _as_text(body: Any) -> str:
    """Return a body as a response of its own would have had it."""
    try:
        return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    except RecursionError:
        return ""


def _find_id(text: str) -> str | None:
    """Return the id that an unreadable line begins with."""
    found = _ID.search(text[:_HEAD])
    return None if found is None else found[1]
