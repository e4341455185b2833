"""How hard a domain's instances are, and how many are decided early, by the optimum under the promise."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from perennial.schemas.kumo.samplers import DEFAULT_SAMPLER
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import EncodedConfig, encode_instance
from perennial.tasks.kumo.sampling import SamplingRequest, sample_instances
from perennial.tasks.kumo.scoring.check import Check, judge
from perennial.tasks.kumo.search import NODE_LIMIT, WORK_LIMIT, solve_instances

PROMISED = (2.0, 6.0)  # promise steps that a Hard instance should have
_LEAST_SPREAD = 0.15


@dataclass(frozen=True, slots=True)
class Solved:
    """Of so many instances of a setting: expected tests of the optimum, of Algorithm 3, and tests played."""

    setting: str
    steps: tuple[float, ...]
    expected: tuple[float, ...]
    tests: tuple[int, ...]


def solve_sample(encoded: EncodedConfig, setting: str, number: int, seed: int, threads: int) -> Solved:
    """Return what the exact search finds of instances that need a test, as a refresh draws them.

    Instances of which the search knows bounds only count by their steps; less than `number` may exist.
    """
    request = SamplingRequest(Setting.parse(setting), number, seed, 1.0, True, sampler=DEFAULT_SAMPLER)
    boards = [encode_instance(encoded, one) for one in sample_instances(encoded, request).instances]
    solutions = solve_instances(
        boards,
        time_limit=inf,
        work_limit=WORK_LIMIT,
        threads=threads,
        node_limit=NODE_LIMIT,
        is_balanced=request.is_balanced,
    )
    found = [one.optimum for one in solutions if one.optimum is not None]
    return Solved(
        setting,
        tuple(optimum.steps for optimum in found),
        tuple(one.expected_steps for one in solutions if one.expected_steps is not None),
        tuple(len(optimum.actions) for optimum in found if optimum.status == "exact"),
    )


def check_difficulty(easy: Solved, hard: Solved) -> list[Check]:
    """Return the spread of difficulty and the shares that are decided early.

    - `hard_in_range`: the share of Hard instances whose promise steps are outside of 2 to 6.
    - `hard_spread`: the standard deviation of the promise steps of Hard instances.
    - `SETTING_decided_early`: the share of instances that the optimum's play decides with its first test
      (0 or 1 tests), on the observations that the instance has.
    """
    low, high = PROMISED
    outside = 1 - _share([low <= steps <= high for steps in hard.steps])
    spread = float(np.std(hard.steps)) if hard.steps else 0.0
    return [
        Check(
            "hard_out_of_range",
            outside,
            f"of Hard instances need less than {low:g} or more than {high:g} expected tests; "
            f"{_describe(hard.steps)}; Algorithm 3 {_describe(hard.expected)}",
            judge(outside, 0.05, 0.2),
            "below 2: let states rule out fewer truths, or leave more cells empty; above 6: more, fewer",
        ),
        Check(
            "hard_spread",
            spread,
            "is the standard deviation of the optimum's tests over Hard instances",
            "good" if spread >= _LEAST_SPREAD else "look",
            "let some actions tell much and others little",
        ),
        _check_early(hard, 0.1, 0.3),
        _check_early(easy, 0.6, 0.8),
    ]


def _check_early(solved: Solved, look: float, bad: float) -> Check:
    share = _share([tests <= 1 for tests in solved.tests])
    none = _share([tests == 0 for tests in solved.tests])
    return Check(
        f"{solved.setting}_decided_early",
        share,
        f"of {solved.setting.capitalize()} instances end with the optimum's first test "
        f"({none:.0%} need none); {_describe(solved.steps)}",
        judge(share, look, bad),
        "let the states of the most telling actions rule out fewer truths",
    )


def _share(holds: Sequence[bool]) -> float:
    return sum(holds) / len(holds) if holds else 0.0


def _describe(steps: Sequence[float]) -> str:
    if not steps:
        return "no instance"
    least, lower, median, upper, most = np.quantile(steps, (0, 0.25, 0.5, 0.75, 1))
    return f"tests {least:.1f} to {most:.1f}, median {median:.1f}, half in {lower:.1f} to {upper:.1f}"
