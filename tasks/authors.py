"""What calls of authors have in common, whatever the benchmark: how they are put together, and read."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from perennial.prompts.render import render, template_hash
from perennial.schemas.errors import EndpointFailed, shorten
from perennial.schemas.model_calls import Message, ModelChoice, ModelRequest, Reply, Role
from perennial.schemas.text import unfit_part

if TYPE_CHECKING:
    from pydantic import ValidationError


# Whether an author's reply can be used at all, or why not.


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
    """Why a reply's status alone makes it unusable, None for a text to read.

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

    A rule that has no words for the operator is described by the first of its messages.
    """
    causes: dict[str, str] = {}
    counted: Counter[str] = Counter()
    for rule, message in refusals:
        counted[rule] += 1
        causes.setdefault(rule, _CAUSES.get(rule, message))
    listed = [f"{number} x {causes[rule]}" for rule, number in counted.most_common(most)]
    more = [f"and {len(counted) - most} other causes"] if len(counted) > most else []
    return "; ".join((*listed, *more))


def describe_problems(error: "ValidationError", most: int) -> str:
    """In one line where a reply is not of the form asked for; beyond `most` places only how many."""
    problems = error.errors(include_url=False, include_input=False)
    lines = []
    for problem in problems[:most]:
        path = ".".join(str(part) for part in problem["loc"]) or "the document"
        if unfit_part(path):  # another author may read why this one was refused
            path = "a key"
        text = problem["msg"].removeprefix("Value error, ")
        lines.append(f"{shorten(path)}: {text[:1].lower()}{text[1:]}")
    more = f"; and {len(problems) - most} more" if len(problems) > most else ""
    return "; ".join(lines) + more


# Ask a model until a reply can be used: the one loop of authors, judges and readers, whatever the benchmark.
#
# Each repeat says what was wrong with the reply before. Which requests are made depends on the replies alone,
# so the same call on the same ledger makes the same requests and pays for none twice.


Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class BadReply:
    """A reply that could not be used, and why."""

    reply: Reply
    problem: Unusable


@dataclass(frozen=True, slots=True)
class Asked(Generic[Value]):
    """What the last reply was read as, None where no reply could be used; all calls, and the bad replies."""

    value: Value | None
    call_ids: tuple[str, ...]
    bad: tuple[BadReply, ...]

    @property
    def problem(self) -> Unusable | None:
        """What was wrong with the last reply, None where it could be used."""
        return self.bad[-1].problem if self.value is None else None


async def ask_until_read(
    ask: Callable[[ModelRequest], Awaitable[Reply]],
    make_request: Callable[[int, BadReply | None], ModelRequest],
    read: Callable[[Reply], Awaitable[Value | Unusable]],
    attempts: int,
) -> Asked[Value]:
    """What comes of asking up to `attempts` times, 1 or more.

    `make_request` gets the number of the attempt, from 0, and the bad reply before it. `read` may
    make calls of its own to judge a reply. A problem that is final ends the asking. Raises what `ask` and
    `read` raise: EndpointFailed where a call failed without an answer.
    """
    call_ids: list[str] = []
    bad: list[BadReply] = []
    for attempt in range(attempts):
        reply = await ask(make_request(attempt, bad[-1] if bad else None))
        call_ids.append(reply.call_id)
        value = await read(reply)
        if not isinstance(value, Unusable):
            return Asked(value, tuple(call_ids), tuple(bad))
        bad.append(BadReply(reply, value))
        if value.is_final:
            break
    return Asked(None, tuple(call_ids), tuple(bad))


# How an author's call is put together from templates.


def author_request(
    role: Role, author: ModelChoice, system: str, template: str, repeat: int, /, **values: object
) -> ModelRequest:
    """An author's call: two templates, the second filled with the values."""
    messages = (message("system", system), message("user", template, **values))
    return conversation_request(role, author, messages, template, repeat)


def conversation_request(
    role: Role, author: ModelChoice, messages: Sequence[Message], template: str, repeat: int
) -> ModelRequest:
    """The call that sends these messages; `template` is that of the last one, which asks."""
    return ModelRequest(
        role=role,
        model=author.model,
        messages=tuple(messages),
        params=dict(author.params),
        template=template,
        template_hash=template_hash(template),
        repeat=repeat,
    )


def message(role: str, template: str, /, **values: object) -> Message:
    """A rendered message in the OpenAI chat form."""
    return {"role": role, "content": render(template, **values).strip("\n")}
