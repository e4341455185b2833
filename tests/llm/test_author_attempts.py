"""The loop of all authors: ask, read, and ask again with what was wrong."""

import asyncio

import pytest

from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.tasks.authors import Asked, BadReply, Unusable, ask_until_read


def ask(*texts: str, attempts: int = 3) -> tuple[Asked[bool], list[ModelRequest]]:
    """Return what comes of these replies: `yes` and `no` can be used, `never` is final."""
    requests: list[ModelRequest] = []

    async def answer(request: ModelRequest) -> Reply:
        requests.append(request)
        return Reply(request.call_id, "ok", texts[len(requests) - 1])

    def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
        text = f"{bad.reply.content}: {bad.problem.message}" if bad else "first"
        return ModelRequest("judge", "m", ({"role": "user", "content": text},), {}, "t", "h", attempt)

    async def read(reply: Reply) -> bool | Unusable:
        if reply.content in ("yes", "no"):
            return reply.content == "yes"
        return Unusable("odd", f"expected yes, after {len(requests)}", is_final=reply.content == "never")

    return asyncio.run(ask_until_read(answer, make_request, read, attempts)), requests


@pytest.mark.parametrize(
    ("texts", "value", "n_calls"),
    [
        (["yes"], True, 1),
        (["no"], False, 1),
        (["hm", "no", "yes"], False, 2),
        (["hm", "oh", "well", "yes"], None, 3),
        (["never", "yes"], None, 1),
    ],
)
def test_asks_until_a_reply_can_be_used(texts: list[str], value: bool | None, n_calls: int) -> None:
    asked, requests = ask(*texts)
    assert asked.value is value
    assert list(asked.call_ids) == [request.call_id for request in requests]
    assert len(set(asked.call_ids)) == n_calls
    assert len(asked.bad) == n_calls - (value is not None)
    assert (asked.problem is None) == (value is not None)


def test_a_repeat_knows_the_reply_before_it_and_what_was_wrong() -> None:
    _, requests = ask("hm", "oh", "yes")
    texts = [request.messages[0]["content"] for request in requests]
    assert texts == ["first", "hm: expected yes, after 1", "oh: expected yes, after 2"]
    assert [request.repeat for request in requests] == [0, 1, 2]
