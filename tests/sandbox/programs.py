"""Run hostile programs, and say how each ended; by hand: `python -m tests.sandbox.programs FOLDER`.

As a script it needs nothing but the standard library, so that any user who can read an interpreter and these
files can run it: it prints a JSON object of tiers, each with the end of every program.
"""

import json
import sys
from pathlib import Path

from perennial.tasks.sandbox.refusal import SandboxRefusal, WorkerLimits
from perennial.tasks.sandbox.tier import Jail, Worker, run_purely
from tests.sandbox.hostile import ESCAPED, NATURAL, PRELUDE
from tests.sandbox.tiers import JAILS, KERNEL_JAILS

FAST = WorkerLimits(call_seconds=0.5, start_seconds=1.0, cpu_seconds=1, memory_bytes=256 * 1024 * 1024)
# How the kernel's refusals come back to the parent.
HELD = ("raised", "died", "protocol", "returned an error")


def fill(code: str, mark: Path, port: int = 1) -> str:
    """Return the program with the file and the server that it tries to reach."""
    return code.replace("MARK", str(mark)).replace("PORT", str(port))


def run_natural(code: str, jail: Jail) -> str:
    """Return why the program was refused, or what it returned."""
    try:
        return f"worked: {run_purely(code, 'f', [[['a']], 'bc'], FAST, jail)!r}"
    except SandboxRefusal as refused:
        return refused.reason


def run_escaped(code: str, jail: Jail) -> str:
    """Return how the kernel's refusal came back: a number below 0 is the error of a call."""
    with Worker(FAST, jail=jail.command, use_seccomp=jail.use_seccomp) as worker:
        try:
            worker.define(code, "f")
            output = worker.call("x")
        except SandboxRefusal as refused:
            return refused.reason
    return "returned an error" if isinstance(output, int) and output < 0 else f"worked: {output!r}"


def escaped(name: str) -> str:
    """Return the program that tries this once it is past every check in Python."""
    return PRELUDE + f" {ESCAPED[name]}\n return 'it worked'\n"


def run_all(mark: Path, port: int) -> dict[str, dict[str, str]]:
    """Return how each program ended: natural ones without protection, those past the checks in a jail."""
    jail = JAILS["none"]
    ends = {name: run_natural(fill(code, mark, port), jail) for name, code in NATURAL.items()}
    past = {name: fill(escaped(name), mark, port) for name in ESCAPED}
    held = {
        tier: {name: run_escaped(code, JAILS[tier]) for name, code in past.items()} for tier in KERNEL_JAILS
    }
    return {"none": ends, **held}


if __name__ == "__main__":
    json.dump(run_all(Path(sys.argv[1]) / "mark", int(sys.argv[2])), sys.stdout)
