"""All choices of a plan's projects at once, and the same by branch and bound as the second engine.

A choice is a bit mask: bit i stands for project i + 1.
"""

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from perennial.tasks.beyondbench.hard.constraint_optimization.plan import PlanParams

if TYPE_CHECKING:
    import numpy as np

# An answer with this share of the largest profit is right (eq. 243).
SHARE = Fraction(95, 100)


@cache
def _choice_matrix(count: int) -> "np.ndarray":
    """Return a row for each choice: 1 for what is chosen."""
    import numpy as np

    return (np.arange(1 << count)[:, None] >> np.arange(count) & 1).astype(float)


def profits_of_choices(params: PlanParams) -> tuple["np.ndarray", "np.ndarray"]:
    """Return the profit of each choice, -1 where it is not feasible, and the same by capacities alone."""
    import numpy as np

    projects = params.projects
    chosen = _choice_matrix(len(projects))
    columns = [
        (project.profit, 1, project.quality or 0, project.risk or 0, *project.needs) for project in projects
    ]
    sums = chosen @ np.array(columns, dtype=float)
    profit, size = sums[:, 0], sums[:, 1]
    fits = (sums[:, 4:] <= np.array(params.capacities)).all(axis=1) & (size >= 1)
    is_feasible = fits & (size >= params.at_least)
    if params.min_quality is not None:
        is_feasible &= 10 * sums[:, 2] >= params.min_quality * size
    if params.max_risk is not None:
        is_feasible &= 10 * sums[:, 3] <= params.max_risk * size
    for place, project in enumerate(projects):
        for number in project.requires:
            is_feasible &= chosen[:, place] <= chosen[:, number - 1]
    return np.where(is_feasible, profit, -1), np.where(fits, profit, -1)


def ids_of(choice: int) -> list[int]:
    """Return the numbers of the chosen projects."""
    return [place + 1 for place in range(choice.bit_length()) if choice >> place & 1]


def best_profit_by_branches(params: PlanParams) -> int | None:
    """Return the largest profit of a feasible choice, None where there is none: by branch and bound."""
    projects = params.projects
    left = [sum(project.profit for project in projects[place:]) for place in range(len(projects) + 1)]
    best: int | None = None
    stack: list[tuple[int, frozenset[int], tuple[int, ...], int]] = [(0, frozenset(), params.capacities, 0)]
    while stack:
        place, chosen, free, profit = stack.pop()
        if best is not None and profit + left[place] <= best:
            continue
        if place == len(projects):
            best = profit if keeps_limits(params, chosen) else best
            continue
        project = projects[place]
        stack.append((place + 1, chosen, free, profit))
        less = tuple(have - need for have, need in zip(free, project.needs, strict=True))
        if min(less) >= 0:
            stack.append((place + 1, chosen | {place + 1}, less, profit + project.profit))
    return best


def keeps_limits(params: PlanParams, chosen: frozenset[int]) -> bool:
    """Return whether a choice keeps all rules but the capacities."""
    projects = [params.projects[number - 1] for number in chosen]
    if len(projects) < params.at_least:
        return False
    if any(not chosen.issuperset(project.requires) for project in projects):
        return False
    quality = Fraction(sum(project.quality or 0 for project in projects), len(projects))
    risk = Fraction(sum(project.risk or 0 for project in projects), len(projects))
    return (params.min_quality is None or quality >= Fraction(params.min_quality, 10)) and (
        params.max_risk is None or risk <= Fraction(params.max_risk, 10)
    )
