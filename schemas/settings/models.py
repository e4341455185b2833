"""The settings that concern models, whatever the benchmark: what is passed on, and what is allowed."""

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Self

from pydantic import BaseModel, PrivateAttr, ValidationError, field_validator

from perennial.schemas.errors import InvalidOption, quote, shorten, suggest
from perennial.schemas.model_calls import DEFAULT_MAX_TOKENS, Endpoint, check_base_url, choose_endpoint
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings.form import CALLS, PLAYERS, describe_expectation, read_toml, setting
from perennial.schemas.settings.model_entry import CallPolicy, ModelEntry
from perennial.schemas.variables import settings_file

# models.toml: a table for each model that is not asked as the settings say.

MODELS_FILE = "models.toml"
# What may hold a key that somebody put there is never shown.
_SHOWN = ("max_output", "context", "system_role", "requests_per_minute", "tokens_per_minute", "concurrency")


def load_models(named: str = "") -> dict[str, ModelEntry]:
    """Return the entries of models.toml, or of the file that is named, by the names of their tables.

    None where there is no models.toml. Raises InvalidOption, in one line with file and key, for a named file
    that is missing and for an entry that makes no sense.
    """
    path = Path(named) if named else settings_file().with_name(MODELS_FILE)
    values = read_toml(path)
    if values is None:
        if named:
            raise InvalidOption(f"--models-file {named!r}: no such file; check the path")
        return {}
    return {name: _entry(path, name, value) for name, value in values.items()}


def _entry(path: Path, name: str, value: object) -> ModelEntry:
    where = f"{path}: [{shorten(name if name.isprintable() else repr(name))}]"
    if not isinstance(value, dict):
        raise InvalidOption(f"{where}: expected a table for each model, such as [o3]; move the key into one")
    if not name.strip() or name != name.strip() or "," in name or not name.isprintable():
        raise InvalidOption(f"{where}: expected a name as in --players, without commas and spaces around it")
    try:
        return ModelEntry(**value)
    except ValidationError as error:
        problem = error.errors()[0]
    key = shorten(".".join(str(part) for part in problem["loc"] if not str(part).startswith("json")), 80)
    if problem["type"] == "extra_forbidden":
        hint = suggest(key, ModelEntry.model_fields) or f"; known: {', '.join(ModelEntry.model_fields)}"
        raise InvalidOption(f"{where} {quote(key)[1:-1]}: there is no such key{hint}") from None
    message = describe_expectation(problem)
    received = f", got {quote(problem['input'])}" if key in _SHOWN else ""
    raise InvalidOption(f"{where} {quote(key)[1:-1]}: {message}{received}") from None


