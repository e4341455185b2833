"""The same problem under other names: a form that no renaming of people and no order of lines changes."""

from collections.abc import Mapping, Sequence
from itertools import permutations, product

from perennial.schemas.knowlogic.things import GAP, Argument, Proposition
from perennial.tasks.knowlogic.problem import Problem

# A proposition: where it stands (statement, asked, option), its template, and its arguments.
_Line = tuple[str, Proposition]


def canonical(problem: Problem) -> object:
    """Return a JSON value that is equal for problems that differ by names and the order of lines alone."""
    lines: list[_Line] = [("statement", each) for each in problem.statements]
    lines += [("option", each) for each in problem.options]
    if problem.asked is not None:
        lines.append(("asked", problem.asked))
    people = problem.entities
    colors = _refine(people, lines)
    classes = [[x for x in people if colors[x] == color] for color in sorted(set(colors.values()))]
    best = min(
        _write(lines, [x for part in order for x in part])
        for order in product(*(permutations(each) for each in classes))
    )
    return [problem.scenario, problem.type, len(people), best]


def _refine(people: Sequence[Argument], lines: Sequence[_Line]) -> dict[Argument, int]:
    """Return a number for each person that tells apart who stands in different lines, by repeated rounds."""
    colors = dict.fromkeys(people, 0)
    for _ in people:
        seen: dict[Argument, list[str]] = {x: [] for x in people}
        for place, line in lines:
            shown = [f"#{colors[each]}" if each in colors else str(each) for each in line.arguments]
            for position, each in enumerate(line.arguments):
                if each in colors:
                    seen[each].append(repr((place, line.template, position, shown)))
        keys = {x: (colors[x], sorted(seen[x])) for x in people}
        ordered: list[tuple[int, list[str]]] = []
        for key in sorted(keys.values()):
            if key not in ordered:
                ordered.append(key)
        renewed = {x: ordered.index(keys[x]) for x in people}
        if len(set(renewed.values())) == len(set(colors.values())):
            return renewed
        colors = renewed
    return colors


def _write(lines: Sequence[_Line], order: Sequence[Argument]) -> list[list[str]]:
    number: Mapping[Argument, str] = {GAP: GAP, **{x: f"#{place}" for place, x in enumerate(order)}}
    return sorted(
        [place, line.template, *(number.get(each, str(each)) for each in line.arguments)]
        for place, line in lines
    )
