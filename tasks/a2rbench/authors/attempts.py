"""What writing a rule and its variations came to, step by step: the rows of `a2rbench_attempts`."""

from dataclasses import dataclass, field

from perennial.schemas.a2rbench.authoring import Step
from perennial.tasks.authors.reply import Unusable


@dataclass(frozen=True, slots=True)
class Attempt:
    """A step that was tried; `reason` and `message` say why it did not pass, `call_id` which call it took.

    Rules are written as variation 0, by several candidates; variations by the first candidate.
    """

    variation: int
    candidate: int
    step: Step
    attempt: int
    passed: bool
    reason: str | None
    message: str | None
    call_id: str | None


@dataclass
class Attempts:
    """All steps of one seed, in order."""

    rows: list[Attempt] = field(default_factory=list)

    def add(
        self,
        step: Step,
        problem: Unusable | None,
        call_id: str | None = None,
        *,
        variation: int = 0,
        candidate: int = 1,
    ) -> None:
        """Add a step; `problem` says why it did not pass, None where it did."""
        key = variation, candidate, step
        tried = sum((row.variation, row.candidate, row.step) == key for row in self.rows)
        reason, message = (problem.rule, problem.message) if problem else (None, None)
        self.rows.append(Attempt(*key, tried + 1, problem is None, reason, message or None, call_id))

    def calls_of(self, candidate: int) -> list[str]:
        """Return the calls made for a candidate, in order, each once."""
        ids = (row.call_id for row in self.rows if row.candidate == candidate and row.call_id)
        return list(dict.fromkeys(ids))

    @property
    def last_failure(self) -> Attempt | None:
        """The last step that did not pass."""
        return next((row for row in reversed(self.rows) if not row.passed), None)
