"""A model's entry in models.toml: what it is sent, where, with which limits, and at which price."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationInfo, field_validator

from perennial.schemas.errors import InvalidOption, add_extra
from perennial.schemas.model_calls import (
    BATCH_PRICE_SHARE,
    DEFAULT_MAX_TOKENS,
    Endpoint,
    Price,
    check_base_url,
    choose_model_endpoint,
)
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings.form import setting

UNSET = "unset"
SystemRole = Literal["", "system", "developer", "user"]
_VARIABLE_LIKE = re.compile(r'\$\{[^{}"]{0,80}\}?')
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_VARIABLE_NAME = re.compile(r"|[A-Za-z_][A-Za-z0-9_]*")
_SECRET_NAME = re.compile(r"auth|key|token|secret|cookie|passw|credential|signature|^sig$", re.IGNORECASE)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# What a call is made of beside its parameters: an entry that sets them would change what is asked.
_FACTS = (
    "family",
    "parameters_billion",
    "quantization",
    "tuning",
    "weights",
    "training_cutoff",
    "base_model",
    "trained_on",
    "trained_setting",
    "step",
)
_RESERVED = ("model", "messages", "stream", "n", "system_role")
# Settings that an entry may override: keys of its own, and parameters by the name of their setting.
_OWN_WAY = ("base_url", "requests_per_minute", "tokens_per_minute", "concurrency")
_PARAMETERS = {name: name for name in ("temperature", "top_p", "max_tokens", "reasoning_effort")}
_PARAMETERS |= {"model_seed": "seed"}


class ModelEntry(BaseModel):
    """One table of models.toml. What is left out is as for a model without an entry.

    Only what `params` returns decides what the model sees: it is part of the plan and of each call's
    identity. Server, key, headers, limits and prices are not, and may change between two runs.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    model: str = setting(
        "", "Name of the model at its server. Default: the name of this table.", example="my-model-large"
    )
    base_url: str = setting(
        "",
        "Its server. Default: that of the settings (base_url, else OPENAI_BASE_URL).",
        example="http://127.0.0.1:8000/v1",
    )
    key_env: str = setting(
        "",
        "Name of the environment variable that holds its key. Default: the settings' key at the settings' "
        "server, otherwise none.",
        example="EXAMPLE_API_KEY",
    )
    api: dict[str, JsonValue] = setting(
        {},
        'Parameters of its calls, which override the settings\'; "unset": the parameter is never sent, for '
        "models that refuse it.",
        example={"temperature": UNSET, "top_p": 0.9},
    )
    max_output: int | None = setting(None, "Maximum tokens per reply; caps max_tokens.", example=8_000, ge=1)
    context: int | None = setting(
        None,
        "Maximum tokens of prompt and reply together; a call that would not fit fails without being sent.",
        example=128_000,
        ge=1,
    )
    reasoning_effort: str = setting("", 'Reasoning effort, or "unset".', example="low")
    extra_body: dict[str, JsonValue] = setting(
        {},
        "Extra fields for the request body.",
        example={"chat_template_kwargs": {"enable_thinking": False}},
    )
    headers: dict[str, str] = setting(
        {},
        "Extra headers for each request; ${NAME} in a value is the environment variable of that name.",
        example={"X-Project": "${EXAMPLE_PROJECT}"},
    )
    query: dict[str, str] = setting(
        {}, "Query parameters of each request, such as Azure's api-version.", example={"api-version": "1"}
    )
    system_role: SystemRole = setting(
        "",
        "Role of the system message: system, developer, or user, for models whose template refuses others: "
        "it is then put at the beginning of the first user message. Default: system.",
        example="user",
    )
    requests_per_minute: int | None = setting(
        None, "Maximum number of requests per minute.", example=60, ge=1, le=10**9
    )
    tokens_per_minute: int | None = setting(
        None, "Maximum number of tokens per minute.", example=100_000, ge=1, le=10**9
    )
    concurrency: int | None = setting(None, "Maximum number of calls in flight.", example=8, ge=1, le=1_000)
    batch: bool = setting(
        False,
        "Use the server's Batch API for games that end at the first reply, and for books: it takes up to 24 "
        "hours, at half the price.",
        example=True,
    )
    prompt_usd_per_million: float | None = setting(
        None,
        "Price in US dollars per million prompt tokens; overrides prices.csv in the data root.",
        example=1.25,
        ge=0,
        allow_inf_nan=False,
    )
    completion_usd_per_million: float | None = setting(
        None,
        "Price in US dollars per million reply tokens.",
        example=10.0,
        ge=0,
        allow_inf_nan=False,
    )
    cached_usd_per_million: float | None = setting(
        None,
        "Price in US dollars per million cached prompt tokens. Default: that of other prompt tokens.",
        example=0.125,
        ge=0,
        allow_inf_nan=False,
    )
    tokenizer: str = setting(
        "",
        "Path of its tokenizer.json, by which prompts are counted for context and tokens_per_minute (needs "
        f"{add_extra('tokenizers')}). Default: 4 bytes per token.",
        example="tokenizer.json",
    )
    family: str = setting(
        "",
        "Family of the model, for figures of a benchmark that compare models of one; like the keys below, "
        "it does not affect calls.",
        example="Example-3",
    )
    parameters_billion: float | None = setting(
        None, "Its parameters, in billions.", example=8.2, gt=0, allow_inf_nan=False
    )
    quantization: str = setting(
        "", 'Its quantization, "none" for full precision. Default: unknown.', example="GPTQ-Int4"
    )
    tuning: str = setting(
        "", "What it was tuned for, such as instruct, thinking or math. Default: unknown.", example="thinking"
    )
    weights: Literal["", "open", "closed"] = setting(
        "", "Whether its weights are open or closed. Default: unknown.", example="open"
    )
    training_cutoff: str = setting(
        "",
        "Last day of its training data, as its maker states it, YYYY-MM-DD. Default: unknown.",
        example="2025-06-30",
    )
    base_model: str = setting(
        "", "For a training checkpoint: the model that was trained.", example="Example-3"
    )
    trained_on: str = setting(
        "", "For a training checkpoint: the domain that it was trained on.", example="Medical Diagnosis IND"
    )
    trained_setting: str = setting(
        "", "For a training checkpoint: the setting that it was trained on.", example="easy"
    )
    step: int | None = setting(
        None, "For a training checkpoint: the number of steps that it was trained for.", example=500, ge=0
    )

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_variables(cls, value: object, field: ValidationInfo) -> object:
        filled = field.field_name in ("headers", "query")
        # At any depth: the value as one text.
        for name in _VARIABLE_LIKE.findall(json.dumps(value, default=str, ensure_ascii=False)):
            if not filled:
                raise ValueError(f"{name} is filled in headers and query only; write the value itself")
            if not _VARIABLE.fullmatch(name):
                raise ValueError(f"{name} is no variable; write ${{NAME}}, in letters, digits and _")
        return value

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, value: str) -> str:
        return check_base_url(value)

    @field_validator(
        "model",
        "tokenizer",
        "reasoning_effort",
        "family",
        "quantization",
        "tuning",
        "base_model",
        "trained_on",
        "trained_setting",
    )
    @classmethod
    def _on_one_line(cls, value: str) -> str:
        if not value.isprintable() or value != value.strip():
            raise ValueError("expected one line without spaces around it")
        return value

    @field_validator("training_cutoff", mode="before")
    @classmethod
    def _day(cls, value: object) -> object:
        # TOML has days of its own, without quotes.
        value = value.isoformat() if type(value) is date else value
        if isinstance(value, str) and value and not (_DAY.fullmatch(value) and _is_day(value)):
            raise ValueError("expected a day, YYYY-MM-DD")
        return value

    @field_validator("key_env")
    @classmethod
    def _name_of_a_variable(cls, value: str) -> str:
        if not _VARIABLE_NAME.fullmatch(value):
            raise ValueError("expected the name of an environment variable, not a key")
        return value

    @field_validator("api", "extra_body")
    @classmethod
    def _refuse_reserved(cls, value: JsonObject) -> JsonObject:
        for name in value:
            if name in _RESERVED:
                raise ValueError(f"{name} cannot be set here, as it would change what is asked")
        return value

    @field_validator("headers", "query")
    @classmethod
    def _keys_by_variable(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not _HEADER_NAME.fullmatch(name) or not text.isascii() or not text.isprintable():
                raise ValueError(f"{name!r}: expected printable ASCII text on one line")
            if _SECRET_NAME.search(name) and not _VARIABLE.search(text):
                raise ValueError(f"{name} may hold a key: give it by the name of a variable, as ${{NAME}}")
        return value

    @property
    def price(self) -> Price | None:
        """Its price, None where the entry gives none."""
        prices = self.prompt_usd_per_million, self.completion_usd_per_million, self.cached_usd_per_million
        return None if prices == (None, None, None) else Price(*prices, source="models.toml")

    @property
    def batch_share(self) -> float:
        """What a call in a batch costs, as a part of its price."""
        return BATCH_PRICE_SHARE if self.batch else 1.0

    @property
    def has_own_client(self) -> bool:
        """Whether its calls go another way than those of models without an entry."""
        client_keys = ("base_url", "key_env", "headers", "query", "requests_per_minute", "tokens_per_minute")
        return any(getattr(self, name) for name in (*client_keys, "concurrency", "context", "batch"))

    def params(self, name: str, shared: Mapping[str, object]) -> JsonObject:
        """What decides the answers of the model of this name: `shared` settings, then the entry's.

        `model` and `system_role` are among them where they are not the usual ones.
        """
        values = {**shared, **self.api}
        if self.reasoning_effort:
            values["reasoning_effort"] = self.reasoning_effort
        request_fields = {**self.api, **self.extra_body}
        asked = values.get("max_tokens")
        is_default = asked == DEFAULT_MAX_TOKENS and "max_tokens" not in request_fields
        if "max_completion_tokens" in request_fields and "max_tokens" not in request_fields:
            # A server takes one of the two.
            values.pop("max_tokens", None)
        elif self.max_output is not None and (asked is None or is_default):
            values["max_tokens"] = self.max_output
        elif self.max_output is not None and type(asked) is int:
            values["max_tokens"] = min(asked, self.max_output)
        elif self.context is not None and is_default:
            # Half is left to the prompt.
            values["max_tokens"] = min(DEFAULT_MAX_TOKENS, max(1, self.context // 2))
        values |= self.extra_body
        if self.system_role not in ("", "system"):
            values["system_role"] = self.system_role
        if self.model and self.model != name:
            values["model"] = self.model
        return {key: value for key, value in values.items() if value != UNSET}

    def overriding(self, name: str, value: object) -> str:
        """What the entry says in place of a setting of this value, as `key = value`; "": it holds."""
        if name in _OWN_WAY:
            stored = getattr(self, name)
            return f"{name} = {json.dumps(stored)}" if stored and stored != value else ""
        parameter = _PARAMETERS.get(name)
        if parameter is None:
            return ""
        sent = self.params("", {parameter: value}).get(parameter, UNSET)
        if sent == value:
            return ""
        if parameter == "max_tokens" and sent == self.max_output:
            parameter = "max_output"
        elif parameter == "max_tokens" and parameter not in {**self.api, **self.extra_body}:
            # Half of the context is the limit where neither the entry nor the flag gives another.
            parameter, sent = "context", self.context
        return f"{parameter} = {json.dumps(sent)}"

    def endpoint(self, settings: Endpoint, environment: Mapping[str, str]) -> Endpoint:
        """Its server and key; `settings` is the endpoint of models without an entry."""
        return choose_model_endpoint(self.base_url, self.key_env, settings, environment)

    @property
    def facts(self) -> JsonObject:
        """What the entry says of the model itself, which decides no call."""
        values = {name: getattr(self, name) for name in _FACTS}
        return {name: value for name, value in values.items() if value not in ("", None)}

    def variables(self) -> tuple[str, ...]:
        """The names of the environment variables that its key, headers and query need."""
        texts = (*self.headers.values(), *self.query.values())
        named = (name for text in texts for name in _VARIABLE.findall(text))
        return tuple(dict.fromkeys((*((self.key_env,) if self.key_env else ()), *named)))


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def fill_variables(values: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Replace each ${NAME} in headers or query; raise InvalidOption for a variable that is not set."""

    def look_up(match: re.Match[str]) -> str:
        value = environment.get(match[1], "").strip()
        if not value:
            raise InvalidOption(f"the environment variable {match[1]}, which models.toml names, is not set")
        return value

    return {name: _VARIABLE.sub(look_up, text) for name, text in values.items()}


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
    models: Mapping[str, ModelEntry] = field(default_factory=dict)
