"""An error names a model as unknown where the endpoint answers 400 or 500 and does not list it."""

import asyncio

import pytest

from perennial.schemas.errors import EndpointFailed
from tests.llm.http_double import against, fault, ok, request

LITELLM = fault(400, "Invalid model name passed in model=gpt-4.1-mni")
SERVE = fault(500, "gpt-4.1-mni is not a local folder and is not a valid model identifier")


@pytest.mark.parametrize(("answer", "requests"), [(LITELLM, 1), (SERVE, 2)])
def test_a_failed_call_of_a_model_that_is_not_listed_says_so_and_stops_the_model(answer, requests):
    async def test(server, asker):
        server.listed = ("gpt-4.1", "gpt-4.1-mini", "o3", "o4", "o5")
        with pytest.raises(EndpointFailed, match="is not known there") as failed:
            await asker.ask(request(model="gpt-4.1-mni"))
        told = "the endpoint does not list 'gpt-4.1-mni' among its 5 models: gpt-4.1-mini, gpt-4.1, "
        assert told in str(failed.value)
        assert "\n" not in str(failed.value)
        with pytest.raises(EndpointFailed):
            await asker.ask(request(repeat=1, model="gpt-4.1-mni"))
        assert (len(server.seen), server.look_ups) == (requests, 1)

    against(answer, test=test, max_attempts=2)


@pytest.mark.parametrize(
    ("model", "listed"), [("m", ("m", "n")), ("llama3.2", ("llama3.2:latest",)), ("m", None)]
)
def test_a_failed_call_of_a_listed_model_or_without_a_list_stays_what_it_is(model, listed):
    async def test(server, asker):
        server.listed = listed
        reply = await asker.ask(request(model=model))
        assert (reply.status, reply.error) == ("rejected", "HTTP 400: bad")

    against(fault(400), test=test)


def test_a_model_that_has_answered_before_is_known_though_it_is_not_listed():
    answers = iter([ok()])

    async def test(server, asker):
        server.listed = ("other",)
        assert (await asker.ask(request())).status == "ok"
        reply = await asker.ask(request(repeat=1))
        assert (reply.status, reply.error, server.look_ups) == ("rejected", "HTTP 400: bad", 0)

    against(test=test, by=lambda _seen: next(answers, fault(400)))


def test_the_endpoint_is_looked_up_once_for_many_calls():
    async def test(server, asker):
        server.listed = ("m",)
        replies = await asyncio.gather(*(asker.ask(request(repeat=n)) for n in range(4)))
        assert [reply.status for reply in replies] == ["rejected"] * 4
        assert server.look_ups == 1

    against(fault(400), test=test)
