"""Time of the cluster bootstraps, one group at a time as first published and many at once.

python -m tests.benchmarks.statistics [--rounds 3] [--instances 5000]

Every line is the median of the rounds, in CPU seconds of one process and in wall-clock seconds. Both ways
must give the same figures, or it ends with an error.
"""

import argparse
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median

from tasks.statistics.comparison import paired_differences
from tasks.statistics.intervals import Group, cluster_bootstraps
from tests.statistics.plain_bootstrap import plain_bootstrap

SEED = 2025
Scores = dict[str, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.statistics")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--instances", type=int, default=5_000, help="clusters of the large groups")
    arguments = parser.parse_args()
    cluster_bootstraps([([1.0], ["loaded"])], SEED)
    print(f"{'':58}{'CPU s':>8}{'wall s':>8}")
    for lost, what in ((0.0, "all runs scored"), (0.4, "two in five runs lost, so few groups share draws")):
        compare(default_refresh(lost), f"12 groups of 300 instances, 100 of 50; {what}", arguments.rounds)
    large(arguments.instances)
    pairs(arguments.instances)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the process: {peak:.0f} MB")


def default_refresh(lost: float) -> list[Group]:
    """Return the groups of a default refresh: players over all domains, and in each domain."""
    rng = random.Random(SEED)
    over_all = [group(rng, 300, 1 + i % 5, lost) for i in range(12)]
    return over_all + [group(rng, 50, 1 + i % 5, lost) for i in range(100)]


def group(rng: random.Random, instances: int, runs: int, lost: float = 0.0) -> Group:
    """Return relative action counts and their instances; each run is lost with this chance."""
    names = [f"inst_{i:032x}" for i in range(instances) for _ in range(runs) if rng.random() >= lost]
    return [rng.uniform(-0.5, 1.5) for _ in names], names


def compare(groups: Sequence[Group], title: str, rounds: int) -> None:
    """Print both times; end with an error where a figure differs."""
    print(title)
    before, expected = timed(lambda: [plain_bootstrap(*each, SEED) for each in groups], rounds)
    show("  one group at a time", before)
    after, found = timed(lambda: cluster_bootstraps(groups, SEED), rounds)
    show("  many at once", after)
    if found != expected:
        sys.exit(f"{sum(a != b for a, b in zip(found, expected, strict=True))} intervals differ")


def large(instances: int) -> None:
    """Print the time of 100 groups of very many instances, once."""
    rng = random.Random(SEED)
    groups = [group(rng, instances, 1) for _ in range(100)]
    seconds, _ = timed(lambda: cluster_bootstraps(groups, SEED), 1)
    show(f"100 groups of {instances:,} instances, many at once", seconds)


def pairs(instances: int) -> None:
    """Print the time of all pairs of 15 players on very many instances, once."""
    rng = random.Random(SEED)
    players: list[Scores] = [
        {f"inst_{i:032x}": [float(rng.random() < 0.6) for _ in range(5)] for i in range(instances)}
        for _ in range(15)
    ]
    both = [(a, b) for i, a in enumerate(players) for b in players[:i]]
    seconds, _ = timed(lambda: paired_differences(both, SEED), 1)
    show(f"{len(both)} pairs of players on {instances:,} instances, many at once", seconds)


def timed(work: Callable[[], Sequence[object]], rounds: int) -> tuple[tuple[float, float], Sequence[object]]:
    """Return the median CPU and wall-clock seconds of the rounds, and what the work returned last."""
    cpu, wall = [], []
    result: Sequence[object] = []
    for _ in range(rounds):
        begun, begun_cpu = time.perf_counter(), time.process_time()
        result = work()
        cpu.append(time.process_time() - begun_cpu)
        wall.append(time.perf_counter() - begun)
    return (median(cpu), median(wall)), result


def show(title: str, seconds: tuple[float, float]) -> None:
    print(f"{title:58}{seconds[0]:8.2f}{seconds[1]:8.2f}", flush=True)


if __name__ == "__main__":
    main()