class ModelSettings(BaseModel):
    """How models are asked, and the limits of calls and cost.

    There is no setting for a key: keys come from the environment and are kept nowhere.
    """

    temperature: float | None = setting(
        None, "Temperature of model players.", PLAYERS, example=0.7, ge=0, le=2
    )
    top_p: float | None = setting(
        None,
        "Nucleus sampling of model players: the probability mass to draw from (top_p).",
        PLAYERS,
        example=0.9,
        gt=0,
        le=1,
    )
    max_tokens: int = setting(
        DEFAULT_MAX_TOKENS,
        "Maximum number of tokens of a player's reply, thinking included; 0: no limit is sent.",
        PLAYERS,
        ge=0,
    )
    model_seed: int | None = setting(None, "Seed passed on to model players.", PLAYERS, example=1, ge=0)
    reasoning_effort: str = setting("", "Reasoning effort of model players.", PLAYERS)

    base_url: str = setting(
        "", "Server with the OpenAI Chat Completions API. Default: OPENAI_BASE_URL, else OpenAI's.", CALLS
    )
    models_file: str = setting(
        "",
        "File with a table for each model that needs its own settings. Default: models.toml, beside "
        "perennial.toml.",
        CALLS,
    )
    concurrency: int = setting(64, "Maximum number of calls in flight.", CALLS, ge=1, le=1_000)
    requests_per_minute: int | None = setting(
        None, "Maximum number of requests per minute.", CALLS, example=500, ge=1, le=10**9
    )
    tokens_per_minute: int | None = setting(
        None, "Maximum number of tokens per minute.", CALLS, example=200_000, ge=1, le=10**9
    )
    timeout: float = setting(300.0, "Time limit per reply in seconds.", CALLS, gt=0, le=86_400)
    max_attempts: int = setting(6, "Maximum number of requests for one call.", CALLS, ge=1, le=20)
    max_reply_mb: int = setting(
        32, "Maximum size of one reply in megabytes, decompressed.", CALLS, ge=1, le=256
    )
    max_calls: int | None = setting(
        None,
        "Maximum number of requests to models, failed ones too, for all editions and evaluations made.",
        CALLS,
        example=20_000,
        ge=0,
    )
    max_cost: float | None = setting(
        None,
        "Maximum cost of all these requests in US dollars.",
        CALLS,
        example=20.0,
        ge=0,
        allow_inf_nan=False,
    )
    smoke: bool = setting(
        False, "Play one instance with every model before paying for the rest; stop if a call fails.", CALLS
    )
    allow_unlisted: bool = setting(
        False,
        "Treat a name close to a program's as a model, even if its server does not list it.",
        CALLS,
    )
    accept_api_errors: bool = setting(
        False, "Publish episodes whose calls failed for good, with status api_error.", CALLS
    )

    _flags: dict[str, object] = PrivateAttr(default_factory=dict)
    _entries: dict[str, ModelEntry] = PrivateAttr(default_factory=dict)

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, value: str) -> str:
        return check_base_url(value)

    def player_params(self) -> JsonObject:
        """Return what a player's calls pass on: only what is set."""
        return only_set(
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens or None,
            seed=self.model_seed,
            reasoning_effort=self.reasoning_effort or None,
        )

    def model_entries(self) -> dict[str, ModelEntry]:
        """Return the entries of models.toml by name; raise InvalidOption for one that makes no sense."""
        return load_models(self.models_file) | self._entries

    def add_entries(self, entries: Mapping[str, ModelEntry]) -> Self:
        """Let these entries, of functions of this process, go before models.toml's; return the settings."""
        self._entries = {**self._entries, **entries}
        return self

    def keep_flags(self, names: Iterable[str]) -> Self:
        """Remember which settings are flags of the command line, and return the settings."""
        self._flags = {name: getattr(self, name) for name in names if name in ModelSettings.model_fields}
        return self

    def is_function(self, model: str) -> bool:
        """Whether the model is a function of this process, which is asked nothing but questions."""
        return model in self._entries

    def refuse_overridden(self, models: Collection[str]) -> None:
        """Raise InvalidOption for a flag that the entry of each of these models overrides."""
        entries = self.model_entries()
        for name, value in self._flags.items():
            keys = [entries[model].overriding(name, value) if model in entries else "" for model in models]
            if keys and all(keys):
                first, *others = models
                file = self.models_file or MODELS_FILE
                more = f", and the tables of {', '.join(others)} override it too" if others else ""
                raise InvalidOption(
                    f"--{name.replace('_', '-')} {value}: [{first}] of {file} has {keys[0]}, which overrides "
                    f"it{more}: leave the flag out, or change {file}"
                )

    def model_params(self, models: Iterable[str], shared: Mapping[str, object]) -> dict[str, JsonObject]:
        """Return the parameters of those models whose entry changes the `shared` ones."""
        entries = self.model_entries()
        params_by_model = {name: entries[name].params(name, shared) for name in models if name in entries}
        return {name: params for name, params in params_by_model.items() if params != shared}

    def reply_limit(self, model: str, params: Mapping[str, object]) -> str:
        """Return the setting that limits the length of the model's replies, `key = value`; "": none does."""
        entry = self.model_entries().get(model)
        limit = params.get("max_tokens")
        if entry is not None and entry.max_output is not None and limit == entry.max_output:
            return f"max_output = {limit}"
        name = next((key for key in ("max_completion_tokens", "max_tokens") if key in params), "")
        return f"{name} = {params[name]}" if name else ""

    def endpoint(self, model: str = "") -> Endpoint:
        """Return the server that models are asked at, and its key, as settings and environment say.

        With a model, the one that it is asked at.
        """
        shared = choose_endpoint(self.base_url, os.environ)
        entry = self.model_entries().get(model)
        return shared if entry is None else entry.endpoint(shared, os.environ)

    def call_policy(self) -> CallPolicy:
        """Return how calls are made."""
        return CallPolicy(
            base_url=self.endpoint().base_url,
            concurrency=self.concurrency,
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
            timeout_s=self.timeout,
            max_attempts=self.max_attempts,
            max_reply_bytes=self.max_reply_mb * 1_000_000,
            max_calls=self.max_calls,
            max_cost=self.max_cost,
            models=self.model_entries(),
        )


def only_set(**values: object) -> JsonObject:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}
