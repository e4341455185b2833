"""What writing a rule came to, step by step: the rows of `a2rbench_attempts`."""

from dataclasses import dataclass, field

from schemas.a2rbench.authoring import Step


@dataclass(frozen=True, slots=True)
class Attempt:
    """A step that was tried; `reason` and `message` say why it did not pass."""

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
        self, candidate: int, step: Step, call_id: str | None, reason: str = "", message: str = ""
    ) -> None:
        """Add a step of a candidate; without a reason it passed."""
        tried = sum(1 for row in self.rows if (row.candidate, row.step) == (candidate, step))
        row = Attempt(candidate, step, tried + 1, not reason, reason or None, message or None, call_id)
        self.rows.append(row)

    def calls_of(self, candidate: int) -> list[str]:
        """Return the calls made for a candidate, in order, each once."""
        ids = (row.call_id for row in self.rows if row.candidate == candidate and row.call_id)
        return list(dict.fromkeys(ids))

    @property
    def last_failure(self) -> Attempt | None:
        """The last step that did not pass."""
        return next((row for row in reversed(self.rows) if not row.passed), None)
