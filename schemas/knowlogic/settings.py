"""KnowLogic's own settings: section [knowlogic] of perennial.toml."""

from typing import Any, ClassVar

from pydantic import field_validator

from perennial.schemas.knowlogic.things import DOMAINS, LANGUAGES
from perennial.schemas.settings import AnalystSettings
from perennial.schemas.settings.form import Names, Sizes, setting, size_setting


class KnowLogicSettings(AnalystSettings):
    """Which domains and languages, and how many questions."""

    # The paper: 600 questions per domain (section 3.4), models at temperature 0.7 (section 4.1).
    sizes: ClassVar[Sizes] = {
        "tiny": {"questions": 2, "runs": 1},
        "small": {"questions": 20, "runs": 1},
        "standard": {},
        "contamination": {"questions": 200, "languages": ["en"], "runs": 1, "private_share": 0.5},
        "paper": {"questions": 600, "temperature": 0.7},
    }
    size: str = size_setting(
        tiny="2 questions per domain and language, 20 calls, 1 minute",
        small="20, 200 calls, 1 minute",
        standard="60 and 5 runs, 3,000 calls, 6 minutes",
        contamination="200 in English, asked once, half of them private, 1,000 calls, 2 minutes",
        paper="600, 5 runs and temperature 0.7, 30,000 calls, 1 hour",
    )
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

    @field_validator("domains")
    @classmethod
    def _check_domains(cls, value: list[str]) -> list[str]:
        return _choose("domain", value, DOMAINS)

    @field_validator("languages")
    @classmethod
    def _check_languages(cls, value: list[str]) -> list[str]:
        return _choose("language", value, LANGUAGES)


def _choose(what: str, value: list[str], names: tuple[Any, ...]) -> list[str]:
    if not value or set(value) - set(names):
        raise ValueError(f"expected one {what} or more of {', '.join(names)}")
    return [name for name in names if name in value]
