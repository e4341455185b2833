"""People as players, and their tables."""

import math
import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

# People as players: a participant of a study is `human:PUBLIC`, and all of them together are `human`.
#
# Rows of episodes bear the participant's name; figures are of all of them together, so that nobody counts
# twice.

PERSON = "human"
_PREFIX = f"{PERSON}:"


def person_name(public: str) -> str:
    """A participant's name as a player, from the public part of the code."""
    return _PREFIX + public


def is_person(player: str) -> bool:
    """Whether a player is a person, or all of them together."""
    return player == PERSON or player.startswith(_PREFIX)


def pool_sql(column: str) -> str:
    """SQL of the player that figures are about: `human` for every participant."""
    return f"if(starts_with({column}, '{_PREFIX}'), '{PERSON}', {column})"


# A study: people play instances of a published edition. What its file says.

TUTORIAL = "tutorial"  # the name of the task that does not count
NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$"
MOST_PARTICIPANTS = 10_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")
_LONGEST = 20_000

Short = Annotated[str, Field(min_length=1, max_length=80)]
Money = Annotated[float, Field(ge=0, le=1_000_000)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False, allow_inf_nan=False)


class Earnings(_Section):
    """What a participant earns: `base` + `per_success` x success rate - `per_action` x action count.

    The success rate is right answers / assigned tasks; the action count is the actions taken in all assigned
    tasks, an answer not among them (KUMO, Design of the human experiment).
    """

    base: Money = 25.0
    per_success: Money = 15.0
    per_action: Money = 0.1

    def compute(self, solved: int, assigned: int, actions: int) -> float:
        """The earnings, rounded to hundredths and never below 0."""
        rate = solved / assigned if assigned else 0.0
        exact = math.fsum((self.base, self.per_success * rate, -self.per_action * actions))
        return max(0.0, round(exact, 2))


class Quality(_Section):
    """Who is excluded for random answers in a very short time.

    Both must hold: the median of seconds from the start of a task to its answer is below `seconds`, and the
    success rate is at most `success_rate`. With `seconds` 0 nobody is excluded.
    """

    seconds: Annotated[float, Field(ge=0, le=3600)] = 10.0
    success_rate: Annotated[float, Field(ge=0, le=1)] = 0.5

    def why_excluded(self, median_seconds: float | None, success_rate: float) -> str | None:
        """Why a participant is excluded; None: included."""
        if median_seconds is None or median_seconds >= self.seconds or success_rate > self.success_rate:
            return None
        return (
            f"median {median_seconds:.1f} s per task, below {self.seconds:g}, and success rate "
            f"{success_rate:.2f}, at most {self.success_rate:g}"
        )


class Study(_Section):
    """What a study's file says. What decides assignment cannot change once codes are drawn."""

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    edition: Annotated[str, Field(min_length=1, max_length=100)]
    title: Short = "Reasoning study"
    settings: Annotated[tuple[Short, ...], Field(min_length=1, max_length=20)]
    domains: Annotated[tuple[Short, ...], Field(min_length=1, max_length=500)]
    tasks: Annotated[int, Field(ge=1, le=200)] = 10
    participants: Annotated[int, Field(ge=1, le=MOST_PARTICIPANTS)] = 50
    task_minutes: Annotated[float, Field(gt=0, le=1440)] = 20.0
    total_minutes: Annotated[float, Field(gt=0, le=14400)] = 180.0
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    tutorial: Annotated[str, Field(max_length=100)] = ""
    consent: Annotated[str, Field(min_length=20, max_length=_LONGEST)]
    instructions: Annotated[str, Field(max_length=_LONGEST)] = ""
    contact: Annotated[str, Field(max_length=200)] = ""
    currency: Annotated[str, Field(max_length=10)] = ""
    age_bands: Annotated[tuple[Short, ...], Field(min_length=1, max_length=30)]
    education: Annotated[tuple[Short, ...], Field(min_length=1, max_length=30)]
    # Asked only where the file lists choices.
    genders: Annotated[tuple[Short, ...], Field(max_length=30)] = ()
    majors: Annotated[tuple[Short, ...], Field(max_length=100)] = ()
    earnings: Earnings = Earnings()
    quality: Quality = Quality()

    @field_validator("title", "consent", "instructions", "contact", "currency", mode="after")
    @classmethod
    def _refuse_control_characters(cls, text: str) -> str:
        if _CONTROL.search(text):
            raise ValueError("expected text without control characters or marks that turn its direction")
        return text

    @field_validator("settings", "domains", "age_bands", "education", "genders", "majors", mode="after")
    @classmethod
    def _refuse_repeats(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise ValueError("expected each name once")
        if any(not name.isprintable() or name != name.strip() for name in names):
            raise ValueError("expected names of printable characters, without spaces around them")
        return names

    @model_validator(mode="after")
    def _refuse_uneven_tasks(self) -> "Study":
        if self.tasks % len(self.settings):
            raise ValueError(
                f"tasks is {self.tasks}: expected a multiple of the {len(self.settings)} settings, so that "
                "each participant gets as many of each"
            )
        return self
