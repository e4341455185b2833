"""Constraint optimization: the projects with the largest total profit (App. K.9 of the paper)."""

import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.lists import ChosenIdsForm
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation

# A plan: projects, capacities and limits; how one is shown and read back from a prompt.

RESOURCES = ("budget", "time", "personnel")
MAX_PROJECTS = 16
_Amount = Annotated[int, Field(ge=0, le=10**6)]
_Level = Annotated[int, Field(ge=1, le=10)]
_Tenths = Annotated[int, Field(ge=1, le=100)]


@dataclass(frozen=True, slots=True)
class Project:
    """A project: profit, its need of each resource, quality and risk where they count, what it requires."""

    profit: _Amount
    needs: Annotated[tuple[_Amount, ...], Field(min_length=3, max_length=3)]
    quality: _Level | None = None
    risk: _Level | None = None
    requires: Annotated[
        tuple[Annotated[int, Field(ge=1, le=MAX_PROJECTS)], ...], Field(max_length=MAX_PROJECTS)
    ] = ()


@dataclass(frozen=True, slots=True)
class PlanParams:
    """Projects, numbered from 1, capacities, and limits of mean quality and mean risk in tenths."""

    projects: Annotated[tuple[Project, ...], Field(min_length=1, max_length=MAX_PROJECTS)]
    capacities: Annotated[tuple[_Amount, ...], Field(min_length=3, max_length=3)]
    min_quality: _Tenths | None = None
    max_risk: _Tenths | None = None
    at_least: Annotated[int, Field(ge=1, le=MAX_PROJECTS)] = 1

    def __post_init__(self) -> None:
        count = len(self.projects)
        if any(number > count for project in self.projects for number in project.requires):
            raise ValueError(f"a project requires one that is none of the {count}")
        for limit, values in (
            (self.min_quality, [project.quality for project in self.projects]),
            (self.max_risk, [project.risk for project in self.projects]),
        ):
            if any((value is None) != (limit is None) for value in values):
                raise ValueError("quality and risk are of all projects, with a limit, or of none")


def show_plan(params: PlanParams) -> Mapping[str, Any]:
    """What the template shows."""
    return {
        "capacities": [
            (name.capitalize(), capacity) for name, capacity in zip(RESOURCES, params.capacities, strict=True)
        ],
        "projects": [_show_project(project) for project in params.projects],
        "has_requirements": any(project.requires for project in params.projects),
        "min_quality": _show_tenths(params.min_quality),
        "max_risk": _show_tenths(params.max_risk),
        "at_least": f"{params.at_least} project{'s' if params.at_least > 1 else ''}",
    }


def _show_project(project: Project) -> dict[str, Any]:
    needs = (f"{name} {need}" for name, need in zip(RESOURCES, project.needs, strict=True))
    several = "s" if len(project.requires) > 1 else ""
    return {
        "profit": project.profit,
        "needs": ", ".join(needs),
        "quality": project.quality,
        "risk": project.risk,
        "requires": project.requires and f"project{several} {' and '.join(map(str, project.requires))}",
    }


def _show_tenths(tenths: int | None) -> str | None:
    return None if tenths is None else f"{tenths // 10}.{tenths % 10}"


_CAPACITY = re.compile(r"^- (Budget|Time|Personnel): (\d{1,7})$", re.MULTILINE)
_PROJECT = re.compile(
    r"^- Project (?P<id>\d{1,2}): profit (?P<profit>\d{1,7}); "
    r"needs budget (?P<budget>\d{1,7}), time (?P<time>\d{1,7}), personnel (?P<personnel>\d{1,7})"
    r"(?:; quality (?P<quality>\d{1,2}))?(?:; risk (?P<risk>\d{1,2}))?"
    r"(?:; requires projects? (?P<requires>\d{1,2}(?: and \d{1,2})*))?$",
    re.MULTILINE,
)
_AT_LEAST = re.compile(r"^- A project is chosen .* Choose at least (\d{1,2}) projects?\.$", re.MULTILINE)
_QUALITY = re.compile(r"^- The mean quality .* at least (\d{1,2})\.(\d)\.$", re.MULTILINE)
_RISK = re.compile(r"^- The mean risk .* at most (\d{1,2})\.(\d)\.$", re.MULTILINE)


def read_plan(prompt: str) -> PlanParams:
    """The plan that a prompt's text states; raise ValueError where it states none."""
    capacities = dict(_CAPACITY.findall(prompt))
    projects = [_read_project(match) for match in _PROJECT.finditer(prompt)]
    at_least = _AT_LEAST.search(prompt)
    if len(capacities) != len(RESOURCES) or not projects or at_least is None:
        raise ValueError("the prompt holds no projects with resources")
    return PlanParams(
        tuple(projects),
        tuple(int(capacities[name.capitalize()]) for name in RESOURCES),
        _read_tenths(_QUALITY.search(prompt)),
        _read_tenths(_RISK.search(prompt)),
        int(at_least[1]),
    )


