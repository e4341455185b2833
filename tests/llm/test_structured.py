"""Structured output where the server has it, and a plain request where it has not."""

import asyncio
from dataclasses import dataclass, field

from perennial.schemas.model_calls import CallStatus, ModelRequest, Reply
from perennial.tasks.llm.structured import JsonAsker, SchemaSupport, object_schema, with_schema

SCHEMA = object_schema(name={"type": "string"})


@dataclass
class Server:
    structured: CallStatus
    plain: CallStatus = "ok"
    requests: list[ModelRequest] = field(default_factory=list)

    async def __call__(self, request: ModelRequest) -> Reply:
        self.requests.append(request)
        await asyncio.sleep(0)
        status = self.structured if "response_format" in request.params else self.plain
        return Reply(request.call_id, status)


def question(number: int = 0, model: str = "m") -> ModelRequest:
    messages = ({"role": "user", "content": f"question {number}"},)
    return ModelRequest("checker", model, messages, {"seed": 1}, "t", "h")


def test_the_schema_is_asked_for_strictly_and_beside_the_other_parameters() -> None:
    server = Server("ok")
    reply = asyncio.run(JsonAsker(server)(question(), "answer", SCHEMA))
    assert server.requests == [with_schema(question(), "answer", SCHEMA)]
    assert server.requests[0].params == {
        "seed": 1,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "answer",
                "strict": True,
                "schema": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}},
                    "required": ["name"],
                    "additionalProperties": False,
                },
            },
        },
    }
    assert reply.call_id != question().call_id


def test_one_rejection_is_enough_for_all_requests_of_a_model() -> None:
    server = Server("rejected")

    async def ask_all() -> list[Reply]:
        asker = JsonAsker(server)
        return await asyncio.gather(*(asker(question(i), "answer", SCHEMA) for i in range(8)))

    replies = asyncio.run(ask_all())
    assert [reply.call_id for reply in replies] == [question(i).call_id for i in range(8)]
    assert ["response_format" in request.params for request in server.requests] == [True] + [False] * 8


def test_what_is_known_of_a_server_is_shared_and_holds_for_model_and_schema() -> None:
    server, support = Server("rejected"), SchemaSupport()

    async def ask_in_turn() -> None:
        await JsonAsker(server, support)(question(), "answer", SCHEMA)
        await JsonAsker(server, support)(question(1), "answer", SCHEMA)
        await JsonAsker(server, support)(question(1, model="other"), "answer", SCHEMA)
        await JsonAsker(server, support)(question(1), "another", SCHEMA)

    asyncio.run(ask_in_turn())
    asked = ["response_format" in request.params for request in server.requests]
    assert asked == [True, False, False, True, False, True, False]


def test_a_request_that_is_rejected_in_both_forms_says_nothing_of_the_schema() -> None:
    server = Server("rejected", plain="rejected")

    async def ask_twice() -> Reply:
        asker = JsonAsker(server)
        assert (await asker(question(), "answer", SCHEMA)).status == "rejected"
        server.structured = "ok"
        return await asker(question(1), "answer", SCHEMA)

    assert asyncio.run(ask_twice()).call_id == with_schema(question(1), "answer", SCHEMA).call_id


def test_a_failed_call_is_returned_as_it_is_and_support_stays_open() -> None:
    server = Server("unavailable")

    async def ask_thrice() -> list[CallStatus]:
        asker = JsonAsker(server)
        first = await asker(question(), "answer", SCHEMA)
        server.structured = "rejected"
        second = await asker(question(), "answer", SCHEMA)
        third = await asker(question(), "answer", SCHEMA)
        return [first.status, second.status, third.status]

    assert asyncio.run(ask_thrice()) == ["unavailable", "ok", "ok"]
    asked = ["response_format" in request.params for request in server.requests]
    assert asked == [True, True, False, False]
