"""All rules of a scenario of space, as the paper counts them (Table 6).

To those of `perennial.tasks.knowlogic.space.reasoning`, which questions use, come:

- `equivalent`, `implies`, `excludes`: between two facts about the same things;
- `compares`: where two things are makes a relation between them.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from perennial.tasks.knowlogic.space.reasoning import (
    SpaceRule,
    Vocabulary,
    compose,
    compose_rules,
    inverse,
    move_rules,
    other_slot,
    place_rules,
    same_slot,
    vocabulary,
)


def _between_names(of: Vocabulary) -> Iterator[SpaceRule]:
    """Yield the rules between two facts about the same one thing, or the same two."""
    for single, named in ((True, of.properties), (False, of.relations)):
        here, there = ("(a)", "(a)") if single else ("(a,b)", "(a,b)")
        for (one, first), (two, second) in combinations(named.items(), 2):
            yield from _compare(one + here, first, two + there, second)
    # A fact and one with the things exchanged; where a set is its own inverse, the rules above say it.
    for one, first in of.relations.items():
        for two, second in of.relations.items():
            turned = inverse(of.size, second)
            if turned == second and one != two:
                continue
            if one < two:
                yield from _compare(f"{one}(a,b)", first, f"{two}(b,a)", turned)
            elif one == two:
                if turned == first:
                    yield SpaceRule("equivalent", f"{one}(a,b) <-> {one}(b,a)")
                elif not turned & first:
                    yield SpaceRule("excludes", f"{one}(a,b) -> not {one}(b,a)")


def _compare(one: str, first: int, two: str, second: int) -> Iterator[SpaceRule]:
    if first == second:
        yield SpaceRule("equivalent", f"{one} <-> {two}")
    elif first & second == first:
        yield SpaceRule("implies", f"{one} -> {two}")
    elif first & second == second:
        yield SpaceRule("implies", f"{two} -> {one}")
    elif not first & second:
        yield SpaceRule("excludes", f"{one} -> not {two}")


def _compare_places(of: Vocabulary) -> Iterator[SpaceRule]:
    """Yield the relations that follow from where two things are."""
    anything = same_slot(of.size) | other_slot(of.size)
    for one, first in of.properties.items():
        for two, second in of.properties.items():
            through = compose(of.size, compose(of.size, first, anything), second) & other_slot(of.size)
            for each in of.names(through, single=False):
                yield SpaceRule("compares", f"{one}(a) & {two}(b) -> {each}(a,b)")


@lru_cache(maxsize=16)
def rules(scenario: str) -> tuple[SpaceRule, ...]:
    """Return the rules of a scenario."""
    of = vocabulary(scenario)
    found = [*_between_names(of), *_compare_places(of)]
    for relation in of.relations:
        found += place_rules(of, relation)
    found += [
        rule for name in of.properties for relation in of.relations for rule in move_rules(of, name, relation)
    ]
    found += [
        rule for first in of.relations for second in of.relations for rule in compose_rules(of, first, second)
    ]
    return tuple(sorted(set(found)))


# The number of rules of space in Table 6.
RULES_OF_PAPER = 861


def coverage(scenarios: tuple[str, ...]) -> list[tuple[str, str, int]]:
    """Return (scenario, kind, number of rules), and last the numbers of different rules of all scenarios."""
    rows = []
    for name, found in [(each, set(rules(each))) for each in scenarios] + [
        ("all", {rule for each in scenarios for rule in rules(each)})
    ]:
        kinds = sorted({rule.kind for rule in found})
        rows += [(name, kind, sum(rule.kind == kind for rule in found)) for kind in kinds]
        rows.append((name, "total", len(found)))
    return rows
