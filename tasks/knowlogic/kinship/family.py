"""A family as a tree: persons are its edges, between the family of birth and the own family of each.

Every end of a person belongs to one nuclear family: parents belong to it by their `OWN` end, children by
`BIRTH`. Where nobody is related to anybody in two ways, the nuclear families and the persons between them
form a tree; the one way from a person to another is a path that does not fold back.
Who is older than whom is a partial order: as far as it is known.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from perennial.tasks.knowlogic.kinship.terms import BIRTH, LETTER_OF, OWN, Shape, Term

# Persons: the first is older than the second.
Older = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Ages:
    """`younger[x]` has a bit for everybody who is known to be younger than x."""

    younger: tuple[int, ...]

    def knows(self, older: Older) -> bool:
        """Return whether the comparison follows."""
        return bool(self.younger[older[0]] >> older[1] & 1)

    def verdict(self, comparisons: Iterable[Older]) -> bool | None:
        """Return whether all comparisons hold in every order of births (True), in none (False), in some."""
        wanted = [older for older in comparisons if not self.knows(older)]
        if not wanted:
            return True
        return None if compare_ages(self.younger, wanted) else False


def compare_ages(younger: Sequence[int], comparisons: Iterable[Older]) -> Ages | None:
    """Return what follows from known ages and these comparisons; None where they contradict each other."""
    masks = list(younger)
    for old, young in comparisons:
        if old == young or masks[young] >> old & 1:
            return None
        if masks[old] >> young & 1:
            continue
        gained = masks[young] | 1 << young
        for x in range(len(masks)):
            if x == old or masks[x] >> old & 1:
                masks[x] |= gained
    return Ages(tuple(masks))


class Relation(NamedTuple):
    """How a person is related to another: the shape of the path, and everybody on it from first to last."""

    shape: Shape
    persons: tuple[int, ...]


@dataclass(frozen=True)
class Family:
    """A family of persons 0, 1, ...: the sex of each, and the nuclear family at each end (`2 * x + end`)."""

    sexes: tuple[str, ...]
    ends: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of persons."""
        return len(self.sexes)

    @property
    def relations(self) -> tuple[tuple[Relation | None, ...], ...]:
        """`relations[x][y]`: the path from x to y (None for x itself and where there is none)."""
        return _relate(self)

    def parents_and_children(self) -> Iterator[Older]:
        """Yield each parent with each child."""
        for x in range(self.size):
            for y in range(self.size):
                if self.ends[2 * x + OWN] == self.ends[2 * y + BIRTH]:
                    yield x, y

    def comparisons(self, term: Term, of: int, who: int) -> tuple[Older, ...] | None:
        """Return who must be older than whom for `who` to be the term of `of`; None where no path fits."""
        relation = self.relations[of][who]
        ages = term.shapes.get(relation.shape) if relation else None
        if relation is None or ages is None:
            return None
        return tuple((relation.persons[a], relation.persons[b]) for a, b in sorted(ages))


@lru_cache(maxsize=4096)
def _relate(family: Family) -> tuple[tuple[Relation | None, ...], ...]:
    # Kept: one draw meets the same family many times.
    members: dict[int, list[tuple[int, int, str]]] = {}
    for x, sex in enumerate(family.sexes):
        for end in (BIRTH, OWN):
            members.setdefault(family.ends[2 * x + end], []).append((x, end, sex))

    def walk(x: int, end: int, shape: Shape, persons: tuple[int, ...]) -> None:
        """Note the paths that leave x by an end."""
        for y, entered, sex in members[family.ends[2 * x + end]]:
            if y != x:
                longer, chain = shape + LETTER_OF[end, entered, sex], (*persons, y)
                found[y] = Relation(longer, chain)
                walk(y, OWN + BIRTH - entered, longer, chain)

    every = []
    for x in range(family.size):
        found: list[Relation | None] = [None] * family.size
        walk(x, BIRTH, "", (x,))
        walk(x, OWN, "", (x,))
        every.append(tuple(found))
    return tuple(every)
