"""The settings of a refresh: flags over environment over perennial.toml over defaults."""

import re
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from schemas.errors import InvalidOption
from schemas.kumo.things import Setting
from schemas.model_settings import ModelSettings, Names
from schemas.operating_settings import OperatingSettings

PRESETS: dict[str, dict[str, Any]] = {
    "": {},
    "kumo-2025": {"min_expected_steps": 0.0, "max_trivial_share": 1.0},
}
_SEED_LIMIT = 2**63


class RefreshSettings(ModelSettings, OperatingSettings, BaseSettings):
    """Everything that an operator may set for `perennial refresh`.

    In the environment a setting is called PERENNIAL_ and its name in capitals; in perennial.toml, in
    the folder where the command runs, it is a key of that name. Lists may be written `a,b`.
    """

    model_config = SettingsConfigDict(env_prefix="PERENNIAL_", toml_file="perennial.toml", extra="forbid")

    root: str = "warehouse/data"
    domains: Names = []
    settings: Names = ["easy", "hard"]
    instances: Annotated[int, Field(ge=1, le=1_000_000)] = 50
    runs: Annotated[int, Field(ge=1, le=1_000)] = 5
    players: Names = ["oracle", "greedy", "random", "reader"]
    seed: Annotated[int, Field(ge=0, lt=_SEED_LIMIT)] = 0
    edition: Annotated[str, Field(pattern=r"^$|^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")] = ""
    preset: str = ""
    min_expected_steps: Annotated[float, Field(ge=0, le=50)] = 1.0

    @field_validator("domains", "settings", "players", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        parts = value.split(",") if isinstance(value, str) else value
        return [part.strip() for part in parts if part.strip()] if isinstance(parts, list) else parts

    @field_validator("domains", "settings", "players")
    @classmethod
    def _without_repeats(cls, value: list[str]) -> list[str]:
        return list(dict.fromkeys(value))

    @field_validator("preset")
    @classmethod
    def _known_preset(cls, value: str) -> str:
        if value not in PRESETS:
            known = ", ".join(name for name in PRESETS if name)
            raise ValueError(f"preset {value!r} is not known; known: {known}")
        return value

    @field_validator("settings")
    @classmethod
    def _known_settings(cls, value: list[str]) -> list[str]:
        return list(dict.fromkeys(Setting.parse(name).name for name in value))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put perennial.toml below the environment."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(flags: dict[str, Any]) -> RefreshSettings:
    """Return the settings with these flags (None: not given); raise InvalidOption naming each bad one."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        settings = RefreshSettings(**given)
        preset = PRESETS[settings.preset]
        return settings.model_copy(update={k: v for k, v in preset.items() if k not in given})
    except ValidationError as error:
        problems = "; ".join(_in_words(dict(problem)) for problem in error.errors())
        raise InvalidOption(f"{problems} (see `perennial refresh --help`)") from None
    except ValueError as error:
        raise InvalidOption(f"perennial.toml: {error}") from None


def _in_words(problem: dict[str, Any]) -> str:
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        # Its value is not shown: it may be a key that somebody put into the file.
        hint = (
            "; keys come from the environment (PERENNIAL_API_KEY or OPENAI_API_KEY)" if "key" in name else ""
        )
        return f"{name}: there is no such setting{hint}"
    return f"{name}: {problem['msg']}, got {_redacted(problem['input'])}"


def _redacted(value: Any) -> str:
    """Return the value as it was given, but for what a URL may hold of secrets: its user and its query."""
    return re.sub(r"\?[^'\s]*", "?***", re.sub(r"//[^/@\s]*@", "//***@", repr(value)))
