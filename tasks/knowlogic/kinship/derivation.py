"""How far an option is from the statements: the fewest steps that derive the relations that it speaks of.

A statement gives the relation of two people, read from either side. Two relations that share a person compose
to one: the path to the shared person and the path from there are joined, and what folds back is resolved (a
father's son is a brother or oneself, a child's father is the husband or oneself). Nobody but two people
with names is known to be different from another of the same kind, so a composition is refused where a
person on one path may or may not be the same as one on the other: the wife's sister of whoever is the
husband of somebody's aunt may be that aunt's sister or the aunt.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import permutations

from perennial.schemas.knowlogic.things import Proposition
from perennial.tasks.knowlogic.kinship.family import Family, Relation
from perennial.tasks.knowlogic.kinship.models import Model, resolve
from perennial.tasks.knowlogic.kinship.terms import LETTERS, OWN, Step, Term

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


class Derivations:
    """The relations that follow from given pairs, and the fewest compositions that give them."""

    def __init__(self, family: Family, given: Iterable[Pair]) -> None:
        """Take the pairs whose relation is given, and find the proofs of all that follow."""
        self.given = frozenset(given)
        self._ways: dict[Pair, list[tuple[Pair, Pair]]] = defaultdict(list)
        for x, shared, y in permutations(range(family.size), 3):
            if x < y and composes(family, x, shared, y):
                self._ways[x, y].append((pair_of(x, shared), pair_of(shared, y)))
        self._proofs = self._find_proofs()
        self._counts: dict[frozenset[Pair], int] = {}

    @property
    def costs(self) -> dict[Pair, int]:
        """The fewest compositions that give each pair whose relation follows."""
        counts = {pair: self.count([pair]) for pair in self._proofs}
        return {pair: count for pair, count in counts.items() if count is not None}

    def count(self, pairs: Iterable[Pair]) -> int | None:
        """Return the fewest compositions that give all these pairs, each counted once.

        None where one does not follow.
        """
        goals = frozenset(pairs) - self.given
        if not goals <= self._proofs.keys():
            return None
        if goals not in self._counts:
            self._counts[goals] = self._count(goals)
        return self._counts[goals]

    def _find_proofs(self) -> dict[Pair, frozenset[Pair]]:
        """Return the pairs of a proof of each pair that follows: small ones, not always the smallest."""
        proofs: dict[Pair, frozenset[Pair]] = dict.fromkeys(self.given, frozenset())
        pending = True
        while pending:
            pending = False
            for pair, ways in self._ways.items():
                for one, other in ways:
                    if pair in self.given or one not in proofs or other not in proofs:
                        continue
                    proof = proofs[one] | proofs[other] | {pair}
                    if pair not in proofs or len(proof) < len(proofs[pair]):
                        proofs[pair] = proof
                        pending = True
        return proofs

    def _count(self, goals: frozenset[Pair]) -> int:
        """Look for fewer compositions than the proofs at hand have: first one, then two, and so on."""
        found = len(frozenset[Pair]().union(*(self._proofs[goal] for goal in goals)))
        return next(
            (count for count in range(found) if self._reaches(goals, self.given, count, set())), found
        )

    def _reaches(
        self, goals: frozenset[Pair], known: frozenset[Pair], left: int, failed: set[frozenset[Pair]]
    ) -> bool:
        """Return whether so many more compositions can give all goals."""
        if goals <= known:
            return True
        if known in failed or len(goals - known) > left or not self._are_near(goals, known, left + 1):
            return False
        failed.add(known)
        return any(
            self._reaches(goals, known | {pair}, left - 1, failed)
            for pair, ways in self._ways.items()
            if pair not in known and any(one in known and other in known for one, other in ways)
        )

    @staticmethod
    def _are_near(goals: frozenset[Pair], known: frozenset[Pair], most: int) -> bool:
        """Return whether the two people of each goal are connected by `most` known pairs or fewer.

        A composition shortens such a connection by one pair at most.
        """
        for x, y in goals:
            reached = {x}
            for _ in range(most):
                reached |= {b for a, b in known if a in reached} | {a for a, b in known if b in reached}
            if y not in reached:
                return False
        return True


def count_steps(
    terms: Mapping[str, Term], model: Model, derivations: Derivations, option: Proposition
) -> int | None:
    """Return the steps that decide an option (of numbered persons): the compositions that give all pairs
    that it relates, and a step for each term.

    None where a pair does not follow by composition, a description fits not exactly one person, or somebody
    would be related to themselves.
    """
    resolved = resolve(terms, model, option)
    if resolved is None or resolved.who == resolved.of:
        return None
    count = derivations.count(pair_of(x, y) for x, y in (*resolved.described, (resolved.who, resolved.of)))
    return None if count is None else count + count_terms(option)


def count_terms(option: Proposition) -> int:
    """Return how many terms an option has."""
    return {"is": 1, "holder_is": 2, "is_of_holder": 2, "holder_is_of_holder": 3}[option.template]
