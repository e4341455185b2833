"""The rules of nature: what follows of a thing from its class or use, and the orders of
reflected light and of waters by how fast a stone sinks in them.

Facts are chained forward to their closure (`perennial.tasks.knowlogic.closure`), so that each knows the rules
below it.
"""

from collections.abc import Iterable
from itertools import pairwise

from perennial.tasks.knowlogic.closure import Closure, Step, close
from perennial.tasks.knowlogic.nature.meaning import SPECTRUM, WATERS
from perennial.tasks.knowlogic.nature.tables import Nature, Rule

# A property and its value, of one thing; or two colors, the first of the longer wavelength.
Fact = tuple[str, str]
TRANSITIVE = "longer_wavelength_transitive"
STONE = "stone_sinks_faster_in_fresh_water"


def close_cells(nature: Nature, entity: str) -> Closure[Fact]:
    """Return what is known of a thing; cells that a rule makes of other cells are not among the givens."""
    cells = {name: cell for name, cell in nature.cells[entity].items() if cell is not None}
    held = set(cells.items())
    made = {rule.conclusion for rule in nature.rules if rule.premise in held}
    return close_facts(nature.rules, (fact for fact in cells.items() if fact not in made))


def close_facts(rules: Iterable[Rule], given: Iterable[Fact]) -> Closure[Fact]:
    """Return what the rules make of given facts about one thing."""
    by_premise: dict[Fact, list[Rule]] = {}
    for rule in rules:
        by_premise.setdefault(rule.premise, []).append(rule)

    def chain(facts: dict[Fact, Step[Fact]], new: list[Fact]) -> Iterable[tuple[Fact, Step[Fact]]]:
        for fact in new:
            for rule in by_premise.get(fact, ()):
                yield rule.conclusion, Step(rule.id, (fact,))

    return close(given, chain)


def close_spectrum() -> Closure[Fact]:
    """Return all pairs of colors, longer wavelength first, from neighbors in the spectrum."""

    def chain(facts: dict[Fact, Step[Fact]], new: list[Fact]) -> Iterable[tuple[Fact, Step[Fact]]]:
        for longer, middle in new:
            for first, second in list(facts):
                if first == middle:
                    yield (longer, second), Step(TRANSITIVE, ((longer, middle), (first, second)))

    return close(pairwise(SPECTRUM), chain)


def rules_of_order(order: tuple[str, ...], values: Iterable[str]) -> set[str]:
    """Return the names of the rules that order these values: colors by wavelength, waters by a stone."""
    ordered = sorted(set(values), key=order.index)
    if order == WATERS:
        return {STONE} if len(ordered) > 1 else set()
    closure = close_spectrum()
    found: set[str] = set()
    for fact in pairwise(ordered):
        found |= {step.rule for step in closure.proof(fact).values()}
        found |= {f"{longer}_longer_than_{shorter}" for longer, shorter in closure.grounds(fact)}
    return found