def _read_project(match: re.Match[str]) -> Project:
    return Project(
        int(match["profit"]),
        tuple(int(match[name]) for name in RESOURCES),
        None if match["quality"] is None else int(match["quality"]),
        None if match["risk"] is None else int(match["risk"]),
        tuple(map(int, (match["requires"] or "").replace("and", "").split())),
    )


def _read_tenths(match: re.Match[str] | None) -> int | None:
    return int(match[1] + match[2]) if match else None


# All choices of a plan's projects at once, and the same by branch and bound as the second engine.
#
# A choice is a bit mask: bit i stands for project i + 1.

# An answer with this share of the largest profit is right (eq. 243).
SHARE = Fraction(95, 100)


@cache
def _choice_matrix(count: int) -> "np.ndarray":
    """A row for each choice: 1 for what is chosen."""
    return (np.arange(1 << count)[:, None] >> np.arange(count) & 1).astype(float)


def profits_of_choices(params: PlanParams) -> tuple["np.ndarray", "np.ndarray"]:
    """The profit of each choice, -1 where it is not feasible, and the same by capacities alone."""
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
    for column, project in enumerate(projects):
        for number in project.requires:
            is_feasible &= chosen[:, column] <= chosen[:, number - 1]
    return np.where(is_feasible, profit, -1), np.where(fits, profit, -1)


def ids_of(choice: int) -> list[int]:
    """The numbers of the chosen projects."""
    return [number + 1 for number in range(choice.bit_length()) if choice >> number & 1]


def best_profit_by_branches(params: PlanParams) -> int | None:
    """The largest profit of a feasible choice, None where there is none: by branch and bound."""
    projects = params.projects
    left = [sum(project.profit for project in projects[index:]) for index in range(len(projects) + 1)]
    best: int | None = None
    stack: list[tuple[int, frozenset[int], tuple[int, ...], int]] = [(0, frozenset(), params.capacities, 0)]
    while stack:
        index, chosen, free, profit = stack.pop()
        if best is not None and profit + left[index] <= best:
            continue
        if index == len(projects):
            best = profit if keeps_limits(params, chosen) else best
            continue
        project = projects[index]
        stack.append((index + 1, chosen, free, profit))
        less = tuple(have - need for have, need in zip(free, project.needs, strict=True))
        if min(less) >= 0:
            stack.append((index + 1, chosen | {index + 1}, less, profit + project.profit))
    return best


def keeps_limits(params: PlanParams, chosen: frozenset[int]) -> bool:
    """Whether a choice keeps all rules but the capacities."""
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


# Draw plans, and accept those whose rules matter (section K.9.5 of the paper; ranges by measurement).

PROFITS = range(200, 601)
# Of budget, time and personnel; a capacity is a share of what all projects need together.
NEEDS = (range(150, 401), range(15, 41), range(5, 16))
SHARES = (0.45, 0.70)
QUALITIES, MIN_QUALITY = range(3, 11), 65
RISKS, MAX_RISK = range(1, 6), 32
MIN_FEASIBLE = 5


