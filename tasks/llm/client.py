"""The one client for all roles: ask a model over Chat Completions, and keep what it said.

A call is looked up in the ledger; else it is checked against the breaker, waits for a slot, is attempted by
the retry policy, read, stored, and only then returned. Each attempt waits for the rate limits and for room in
the budget, and is counted in the ledger before it is sent.
"""

import asyncio
import random
import re
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from perennial.schemas.errors import LimitReached
from perennial.schemas.model_calls import AttemptEnd, ModelRequest, Price, Reply, Spent
from perennial.schemas.settings.model_entry import CallPolicy, ModelEntry
from perennial.tasks.llm.breaker import Breaker
from perennial.tasks.llm.endpoint import RequestExtras, check_key, check_url, strip_url
from perennial.tasks.llm.limits import (
    Budget,
    RateLimits,
    Reservation,
    completion_bound,
    estimate_cost,
    token_counter,
)
from perennial.tasks.llm.listing import ask_for_models, describe_unlisted, is_listed, listed_models, post_chat
from perennial.tasks.llm.replies import find_output_limit, read_attempt, wants_completion_tokens
from perennial.tasks.llm.retry_policy import CallAttempt, HttpResult, RetryPolicy
from perennial.tasks.llm.server_batches.asker import BatchAsker
from perennial.tasks.llm.server_batches.use import BatchApi, InBatches
from perennial.tasks.llm.structured import Ledger

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI


# One request to a model: counted in the budget and in the ledger before it is sent, and settled after.

Send = Callable[[], Awaitable[CallAttempt]]


class Attempts:
    """Sends requests, of which each counts from before it is sent.

    What is not settled here, as the process ended or the task was cancelled, stays counted with its estimate.
    """

    def __init__(self, budget: Budget, ledger: Ledger, prices: Mapping[str, Price]) -> None:
        self._budget = budget
        self._ledger = ledger
        self._prices = prices

    async def alone(
        self, request: ModelRequest, reservation: Reservation, check: Callable[[], None], send: Send
    ) -> CallAttempt:
        """What a request of its own gives; `check` raises where it is not to be sent any more."""
        number = None
        try:
            number = await self._ledger.begin_attempt(request, reservation.estimate_usd)
            # Once more: the breaker may have opened while the ledger was written.
            check()
        except BaseException:
            self._budget.cancel(reservation)
            if number is not None:
                await self._ledger.end_attempt(AttemptEnd(number, None, None, was_sent=False))
            raise
        tried = await self._send(request, reservation, send)
        if not tried.received.was_sent:
            await self._ledger.end_attempt(AttemptEnd(number, None, None, was_sent=False))
        else:
            await self._keep(request, tried, number, reservation.estimate_usd)
        return tried

    async def in_batch(self, request: ModelRequest, reservation: Reservation, send: Send) -> CallAttempt:
        """What a request in a batch gives: the ledger counts it with its batch."""
        tried = await self._send(request, reservation, send)
        if tried.received.was_sent:
            await self._keep_last(request, tried)
        return tried

    async def resume(self, request: ModelRequest, send: Send) -> CallAttempt:
        """What a request gives that was counted when it was submitted, maybe by an earlier run."""
        tried = await send()
        if tried.received.was_sent:
            before = await self._keep_last(request, tried)
            self._budget.correct(before, tried.reply.cost_usd, self._estimate(request, tried))
        return tried

    async def _send(self, request: ModelRequest, reservation: Reservation, send: Send) -> CallAttempt:
        try:
            tried = await send()
        except BaseException:
            # Counted, as it may have been sent: a server bills what it received, whatever ended the wait.
            self._budget.settle(reservation, None, reservation.estimate_usd)
            raise
        if tried.received.was_sent:
            self._budget.settle(reservation, tried.reply.cost_usd, self._estimate(request, tried))
        else:
            self._budget.cancel(reservation)
        return tried

    async def _keep_last(self, request: ModelRequest, tried: CallAttempt) -> float | None:
        """Keep what the call's last attempt came to, and return its estimate until now."""
        last_attempt = self._ledger.find_last_attempt(request.call_id)
        if last_attempt is None:
            return None
        await self._keep(request, tried, *last_attempt)
        return last_attempt[1]

    async def _keep(
        self, request: ModelRequest, tried: CallAttempt, number: int, before: float | None
    ) -> None:
        cost_usd, estimate_usd = tried.reply.cost_usd, self._estimate(request, tried)
        if cost_usd is not None or estimate_usd != before:
            await self._ledger.end_attempt(AttemptEnd(number, cost_usd, estimate_usd))

    def _estimate(self, request: ModelRequest, tried: CallAttempt) -> float | None:
        return estimate_cost(request, self._prices.get(request.model), tried.received)


