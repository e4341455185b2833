"""Check a benchmark against the contract, one check after the other."""

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from perennial.flows.benchmark import find_benchmark
from perennial.flows.contract.checks import CHECKS
from perennial.flows.contract.sample import make_sample
from perennial.schemas.errors import PerennialError, in_one_line

GROW = "refresh"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a check: `error` says why it failed, "" where it passed; `doc` what it checks."""

    check: str
    doc: str
    error: str = ""


def check_benchmark(name: str, step: Callable[[str], None] = lambda _name: None) -> Iterator[Outcome]:
    """Yield the outcome of each check; `step` gets the name of each before it begins.

    Where no sample can be made, it is the only one. Raises InvalidOption where no such benchmark is
    installed.
    """
    find_benchmark(name)
    with TemporaryDirectory(prefix="perennial-contract-", ignore_cleanup_errors=True) as folder:
        step(GROW)
        doc = "A small edition is grown, audited and published, and programs play it."
        try:
            sample = make_sample(name, Path(folder))
        except Exception as error:  # noqa: BLE001  a plugin raises what it likes
            yield Outcome(GROW, doc, _describe(error))
            return
        yield Outcome(GROW, doc)
        for check, run in CHECKS.items():
            step(check)
            failed = ""
            try:
                run(sample)
            except Exception as error:  # noqa: BLE001
                failed = _describe(error)
            yield Outcome(check, in_one_line(run.__doc__), failed)


def _describe(error: Exception) -> str:
    """Return the error in one line; of one that is not ours its class, and where it was raised."""
    if isinstance(error, PerennialError):
        return in_one_line(error)
    *_, last = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__}: {in_one_line(error)} ({last.filename}, line {last.lineno})"
