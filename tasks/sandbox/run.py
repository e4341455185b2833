"""Run code on inputs: the interface of the sandbox."""

from collections.abc import Sequence
from dataclasses import dataclass

from perennial.tasks.sandbox.limits import LIMITS, Limits
from perennial.tasks.sandbox.refusal import Refused
from perennial.tasks.sandbox.syntax import check_syntax
from perennial.tasks.sandbox.worker import Worker


@dataclass(frozen=True, slots=True)
class Jail:
    """How workers are started: a command before the interpreter's, and whether seccomp is installed."""

    command: tuple[str, ...] = ()
    use_seccomp: bool = True


def run_code(
    code: str,
    function: str,
    inputs: Sequence[object],
    limits: Limits = LIMITS,
    jail: Jail = Jail(),
    hash_seed: int = 0,
) -> list[object]:
    """Return the function's output for each input, all from one fresh worker.

    Raises Refused with the reason of the first input that has no output.
    """
    check_syntax(code, limits)
    with Worker(limits, hash_seed=hash_seed, jail=jail.command, use_seccomp=jail.use_seccomp) as worker:
        worker.define(code, function)
        return [worker.call(value) for value in inputs]


def run_purely(
    code: str,
    function: str,
    inputs: Sequence[object],
    limits: Limits = LIMITS,
    jail: Jail = Jail(),
    hash_seeds: Sequence[int] = (1, 2),
) -> list[object]:
    """Return outputs that several workers agree on: one for each hash seed, with the inputs in both orders.

    A set of two texts has one of two orders in each. Raises Refused: "impure" where an output depends on
    order, process, time or chance.
    """
    first = run_code(code, function, inputs, limits, jail, hash_seeds[0])
    for number, hash_seed in enumerate(hash_seeds[1:], 1):
        step = -1 if number % 2 else 1
        again = run_code(code, function, list(inputs)[::step], limits, jail, hash_seed)[::step]
        for place, (one, other) in enumerate(zip(first, again, strict=True)):
            if one != other:
                raise Refused("impure", f"input {place + 1} gives different outputs in two processes")
    return first
