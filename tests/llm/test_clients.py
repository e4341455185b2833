"""Several servers in one run, each with its own key, headers, query and limits."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.errors import InvalidOption, LimitReached
from perennial.schemas.model_calls import ModelRequest, Price, Spent
from perennial.schemas.settings.model_entry import CallPolicy, ModelEntry
from perennial.tasks.llm.clients import ModelClients
from perennial.tasks.llm.endpoint import environment_headers
from perennial.tasks.llm.limits import token_counter
from tests.llm.http_double import FAST, Double, MemoryLedger, double, ok, request, usage

HEADER = "X-Gateway: gw-0123456789\nX-Plain: plain words"


def among(
    entries: Callable[[str], dict[str, ModelEntry]],
    test: Callable[[Double, Double, ModelClients], Awaitable[None]],
    environment: dict[str, str] | None = None,
    ledger: MemoryLedger | None = None,
    prices: dict[str, Price] | None = None,
    **policy: Any,
) -> None:
    """Run the test between the settings' server and another one, whose URL `entries` gets."""

    async def run() -> None:
        async with AsyncExitStack() as stack:
            answer = ok("x", usage=usage(10, 4))
            one, two = [await stack.enter_async_context(double(answer)) for _ in range(2)]
            chosen = CallPolicy(one.url, models=entries(two.url), **policy)
            clients = ModelClients(
                chosen, environment or {}, ledger or MemoryLedger(), prices or {}, Spent(), FAST
            )
            async with clients:
                await test(one, two, clients)

    asyncio.run(run())


def _lower(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@pytest.mark.parametrize("text", ["sk-secret", "\nX-A: 1\n: sk-secret"])
def test_a_line_that_is_no_header_is_refused_and_not_shown(text: str) -> None:
    told = "^OPENAI_CUSTOM_HEADERS: expected lines such as `Name: value`, one per header$"
    with pytest.raises(InvalidOption, match=told):
        environment_headers({"OPENAI_CUSTOM_HEADERS": text})


def test_two_servers_each_get_their_own_key_and_nothing_of_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", HEADER)
    environment = {"PERENNIAL_API_KEY": "sk-one", "TWO_KEY": "sk-two", "OPENAI_CUSTOM_HEADERS": HEADER}

    def entries(url: str) -> dict[str, ModelEntry]:
        return {
            "b": ModelEntry(
                base_url=url,
                key_env="TWO_KEY",
                headers={"api-key": "${TWO_KEY}", "X-Title": "perennial"},
                query={"api-version": "7"},
            ),
            "c": ModelEntry(base_url=url),
        }

    async def test(one: Double, two: Double, clients: ModelClients) -> None:
        for model in ("a", "b", "c"):
            assert (await clients.ask(request(model=model))).status == "ok"
        first, second, third = ({**_lower(seen.headers)} for seen in (*one.seen, *two.seen))
        assert (first["authorization"], first["x-gateway"]) == ("Bearer sk-one", "gw-0123456789")
        assert (second["authorization"], second["api-key"]) == ("Bearer sk-two", "sk-two")
        assert second["x-title"] == "perennial"
        assert third["authorization"] == "Bearer none"
        assert [seen.query for seen in (*one.seen, *two.seen)] == ["", "api-version=7", ""]
        for headers in (second, third):
            assert "x-gateway" not in headers
            assert "sk-one" not in str(headers)

    among(entries, test, environment)


def test_the_name_at_the_server_and_extra_keys_are_sent() -> None:
    entry = ModelEntry(model="served", extra_body={"top_k": 3}, system_role="user")

    async def test(one: Double, _two: Double, clients: ModelClients) -> None:
        await clients.ask(request(**entry.params("m", {"temperature": 0.5})))
        assert one.seen[0].body == {
            "model": "served",
            "messages": [{"role": "user", "content": "You play.\n\nWhich?"}],
            "temperature": 0.5,
            "top_k": 3,
        }

    among(lambda _url: {"m": entry}, test)


def test_one_limit_of_calls_and_cost_holds_for_all_servers() -> None:
    def entries(url: str) -> dict[str, ModelEntry]:
        return {"b": ModelEntry(base_url=url)}

    async def test(one: Double, two: Double, clients: ModelClients) -> None:
        for n in range(2):
            await clients.ask(request(repeat=n))
            await clients.ask(request(repeat=n, model="b"))
        for model in ("m", "b"):
            with pytest.raises(LimitReached, match="limit of 4 calls"):
                await clients.ask(request(repeat=9, model=model))
        assert (len(one.seen), len(two.seen)) == (2, 2)

    among(entries, test, max_calls=4)


@pytest.mark.slow
def test_each_model_has_its_own_number_of_calls_in_flight() -> None:
    def entries(url: str) -> dict[str, ModelEntry]:
        return {"b": ModelEntry(base_url=url, concurrency=2)}

    async def test(one: Double, two: Double, clients: ModelClients) -> None:
        one.answers = two.answers = (ok(delay=0.05),)
        asked = [request(repeat=n, model=model) for n in range(8) for model in ("m", "b")]
        await asyncio.gather(*map(clients.ask, asked))
        assert (one.most_in_flight, two.most_in_flight) == (8, 2)

    among(entries, test, concurrency=8)


def test_a_call_that_does_not_fit_the_context_is_not_sent() -> None:
    ledger = MemoryLedger()

    async def test(one: Double, _two: Double, clients: ModelClients) -> None:
        reply = await clients.ask(request("word " * 400, max_tokens=50))
        assert (reply.status, len(one.seen)) == ("overflow", 0)
        assert "about 511 tokens and a reply of up to 50 do not fit the context of 560" in str(reply.error)
        assert ledger.stored == [reply]
        assert (await clients.ask(request("word " * 400, max_tokens=49))).status == "ok"

    among(lambda _url: {"m": ModelEntry(context=560)}, test, ledger=ledger)


def test_a_variable_that_is_not_set_is_named() -> None:
    async def test(_one: Double, _two: Double, clients: ModelClients) -> None:
        for model in ("m", "n"):
            with pytest.raises(
                InvalidOption, match=f"{model.upper()}_KEY, which models.toml names, is not set"
            ):
                await clients.ask(request(model=model))

    entries = {"m": ModelEntry(key_env="M_KEY"), "n": ModelEntry(headers={"api-key": "${N_KEY}"})}
    among(lambda _url: entries, test)


def test_prompts_are_counted_by_the_models_own_tokeniser(tmp_path: Path) -> None:
    words = {"[UNK]": 0, "You": 1, "play.": 2, "word": 3}
    file = tmp_path / "tokenizer.json"
    model = {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}
    form: dict[str, Any] = {"version": "1.0", "added_tokens": [], "model": model}
    form |= {"pre_tokenizer": {"type": "WhitespaceSplit"}}
    form |= dict.fromkeys(("truncation", "padding", "normalizer", "post_processor", "decoder"))
    file.write_text(json.dumps(form))
    asked: ModelRequest = request("word " * 400)
    assert token_counter(str(file))(asked) == 400 + 2 + 4 * 2
    assert token_counter("")(asked) == 511 - 0
    for path, text in (("absent.json", ""), ("other.json", "{}")):
        if text:
            (tmp_path / path).write_text(text)
        with pytest.raises(InvalidOption, match=f"{path}.*expected a file tokenizer.json"):
            token_counter(str(tmp_path / path))
