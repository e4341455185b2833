"""What a server says of files and batches, as far as it is used: data from outside, of bounded size."""

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, ValidationError

from perennial.schemas.errors import shorten
from perennial.schemas.json_text import JsonBeyondBounds
from perennial.tasks.llm.endpoint import read_body
from perennial.tasks.llm.retry_policy import HttpResult

_ENDED = ("completed", "expired", "cancelled", "failed")
_SHOWN = 3
_WIDTH = 200

_MOST = 10**12

Form = TypeVar("Form", bound=BaseModel)
# It goes into the path of a request: nothing of it may end a segment or begin a query. The beginning keeps
# "." and ".." out.
Id = Annotated[str, StringConstraints(max_length=200, pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._:=+@~-]*$")]
# Azure writes "" where there is no file.
FileId = Annotated[Id | None, BeforeValidator(lambda value: None if value == "" else value)]


class _ServerForm(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class ServerFile(_ServerForm):
    """An uploaded file."""

    id: Id


class _Problem(_ServerForm):
    code: str | None = None
    message: str | None = None


class ServerBatch(_ServerForm):
    """A batch as its server describes it."""

    id: Id
    status: Annotated[str, StringConstraints(max_length=40, pattern=r"^[\w-]+$")]
    output_file_id: FileId = None
    error_file_id: FileId = None
    # Only shown: differences between servers' formats do not matter.
    created_at: Any = None
    completed_at: Any = None
    request_counts: Any = None
    errors: Any = None

    @property
    def has_ended(self) -> bool:
        """Whether nothing more becomes of it."""
        return self.status in _ENDED

    @property
    def done(self) -> int:
        """How many of its requests have an answer or an error, 0 where the server does not say."""
        counts = self.request_counts if isinstance(self.request_counts, dict) else {}
        numbers = (counts.get(name) for name in ("completed", "failed"))
        return sum(count for count in numbers if type(count) is int and 0 < count < _MOST)

    @property
    def seconds(self) -> float:
        """How long it took, 0 where the server does not say."""
        times = self.created_at, self.completed_at
        if any(type(time) not in (int, float) or not 0 < time < _MOST for time in times):
            return 0.0
        return max(0.0, float(self.completed_at - self.created_at))

    def describe_problems(self) -> str:
        """Why the batch failed, in the server's words."""
        texts = [problem.message or problem.code or "no reason given" for problem in self._problems()]
        more = f"; and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
        return "; ".join(shorten(text, _WIDTH) for text in texts[:_SHOWN]) + more or "no reason given"

    @property
    def waits_for_room(self) -> bool:
        """Whether it failed because too much waits at the server: it has room later."""
        return any("limit" in (problem.code or "") for problem in self._problems())

    def _problems(self) -> list[_Problem]:
        listed = self.errors.get("data") if isinstance(self.errors, dict) else None
        problems = (_read_value(_Problem, error) for error in (listed if isinstance(listed, list) else []))
        return [problem for problem in problems if problem is not None]


class ListedBatch(_ServerForm):
    """A batch in a list, as far as it is needed to find one."""

    id: Id
    input_file_id: str | None = None


class BatchPage(_ServerForm):
    """Some of a server's batches, the newest first."""

    data: list[Any]
    has_more: bool = False

    @property
    def batches(self) -> list[ListedBatch]:
        """Those that can be asked for: another one in the list may have an id that no path can hold."""
        return [batch for value in self.data if (batch := _read_value(ListedBatch, value)) is not None]


class _Response(_ServerForm):
    status_code: int
    body: Any = None


class OutputLine(_ServerForm):
    """One line of an output or error file."""

    custom_id: str
    response: _Response | None = None
    error: _Problem | None = None


def read_form(form: type[Form], text: str) -> Form | None:
    """Parse a text of this form; None if it has another one."""
    try:
        return _read_value(form, read_body(text))
    except JsonBeyondBounds:
        return None


def _read_value(form: type[Form], value: Any) -> Form | None:
    try:
        return form.model_validate(value)
    except ValidationError:
        return None


# Read a line of a batch's files: what a call of its own would have received.
#
# The lines are untrusted text, in any order. A line that cannot be read counts for the call whose id it
# begins with, if it is one of ours: what was paid for and came broken is a failed call, not a missing one.

# Where servers write the id of a line: before what may be long.
_ID = re.compile(r'"custom_id"\s*:\s*"([^"\\]{1,200})"')
_HEAD = 1_000


@dataclass(frozen=True, slots=True)
class Line:
    """What a line gave: to which call, None where it names none."""

    call_id: str | None
    received: HttpResult


def read_line(line: bytes, is_cut: bool, max_line_bytes: int, batch: ServerBatch) -> Line:
    """What a line of a batch gives to the call that it names; `is_cut`: it is only its beginning."""
    text = line.decode("utf-8", "replace")
    if is_cut:
        why = f"is longer than {max_line_bytes / 1e6:g} MB, the limit that max_reply_mb (--max-reply-mb) sets"
        received = HttpResult(200, text[:_HEAD], batch.seconds, why_cut=why, batch_id=batch.id)
        return Line(_find_id(text), received)
    read = read_form(OutputLine, text)
    if read is None:
        return Line(_find_id(text), HttpResult(200, text, batch.seconds, batch_id=batch.id))
    if read.response is not None:
        body = _as_text(read.response.body)
        return Line(
            read.custom_id, HttpResult(read.response.status_code, body, batch.seconds, batch_id=batch.id)
        )
    reason = read.error and (read.error.message or read.error.code)
    problem = f"batch {batch.id} gave no answer to the call: {reason or 'no reason given'}"
    return Line(read.custom_id, HttpResult(None, text, batch.seconds, problem, batch_id=batch.id))


def _as_text(body: Any) -> str:
    try:
        return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    except RecursionError:
        return ""


def _find_id(text: str) -> str | None:
    """The id that an unreadable line begins with."""
    match = _ID.search(text[:_HEAD])
    return None if match is None else match[1]
