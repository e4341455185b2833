"""Stop a stage with one clear error where a key, a model or an endpoint is wrong.

Without it a wrong key fails 5,000 times. Calls in flight when the breaker opens end as they may, since
they are paid for; calls that wait (for room in the budget, a slot, a rate limit, or their next attempt)
stop at once, and no new one starts.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from perennial.schemas.errors import CallsStopped, EndpointFailed
from perennial.schemas.model_calls import suggest_version
from perennial.tasks.llm.replies import is_out_of_quota
from perennial.tasks.llm.retry_policy import CallAttempt

FAILURES_IN_A_ROW = 5
_AGAIN = "then run the same command again"
_KEYS = "PERENNIAL_API_KEY or OPENAI_API_KEY"
_WHOSE_KEY = "OPENAI_API_KEY goes to the host of OPENAI_BASE_URL alone, or to OpenAI's"


class Breaker:
    """Opens for the whole endpoint (key refused, no quota) or for one model (unknown, or failing in a row).

    `base_url` is the endpoint as it may be shown: without credentials; `key_env` the variable of its key,
    where that is its own.
    """

    def __init__(self, base_url: str, failures_in_a_row: int = FAILURES_IN_A_ROW, key_env: str = "") -> None:
        self._keys = key_env or _KEYS
        self._whose_key = "the variable that models.toml names" if key_env else _WHOSE_KEY
        self._base_url = base_url
        self._patience = failures_in_a_row
        self._failures: dict[str, int] = {}
        self._last_answer: dict[str, float] = {}
        self._stopped: str | None = None
        self._endpoint_error: str | None = None
        self._model_errors: dict[str, str] = {}
        self._waiting: dict[asyncio.Timeout, str] = {}

    def check(self, model: str) -> None:
        """Raise EndpointFailed where calls of this model make no sense any more."""
        if self._stopped is not None:
            raise CallsStopped(self._stopped)
        error = self._endpoint_error or self._model_errors.get(model)
        if error is not None:
            raise EndpointFailed(error)

    def open(self, error: str) -> None:
        """Let no call start any more, of whatever model, and end all waits: they raise with this error."""
        # The first reason stays: what fails later mostly follows from it.
        self._endpoint_error = self._endpoint_error or error
        self._wake(None)

    def stop(self, reason: str) -> None:
        """Let no call start any more and end all waits: they raise CallsStopped with this reason."""
        self._stopped = self._stopped or reason
        self._wake(None)

    @asynccontextmanager
    async def interruptible(self, model: str) -> AsyncIterator[None]:
        """Wait for something inside: raises EndpointFailed as soon as the breaker is open for the model."""
        self.check(model)
        try:
            # asyncio's own time-out, without a time until `_wake` sets it.
            async with asyncio.timeout(None) as alarm:
                self._waiting[alarm] = model
                try:
                    yield
                finally:
                    del self._waiting[alarm]
        # Raise what opened the breaker; without a reason the time-out is another's.
        except TimeoutError:
            self.check(model)
            raise

    def note(self, model: str, tried: CallAttempt, begun: float, key_works: bool = False) -> None:
        """Take a call's last attempt into account: open where it means that the next calls fail too.

        `begun` is when the call began, by the event loop's clock. A failure counts towards those in a row
        only where nothing of the model was answered since: at the end of a batch the calls that are tried
        again are the last ones, and fail together though the endpoint works. `key_works`: a call was answered
        before, so that a 403 is about this call. A prompt that is too long says nothing of the next one.
        """
        if tried.reply.status == "overflow" or tried.received.http_status == 413:
            return
        if tried.reply.answered:
            self._failures[model] = 0
            self._last_answer[model] = asyncio.get_running_loop().time()
            return
        if begun >= self._last_answer.get(model, begun):
            self._failures[model] = self._failures.get(model, 0) + 1
        error = self._endpoint_wide(model, tried, key_works or bool(self._last_answer))
        if error is not None:
            self.open(error)
            return
        error = self._model_wide(model, tried)
        if error is not None:
            self._model_errors.setdefault(model, error)
            self._wake(model)

    def _endpoint_wide(self, model: str, tried: CallAttempt, key_works: bool) -> str | None:
        status, reason = tried.received.http_status, (tried.reply.error or "").rstrip(".")
        where = f"{self._base_url} (asked for model {model!r})"
        # Even if the key worked before: it was revoked, and so refuses all calls.
        if status == 401:
            remedy = f"set {self._keys} to a valid key ({self._whose_key}), {_AGAIN}"
            return f"the key was refused by {where}: {reason}: {remedy}"
        if status == 403 and not key_works:
            remedy = f"set {self._keys} to one that may, {_AGAIN}"
            return f"the key may not be used at {where}: {reason}: {remedy}"
        if is_out_of_quota(tried.received):
            return f"the account has no quota left at {where}: {reason}: add to it, {_AGAIN}"
        return None

    def _model_wide(self, model: str, tried: CallAttempt) -> str | None:
        status, reason = tried.received.http_status, (tried.reply.error or "").rstrip(".")
        where = f"model {model!r} at {self._base_url}"
        if tried.is_unlisted:
            return f"{where} is not known there: {reason}: correct the model's name, {_AGAIN}"
        if status == 404:
            return (
                f"{where} is not known there: {reason}: check the model's name (GET {self._base_url}/models "
                f"lists them) and the base URL{suggest_version(self._base_url)}, {_AGAIN}"
            )
        if self._failures.get(model, 0) < self._patience:
            return None
        failed = f"{self._failures[model]} calls in a row to {where} failed, the last one with: {reason}"
        if tried.reply.status == "html_body":
            failed += suggest_version(self._base_url)
        if status == 403:
            return f"{failed}: see whether {self._keys} may still be used there, {_AGAIN}"
        if status is None:
            return f"{failed}: is the server running at {self._base_url}? Start it, {_AGAIN}"
        return f"{failed}: fix the problem it reports (`perennial calls` shows each call in full), {_AGAIN}"

    def _wake(self, model: str | None) -> None:
        """End the waits of this model's calls, or of all."""
        now = asyncio.get_running_loop().time()
        # A copy: a wait that ends takes itself out.
        for alarm, waiting in list(self._waiting.items()):
            # One that has a time already is ending.
            if alarm.when() is None and model in (None, waiting):
                alarm.reschedule(now)
