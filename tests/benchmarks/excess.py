"""How much luck excess tests hold by Algorithm 3's tests on the drawn outcomes, and by its expected ones.

python -m tests.benchmarks.excess [--setting easy] [--worlds 300] [--instances 12] [--draws 1000]

Of the optimum beside Algorithm 3, and of an expectation beside what was drawn: means with their errors, the
ratio of variances, and of editions of 40 worlds with 5 instances how often the 95% interval holds the mean.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from perennial.schemas.kumo.things import BALANCED, SAMPLERS, Setting
from perennial.tasks.kumo.encoding import encode_config, encode_instance
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search import NODE_LIMIT, WORK_LIMIT, solve_instances
from perennial.tasks.kumo.worlds import draw_world
from perennial.tasks.statistics.clusters import ClusterDraw, estimate_ratio, mean_interval

Numbers = NDArray[np.float64]


def main() -> None:
    """Print the figures of one setting and sampler."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.excess")
    parser.add_argument("--setting", default="easy")
    parser.add_argument("--sampler", default=BALANCED, choices=SAMPLERS)
    for name, number in (("worlds", 300), ("instances", 12), ("draws", 1_000)):
        parser.add_argument(f"--{name}", type=int, default=number)
    chosen = parser.parse_args()
    world, tests, steps, best, best_steps = draw_steps(
        chosen.setting, chosen.sampler, chosen.worlds, chosen.instances
    )
    realised, expected = best - tests, best_steps - steps
    for name, values in (
        ("Algorithm 3, tests - expected", tests - steps),
        ("optimum, tests - expected", best - best_steps),
        ("excess tests of the optimum, realised", realised),
        ("excess tests of the optimum, expected", expected),
    ):
        print(f"{name:40}{values.mean():+.4f} ({values.std() / len(values) ** 0.5:.4f})")
    print(f"{'variance, realised / expected':40}{realised.var() / expected.var():.1f}")
    for name, values in (("realised", realised), ("expected", expected)):
        held, width = cover(values, world, chosen.draws)
        print(f"{'95% intervals, ' + name:40}{held:.3f} hold the mean; mean width {width:.3f}")


def draw_steps(setting: str, sampler: str, worlds: int, count: int) -> tuple[Numbers, ...]:
    """Return of each instance its world, Algorithm 3's tests and expected ones, and those of the optimum."""
    rows = []
    for index in range(worlds):
        encoded = encode_config(draw_world(11, index, "").config)
        request = SamplingRequest(Setting.parse(setting), count, 9, require_test=True, sampler=sampler)
        boards = [
            encode_instance(encoded, instance) for instance in sample_instances(encoded, request).instances
        ]
        limits = {"work_limit": WORK_LIMIT, "node_limit": NODE_LIMIT}
        for solution in solve_instances(boards, **limits, is_balanced=sampler == BALANCED):
            optimum = solution.optimum
            if optimum is not None and optimum.status == "exact":
                tests = len(solution.golden_actions), optimum.policy_steps
                rows.append((index, *tests, len(optimum.actions), optimum.steps))
    return tuple(np.array(rows, float).T)


def cover(values: Numbers, world: Numbers, draws: int) -> tuple[float, float]:
    """Return how often intervals over 40 worlds with 5 instances hold the mean of all, and their width."""
    generator = np.random.default_rng(1)
    rows = [np.flatnonzero(world == index) for index in np.unique(world)]
    truth, held, width = float(np.mean([values[row].mean() for row in rows])), 0, 0.0
    for _ in range(draws):
        picked = np.concatenate(
            [generator.choice(rows[index], 5) for index in generator.choice(len(rows), 40)]
        )
        draw = ClusterDraw(np.repeat(np.arange(40), 5))
        low, high = mean_interval(estimate_ratio(values[picked], np.ones(200), draw)) or (0.0, 0.0)
        held, width = held + (low <= truth <= high), width + high - low
    return held / draws, width / draws


if __name__ == "__main__":
    main()
