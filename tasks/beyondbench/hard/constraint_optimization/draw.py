"""Draw plans, and accept those whose rules matter (section K.9.5 of the paper; ranges by measurement)."""

import random

import numpy as np

from perennial.tasks.beyondbench.hard.constraint_optimization.choices import profits_of_choices
from perennial.tasks.beyondbench.hard.constraint_optimization.plan import PlanParams, Project

PROFITS = range(200, 601)
# Of budget, time and personnel; a capacity is a share of what all projects need together.
NEEDS = (range(150, 401), range(15, 41), range(5, 16))
SHARES = (0.45, 0.70)
QUALITIES, MIN_QUALITY = range(3, 11), 65
RISKS, MAX_RISK = range(1, 6), 32
MIN_FEASIBLE = 5


def draw_plan(variation: str, size: int, rng: random.Random) -> PlanParams | None:
    """Return a plan, None where its rules do not matter.

    At least 5 choices are feasible; one alone has the largest profit, and at least two projects; and where
    there are further conditions, capacities alone would give another.
    """
    has_quality = variation in ("quality", "mixed")
    has_risk = variation in ("risk", "mixed")
    requires = _draw_requirements(size, rng) if variation in ("dependency", "mixed") else ((),) * size
    if variation in ("dependency", "mixed") and not any(requires):
        return None
    projects = tuple(
        Project(
            rng.choice(PROFITS),
            tuple(rng.choice(needs) for needs in NEEDS),
            rng.choice(QUALITIES) if has_quality else None,
            rng.choice(RISKS) if has_risk else None,
            requires[place],
        )
        for place in range(size)
    )
    totals = (sum(project.needs[place] for project in projects) for place in range(len(NEEDS)))
    params = PlanParams(
        projects,
        tuple(round(rng.uniform(*SHARES) * total) for total in totals),
        MIN_QUALITY if has_quality else None,
        MAX_RISK if has_risk else None,
        2 if variation == "mixed" else 1,
    )
    return params if rules_matter(params, variation != "basic") else None


def _draw_requirements(size: int, rng: random.Random) -> tuple[tuple[int, ...], ...]:
    """Return what each project requires: each of smaller number with probability 1/n (eq. 242)."""
    return tuple(
        tuple(number for number in range(1, place + 1) if rng.random() < 1 / size) for place in range(size)
    )


def rules_matter(params: PlanParams, is_limited: bool) -> bool:
    """Return whether the plan is accepted, see `draw_plan`."""
    profits, by_capacities = profits_of_choices(params)
    best = int(profits.argmax())
    return bool(
        best.bit_count() >= 2
        and np.count_nonzero(profits >= 0) >= MIN_FEASIBLE
        and np.count_nonzero(profits == profits[best]) == 1
        and not (is_limited and by_capacities[best] == by_capacities.max())
    )
