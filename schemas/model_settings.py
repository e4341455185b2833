"""The settings of a refresh that concern models: who plays which role, what is passed on, what is allowed."""

import os
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator
from pydantic_settings import BaseSettings, NoDecode

from schemas.calls import CallPolicy
from schemas.endpoint import Endpoint, choose_endpoint
from schemas.errors import InvalidOption
from schemas.kumo.authoring import AUTHOR_ROLES, AuthoringPlan

DEFAULT_PROPOSALS = 3


def split_names(value: Any) -> Any:
    """Return the names of a text `a,b`, or of a list, without blank ones; leave anything else as it is."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        return value
    return [part.strip() for part in parts if part.strip()]


Names = Annotated[list[str], NoDecode, BeforeValidator(split_names)]
_OptionalCount = Annotated[int | None, Field(ge=1)]


class ModelSettings(BaseSettings):
    """Who authors, how models are asked, and the limits of calls and cost.

    There is no setting for a key: keys come from the environment and are kept nowhere.
    """

    author: str = ""
    proposer: str = ""
    configurer: str = ""
    writer: str = ""
    reviser: str = ""
    propose: Annotated[int | None, Field(ge=0, le=1_000)] = None
    categories: Names = []
    author_temperature: Annotated[float | None, Field(ge=0, le=2)] = None
    author_max_tokens: _OptionalCount = None
    continuations: Annotated[int, Field(ge=0, le=20)] = 3
    repairs: Annotated[int, Field(ge=0, le=20)] = 3
    book_rounds: Annotated[int, Field(ge=0, le=20)] = 3

    temperature: Annotated[float | None, Field(ge=0, le=2)] = None
    top_p: Annotated[float | None, Field(gt=0, le=1)] = None
    max_tokens: _OptionalCount = None
    model_seed: Annotated[int | None, Field(ge=0)] = None
    reasoning_effort: str = ""

    base_url: str = ""
    concurrency: Annotated[int, Field(ge=1, le=1_000)] = 64
    requests_per_minute: _OptionalCount = None
    tokens_per_minute: _OptionalCount = None
    timeout: Annotated[float, Field(gt=0, le=86_400)] = 300.0
    max_attempts: Annotated[int, Field(ge=1, le=20)] = 6
    max_reply_mb: Annotated[int, Field(ge=1, le=256)] = 32
    max_calls: Annotated[int | None, Field(ge=0)] = None
    max_cost: Annotated[float | None, Field(ge=0, allow_inf_nan=False)] = None
    accept_api_errors: bool = False

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, value: str) -> str:
        """Return the URL without a closing slash; refuse what is no HTTP URL, and a key inside of one."""
        from urllib.parse import urlsplit

        if not value:
            return value
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError("expected a URL such as http://127.0.0.1:8000/v1")
        if parts.username or parts.password or parts.query:
            raise ValueError(
                "a URL with a user name, a password or a query: keys come from the environment alone "
                "(PERENNIAL_API_KEY or OPENAI_API_KEY)"
            )
        return value.rstrip("/")

    def authoring(self, has_domains: bool) -> AuthoringPlan:
        """Return who authors: `author` fills each role that has no model of its own.

        Without `propose`, new domains are proposed where nobody named domains. Raises InvalidOption for
        roles that cannot work alone.
        """
        named = {role: getattr(self, role) or self.author for role in AUTHOR_ROLES}
        if named["writer"] and not named["reviser"]:
            named["reviser"] = named["writer"]
        if bool(named["proposer"]) != bool(named["configurer"]):
            lacking = "configurer" if named["proposer"] else "proposer"
            raise InvalidOption(
                f"a proposed domain needs a proposer and a configurer, and no model is the {lacking}: "
                f"name it with --{lacking}, or all roles with --author"
            )
        if self.reviser and not named["writer"]:
            raise InvalidOption("a reviser revises what a model wrote: name it with --writer or --author")
        proposals = self._proposals(bool(named["proposer"]), has_domains)
        if not proposals:
            named["proposer"] = named["configurer"] = ""
        return AuthoringPlan(
            **named,
            proposals=proposals,
            categories=tuple(self.categories) if proposals else (),
            params=self._set(temperature=self.author_temperature, max_tokens=self.author_max_tokens),
            continuations=self.continuations,
            repairs=self.repairs,
            book_rounds=self.book_rounds,
        )

    def _proposals(self, has_proposer: bool, has_domains: bool) -> int:
        if self.propose and not has_proposer:
            raise InvalidOption(
                f"--propose {self.propose} needs a model that proposes domains: name it with --author"
            )
        if self.propose is not None or not has_proposer:
            return self.propose or 0
        return 0 if has_domains else DEFAULT_PROPOSALS

    def player_params(self) -> dict[str, Any]:
        """Return what a player's calls pass on: only what is set."""
        return self._set(
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens,
            seed=self.model_seed,
            reasoning_effort=self.reasoning_effort or None,
        )

    def endpoint(self) -> Endpoint:
        """Return the server that models are asked at, and its key, as settings and environment say."""
        return choose_endpoint(self.base_url, os.environ)

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
        )

    @staticmethod
    def _set(**values: Any) -> dict[str, Any]:
        return {name: value for name, value in values.items() if value is not None}
