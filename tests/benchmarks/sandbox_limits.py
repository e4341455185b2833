"""What greedy programs take of the machine until the sandbox ends them, over what they may take.

python -m tests.benchmarks.sandbox_limits [--tier seccomp]

Each program is run in every tier of this machine, with small limits: a call ends after 1 s of wall time, and
those that only a clock ends are run again with 20 s and 1 s of the processor. Shares above 1.10 are marked;
such a program is run twice more, and its least counts, as other work on the machine adds to wall time.
"""

import argparse

from perennial.tasks.sandbox.refusal import WorkerLimits
from perennial.tasks.sandbox.tier import Jail
from tests.sandbox.consumption import BUSY, SMALL, Taken, measure
from tests.sandbox.greedy import GREEDY, PAST_CHECKS, TIMELESS
from tests.sandbox.tiers import JAILS, KERNEL_JAILS

_MOST, _TRIES = 1.1, 3


def main() -> None:
    """Print a row per program and tier, and the greatest share of each limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", choices=list(JAILS))
    chosen = parser.parse_args().tier
    print(f"{'tier':11}{'limits':7}{'program':27}{'ended':11}{'wall':>7}{'cpu':>7}{'memory':>8}{'output':>8}")
    most: dict[str, float] = {}
    for tier, jail in JAILS.items():
        if chosen in (None, tier):
            for name, limits, code, checked in _runs(tier):
                shares = _print_row(tier, name, limits, _measure(code, limits, jail, checked))
                most = {key: max(most.get(key, 0), share) for key, share in shares.items()}
    print("greatest:", ", ".join(f"{key} {share:.3f}" for key, share in most.items()))


def _runs(tier: str) -> list[tuple[str, WorkerLimits, str, bool]]:
    programs = {name: (code, True) for name, code in GREEDY.items()}
    if tier in KERNEL_JAILS:
        programs |= {name: (code, False) for name, code in PAST_CHECKS.items()}
    return [
        (name, limits, code, checked)
        for limits in (SMALL, BUSY)
        for name, (code, checked) in programs.items()
        if limits is SMALL or name in TIMELESS
    ]


def _measure(code: str, limits: WorkerLimits, jail: Jail, checked: bool) -> Taken:
    found = [measure(code, limits, jail, checked=checked)]
    while max(found[-1].shares(limits).values()) > _MOST and len(found) < _TRIES:
        found.append(measure(code, limits, jail, checked=checked))
    return min(found, key=lambda taken: max(taken.shares(limits).values()))


def _print_row(tier: str, name: str, limits: WorkerLimits, taken: Taken) -> dict[str, float]:
    shares = taken.shares(limits)
    kind = "wall" if limits is SMALL else "cpu"
    mark = "  over" if max(shares.values()) > _MOST else ""
    print(
        f"{tier:11}{kind:7}{name:27}{taken.ended:11}{shares['wall']:7.3f}{shares['cpu']:7.3f}"
        f"{shares['memory']:8.3f}{shares['output']:8.3f}{mark}",
        flush=True,
    )
    return shares


if __name__ == "__main__":
    main()
