"""The settings of a refresh: flags over environment over perennial.toml over defaults."""

import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, ValidationInfo, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from schemas.errors import InvalidOption
from schemas.kumo.things import Setting
from schemas.model_settings import ModelSettings, Names
from schemas.operating_settings import OperatingSettings

PRESETS: dict[str, dict[str, Any]] = {
    "": {},
    "kumo-2025": {"min_expected_steps": 0.0, "max_trivial_share": 1.0},
}
SETTINGS_FILE = "perennial.toml"
_SEED_LIMIT = 2**63
EditionName = Annotated[str, Field(pattern=r"^$|^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_WIDTH = 200
_PROBLEMS_SHOWN = 8


class RefreshSettings(ModelSettings, OperatingSettings, BaseSettings):
    """Everything that an operator may set for `perennial refresh`.

    In the environment a setting is called PERENNIAL_ and its name in capitals; in perennial.toml, in
    the folder where the command runs, it is a key of that name. Lists may be written `a,b`.
    """

    model_config = SettingsConfigDict(env_prefix="PERENNIAL_", extra="forbid")

    root: str = "warehouse/data"
    domains: Names = []
    settings: Names = ["easy", "hard"]
    instances: Annotated[int, Field(ge=1, le=1_000_000)] = 50
    runs: Annotated[int, Field(ge=1, le=1_000)] = 5
    players: Names = ["oracle", "greedy", "random", "reader"]
    seed: Annotated[int, Field(ge=0, lt=_SEED_LIMIT)] = 0
    edition: EditionName = ""
    preset: str = ""
    min_expected_steps: Annotated[float, Field(ge=0, le=50)] = 1.0

    @field_validator("*", mode="before")
    @classmethod
    def _no_true_as_one(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse true and false where a number is expected, which pydantic reads as 1 and 0."""
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation is not bool:
            raise ValueError("expected something else than true or false")
        return value

    @field_validator("*")
    @classmethod
    def _without_control_characters(cls, value: Any) -> Any:
        """Refuse what no path, name or URL holds: line breaks, NUL and other control characters."""
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and _CONTROL.search(text):
                raise ValueError("expected one line without control characters")
        return value

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
        return init_settings, env_settings, _SettingsFile(settings_cls)


class _SettingsFile(InitSettingsSource):
    """What perennial.toml sets, in the folder where the command runs; nothing where there is none."""

    def __init__(self, settings_cls: type[BaseSettings]) -> None:
        super().__init__(settings_cls, _read_toml(Path(SETTINGS_FILE)))


def _read_toml(path: Path) -> dict[str, Any]:
    """Return the file's keys, a byte order mark aside; raise ValueError or OSError where it holds none."""
    if path.is_file():
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    if os.path.lexists(path):
        raise ValueError("not a regular file; remove it, or write the settings to a file of this name")
    return {}


def load_settings(flags: dict[str, Any]) -> RefreshSettings:
    """Return the settings with these flags (None: not given); raise InvalidOption naming each bad one."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        settings = RefreshSettings(**given)
        preset = PRESETS[settings.preset]
        return settings.model_copy(update={k: v for k, v in preset.items() if k not in given})
    except ValidationError as error:
        problems = "; ".join(_in_words(dict(problem)) for problem in error.errors()[:_PROBLEMS_SHOWN])
        more = error.error_count() - _PROBLEMS_SHOWN
        raise InvalidOption(
            f"{problems}{f'; and {more:,} more' if more > 0 else ''} (see `perennial refresh --help`)"
        ) from None
    except ValueError as error:
        raise InvalidOption(f"{SETTINGS_FILE}: {error}") from None
    except RecursionError:
        raise InvalidOption(f"{SETTINGS_FILE}: nested too deeply; expected keys with plain values") from None
    except OSError as error:
        raise InvalidOption(
            f"{SETTINGS_FILE}: cannot be read ({error.strerror}); check its permissions"
        ) from None


def _in_words(problem: dict[str, Any]) -> str:
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        # Its value is not shown: it may be a key that somebody put into the file.
        hint = (
            "; keys come from the environment (PERENNIAL_API_KEY or OPENAI_API_KEY)" if "key" in name else ""
        )
        return f"{_shortened(name if name.isprintable() else repr(name))}: there is no such setting{hint}"
    message = _shortened(problem["msg"].removeprefix("Value error, "))
    return f"{name}: {message}, got {_redacted(problem['input'])}"


def _redacted(value: Any) -> str:
    """Return the value as it was given, but for what a URL may hold of secrets: its user and its query."""
    try:
        text = repr(value)
    except ValueError:
        text = "a number of thousands of digits"
    return _shortened(re.sub(r"\?[^'\s]*", "?***", re.sub(r"//[^/@\s]*@", "//***@", text)))


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
