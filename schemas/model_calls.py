"""Calls of models, their endpoints and prices, and their tables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from perennial.schemas.ids import content_id
from perennial.schemas.rows import JsonObject

# What a model call is: the request that identifies it, the reply that it got, and the policy it goes by.

# In the OpenAI chat form; `content` is a text, "" where a message only calls tools.
Message = dict[str, Any]

# Of a player's reply, where nobody gives a limit: without one a small model may repeat itself for ever. Most
# models can write as much, and few need more.
DEFAULT_MAX_TOKENS = 16_000

Role = Literal[
    "proposer",
    "configurer",
    "writer",
    "reviser",
    "checker",
    "designer",
    "architect",
    "judge",
    "expander",
    "analyst",
    "player",
    "tool",
]
ROLES: tuple[Role, ...] = get_args(Role)

# What became of a call. The first five are answers: paid for, kept, and never asked for again.
# `tool_call`: the reply calls a tool. `overflow`: prompt and reply do not fit the model's context.
CallStatus = Literal[
    "ok",
    "truncated",
    "refused",
    "empty",
    "tool_call",
    "overflow",
    "rejected",
    "unavailable",
    "html_body",
    "invalid_body",
]
CALL_STATUSES: tuple[CallStatus, ...] = get_args(CallStatus)
ANSWERED_STATUSES: tuple[CallStatus, ...] = ("ok", "truncated", "refused", "empty", "tool_call")

# Where a reply's reasoning stood: nowhere, in a field or part of its own, or between tags in its text.
ReasoningSource = Literal["none", "field", "think_tags"]
REASONING_SOURCES: tuple[ReasoningSource, ...] = ("none", "field", "think_tags")

# Whether token counts are what the server reported, with reasoning that it counts beside the reply, of fewer
# prompt tokens than the prompt can have, a bound in place of more than can be, or unknown.
UsageStatus = Literal["reported", "derived", "short", "bounded", "missing"]
USAGE_STATUSES: tuple[UsageStatus, ...] = get_args(UsageStatus)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model and the parameters of Chat Completions that its calls pass on (only those that are set).

    Two parameters are of models.toml: `model` is its name at its server, `system_role` the role of system
    messages.
    """

    model: str
    params: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call to make: model, parameters, messages and repeat index identify it.

    `messages` are in the OpenAI chat form. `repeat` distinguishes runs with the same request. `template` is
    the template of the message that asks, with its hash: they say where the wording came from. Messages of
    the system get the role that the parameter `system_role` names, which is then no parameter any more.
    `server` is set where the answer is about the server, not the model: it identifies the call then.
    """

    role: Role
    model: str
    messages: tuple[Message, ...]
    params: JsonObject
    template: str
    template_hash: str
    repeat: int = 0
    server: str = ""
    call_id: str = field(init=False)

    def __post_init__(self) -> None:
        if "system_role" in self.params:
            params = dict(self.params)
            object.__setattr__(self, "messages", _with_system_role(self.messages, params.pop("system_role")))
            object.__setattr__(self, "params", params)
        key = (self.model, self.params, list(self.messages), self.repeat, *filter(None, (self.server,)))
        object.__setattr__(self, "call_id", content_id("call", *key))


def _with_system_role(messages: tuple[Message, ...], role: str) -> tuple[Message, ...]:
    """Put system messages into this role; as `user` they begin the next user message."""
    if role != "user":
        return tuple(
            {**message, "role": role} if message["role"] == "system" else message for message in messages
        )
    merged: list[Message] = []
    held: list[str] = []
    for message in messages:
        if message["role"] == "system":
            held.append(message["content"])
        elif message["role"] == "user":
            merged.append({**message, "content": "\n\n".join([*held, message["content"]])})
            held = []
        else:
            merged += [*_as_user(held), message]
            held = []
    return (*merged, *_as_user(held))


def _as_user(texts: list[str]) -> list[Message]:
    return [{"role": "user", "content": "\n\n".join(texts)}] if texts else []


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call came to. `content` is the reply's text without its reasoning ("" where there is none).

    Of a reply that calls tools it is that message as JSON: its `content` and `tool_calls`.

    Token counts are None where the server reported none, `cost_usd` where a count or a price is unknown;
    `price_source` says whose price it is by.
    `usage_reported` is what the server reported (JSON) where the counts are not that.
    `error` says what went wrong in one line, for a status that is no answer. `raw` is the body received.
    `batch_id` is the server's batch that gave it, None for a call that was made by itself.
    """

    call_id: str
    status: CallStatus
    content: str = ""
    reasoning: str | None = None
    reasoning_source: ReasoningSource = "none"
    finish_reason: str | None = None
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    usage: UsageStatus = "missing"
    cost_usd: float | None = None
    price_source: str | None = None
    latency_s: float = 0.0
    attempts: int = 1
    error: str | None = None
    raw: str | None = None
    usage_reported: str | None = None
    batch_id: str | None = None

    @property
    def answered(self) -> bool:
        """Whether the model answered, in whatever way: such a reply is kept and never asked for again."""
        return self.status in ANSWERED_STATUSES

    @property
    def tokens(self) -> int | None:
        """Prompt and completion tokens together, None where either is unknown."""
        if self.prompt_tokens is None or self.completion_tokens is None:
            return None
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """A server's batch as the ledger keeps it: its number there, its input file, and how many calls it has.

    `batch_id` is None between the upload of the input file and the server's answer that the batch exists.
    """

    number: int
    file_id: str
    requests: int
    batch_id: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """What became of an attempt: its cost by reported usage, None where that is unknown.

    `estimate_usd` counts then. `was_sent`: whether a server may have received, and may bill, anything.
    """

    number: int
    cost_usd: float | None
    estimate_usd: float | None
    was_sent: bool = True


