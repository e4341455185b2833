"""A step of writing a variation, as a row of `a2rbench_attempts` has it."""

from collections import Counter
from dataclasses import dataclass, field

from schemas.a2rbench.authoring import Step
from tasks.authors.reply import Unusable


@dataclass(frozen=True, slots=True)
class Attempt:
    """A step that was tried: `reason` and `message` say why it did not pass, `call_id` which call it took."""

    variation: int
    step: Step
    attempt: int
    passed: bool
    reason: str | None
    message: str | None
    call_id: str | None


@dataclass
class Attempts:
    """The steps that were tried, in order, each with how often it was tried for its variation."""

    made: list[Attempt] = field(default_factory=list)
    _number: Counter[tuple[int, Step]] = field(default_factory=Counter)

    def add(self, variation: int, step: Step, problem: Unusable | None, call_id: str | None = None) -> None:
        """Add a step; `problem` says why it did not pass, None where it did."""
        self._number[variation, step] += 1
        number = self._number[variation, step]
        reason, message = (None, None) if problem is None else (problem.rule, problem.message)
        self.made.append(Attempt(variation, step, number, problem is None, reason, message, call_id))