def draw_plan(variation: str, size: int, rng: random.Random) -> PlanParams | None:
    """A plan, None where its rules do not matter.

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
            requires[index],
        )
        for index in range(size)
    )
    totals = (sum(project.needs[need] for project in projects) for need in range(len(NEEDS)))
    params = PlanParams(
        projects,
        tuple(round(rng.uniform(*SHARES) * total) for total in totals),
        MIN_QUALITY if has_quality else None,
        MAX_RISK if has_risk else None,
        2 if variation == "mixed" else 1,
    )
    return params if rules_matter(params, variation != "basic") else None


def _draw_requirements(size: int, rng: random.Random) -> tuple[tuple[int, ...], ...]:
    """What each project requires: each of smaller number with probability 1/n (eq. 242)."""
    return tuple(
        tuple(number for number in range(1, index + 1) if rng.random() < 1 / size) for index in range(size)
    )


def rules_matter(params: PlanParams, is_limited: bool) -> bool:
    """Whether the plan is accepted, see `draw_plan`."""
    profits, by_capacities = profits_of_choices(params)
    best = int(profits.argmax())
    return bool(
        best.bit_count() >= 2
        and np.count_nonzero(profits >= 0) >= MIN_FEASIBLE
        and np.count_nonzero(profits == profits[best]) == 1
        and not (is_limited and by_capacities[best] == by_capacities.max())
    )


# A lower bound of the number of plans, by a family of which each plan is shown to be accepted.
#
# Every three projects fit and no four do, because the needs lie in narrow bands; profits are all different.
# So the three projects of largest profit, a, b, c, are the only optimum by capacities alone. With the others
# d, e, .. (by profit) and z the least of them, the further conditions change the optimum to another single
# one:
#
# - quality: 3 or 4 for a, b, c, 9 or 10 for the others: two of a, b, c are too many, a, d, e is best;
# - risk: 5 for a, b, c, 1 or 2 for the others: the same;
# - dependency: a requires z, and a + z is not c + d (so that a, b, z and b, c, d do not tie); z has the
#   smaller number in half of the plans;
# - mixed: quality and risk as above, and z requires some project of smaller number, which a, d, e do not
#   touch.

# The bands of the needs of budget, time and personnel: four times the lower end is more than three times the
# upper end by enough for a capacity between, at every size.
BANDS = ((300, 320), (30, 32), (12, 13))


def count_capacities(size: int, low: int, high: int) -> int:
    """How many capacities three projects of such needs fit and four do not, whatever the needs are."""
    least, most = (Fraction(str(share)) for share in SHARES)
    first = max(3 * high, math.ceil(least * size * high))
    last = min(4 * low - 1, math.floor(most * size * low))
    return max(last - first + 1, 0)


def space_of_plans(variation: str, size: int) -> Space:
    """A lower bound of the number of plans."""
    number = math.prod((high - low + 1) ** size * count_capacities(size, low, high) for low, high in BANDS)
    values = len(PROFITS)
    if variation == "dependency":
        # Where a + z = c + d, the other profits and the place of a determine all.
        number *= (math.perm(values, size) - size * math.perm(values, size - 1)) // 2
    else:
        number *= math.perm(values, size)
    if variation in ("quality", "mixed"):
        number *= 2**size
    if variation in ("risk", "mixed"):
        number *= 2 ** (size - 3)
    if variation == "mixed":
        number //= 2
    return Space(math.log10(number), False, "plans of which any three projects fit and no four")


# The task: solutions, grader and the rest of what a task is made of.

SIZES = (6, 7, 8)


def _solve(params: PlanParams) -> Solutions:
    """All choices that are right, the largest profit first."""
    profits, _ = profits_of_choices(params)
    least = -(-int(profits.max()) * SHARE.numerator // SHARE.denominator)
    right = np.flatnonzero(profits >= max(least, 0))
    ordered = right[np.argsort(-profits[right], kind="stable")]
    return Solutions(tuple(ids_of(int(choice)) for choice in ordered), len(ordered), True)


def _verify(params: PlanParams, answer: Answer) -> str:
    detail = _find_fault(params, answer)
    return detail or ("profit_too_low" if _profit(params, answer) < SHARE * _best_profit(params) else RIGHT)


def _is_best(params: PlanParams, answer: Answer) -> bool:
    return not _find_fault(params, answer) and _profit(params, answer) == _best_profit(params)


def _find_fault(params: PlanParams, answer: Answer) -> str:
    """A code for why the answer is not feasible, "" where it is."""
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
    for need, capacity in enumerate(params.capacities):
        if sum(project.needs[need] for project in chosen) > capacity:
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
    ids = range(1, len(params.projects) + 1)
    if not isinstance(answer, list | tuple) or not all(type(pick) is int and pick in ids for pick in answer):
        return False
    chosen = frozenset(answer)
    needed = [sum(params.projects[pick - 1].needs[need] for pick in chosen) for need in range(3)]
    fits = all(need <= capacity for need, capacity in zip(needed, params.capacities, strict=True))
    if len(chosen) != len(answer) or not fits or not keeps_limits(params, chosen):
        return False
    best = best_profit_by_branches(params)
    profit = sum(params.projects[pick - 1].profit for pick in chosen)
    return best is not None and 100 * profit >= 95 * best


def _heuristic(params: PlanParams) -> Answer:
    """Take projects while they fit, those first with the most profit for the capacity that they need."""

    def worth(number: int) -> tuple[float, int]:
        project = params.projects[number - 1]
        needed = sum(need / max(1, most) for need, most in zip(project.needs, params.capacities, strict=True))
        return -project.profit / max(needed, 1e-9), number

    chosen: list[int] = []
    for number in sorted(range(1, len(params.projects) + 1), key=worth):
        wanted = sorted({*chosen, number, *params.projects[number - 1].requires})
        if _find_fault(params, wanted) in ("", "too_few_projects"):
            chosen = wanted
    return chosen


TASK = Task(
    name="constraint_optimization",
    suite="hard",
    title="the projects with the largest total profit that capacities and limits allow",
    params=PlanParams,
    variations=tuple(
        Variation(name, SIZES, is_unique=False)
        for name in ("basic", "quality", "dependency", "risk", "mixed")
    ),
    draw=draw_plan,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: ChosenIdsForm(len(params.projects)),
    words=show_plan,
    read=read_plan,
    guess=lambda params, rng: ids_of(rng.randrange(1, 1 << len(params.projects))),
    tokens=lambda _variation, size: (100 + 40 * size, 2 * size + 12),
    space=space_of_plans,
    is_best=_is_best,
    heuristic=_heuristic,
)