@dataclass(frozen=True, slots=True)
class Spent:
    """What editions and evaluations have sent so far, and may have to pay for.

    `requests` counts every attempt that was sent, whatever came back. `cost_usd` is by the usage that replies
    reported, and for `estimated` of the requests, which had none, an upper bound. For `unpriced` of them
    neither is known.
    """

    requests: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    estimated: int = 0


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """The calls of one stage and model: at least, and at most where every repair and revision is needed.

    Tokens and costs (US dollars) are of the fewest and of the most calls; costs are None without a price.
    `in_batches`: the model is asked in batches of its server.
    """

    stage: str
    model: str
    calls_low: int
    calls_high: int
    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_high: int
    completion_tokens_high: int
    cost_low_usd: float | None
    cost_high_usd: float | None
    in_batches: bool = False


# Which server is asked and which key it gets: a key goes to no other host than the one that it belongs to.
#
# `PERENNIAL_API_KEY` belongs to the endpoint that perennial uses, whichever that is. `OPENAI_API_KEY` belongs
# to `OPENAI_BASE_URL`, or to OpenAI's own service where that is not set. A model of models.toml with a server
# of its own gets the key of the variable that it names, and no other.

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_OWN_KEY, _OPENAI_KEY, _OPENAI_URL = "PERENNIAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"
# Of single requests: a base URL holds none of them.
_REQUEST_PATHS = ("/chat/completions", "/completions", "/responses", "/messages", "/embeddings", "/models")
_VERSION = re.compile(r"/v\d")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and the key that it gets ("" for none), each with the name of where it comes from.

    `withheld` is the variable of a key that is set but belongs to another host. `is_own`: it is another
    server than that of the settings, so that nothing of the environment goes there unnamed.
    """

    base_url: str
    url_from: str
    key: str = field(default="", repr=False)
    key_from: str | None = None
    withheld: str | None = None
    is_own: bool = False

    def describe(self) -> str:
        """The endpoint in words, without its key."""
        return f"{self.base_url} ({self.describe_sources()})"

    def describe_sources(self) -> str:
        """Where URL and key come from, in words."""
        key = f"with {self.key_from}" if self.key_from else "without a key"
        other = f"; {self.withheld} belongs to another host" if self.withheld else ""
        return f"{self.url_from}, {key}{other}"


def choose_endpoint(base_url: str, environment: Mapping[str, str]) -> Endpoint:
    """The endpoint: `base_url` where it is set, else `OPENAI_BASE_URL`, else OpenAI's own service."""
    of_openai_key = environment.get(_OPENAI_URL, "").strip().rstrip("/")
    url_from = "base_url" if base_url else _OPENAI_URL if of_openai_key else "default"
    url = base_url or of_openai_key or DEFAULT_BASE_URL
    if environment.get(_OWN_KEY):
        return Endpoint(url, url_from, environment[_OWN_KEY], _OWN_KEY)
    if not environment.get(_OPENAI_KEY):
        return Endpoint(url, url_from)
    if _origin(url) != _origin(of_openai_key or DEFAULT_BASE_URL):
        return Endpoint(url, url_from, withheld=_OPENAI_KEY)
    return Endpoint(url, url_from, environment[_OPENAI_KEY], _OPENAI_KEY)


