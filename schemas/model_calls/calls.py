"""What a model call is: the request that identifies it, the reply that it got, and the policy it goes by."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from perennial.schemas.ids import content_id
from perennial.schemas.rows import JsonObject

if TYPE_CHECKING:
    from perennial.schemas.settings.model_entry import ModelEntry

Message = dict[str, str]

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
]
ROLES: tuple[Role, ...] = get_args(Role)

# What became of a call. The first four are answers: paid for, kept, and never asked for again.
# `overflow`: prompt and reply do not fit the model's context.
CallStatus = Literal[
    "ok", "truncated", "refused", "empty", "overflow", "rejected", "unavailable", "html_body", "invalid_body"
]
CALL_STATUSES: tuple[CallStatus, ...] = get_args(CallStatus)
ANSWERED_STATUSES: tuple[CallStatus, ...] = ("ok", "truncated", "refused", "empty")

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
    """

    role: Role
    model: str
    messages: tuple[Message, ...]
    params: JsonObject
    template: str
    template_hash: str
    repeat: int = 0
    call_id: str = field(init=False)

    def __post_init__(self) -> None:
        if "system_role" in self.params:
            params = dict(self.params)
            object.__setattr__(self, "messages", _with_system_role(self.messages, params.pop("system_role")))
            object.__setattr__(self, "params", params)
        key = (self.model, self.params, list(self.messages), self.repeat)
        object.__setattr__(self, "call_id", content_id("call", *key))


def _with_system_role(messages: tuple[Message, ...], role: str) -> tuple[Message, ...]:
    """Return the messages with system messages in this role; as `user`, they begin the user message after."""
    if role != "user":
        return tuple({**one, "role": role} if one["role"] == "system" else one for one in messages)
    merged: list[Message] = []
    held: list[str] = []
    for one in messages:
        if one["role"] == "system":
            held.append(one["content"])
        elif one["role"] == "user":
            merged.append({**one, "content": "\n\n".join([*held, one["content"]])})
            held = []
        else:
            merged += [*_as_user(held), one]
            held = []
    return (*merged, *_as_user(held))


def _as_user(texts: list[str]) -> list[Message]:
    return [{"role": "user", "content": "\n\n".join(texts)}] if texts else []


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call came to. `content` is the reply's text without its reasoning ("" where there is none).

    Token counts are None where the server reported none, `cost_usd` where a count or a price is unknown.
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
class CallPolicy:
    """How calls are made. Nothing here decides what a reply says, so it may change between two runs.

    Times are in seconds. `max_calls` bounds the requests that `units` send in all, `max_cost` (US dollars)
    what they cost: the editions and evaluations of one run, or none for that alone which calls are made for.
    `max_reply_bytes` bounds the decoded body of one response.
    `replay`: nobody is asked, replies come from the ledger alone. `models` are the entries of models.toml.
    """

    base_url: str
    concurrency: int = 64
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout_s: float = 300.0
    connect_timeout_s: float = 10.0
    max_attempts: int = 6
    max_reply_bytes: int = 32_000_000
    max_calls: int | None = None
    max_cost: float | None = None
    units: tuple[str, ...] = ()
    replay: bool = False
    models: "Mapping[str, ModelEntry]" = field(default_factory=dict)


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
