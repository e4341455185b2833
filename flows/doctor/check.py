"""What a check of `perennial doctor` is, and what exit code several of them come to."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from perennial.flows.console.errors.os_errors import describe_os_error
from perennial.schemas.errors import Damaged, PerennialError

UNREADABLE = 2
_SHOWN = 3
# Damage first, then what cannot be read or written: nothing else works without.
_BY_SEVERITY = (8, 2, 9, 6, 5)


class Status(StrEnum):
    """What came of a check."""

    ok = "ok"
    warning = "warning"
    failed = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what was seen, and where it is not ok, what to do about it.

    `exit_code` is 0 unless the check failed; `flaws` are all that were found, where `seen` names some.
    """

    name: str
    status: Status
    seen: str
    remedy: str = ""
    exit_code: int = 0
    flaws: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """A check to be carried out: its action returns what it saw, where that is ok, or the check.

    `remedy` is for the errors that the action raises.
    """

    name: str
    remedy: str
    action: Callable[[], str | Check]

    def run(self) -> Check:
        """Return what the action finds; an error is a failed check with the error's exit code."""
        try:
            found = self.action()
        except PerennialError as error:
            found = fail(str(error), self.remedy, error.exit_code)
        except OSError as error:
            found = fail(describe_os_error(error), self.remedy, UNREADABLE)
        return (
            Check(self.name, Status.ok, found) if isinstance(found, str) else replace(found, name=self.name)
        )


def warn(seen: str, remedy: str) -> Check:
    """Return a check that found something to look at, and nothing that stops the work."""
    return Check("", Status.warning, seen, remedy)


def fail(seen: str, remedy: str, exit_code: int) -> Check:
    """Return a check that failed."""
    return Check("", Status.failed, seen, remedy, exit_code)


def fail_by(flaws: Sequence[str], remedy: str, exit_code: int = Damaged.exit_code) -> Check:
    """Return a check that failed by these flaws, of which its line names the first ones."""
    more = f"; and {len(flaws) - _SHOWN} more" if len(flaws) > _SHOWN else ""
    return replace(fail("; ".join(flaws[:_SHOWN]) + more, remedy, exit_code), flaws=tuple(flaws))


def exit_code_of(checks: Iterable[Check]) -> int:
    """Return 0 where no check failed, else the exit code of the most severe one that did."""
    codes = {check.exit_code for check in checks if check.status is Status.failed}
    return next((code for code in _BY_SEVERITY if code in codes), max(codes, default=0))
