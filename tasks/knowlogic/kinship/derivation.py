"""How far an option is from the statements: the fewest steps that derive the relations that it speaks of.

A statement gives the relation of two people, read from either side. Two relations that share a person compose
to one: the path to the shared person and the path from there are joined, and what folds back is resolved (a
father's son is a brother or oneself, a child's father is the husband or oneself). Nobody but two people
with names is known to be different from another of the same kind, so a composition is refused where a
person on one path may or may not be the same as one on the other: the wife's sister of whoever is the
husband of somebody's aunt may be that aunt's sister or the aunt.
"""

from collections.abc import Iterable, Mapping
from itertools import permutations

from schemas.knowlogic.things import Proposition
from tasks.knowlogic.kinship.family import Family, Relation
from tasks.knowlogic.kinship.models import Model, resolve
from tasks.knowlogic.kinship.terms import LETTERS, OWN, Step, Term

# Two persons whose relation is known, the smaller number first.
Pair = tuple[int, int]


def pair_of(x: int, y: int) -> Pair:
    """Return two persons in order."""
    return min(x, y), max(x, y)


def composes(family: Family, x: int, shared: int, y: int) -> bool:
    """Return whether the relation of x and y follows from how each is related to a shared person."""
    one, other = family.relations[shared][x], family.relations[shared][y]
    assert one is not None
    assert other is not None
    place = 0
    while True:
        place += 1
        first, second = _arrival(one, place), _arrival(other, place)
        # Joined at a person's two ends, or at a nuclear family where they have different roles or sexes.
        if first.leaves != second.leaves or first.enters != second.enters or first.sex != second.sex:
            return True
        ends = (len(one.persons) - 1 == place, len(other.persons) - 1 == place)
        if first.enters != OWN:
            # Two children of one sex: known to be different only where both have names.
            return all(ends)
        if any(ends):
            return True


def _arrival(relation: Relation, place: int) -> Step:
    return LETTERS[relation.shape[place - 1]]


def list_pairs(terms: Mapping[str, Term], statements: Iterable[Proposition]) -> list[Pair]:
    """Return the pairs whose path a statement (of numbered persons) gives: not that of a word such as
    "cousin", which has several.
    """
    return sorted(
        {
            pair_of(int(each.arguments[0]), int(each.arguments[1]))
            for each in statements
            if each.template == "is" and len(terms[str(each.arguments[2])].shapes) == 1
        }
    )


def derive(family: Family, given: Iterable[Pair]) -> dict[Pair, int]:
    """Return for each pair whose relation follows the fewest compositions that give it."""
    costs = dict.fromkeys(given, 0)
    pending = True
    while pending:
        pending = False
        for x, shared, y in permutations(range(family.size), 3):
            if x > y or pair_of(x, shared) not in costs or pair_of(shared, y) not in costs:
                continue
            cost = costs[pair_of(x, shared)] + costs[pair_of(shared, y)] + 1
            if cost < costs.get((x, y), cost + 1) and composes(family, x, shared, y):
                costs[x, y] = cost
                pending = True
    return costs


def count_steps(
    terms: Mapping[str, Term], model: Model, costs: Mapping[Pair, int], option: Proposition
) -> int | None:
    """Return the steps that decide an option (of numbered persons): the compositions of the pairs that it
    relates, and a step for each term.

    None where a pair does not follow by composition, a description fits not exactly one person, or somebody
    would be related to themselves.
    """
    resolved = resolve(terms, model, option)
    if resolved is None or resolved.who == resolved.of:
        return None
    pairs = {pair_of(x, y) for x, y in (*resolved.described, (resolved.who, resolved.of))}
    if any(pair not in costs for pair in pairs):
        return None
    return sum(costs[pair] for pair in sorted(pairs)) + count_terms(option)


def count_terms(option: Proposition) -> int:
    """Return how many terms an option has."""
    return {"is": 1, "holder_is": 2, "is_of_holder": 2, "holder_is_of_holder": 3}[option.template]
