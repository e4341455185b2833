"""What models do with answers: one reads what the program could not, others say how an answer came about."""

from dataclasses import dataclass, field
from typing import Literal, Self, get_args

from perennial.schemas.model_calls.calls import ModelChoice
from perennial.schemas.rows import JsonObject, ReadJson

# The categories of section 3.4 of the paper, by whether the answer was right.
WrongCategory = Literal[
    "Abstraction_Failure-Operator_Inference",
    "Abstraction_Failure-Scope_Condition",
    "Reasoning_Failure-Procedural_Error",
    "Format_Or_Collapse-Reasoning_Collapse",
]
RightCategory = Literal[
    "Success-Type_A-Surface_Fitting", "Success-Type_B-Inferior_Rule", "Success-Type_C-Correct_Generalization"
]
Style = Literal["Direct_Deduction", "Hypothesis_Testing", "Chaotic_Guessing"]
WRONG: tuple[str, ...] = get_args(WrongCategory)
RIGHT: tuple[str, ...] = get_args(RightCategory)
CATEGORIES = (*WRONG, *RIGHT)
STYLES: tuple[str, ...] = get_args(Style)

MOST_ANALYSTS = 2
# The paper's temperature of solvers and analysts.
TEMPERATURE = 1e-7

Params = JsonObject


def categories_of(success: bool) -> tuple[str, ...]:
    """Return the categories of right answers, or of wrong ones."""
    return RIGHT if success else WRONG


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an analyst says of an episode: why, and which category and style it has."""

    justification: str
    outcome_category: str
    reasoning_style: str


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """The models that read answers, as an evaluation's `protocol` keeps them.

    `judge` reads replies that the program found no answer in, "": nobody does; `analysts` say of at most
    `most` right and `most` wrong episodes of a player how they came about. Both are given with what their
    calls pass on.
    """

    judge: str = ""
    judge_params: Params = field(default_factory=dict)
    analysts: dict[str, Params] = field(default_factory=dict)
    most: int = 0

    def as_protocol(self) -> JsonObject:
        """Return the protocol, nothing where no model reads; `analysis` is not how players are asked."""
        protocol: JsonObject = {}
        if self.judge:
            # With the name, evaluations with a judge are told from those without.
            protocol |= {"name": f"judge {self.judge}"}
            protocol |= {"judge": {"model": self.judge, "params": self.judge_params}}
        if self.analysts:
            protocol |= {"analysis": {"analysts": self.analysts, "most": self.most}}
        return protocol

    @classmethod
    def from_protocol(cls, protocol: ReadJson) -> Self:
        """Return the plan that `as_protocol` wrote."""
        judge, analysis = protocol.get("judge", {}), protocol.get("analysis", {})
        return cls(
            judge.get("model", ""),
            judge.get("params", {}),
            analysis.get("analysts", {}),
            analysis.get("most", 0),
        )

    def judges(self) -> tuple[ModelChoice, ...]:
        """Return the judge, where there is one."""
        return (ModelChoice(self.judge, self.judge_params),) if self.judge else ()

    def choices(self) -> tuple[ModelChoice, ...]:
        """Return all models that read."""
        analysts = (ModelChoice(model, params) for model, params in self.analysts.items())
        return (*self.judges(), *analysts)
