"""Whether an author's reply can be used at all, or why not."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemas.errors import EndpointFailed, shorten
from schemas.model_calls.calls import Reply

if TYPE_CHECKING:
    from pydantic import ValidationError

_STATUS_MESSAGES = {
    "truncated": "the reply was cut off at the length limit; be brief, or allow more tokens (max_tokens)",
    "refused": "the model refused to answer; expected a reply to the whole prompt",
    "empty": "the reply was empty; expected an answer",
}


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a reply cannot be used: the rule that it broke, and what was expected, in one line.

    `is_final`: asking again makes no sense, as where the endpoint refuses the request itself.
    """

    rule: str
    message: str
    is_final: bool = False


def unusable_status(reply: Reply) -> Unusable | None:
    """Return why a reply's status alone makes it unusable, None for a text to read.

    The rule is the status: truncated, refused, empty, or rejected by the endpoint. Raises EndpointFailed
    where the call failed without an answer: a later run may get one.
    """
    if reply.status == "ok":
        return None
    if reply.status in ("rejected", "overflow"):
        why = f"the endpoint refuses the request: {reply.error or 'no reason given'}"
        return Unusable("rejected", why, is_final=True)
    if not reply.answered:
        raise EndpointFailed(reply.error or f"call {reply.call_id} failed ({reply.status}); run again later")
    return Unusable(reply.status, _STATUS_MESSAGES[reply.status])


def describe_problems(error: "ValidationError", most: int) -> str:
    """Return in one line where a reply is not of the form asked for; beyond `most` places only how many."""
    problems = error.errors(include_url=False, include_input=False)
    shown = []
    for problem in problems[:most]:
        place = ".".join(str(part) for part in problem["loc"]) or "the document"
        text = problem["msg"].removeprefix("Value error, ")
        shown.append(f"{shorten(place)}: {text[:1].lower()}{text[1:]}")
    more = f"; and {len(problems) - most} more" if len(problems) > most else ""
    return "; ".join(shown) + more
