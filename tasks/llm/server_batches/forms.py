"""What a server says of files and batches, as far as it is used: data from outside, of bounded size."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from schemas.errors import shorten
from tasks.llm.http.bodies import UnreadableBody, read_json

_ENDED = ("completed", "expired", "cancelled", "failed")
_SHOWN = 3
_WIDTH = 200

Form = TypeVar("Form", bound=BaseModel)
Id = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[!-~]+$")]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class ServerFile(_Form):
    """An uploaded file."""

    id: Id


class _Counts(_Form):
    completed: int = 0
    failed: int = 0


class _Problem(_Form):
    code: str | None = None
    message: str | None = None


class _Problems(_Form):
    data: list[_Problem] | None = None


class ServerBatch(_Form):
    """A batch as its server describes it."""

    id: Id
    status: Annotated[str, StringConstraints(max_length=40, pattern=r"^[\w-]+$")]
    output_file_id: Id | None = None
    error_file_id: Id | None = None
    created_at: float | None = None
    completed_at: float | None = None
    request_counts: _Counts | None = None
    errors: _Problems | None = None

    @property
    def has_ended(self) -> bool:
        """Whether nothing more becomes of it."""
        return self.status in _ENDED

    @property
    def done(self) -> int:
        """How many of its requests have an answer or an error."""
        counts = self.request_counts or _Counts()
        return max(0, counts.completed) + max(0, counts.failed)

    @property
    def seconds(self) -> float:
        """How long it took, 0 where the server does not say."""
        return max(0.0, (self.completed_at or 0.0) - (self.created_at or 0.0)) if self.completed_at else 0.0

    def describe_problems(self) -> str:
        """Return why it failed, in the server's words."""
        problems = (self.errors and self.errors.data) or []
        said = [one.message or one.code or "no reason given" for one in problems]
        more = f"; and {len(said) - _SHOWN} more" if len(said) > _SHOWN else ""
        return "; ".join(shorten(text, _WIDTH) for text in said[:_SHOWN]) + more or "no reason given"

    @property
    def waits_for_room(self) -> bool:
        """Whether it failed because too much waits at the server: it has room later."""
        problems = (self.errors and self.errors.data) or []
        return any("limit" in (one.code or "") for one in problems)


class ListedBatch(_Form):
    """A batch in a list, as far as it is needed to find one."""

    id: Id
    input_file_id: str | None = None


class BatchPage(_Form):
    """Some of a server's batches, the newest first."""

    data: list[ListedBatch]
    has_more: bool = False


class _Response(_Form):
    status_code: int
    body: Any = None


class OutputLine(_Form):
    """One line of an output or error file."""

    custom_id: str
    response: _Response | None = None
    error: _Problem | None = None


def read_form(form: type[Form], text: str) -> Form | None:
    """Return what a text says, None where it is not of the form."""
    try:
        return form.model_validate(read_json(text))
    except (ValidationError, UnreadableBody):
        return None
