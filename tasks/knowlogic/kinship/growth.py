"""Families under construction: which ends are known to be of one nuclear family, and which sexes are known.

The first engine grows them: each statement of a relation is tried with everybody who may be on its path.
"""

from collections.abc import Iterator
from typing import NamedTuple

from perennial.tasks.knowlogic.kinship.family import Family
from perennial.tasks.knowlogic.kinship.terms import BIRTH, LETTERS, OWN, Shape

SEXES = ("m", "f")
_OTHER = {"m": "f", "f": "m", "": ""}


class Growth(NamedTuple):
    """A part of a family: the sex of each person ("": unknown), the nuclear family at each end
    (`2 * x + end`), and the component of each person.
    """

    sexes: tuple[str, ...]
    ends: tuple[int, ...]
    component: tuple[int, ...]

    @property
    def is_connected(self) -> bool:
        """Whether everybody is related to everybody."""
        return len(set(self.component)) == 1

    def family(self) -> Family:
        """Return the family, with its nuclear families numbered in order."""
        number: dict[int, int] = {}
        return Family(self.sexes, tuple(number.setdefault(end, len(number)) for end in self.ends))

    def set_sex(self, x: int, sex: str) -> "Growth | None":
        """Return the growth where x has this sex; None where that is impossible."""
        if self.sexes[x] == sex:
            return self
        if self.sexes[x]:
            return None
        sexes = list(self.sexes)
        sexes[x] = sex
        for spouse in self._couple(self.ends[2 * x + OWN]):
            if spouse != x:
                if sexes[spouse] == sex:
                    return None
                sexes[spouse] = _OTHER[sex]
        return Growth(tuple(sexes), self.ends, self.component)

    def join(self, x: int, leaves: int, y: int, enters: int) -> "Growth | None":
        """Return the growth where these ends of two unrelated persons belong to one nuclear family.

        None where it would have two fathers or two mothers, or three parents.
        """
        kept, lost = self.ends[2 * x + leaves], self.ends[2 * y + enters]
        couple = self._couple(kept) + self._couple(lost)
        if len(couple) > 2:
            return None
        sexes = self.sexes
        if len(couple) == 2:
            a, b = sexes[couple[0]], sexes[couple[1]]
            if a and a == b:
                return None
            if a != b and not (a and b):
                known = list(sexes)
                known[couple[0]], known[couple[1]] = a or _OTHER[b], b or _OTHER[a]
                sexes = tuple(known)
        old, new = self.component[y], self.component[x]
        return Growth(
            sexes,
            tuple(kept if end == lost else end for end in self.ends),
            tuple(new if each == old else each for each in self.component),
        )

    def _couple(self, place: int) -> list[int]:
        return [x for x in range(len(self.sexes)) if self.ends[2 * x + OWN] == place]

    def relate(self, x: int, shape: Shape, y: int) -> Iterator["Growth"]:
        """Yield the growths in which a path of this shape leads from x to y."""
        yield from self._relate(x, shape, y, self.component[x] == self.component[y])

    def _relate(self, x: int, shape: Shape, y: int, is_known: bool) -> Iterator["Growth"]:
        step = LETTERS[shape[0]]
        place = self.ends[2 * x + step.leaves]
        for next_ in (y,) if len(shape) == 1 else range(len(self.sexes)):
            if next_ == x or self.sexes[next_] == _OTHER[step.sex]:
                continue
            grown: Growth | None = self
            if self.ends[2 * next_ + step.enters] != place:
                # The path between two who are related already is there: nothing is joined.
                if is_known or self.component[next_] == self.component[x]:
                    continue
                grown = self.join(x, step.leaves, next_, step.enters)
            if grown is not None:
                grown = grown.set_sex(next_, step.sex)
            if grown is None:
                continue
            if len(shape) == 1:
                yield grown
            else:
                yield from grown._relate(next_, shape[1:], y, is_known)

    def complete(self) -> Iterator["Growth"]:
        """Yield the growths of which it is a part: everybody is related and every sex is known."""
        if not self.is_connected:
            first = self.component[0]
            for x in range(len(self.sexes)):
                for y in range(len(self.sexes)):
                    if self.component[x] == first != self.component[y]:
                        for leaves in (BIRTH, OWN):
                            for enters in (BIRTH, OWN):
                                if grown := self.join(x, leaves, y, enters):
                                    yield from grown.complete()
        elif "" in self.sexes:
            for sex in SEXES:
                if grown := self.set_sex(self.sexes.index(""), sex):
                    yield from grown.complete()
        else:
            yield self


def begin(size: int) -> Growth:
    """Return the growth of persons of whom nothing is known."""
    return Growth(("",) * size, tuple(range(2 * size)), tuple(range(size)))
