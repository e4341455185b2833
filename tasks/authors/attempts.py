"""Ask a model until a reply can be used: the one loop of authors, judges and readers, whatever the benchmark.

Each repeat says what was wrong with the reply before. Which requests are made depends on the replies alone,
so the same call on the same ledger makes the same requests and pays for none twice.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from perennial.schemas.model_calls.calls import ModelRequest, Reply
from perennial.tasks.authors.reply import Unusable

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
    """Return what comes of asking up to `attempts` times, 1 or more.

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
