"""KnowLogic's own settings: section [knowlogic] of perennial.toml."""

from collections.abc import Collection
from typing import Any, Self

from pydantic import field_validator

from schemas.errors import join_choices
from schemas.knowlogic.things import DOMAINS, LANGUAGES
from schemas.settings import RefreshSettings
from schemas.settings.form import Names, setting

# The paper: 600 questions a domain (section 3.4), models at temperature 0.7 (section 4.1).
PRESETS: dict[str, dict[str, Any]] = {"": {}, "paper": {"questions": 600, "temperature": 0.7}}


class KnowLogicSettings(RefreshSettings):
    """Which domains and languages, and how many questions."""

    domains: Names = setting(list(DOMAINS), f"Domains, separated by commas: some of {', '.join(DOMAINS)}.")
    languages: Names = setting(
        list(LANGUAGES), "Languages of each question, separated by commas: zh (Chinese), en (English)."
    )
    players: Names = setting(
        [],
        "Players, separated by commas: exact, guesser, random, single; any other name is treated as a model. "
        "Default: these four.",
    )
    questions: int = setting(60, "Questions per domain, each of them in all languages.", ge=1, le=1_000_000)
    preset: str = setting("", "paper: 600 questions per domain, and models at temperature 0.7.")

    @field_validator("domains")
    @classmethod
    def _check_domains(cls, value: list[str]) -> list[str]:
        return _choose("domain", value, DOMAINS)

    @field_validator("languages")
    @classmethod
    def _check_languages(cls, value: list[str]) -> list[str]:
        return _choose("language", value, LANGUAGES)

    @field_validator("preset")
    @classmethod
    def _check_preset(cls, value: str) -> str:
        if value not in PRESETS:
            raise ValueError(f"expected {join_choices(name for name in PRESETS if name)}")
        return value

    def fill_preset(self, flags: Collection[str]) -> Self:
        """Return the settings with what the preset sets, but for what flags set."""
        preset = PRESETS[self.preset]
        return self.model_copy(update={name: value for name, value in preset.items() if name not in flags})


def _choose(what: str, value: list[str], known: tuple[Any, ...]) -> list[str]:
    """Return those of the known names that were given, in their own order."""
    if not value or set(value) - set(known):
        raise ValueError(f"expected one {what} or more of {', '.join(known)}")
    return [name for name in known if name in value]