def choose_model_endpoint(
    base_url: str, key_env: str, settings: Endpoint, environment: Mapping[str, str]
) -> Endpoint:
    """Return the server of a model of models.toml that names `base_url` and `key_env` ("" where it does not).

    Without a variable of its own it gets the settings' key, at the settings' host, and none elsewhere. The
    key is "" where the variable that `key_from` names is not set.
    """
    url = base_url or settings.base_url
    url_from = "models.toml" if base_url else settings.url_from
    is_own = _origin(url) != _origin(settings.base_url)
    if key_env:
        return Endpoint(url, url_from, environment.get(key_env, ""), key_env, is_own=is_own)
    if is_own:
        return Endpoint(url, url_from, is_own=True)
    return Endpoint(url, url_from, settings.key, settings.key_from, settings.withheld)


def check_base_url(value: str) -> str:
    """Remove a closing slash; raise ValueError for what is not an HTTP URL, or holds a key."""
    if not value:
        return value
    # No host or path has them: variables of a shell or a template, which nobody fills in here.
    if set("${}<>") & set(value.partition("://")[2].partition("/")[0]) or "${" in value:
        raise ValueError(
            "a URL with a variable in it, which is sent as it is written: write the address, or set "
            "OPENAI_BASE_URL"
        )
    try:
        parts = urlsplit(value)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # such as a port above 65535
        is_whole = False
    if not is_whole:
        raise ValueError("expected a URL such as http://127.0.0.1:8000/v1")
    if parts.username or parts.password or parts.query:
        raise ValueError(
            "a URL with a user name, a password or a query: keys come from the environment alone "
            "(PERENNIAL_API_KEY or OPENAI_API_KEY)"
        )
    path = parts.path.rstrip("/").lower()
    if misplaced := next(filter(path.endswith, _REQUEST_PATHS), ""):
        raise ValueError(
            f"a URL that ends in {misplaced}, which each request adds: expected the URL before it, such as "
            "http://127.0.0.1:8000/v1"
        )
    return value.rstrip("/")


def suggest_version(url: str) -> str:
    """A hint for a base URL that answers no chat and lacks the /v1 of most servers, else ""."""
    return "" if _VERSION.search(urlsplit(url).path) else f" ({url} has no /v1: try {url}/v1)"


def _origin(url: str) -> tuple[str, str, int | None] | None:
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return parts.scheme, parts.hostname or "", port


# What a model call costs.

# What servers with a Batch API charge for its calls, as a part of their usual prices (OpenAI, Azure, Mistral,
# Groq, Together: half). A server with another discount gets its own prices in an entry of its own.
BATCH_PRICE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Price:
    """Prices of a model in US dollars per million tokens; None: unknown. `cached` None: as `prompt`.

    A call that is answered in a server's batch costs `batch_share` of them, one whose prompt has more tokens
    than a number in `longer` the last such price. `source` says where the price is from.
    """

    prompt: float | None
    completion: float | None
    cached: float | None = None
    batch_share: float = 1.0
    longer: tuple[tuple[int, "Price"], ...] = ()
    source: str = field(default="", compare=False)

    def in_batch(self, share: float | None = None) -> "Price":
        """The prices of calls that a server answers in a batch."""
        share = self.batch_share if share is None else share
        prices = (self.prompt, self.completion, self.cached)
        prompt, completion, cached = (None if price is None else price * share for price in prices)
        longer = tuple((tokens, price.in_batch(share)) for tokens, price in self.longer)
        return Price(prompt, completion, cached, longer=longer, source=self.source)

    def for_prompt(self, tokens: int) -> "Price":
        """The price of a call whose prompt has that many tokens."""
        return next((price for limit, price in reversed(self.longer) if tokens > limit), self)


Prices = Mapping[str, Price]  # by model
