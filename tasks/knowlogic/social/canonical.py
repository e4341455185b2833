"""The form of a question that does not depend on names, nor on the order of statements and options."""

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from perennial.schemas.ids import canonical_json
from perennial.schemas.knowlogic.things import GAP, Argument
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.social.claims import facts_of

# A fact or an option: a word that names no person, and the people and relations in their places.
Item = tuple[str, Sequence[Argument]]


def canonical(problem: Problem) -> object:
    """Return a JSON value that is equal for problems that differ by names or order alone.

    Two statements in one sentence count as two. Of all numberings of the people that keep an order of
    colors, found by refinement, it is the least form.
    """
    form = find_least_form(problem.entities, _items(problem))
    return [problem.scenario, problem.type, len(problem.entities), problem.has_none, form]


def find_least_form(people: Sequence[Argument], items: Sequence[Item]) -> object:
    """Return the items with numbers for the people, the same for all names and orders."""
    forms = (_write(items, numbers) for numbers in _numberings(_refine(people, items)))
    return min(forms, key=canonical_json)


def _items(problem: Problem) -> list[Item]:
    said = [fact for each in problem.statements for fact in facts_of(each).facts]
    several = [fact for each in problem.statements for fact in facts_of(each).several]
    items: list[Item] = [("fact", fact) for fact in said]
    items += [("several", fact) for fact in several]
    items += [(each.template, each.arguments) for each in problem.options]
    return items + ([(f"asked {problem.asked.template}", problem.asked.arguments)] if problem.asked else [])


def _refine(people: Sequence[Argument], items: Sequence[Item]) -> list[list[Argument]]:
    """Return the people in classes that nothing said tells apart locally, in an order that is invariant."""
    colors: dict[Argument, int] = dict.fromkeys(people, 0)
    for _ in people:
        seen: dict[Argument, list[str]] = {each: [] for each in people}
        for word, arguments in items:
            shown = [colors.get(each, each) for each in arguments]
            for place, each in enumerate(arguments):
                if each in seen:
                    seen[each].append(f"{word} {place} {shown}")
        keys = {each: (colors[each], sorted(seen[each])) for each in people}
        order = sorted({repr(key): key for key in keys.values()}.values())
        found = {each: order.index(keys[each]) for each in people}
        if len(set(found.values())) == len(set(colors.values())):
            break
        colors = found
    return [[each for each in people if colors[each] == color] for color in sorted(set(colors.values()))]


def _numberings(classes: Sequence[Sequence[Argument]]) -> Iterator[dict[Argument, int]]:
    for orders in product(*(permutations(each) for each in classes)):
        yield {person: number for number, person in enumerate(each for order in orders for each in order)}


def _write(items: Sequence[Item], numbers: dict[Argument, int]) -> list[list[object]]:
    written: list[list[object]] = [
        [word, *(numbers.get(each, each) if each != GAP else GAP for each in arguments)]
        for word, arguments in items
    ]
    return sorted(written, key=canonical_json)
