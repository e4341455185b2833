"""Whether an author's reply can be used at all, or why not."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perennial.schemas.errors import EndpointFailed, shorten
from perennial.schemas.model_calls.calls import Reply

if TYPE_CHECKING:
    from pydantic import ValidationError

_STATUS_MESSAGES = {
    "truncated": "the reply was cut off at the length limit; be brief",
    "refused": "the model refused to answer; expected a reply to the whole prompt",
    "empty": "the reply was empty; expected an answer",
}


# In words for the operator, by rule: what a message asks of the model is of no use to people.
_CAUSES = {
    "truncated": "cut off at the limit of tokens (raise max_output in models.toml)",
    "refused": "the model refused to answer",
    "empty": "an empty reply",
    "not_json": "no JSON document in the reply",
    "too_long": "more text than is read of a reply",
    "long_prompt": "more text than a prompt may have",
    "full_category": "another category than those that are still open",
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


def count_causes(refusals: Iterable[tuple[str, str]], most: int = 3) -> str:
    """Say why replies could not be used, each cause once with its count, by their rules and messages.

    A rule without words for the operator is told by the first of its messages.
    """
    said: dict[str, str] = {}
    counted: Counter[str] = Counter()
    for rule, message in refusals:
        counted[rule] += 1
        said.setdefault(rule, _CAUSES.get(rule, message))
    shown = [f"{number} x {said[rule]}" for rule, number in counted.most_common(most)]
    more = [f"and {len(counted) - most} other causes"] if len(counted) > most else []
    return "; ".join((*shown, *more))


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