# Keep secrets out of all that is stored or shown: servers may echo the key that they were sent.
#
# A key of 8 characters or more is replaced wherever it stands. A shorter one (local servers: "EMPTY",
# "ollama") may be an ordinary word: it is replaced as a whole word, in what is no answer. One of less than 4
# characters is no secret and is left, as replacing it would garble any message.

REDACTED = "[key]"
_MIN_SECRET_CHARS = 8
_MIN_WORD_CHARS = 4
_FIELDS = ("error", "raw", "content", "reasoning", "served_model", "finish_reason", "usage_reported")
_NEVER = re.compile(r"(?!)")


class Redaction:
    """Replaces secrets by `[key]`, whether text, JSON, URLs, HTML or base64 spell them.

    What it leaves is not changed by another pass.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        secrets = sorted({secret for secret in secrets if len(secret) >= _MIN_WORD_CHARS}, key=len)[::-1]
        long = [secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARS]
        words = [rf"(?<!\w){_spelling(secret)}(?!\w)" for secret in secrets if secret not in long]
        self._coded = sorted(set().union(*map(_in_base64, long)))
        self._long = _any_of(list(map(_spelling, long)))
        # The mark comes first and replaces itself: a key that is a part of it is not found in it.
        self._words = _any_of([re.escape(REDACTED), *words] if words else [])

    def text(self, text: str) -> str:
        """Remove every secret from the text."""
        return self._words.sub(REDACTED, self._without_long(text))

    def redact_received(self, received: HttpResult) -> HttpResult:
        """Remove secrets from what was received, before any of it is shortened."""
        answered = received.http_status is not None and 200 <= received.http_status <= 299
        redact = self._without_long if answered else self.text
        problem = received.problem and self.text(received.problem)
        return replace(received, body=redact(received.body), problem=problem)

    def reply(self, reply: Reply) -> Reply:
        """Remove secrets from the reply, those included that only show once JSON is read."""
        redact = self._without_long if reply.answered else self.text
        texts: dict[str, Any] = {name: redact(text) for name in _FIELDS if (text := getattr(reply, name))}
        return replace(reply, **texts)

    def _without_long(self, text: str) -> str:
        for coded in self._coded:
            text = text.replace(coded, REDACTED)
        return self._long.sub(REDACTED, text)


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns)) if patterns else _NEVER


def _spelling(secret: str) -> str:
    return "".join(map(_character, secret))


def _character(char: str) -> str:
    """The pattern of a character: itself, or escaped by JSON (once or more), a URL or HTML."""
    code = ord(char)
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{code:02x}")
    # Each begins with a character of its own, by which `re` quickly skips what is no secret;
    # repetitions are bounded, so that no text takes more than linear time.
    forms = [
        re.escape(char),
        rf"\\\\{{0,7}}(?:u00|x){digits}",
        rf"%(?:25){{0,3}}{digits}",
        rf"&#(?:0{{0,4}}{code}|[xX]0{{0,4}}{digits});",
    ]
    if not char.isalnum():
        forms.append(rf"\\\\{{0,7}}{re.escape(char)}")
    return f"(?:{'|'.join(forms)})"


def _in_base64(secret: str) -> set[str]:
    """What stands for the secret in base64, wherever it begins, without what its neighbours change."""
    spelled = set()
    for offset in range(3):
        coded = b64encode(bytes(offset) + secret.encode()).decode().rstrip("=")
        kept = coded[(0, 2, 3)[offset] : len(coded) - bool((offset + len(secret)) % 3)]
        spelled |= {kept, kept.replace("+", "-").replace("/", "_")}
    return spelled


# An unknown model is a 404 by the protocol; LiteLLM answers 400, transformers serve 500.
_MAY_MEAN_UNKNOWN = (400, 404, 422, 500)
_LISTING_TIMEOUT_S = 10.0


class ModelClient:
    """Asks the models of one endpoint. Use it in `async with`, within one event loop.

    `budget` is shared with other clients; `entry` is that of the only model that is asked here, in `batches`
    of its server where they are given.

    `answered` and `failed` count the new calls by their end, `replayed` those found in the ledger.
    Raises InvalidOption for a base URL or a key that no request can carry.
    """

    def __init__(
        self,
        policy: CallPolicy,
        key: str,
        ledger: Ledger,
        prices: Mapping[str, Price],
        spent: Spent,
        retries: RetryPolicy | None = None,
        *,
        budget: Budget | None = None,
        extras: RequestExtras | None = None,
        entry: ModelEntry | None = None,
        batches: InBatches | None = None,
    ) -> None:
        self.answered = self.replayed = self.failed = 0
        self._policy = policy
        self._url = check_url(policy.base_url)
        self._key = check_key(key, entry.key_env if entry is not None else "")
        self._ledger = ledger
        self._prices = prices
        self._retries = retries or RetryPolicy()
        self._budget = budget or Budget(policy, prices, spent)
        self._attempts = Attempts(self._budget, ledger, prices)
        self._extras = extras or RequestExtras()
        self._context = entry.context if entry is not None else None
        self._count = token_counter(entry.tokenizer if entry is not None else "")
        self._breaker = Breaker(strip_url(self._url), key_env=entry.key_env if entry is not None else "")
        self._limits = RateLimits(policy.requests_per_minute, policy.tokens_per_minute, self._count)
        self._slots = asyncio.Semaphore(policy.concurrency)
        self._redaction = Redaction((self._key, *self._extras.hidden()))
        # Only the waits between attempts come from it; no result does.
        self._jitter = random.Random()
        self._completion_named: set[str] = set()
        self._output_limits: dict[str, int] = {}
        self._known_models: set[str] = set()
        self._listing: asyncio.Task[httpx2.Response | str] | None = None
        self._being_asked: dict[str, asyncio.Event] = {}
        self._openai: AsyncOpenAI | None = None
        self._batches = batches
        self._in_slots = 0
        self._batch_asker: BatchAsker | None = None

    def __repr__(self) -> str:
        return f"ModelClient({strip_url(self._url)!r})"

    async def __aenter__(self) -> Self:
        from perennial.tasks.llm.bounded_http import open_client

        self._openai = open_client(self._policy, self._url, self._key, self._extras)
        if self._batches is not None:
            api, hide = BatchApi(self._openai, self._policy), self._redaction.text
            url = strip_url(self._url)
            self._batch_asker = BatchAsker(api, self._batches, url, lambda: self._in_slots, hide)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._batch_asker is not None:
            await self._batch_asker.close()
        if self._openai is not None:
            await self._openai.close()
            self._openai = None

    async def ask(self, request: ModelRequest) -> Reply:
        """The kept reply of the request, or a new one, stored before it is returned.

        A failed call is stored and returned with its status and `error`. Raises EndpointFailed where the
        key, the model or the endpoint is wrong, LimitReached where the call would pass a limit. Calls of
        one `call_id` are made one after the other, so that an answer is paid for once.
        """
        while True:
            kept = self._ledger.find(request.call_id)
            if kept is not None:
                self.replayed += 1
                return kept
            asked = self._being_asked.get(request.call_id)
            if asked is None:
                break
            await asked.wait()
        ended = self._being_asked[request.call_id] = asyncio.Event()
        try:
            return await self._ask_anew(request)
        finally:
            del self._being_asked[request.call_id]
            ended.set()

    async def list_batches(self) -> HttpResult:
        """What the server says to GET /batches, which costs nothing."""
        return self._redaction.redact_received(
            await BatchApi(self._require_open(), self._policy).list_batches()
        )

    async def list_models(self) -> "httpx2.Response | str":
        """The answer to GET /models, or why there was none within ten seconds."""
        policy = replace(self._policy, timeout_s=min(_LISTING_TIMEOUT_S, self._policy.timeout_s))
        answer = await ask_for_models(policy, self._key, self._extras)
        return self._redaction.text(answer) if isinstance(answer, str) else answer

    def stop(self, reason: str) -> None:
        """Start no call any more: those that wait raise CallsStopped, those in flight end and are kept."""
        self._breaker.stop(reason)

    async def _ask_anew(self, request: ModelRequest) -> Reply:
        overflow = self._describe_overflow(request)
        if overflow is not None:
            return await self._store(request, Reply(request.call_id, "overflow", error=overflow))
        async with self._slot(request.model):
            begun = asyncio.get_running_loop().time()
            tried = await self._try_call(request)
        is_forbidden = tried.received.http_status == 403
        key_works = is_forbidden and self._ledger.has_answered(request.model)
        self._breaker.note(request.model, tried, begun, key_works)
        return await self._store(request, tried.reply)

    def _describe_overflow(self, request: ModelRequest) -> str | None:
        """Why a call does not fit the model's context (servers may cut it), None where it does."""
        if self._context is None:
            return None
        prompt, reply = self._count(request), completion_bound(request.params) or 0
        if prompt + reply <= self._context:
            return None
        return (
            f"not sent: a prompt of about {prompt:,} tokens and a reply of up to {reply:,} do not fit the "
            f"context of {self._context:,} tokens that models.toml gives: use smaller instances, or a lower "
            "max_output"
        )

    async def _store(self, request: ModelRequest, reply: Reply) -> Reply:
        kept = await self._ledger.store(request, reply)
        if reply.answered:
            self.answered += 1
        else:
            self.failed += 1
        if not kept.answered:
            self._breaker.check(request.model)
        return kept

    @asynccontextmanager
    async def _slot(self, model: str) -> AsyncIterator[None]:
        """Hold one of the slots, during back-off too: an endpoint in trouble gets fewer calls."""
        async with self._breaker.interruptible(model):
            await self._slots.acquire()
        try:
            self._breaker.check(model)
            self._in_slots += 1
            try:
                yield
            finally:
                self._in_slots -= 1
        finally:
            self._slots.release()

    async def _try_call(self, request: ModelRequest) -> CallAttempt:
        attempts = 0
        failed: CallAttempt | None = None

        async def attempt() -> CallAttempt:
            nonlocal attempts, failed
            attempts += 1
            failed = await self._attempt(request, attempts)
            return failed

        async def pause(seconds: float) -> None:
            async with self._breaker.interruptible(request.model):
                await asyncio.sleep(seconds)

        try:
            last = await self._retries.last_of(attempt, self._policy.max_attempts, self._jitter, pause)
        except LimitReached:
            # An attempt that was paid for is kept, though the next one is past the limit.
            if failed is not None:
                await self._store(request, failed.reply)
            raise
        if last.reply.answered:
            self._known_models.add(request.model)
            return last
        return await self._explain_unlisted(request, self._explain_giving_up(last))

    async def _explain_unlisted(self, request: ModelRequest, tried: CallAttempt) -> CallAttempt:
        """Say so where a failed call asked for a model that the endpoint does not list.

        Some servers answer 400 or 500 to an unknown model. One that has answered before is known.
        """
        status = tried.received.http_status
        if tried.reply.status == "overflow":
            return tried
        if request.model in self._known_models or status not in _MAY_MEAN_UNKNOWN:
            return tried
        if self._listing is None:
            self._listing = asyncio.create_task(self.list_models())
        # All calls share one listing: one that is cancelled must not end it for the others.
        listed = listed_models(await asyncio.shield(self._listing))
        name = str(request.params.get("model", request.model))
        if listed is None or is_listed(name, listed):
            return tried
        why = describe_unlisted(name, listed)
        return replace(
            tried, reply=replace(tried.reply, error=f"{tried.reply.error} ({why})"), is_unlisted=True
        )

    def _explain_giving_up(self, tried: CallAttempt) -> CallAttempt:
        """Add to a failed call's error why it was not tried again."""
        if not tried.is_retried:
            return tried
        why = f"given up after {tried.reply.attempts} of {self._policy.max_attempts} attempts"
        if self._retries.asks_too_long(tried.received):
            why += (
                f", as the server asks to wait {tried.received.retry_after_s:.0f} s, "
                f"more than {self._retries.max_retry_after_s:.0f} s"
            )
        return replace(tried, reply=replace(tried.reply, error=f"{tried.reply.error} ({why})"))

    async def _attempt(self, request: ModelRequest, number: int) -> CallAttempt:
        """Make one attempt; again where the model wants `max_tokens` under its newer name, or lower.

        A reply can have no more tokens than the server allows: a lower limit asks for the same.
        """
        body = self._body(request)
        tried = await self._send(request, body, number)
        limit_read, bound = find_output_limit(tried.received), completion_bound(body)
        if limit_read is not None and bound is not None and limit_read[0] < bound:
            limit, is_of_model = limit_read
            if is_of_model:
                self._output_limits[request.model] = limit
            body = _limit_output(body, limit)
            tried = await self._send(request, body, number)
        if "max_tokens" in body and wants_completion_tokens(tried.received):
            self._completion_named.add(request.model)
            tried = await self._send(request, self._body(request), number)
        return tried

    async def _send(self, request: ModelRequest, body: dict[str, Any], number: int) -> CallAttempt:
        asker = self._batch_asker
        if asker is None:
            reservation = await self._reserve(request)
            post = partial(post_chat, self._require_open(), body, self._policy)
            send = partial(self._receive, request, number, post)
            return await self._attempts.alone(
                request, reservation, lambda: self._breaker.check(request.model), send
            )
        send = partial(self._receive, request, number, lambda: self._post_in_batch(asker, request, body))
        if asker.find_submitted(request) is not None:
            return await self._attempts.resume(request, send)
        reservation = await self._reserve(request, in_batch=True)
        return await self._attempts.in_batch(request, reservation, send)

    async def _reserve(self, request: ModelRequest, in_batch: bool = False) -> Reservation:
        # A batch is not held back for calls that wait until it has ended.
        self._in_slots -= 1
        try:
            async with self._breaker.interruptible(request.model):
                await self._limits.take(request)
                return await self._budget.reserve(request, in_batch)
        finally:
            self._in_slots += 1

    async def _receive(
        self, request: ModelRequest, number: int, post: Callable[[], Awaitable[HttpResult]]
    ) -> CallAttempt:
        """What a request gives, read and without secrets."""
        received = self._redaction.redact_received(await post())
        tried = read_attempt(request, received, self._prices.get(request.model), number)
        self._limits.correct(request, tried.reply)
        return replace(tried, reply=replace(self._redaction.reply(tried.reply), batch_id=received.batch_id))

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        params = dict(request.params)
        if request.model in self._completion_named and "max_tokens" in params:
            params["max_completion_tokens"] = params.pop("max_tokens")
        params = _limit_output(params, self._output_limits.get(request.model))
        return {"model": request.model, "messages": list(request.messages), **params}

    async def _post_in_batch(
        self, asker: BatchAsker, request: ModelRequest, body: dict[str, Any]
    ) -> HttpResult:
        estimate_usd = estimate_cost(request, self._prices.get(request.model))
        async with self._breaker.interruptible(request.model):
            return await asker.post(request, body, estimate_usd)

    def _require_open(self) -> "AsyncOpenAI":
        if self._openai is None:
            raise RuntimeError("the client is not open: use it in `async with`")
        return self._openai


def _limit_output(params: dict[str, Any], limit: int | None) -> dict[str, Any]:
    """The parameters with a limit of the reply that is no higher than this one."""
    if limit is None:
        return params
    names = ("max_tokens", "max_completion_tokens")
    lower = {name: min(limit, params[name]) for name in names if type(params.get(name)) is int}
    return {**params, **lower}
