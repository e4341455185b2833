"""Analysts: models that say of models' answers how they came about, once all have played."""

from dataclasses import dataclass, field
from typing import Self

from perennial.schemas.model_calls import ModelChoice
from perennial.schemas.rows import JsonObject, ReadJson

MOST_ANALYSTS = 2
# That of A2RBench's paper, and of the whole shared machinery: an analyst is to say the same each time.
TEMPERATURE = 1e-7


@dataclass(frozen=True, slots=True)
class AnswerAnalysis:
    """What an analyst says of an episode: why, and which category and style it has ("": none is asked)."""

    justification: str
    outcome_category: str
    reasoning_style: str = ""


@dataclass(frozen=True, slots=True)
class AnalysisForm:
    """What analysts of a benchmark choose from, of wrong answers and of right ones (none: not analysed).

    `prompt` is the template of what they are shown; answers with a status in `skipped` are not analysed.
    """

    benchmark: str
    prompt: str
    wrong: tuple[str, ...]
    right: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ("api_error",)

    @property
    def table_name(self) -> str:
        """The table that holds analyses."""
        return f"{self.benchmark}_analyses"

    @property
    def outcomes(self) -> tuple[bool, ...]:
        """Which answers are analysed: wrong ones, and right ones if they have categories."""
        return (False, True) if self.right else (False,)

    def categories(self, success: bool) -> tuple[str, ...]:
        """The categories of right answers, or of wrong ones."""
        return self.right if success else self.wrong


@dataclass(frozen=True, slots=True)
class AnalystPlan:
    """The analysts of an evaluation with what their calls pass on, as its `protocol` keeps them.

    They say of at most `most` episodes of a player and an outcome how these came about.
    """

    analysts: dict[str, JsonObject] = field(default_factory=dict)
    most: int = 0

    def as_protocol(self) -> JsonObject:
        """The part of the protocol, which is not how players are asked; nothing without analysts."""
        return {"analysis": {"analysts": self.analysts, "most": self.most}} if self.analysts else {}

    @classmethod
    def from_protocol(cls, protocol: ReadJson) -> Self:
        """Read what `as_protocol` wrote."""
        return cls(**protocol.get("analysis", {}))

    def choices(self) -> tuple[ModelChoice, ...]:
        """The analysts as models to ask."""
        return tuple(ModelChoice(model, params) for model, params in self.analysts.items())
