"""Run code on inputs: the interface of the sandbox."""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.sandbox.limits import LIMITS, Limits
from tasks.sandbox.refusal import Refused
from tasks.sandbox.syntax import check_syntax
from tasks.sandbox.worker import Worker

# Two orders of sets: what depends on it gives two outputs.
_HASH_SEEDS = (1, 2)


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
) -> list[object]:
    """Return outputs that two workers agree on: two hash seeds, and the inputs in both orders.

    Raises Refused: "impure" where an output depends on order, process, time or chance.
    """
    first = run_code(code, function, inputs, limits, jail, _HASH_SEEDS[0])
    second = run_code(code, function, list(inputs)[::-1], limits, jail, _HASH_SEEDS[1])[::-1]
    for place, (one, other) in enumerate(zip(first, second, strict=True)):
        if one != other:
            raise Refused("impure", f"input {place + 1} gives different outputs in two processes")
    return first
