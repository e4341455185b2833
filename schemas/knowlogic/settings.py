"""KnowLogic's own settings: section [knowlogic] of perennial.toml."""

from typing import Any

from pydantic import field_validator

from schemas.knowlogic.things import DOMAINS, LANGUAGES
from schemas.settings import RefreshSettings
from schemas.settings.form import Names, setting


class KnowLogicSettings(RefreshSettings):
    """Which domains and languages, and how many questions."""

    domains: Names = setting(list(DOMAINS), f"Domains, separated by commas: some of {', '.join(DOMAINS)}.")
    languages: Names = setting(
        list(LANGUAGES), "Languages of each question, separated by commas: zh (Chinese), en (English)."
    )
    players: Names = setting(
        [],
        "Players, separated by commas: exact, random, single; any other name is treated as a model. "
        "Default: these three.",
    )
    questions: int = setting(
        60, "Questions per domain, each of them in all languages (the paper has 600).", ge=1, le=1_000_000
    )

    @field_validator("domains")
    @classmethod
    def _check_domains(cls, value: list[str]) -> list[str]:
        return _choose("domain", value, DOMAINS)

    @field_validator("languages")
    @classmethod
    def _check_languages(cls, value: list[str]) -> list[str]:
        return _choose("language", value, LANGUAGES)


def _choose(what: str, value: list[str], known: tuple[Any, ...]) -> list[str]:
    """Return those of the known names that were given, in their own order."""
    if not value or set(value) - set(known):
        raise ValueError(f"expected one {what} or more of {', '.join(known)}")
    return [name for name in known if name in value]
