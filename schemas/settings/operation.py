"""The settings of a refresh that concern its operation: where it runs and whom it tells."""

import re

from pydantic import BaseModel, field_validator

from perennial.schemas.settings.form import OPERATION, setting


class OperatingSettings(BaseModel):
    """Where batches run and whom to tell: none of it decides what an edition holds."""

    runner: str = setting("local", "Where batches run: local, dask, or dask://HOST:PORT.", OPERATION)
    workers: int | None = setting(
        None,
        "Processes for sampling, books and play. Default: all cores.",
        OPERATION,
        example=2,
        ge=1,
        le=1_000,
    )
    webhook: str = setting("", "URL that receives a JSON message when the refresh ends.", OPERATION)
    openlineage_url: str = setting(
        "", "Endpoint that OpenLineage events are sent to, in addition to the file.", OPERATION
    )

    @field_validator("runner")
    @classmethod
    def _check_runner(cls, value: str) -> str:
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
