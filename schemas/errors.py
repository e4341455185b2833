"""One exception tree: every error a user can meet, with the exit code of the command line."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches


class PerennialError(Exception):
    """Base of all errors that name a value, what was expected and the way out."""

    exit_code = 1


class UnreadableInput(PerennialError):
    """A file or a text that cannot be read as what it should be."""

    exit_code = 2


class LedgerBusy(UnreadableInput):
    """A study's ledger that another program keeps for itself: nothing was stored; trying again may help."""


class InvalidOption(PerennialError):
    """A command-line option or setting with a value that makes no sense."""

    exit_code = 2


class QueryFailed(PerennialError):
    """SQL that the database refused."""

    exit_code = 2


class QueryTimedOut(PerennialError):
    """A query that took longer than it was allowed to."""

    exit_code = 7


class UnusableConfig(PerennialError):
    """A seed configuration whose findings would make an instance ambiguous or wrong."""

    exit_code = 1


class UnusableBenchmark(PerennialError):
    """An installed benchmark that cannot be loaded, or does not do what it must before it may publish."""

    exit_code = 1


class UnsatisfiableSetting(PerennialError):
    """A setting for which no instance of the domain exists; the solver has proved it."""

    exit_code = 3


class InstancesExhausted(PerennialError):
    """More distinct instances were asked for than exist, or than could be found."""

    exit_code = 3


class AuditFailed(PerennialError):
    """Staged data that broke an expectation; nothing was published."""

    exit_code = 4


class EditionConflict(PerennialError):
    """An edition name that is taken, or staged under other settings."""

    exit_code = 5


class EndpointFailed(PerennialError):
    """A model endpoint that does not work: a wrong key, an unknown model, nobody there, or failed calls."""

    exit_code = 6


class CallsStopped(EndpointFailed):
    """No model is asked any more: the run was interrupted, or what it needs has ended."""


class LimitReached(PerennialError):
    """A limit of calls or cost that the next call would pass; what is paid for is kept."""

    exit_code = 7


class Damaged(PerennialError):
    """Stored data that is no longer what was written: a file, a row, a record of the ledger."""

    exit_code = 8


class RootLocked(PerennialError):
    """A data root that somebody else is writing to, or whose lock says so."""

    exit_code = 9


class DiskFull(PerennialError):
    """The disk of the data root, or of Prefect's folder, has no room left."""

    exit_code = 2


class ServerEnded(PerennialError):
    """The embedded Prefect server, which ended before the work that it keeps book of."""

    exit_code = 10


class FiguresDiffer(PerennialError):
    """Published figures that the released data do not give back within their tolerance."""

    exit_code = 11


def in_one_line(error: object) -> str:
    """Return an error's text, whatever lines it has, as one line."""
    return " ".join(str(error).split())


def shorten(text: str, width: int = 60) -> str:
    """Return a text as an error quotes it: dots stand for the end of a long one."""
    return text if len(text) <= width else text[: width - 3] + "..."


def count(number: int, what: str) -> str:
    """Return `1 file`, `2,000 files`."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def add_extra(extra: str) -> str:
    """Return the remedy for packages of an extra that are not installed."""
    return f"pip install -e '.[{extra}]' in perennial's clone"


def quote(value: object, width: int = 60) -> str:
    """Return a value as an error quotes it, shortened."""
    try:
        return shorten(repr(value), width)
    except (RecursionError, ValueError):  # lists in lists, or a number of thousands of digits
        return f"a {type(value).__name__} too large to be shown"


def join_choices(names: Iterable[str]) -> str:
    """Return `a, b or c`."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def find_alike(wanted: str, names: Iterable[str]) -> str | None:
    """The known name that is most like this one, as a whole or in one of its words; None: none is."""
    folded = {name.casefold(): name for name in names}
    typed = wanted.casefold()
    if close := get_close_matches(typed, folded, n=1):
        return folded[close[0]]
    words = {word: name for lower, name in reversed(folded.items()) for word in re.split(r"[\W_]+", lower)}
    close = get_close_matches(typed, words, n=1, cutoff=0.7)
    return words[close[0]] if close else None


def suggest(wanted: str, names: Iterable[str]) -> str:
    """Return `; did you mean x?` where a known name is like the given one, else nothing."""
    alike = find_alike(wanted, names)
    return f"; did you mean {alike}?" if alike not in (None, wanted) else ""


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, what it was raised from, and so on."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__
