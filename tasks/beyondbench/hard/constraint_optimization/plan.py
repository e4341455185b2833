"""A plan: projects, capacities and limits; how one is shown and read back from a prompt."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

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
    """Return what the template shows."""
    return {
        "capacities": [
            (name.capitalize(), capacity) for name, capacity in zip(RESOURCES, params.capacities, strict=True)
        ],
        "projects": [_show_project(project) for project in params.projects],
        "has_requirements": any(project.requires for project in params.projects),
        "min_quality": _show_tenths(params.min_quality),
        "max_risk": _show_tenths(params.max_risk),
        "at_least": f"{params.at_least} project{'s' * (params.at_least > 1)}",
    }


def _show_project(project: Project) -> dict[str, Any]:
    needs = (f"{name} {need}" for name, need in zip(RESOURCES, project.needs, strict=True))
    several = "s" * (len(project.requires) > 1)
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
    """Return the plan that a prompt's text states; raise ValueError where it states none."""
    capacities = dict(_CAPACITY.findall(prompt))
    projects = [_read_project(found) for found in _PROJECT.finditer(prompt)]
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
