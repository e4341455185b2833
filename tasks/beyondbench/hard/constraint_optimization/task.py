"""The task: solutions, grader and the rest of what a task is made of."""

import random

import numpy as np

from perennial.schemas.beyondbench.things import Answer, Solutions
from perennial.tasks.beyondbench.forms.lists.chosen_ids import ChosenIdsForm
from perennial.tasks.beyondbench.hard.constraint_optimization.choices import (
    SHARE,
    best_profit_by_branches,
    ids_of,
    keeps_limits,
    profits_of_choices,
)
from perennial.tasks.beyondbench.hard.constraint_optimization.draw import draw_plan
from perennial.tasks.beyondbench.hard.constraint_optimization.plan import PlanParams, read_plan, show_plan
from perennial.tasks.beyondbench.hard.constraint_optimization.space import space_of_plans
from perennial.tasks.beyondbench.task import RIGHT, Task, Variation

SIZES = (6, 7, 8)


def _solve(params: PlanParams) -> Solutions:
    """Return all choices that are right, the largest profit first."""
    profits, _ = profits_of_choices(params)
    least = -(-int(profits.max()) * SHARE.numerator // SHARE.denominator)
    right = np.flatnonzero(profits >= max(least, 0))
    ordered = right[np.argsort(-profits[right], kind="stable")]
    return Solutions(tuple(ids_of(int(choice)) for choice in ordered), len(ordered), True)


def _verify(params: PlanParams, answer: Answer) -> str:
    detail = _find_fault(params, answer)
    return detail or ("profit_too_low" if _profit(params, answer) < SHARE * _best_profit(params) else RIGHT)


def _is_best(params: PlanParams, answer: Answer) -> bool:
    """Return whether the answer is feasible and has the largest profit, not just nearly."""
    return not _find_fault(params, answer) and _profit(params, answer) == _best_profit(params)


def _find_fault(params: PlanParams, answer: Answer) -> str:
    """Return a code for why the answer is not feasible, "" where it is."""
    projects = params.projects
    if not isinstance(answer, list | tuple) or any(type(number) is not int for number in answer):
        return "not_a_list_of_numbers"
    if any(not 1 <= number <= len(projects) for number in answer):
        return "unknown_project"
    if len(set(answer)) < len(answer):
        return "repeated_project"
    if len(answer) < params.at_least:
        return "too_few_projects"
    chosen = [projects[number - 1] for number in answer]
    for place, capacity in enumerate(params.capacities):
        if sum(project.needs[place] for project in chosen) > capacity:
            return "over_capacity"
    if any(number not in answer for project in chosen for number in project.requires):
        return "requirement_not_chosen"
    if 10 * sum(project.quality or 0 for project in chosen) < (params.min_quality or 0) * len(chosen):
        return "quality_too_low"
    risk = sum(project.risk or 0 for project in chosen)
    is_risky = params.max_risk is not None and 10 * risk > params.max_risk * len(chosen)
    return "risk_too_high" if is_risky else ""


def _profit(params: PlanParams, answer: Answer) -> int:
    return sum(params.projects[number - 1].profit for number in answer)


def _best_profit(params: PlanParams) -> int:
    return int(profits_of_choices(params)[0].max())


def _check(params: PlanParams, answer: Answer) -> bool:
    """Compare with the profit that branch and bound finds."""
    known = range(1, len(params.projects) + 1)
    if not isinstance(answer, list | tuple) or not all(type(one) is int and one in known for one in answer):
        return False
    chosen = frozenset(answer)
    needed = [sum(params.projects[one - 1].needs[place] for one in chosen) for place in range(3)]
    fits = all(need <= capacity for need, capacity in zip(needed, params.capacities, strict=True))
    if len(chosen) != len(answer) or not fits or not keeps_limits(params, chosen):
        return False
    best = best_profit_by_branches(params)
    profit = sum(params.projects[one - 1].profit for one in chosen)
    return best is not None and 100 * profit >= 95 * best


def _guess(params: PlanParams, rng: random.Random) -> Answer:
    return ids_of(rng.randrange(1, 1 << len(params.projects)))


TASK = Task(
    name="constraint_optimization",
    suite="hard",
    title="the projects with the largest total profit that capacities and limits allow",
    params=PlanParams,
    variations=tuple(
        Variation(name, SIZES, is_unique=False)
        for name in ("basic", "quality", "dependency", "risk", "mixed")
    ),
    template="beyondbench/hard/constraint_optimization.md.j2",
    draw=draw_plan,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: ChosenIdsForm(len(params.projects)),
    words=show_plan,
    read=read_plan,
    guess=_guess,
    tokens=lambda _variation, size: (100 + 40 * size, 2 * size + 12),
    space=space_of_plans,
    is_best=_is_best,
)
