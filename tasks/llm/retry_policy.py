"""When a call is tried again, and after which wait: one named policy for all roles.

An attempt is repeated only where the same request may well succeed a moment later. What is wrong with the
request itself (400, 401, 403, 404, any other 4xx) stays wrong, so it is never sent again.
"""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

from perennial.schemas.model_calls import CallStatus, Reply

# HTTP statuses that are tried again beside 5xx, and why.
RETRIED_STATUSES: Mapping[int, str] = {
    408: "the server gave up waiting for the request: it came too slowly, once",
    409: "the server was busy with something that is in the way: it will be done",
    425: "too early: the server does not yet take requests like this one",
    429: "too many requests at once: fewer will come when this one waits",
    498: "the server's capacity is used up (Groq's flex tier)",
}
# Statuses of a reply that are tried again, and why.
RETRIED_REPLIES: Mapping[CallStatus, str] = {
    "unavailable": "a status of RETRIED_STATUSES or 5xx, a lost connection, or a time-out",
    "html_body": "a page with status 200: a proxy answered in place of the server",
    "invalid_body": "status 200 without a chat completion: a reply cut off or a proxy's error; not one that "
    "is too long or too deep to be read, which the model would write, and be paid for, again",
}
# A server that is starting, loading a model or behind a proxy that waits for it: it needs a minute or two.
OUTAGE_STATUSES = frozenset({502, 503, 529})
# Statuses whose Retry-After header is heeded; elsewhere it means something else or nothing.
RETRY_AFTER_STATUSES = frozenset({429, 503})


@dataclass(frozen=True, slots=True)
class HttpResult:
    """What one HTTP attempt gave: status and body, or `problem`, why no whole response came.

    `latency_s` is the time it took, `retry_after_s` what the server asked to wait, both in seconds.
    `why_cut` says why `body` is only the beginning of one that is too much, None where it is whole.
    `batch_id` is the server's batch that gave it, None for a response of its own. `was_sent`: whether a
    server may have received the request, so that it may bill it.
    """

    http_status: int | None
    body: str = ""
    latency_s: float = 0.0
    problem: str | None = None
    retry_after_s: float | None = None
    why_cut: str | None = None
    batch_id: str | None = None
    was_sent: bool = True


@dataclass(frozen=True, slots=True)
class CallAttempt:
    """One attempt and what it was read as.

    `is_final`: the same request would get, and pay for, the same. `is_unlisted`: the endpoint lists its
    models, and this one is not among them.
    """

    received: HttpResult
    reply: Reply
    is_final: bool = False
    is_unlisted: bool = False

    @property
    def is_retried(self) -> bool:
        """Whether the same request may well succeed a moment later."""
        return self.reply.status in RETRIED_REPLIES and not self.is_final

    @property
    def is_outage(self) -> bool:
        """Whether the server is not there, as while it starts again."""
        status = self.received.http_status
        return status in OUTAGE_STATUSES or (status is None and not self.received.was_sent)


def is_retried_status(http_status: int) -> bool:
    """Whether a response with this HTTP status is worth another attempt."""
    return http_status in RETRIED_STATUSES or 500 <= http_status <= 599


def retry_after_s(http_status: int, headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that the server asks to wait (0 or more), None where it asks nothing legible.

    `retry-after-ms` goes before `retry-after`, which holds seconds or an HTTP date (seen from `now`).
    """
    if http_status not in RETRY_AFTER_STATUSES:
        return None
    # The finer one first: of servers that send both, `retry-after` has whole seconds.
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is None and text is not None:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError, OverflowError):
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = moment.timestamp() - (now or datetime.now(UTC)).timestamp()
    return None if seconds is None else max(0.0, seconds)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return None if math.isnan(number) else number


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Waits between attempts, in seconds.

    Exponential back-off with full jitter: before attempt n + 1 a random time of at most
    `base_delay_s` * 2^(n - 1), never more than `max_delay_s`. Where the server says Retry-After, that, and
    up to `base_delay_s` more so that calls do not come back all at once; a call that is asked to wait
    longer than `max_retry_after_s` is given up. Where the server is not there, the waits quadruple, with
    little jitter: six attempts take up to two minutes.
    """

    base_delay_s: float = 0.5
    max_delay_s: float = 60.0
    max_retry_after_s: float = 600.0

    def wait_s(self, attempt: int, asked_s: float | None, jitter: Random) -> float:
        """Seconds to wait after attempt number `attempt` (from 1)."""
        if asked_s is not None:
            return asked_s + jitter.uniform(0, self.base_delay_s)
        # Bounded, as 2 ** attempt of many attempts is no float any more.
        doublings = min(attempt - 1, 60)
        return jitter.uniform(0, min(self.max_delay_s, self.base_delay_s * 2**doublings))

    def outage_wait_s(self, attempt: int, jitter: Random) -> float:
        """The seconds to wait after attempt number `attempt` at a server that is not there."""
        longest = min(self.max_delay_s, self.base_delay_s * 4.0 ** min(attempt - 1, 30))
        # Little jitter: a full one might use up all attempts before the server is back.
        return jitter.uniform(0.75 * longest, longest)

    def asks_too_long(self, received: HttpResult) -> bool:
        """Whether the server asks for a longer wait than a call is given."""
        return received.retry_after_s is not None and received.retry_after_s > self.max_retry_after_s

    async def last_of(
        self,
        attempt: Callable[[], Awaitable[CallAttempt]],
        max_attempts: int,
        jitter: Random,
        sleep: Callable[[float], Awaitable[None]],
    ) -> CallAttempt:
        """The last of at most `max_attempts` attempts: the first that is not to be tried again."""
        for number in range(1, max_attempts):
            tried = await attempt()
            if not tried.is_retried or self.asks_too_long(tried.received):
                return tried
            asked_s = tried.received.retry_after_s
            is_outage = asked_s is None and tried.is_outage
            wait_s = self.outage_wait_s(number, jitter) if is_outage else self.wait_s(number, asked_s, jitter)
            await sleep(wait_s)
        return await attempt()
