"""How long a worker of the sandbox takes to start, and a call, in every tier of this machine.

python -m tests.benchmarks.sandbox_speed [--workers 100] [--calls 2000]

A start is from the worker's process to the reply to a short code; a call is a grid of 25 tokens and back.
"""

import argparse
import time
from statistics import quantiles

from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.sandbox.tier import Jail, Worker
from tests.sandbox.tiers import JAILS

_CODE = RULES["grid_turn_right"].code
_GRID = [["a", "b", "c", "d", "e"] for _ in range(5)]
_FUNCTION = "transform_grid"


def main() -> None:
    """Print a row a tier: median and 95th percentile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--calls", type=int, default=2_000)
    options = parser.parse_args()
    print(f"{'tier':12}{'start p50':>11}{'p95 ms':>9}{'call p50':>11}{'p95 ms':>9}")
    for tier, jail in JAILS.items():
        starts = [_time_start(jail) for _ in range(options.workers)]
        calls = _time_calls(jail, options.calls)
        figures = [_at(seconds, percent) for seconds in (starts, calls) for percent in (50, 95)]
        print(f"{tier:12}{figures[0]:11.1f}{figures[1]:9.1f}{figures[2]:11.3f}{figures[3]:9.3f}")


def _time_start(jail: Jail) -> float:
    begun = time.perf_counter()
    with Worker(jail=jail.command, use_seccomp=jail.use_seccomp) as worker:
        worker.define(_CODE, _FUNCTION)
        return time.perf_counter() - begun


def _time_calls(jail: Jail, number: int) -> list[float]:
    seconds = []
    with Worker(jail=jail.command, use_seccomp=jail.use_seccomp) as worker:
        worker.define(_CODE, _FUNCTION)
        for _ in range(number):
            begun = time.perf_counter()
            worker.call(_GRID)
            seconds.append(time.perf_counter() - begun)
    return seconds


def _at(seconds: list[float], percent: int) -> float:
    """Return that percentile in milliseconds."""
    return quantiles(seconds, n=100)[percent - 1] * 1000


if __name__ == "__main__":
    main()
