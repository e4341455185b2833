"""The settings of a refresh that concern its operation: where it runs, who is notified, what blocks it."""

import re
from typing import Annotated

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

from schemas.kumo.gate import GatePolicy

_Share = Annotated[float, Field(ge=0, le=1)]


class OperatingSettings(BaseSettings):
    """How domains take turns, where batches run, whom to notify, and the gate's thresholds.

    None of them but `domain_count` and `rest_editions` decides what an edition holds.
    """

    domain_count: Annotated[int | None, Field(ge=1, le=1_000)] = None
    rest_editions: Annotated[int, Field(ge=0, le=1_000)] = 2

    runner: str = "local"
    workers: Annotated[int | None, Field(ge=1, le=1_000)] = None

    webhook: str = ""
    openlineage_url: str = ""

    max_trivial_share: _Share = 0.0
    min_distinct_books: _Share = 1.0
    max_collision_probability: _Share = 1.0

    @field_validator("runner")
    @classmethod
    def _known_runner(cls, value: str) -> str:
        if value not in ("local", "dask") and not re.fullmatch(r"dask://[^\s/?#@]+:\d{1,5}", value):
            raise ValueError("expected local, dask, or dask://HOST:PORT of a Dask scheduler")
        return value

    @field_validator("webhook", "openlineage_url")
    @classmethod
    def _http_url(cls, value: str) -> str:
        from urllib.parse import urlsplit

        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0):
            raise ValueError("expected a URL such as http://127.0.0.1:8080/hook, or nothing")
        return value

    def gate_policy(self) -> GatePolicy:
        """Return the thresholds that an edition must meet before it is published."""
        return GatePolicy(self.max_trivial_share, self.min_distinct_books, self.max_collision_probability)
