"""Kinship terms as paths of basic steps, and what a path means on a family.

A person has two ends: the family of birth (`BIRTH`), shared with parents and siblings, and the own family
(`OWN`), shared with the spouse and children. Each basic step leaves a person by one end and enters the next
by one: to a father, from the end of birth to his own family. A path folds back where it leaves a person by
the end that it entered by (father's son, brother's sister, son's mother): such a path may lead back to where
it came from. There are 10, 42, 168 and 672 paths of 1 to 4 steps that do not fold back. The elder and the
younger of two siblings are different steps; a mark after a step compares cousins instead (`s>`: a son who is
older than the person three steps before; `s<`: younger).

Table `kinship/terms` has one row per term; its column `source` names where a reader may check the word. Table
`kinship/no_term` lists the paths of up to three steps that have no common term, each with the reason.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from perennial.schemas.knowlogic.things import Knowledge

BIRTH, OWN = 0, 1


class KinStep(NamedTuple):
    """A basic step: the ends that it leaves and enters, the sex of whom it leads to, and (for siblings)
    whether that person is older (True) or younger (False) than the one before.
    """

    leaves: int
    enters: int
    sex: str
    older: bool | None
    # The step without age: what is visible on a family graph without births.
    letter: str


STEPS: dict[str, KinStep] = {
    "f": KinStep(BIRTH, OWN, "m", None, "f"),
    "m": KinStep(BIRTH, OWN, "f", None, "m"),
    "s": KinStep(OWN, BIRTH, "m", None, "s"),
    "d": KinStep(OWN, BIRTH, "f", None, "d"),
    "ob": KinStep(BIRTH, BIRTH, "m", True, "b"),
    "lb": KinStep(BIRTH, BIRTH, "m", False, "b"),
    "os": KinStep(BIRTH, BIRTH, "f", True, "z"),
    "ls": KinStep(BIRTH, BIRTH, "f", False, "z"),
    "h": KinStep(OWN, OWN, "m", None, "h"),
    "w": KinStep(OWN, OWN, "f", None, "w"),
}
# A step by its letter without age, and the letter by what is seen of a step.
LETTERS: dict[str, KinStep] = {step.letter: step for step in STEPS.values()}
LETTER_OF = {(step.leaves, step.enters, step.sex): letter for letter, step in LETTERS.items()}
# Letters of a path of steps without age, such as "fb" (father's brother).
Shape = str
# Places on a path (0 is where it begins): the person at the first is older than the one at the second.
Age = tuple[int, int]
_MARKS = {">": True, "<": False}


@dataclass(frozen=True, slots=True)
class Path:
    """A path: its basic steps, and the comparison of cousins by the place of the cousin."""

    steps: tuple[str, ...]
    cousins: tuple[tuple[int, bool], ...] = ()

    @property
    def shape(self) -> Shape:
        """The path without ages."""
        return "".join(STEPS[step].letter for step in self.steps)

    @property
    def ages(self) -> frozenset[Age]:
        """Who on the path is older than whom."""
        siblings = [(position + 1, position, STEPS[step].older) for position, step in enumerate(self.steps)]
        cousins = [(position, position - 3, older) for position, older in self.cousins]
        return frozenset(
            (a, b) if older else (b, a) for a, b, older in siblings + cousins if older is not None
        )


def read_path(text: str) -> Path:
    """The path of a text such as `f.ob.s>`.

    Raises ValueError for an unknown step, a path that folds back, or a mark where no cousin is.
    """
    steps, cousins = [], []
    for position, part in enumerate(text.split("."), start=1):
        step = part.rstrip("<>")
        if step not in STEPS:
            raise ValueError(f"path {text!r} has an unknown step {part!r}")
        steps.append(step)
        if mark := part.removeprefix(step):
            if mark not in _MARKS or position < 3:
                raise ValueError(f"path {text!r} has a mark that compares nobody: {part!r}")
            cousins.append((position, _MARKS[mark]))
    for first, second in pairwise(steps):
        if folds_back(first, second):
            raise ValueError(f"path {text!r} folds back at {first}.{second}")
    return Path(tuple(steps), tuple(cousins))


def folds_back(first: str, second: str) -> bool:
    """Whether a step may not follow another: it folds back, or is the spouse of the wrong sex."""
    before, after = STEPS[first], STEPS[second]
    return before.enters == after.leaves or (second in ("h", "w") and before.sex == after.sex)


def all_paths(length: int) -> Iterator[tuple[str, ...]]:
    """The paths of so many steps that do not fold back."""
    if length == 1:
        yield from ((step,) for step in STEPS)
        return
    for path in all_paths(length - 1):
        yield from ((*path, step) for step in STEPS if not folds_back(path[-1], step))


@dataclass(frozen=True)
class Term:
    """A term: its words, its paths, and whether questions use it.

    `shapes` says the same as `paths` with as few comparisons of age as are needed: the ages that each shape
    must have.
    """

    id: str
    words: dict[str, str]
    generation: int
    used: bool
    paths: tuple[Path, ...]
    shapes: dict[Shape, frozenset[Age]] = field(init=False)

    def __post_init__(self) -> None:
        ages: dict[Shape, set[frozenset[Age]]] = defaultdict(set)
        for path in self.paths:
            ages[path.shape].add(path.ages)
        object.__setattr__(self, "shapes", {shape: _combine(self.id, sets) for shape, sets in ages.items()})

    @property
    def sex(self) -> str:
        """The sex of whoever is called so."""
        return LETTERS[next(iter(self.shapes))[-1]].sex

    @property
    def length(self) -> int:
        """The steps of its longest path."""
        return max(map(len, self.shapes))


def _combine(term: str, choices: set[frozenset[Age]]) -> frozenset[Age]:
    """The ages that all choices share, where the others are free."""
    for older, younger in sorted(set().union(*choices)):
        flipped = {
            frozenset((b, a) if {a, b} == {older, younger} else (a, b) for a, b in ages) for ages in choices
        }
        if flipped == choices:
            choices = {frozenset(age for age in ages if set(age) != {older, younger}) for ages in choices}
    if len(choices) != 1:
        raise ValueError(f"term {term} mixes ages in a way that is no single comparison")
    return next(iter(choices))


def read_terms(knowledge: Knowledge) -> dict[str, Term]:
    """The terms of table `kinship/terms` by id; raise ValueError for a row that is none."""
    terms = {}
    for row in knowledge.rows("kinship/terms"):
        paths = tuple(map(read_path, row["paths"].split("|")))
        if len({STEPS[path.steps[-1]].sex for path in paths}) != 1:
            raise ValueError(f"term {row['id']} is called of both sexes")
        terms[row["id"]] = Term(
            row["id"], {"zh": row["zh"], "en": row["en"]}, int(row["generation"]), row["use"] == "yes", paths
        )
    return terms


# A family as a tree: persons are its edges, between the family of birth and the own family of each.
#
# Every end of a person belongs to one nuclear family: parents belong to it by their `OWN` end, children by
# `BIRTH`. Where nobody is related to anybody in two ways, the nuclear families and the persons between them
# form a tree; the one way from a person to another is a path that does not fold back.
# Who is older than whom is a partial order: as far as it is known.

# Persons: the first is older than the second.
Older = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Ages:
    """`younger[x]` has a bit for everybody who is known to be younger than x."""

    younger: tuple[int, ...]

    def knows(self, older: Older) -> bool:
        """Whether the comparison follows."""
        return bool(self.younger[older[0]] >> older[1] & 1)

    def verdict(self, comparisons: Iterable[Older]) -> bool | None:
        """Whether all comparisons hold in every order of births (True), in none (False), in some."""
        wanted = [older for older in comparisons if not self.knows(older)]
        if not wanted:
            return True
        return None if compare_ages(self.younger, wanted) else False


def compare_ages(younger: Sequence[int], comparisons: Iterable[Older]) -> Ages | None:
    """What follows from known ages and these comparisons; None where they contradict each other."""
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
        """Each parent with each child."""
        for x in range(self.size):
            for y in range(self.size):
                if self.ends[2 * x + OWN] == self.ends[2 * y + BIRTH]:
                    yield x, y

    def comparisons(self, term: Term, ego: int, who: int) -> tuple[Older, ...] | None:
        """Who must be older than whom for `who` to be the term of `ego`; None where no path fits."""
        relation = self.relations[ego][who]
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
                row[y] = Relation(longer, chain)
                walk(y, OWN + BIRTH - entered, longer, chain)

    every = []
    for x in range(family.size):
        row: list[Relation | None] = [None] * family.size
        walk(x, BIRTH, "", (x,))
        walk(x, OWN, "", (x,))
        every.append(tuple(row))
    return tuple(every)


# Families under construction: which ends are known to be of one nuclear family, and which sexes are known.
#
# The first engine grows them: each statement of a relation is tried with everybody who may be on its path.

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
        """The family, with its nuclear families numbered in order."""
        number: dict[int, int] = {}
        return Family(self.sexes, tuple(number.setdefault(end, len(number)) for end in self.ends))

    def set_sex(self, x: int, sex: str) -> "Growth | None":
        """The growth where x has this sex; None where that is impossible."""
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
        """The growth where these ends of two unrelated persons belong to one nuclear family.

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
                changed = list(sexes)
                changed[couple[0]], changed[couple[1]] = a or _OTHER[b], b or _OTHER[a]
                sexes = tuple(changed)
        old, new = self.component[y], self.component[x]
        return Growth(
            sexes,
            tuple(kept if end == lost else end for end in self.ends),
            tuple(new if component == old else component for component in self.component),
        )

    def _couple(self, family: int) -> list[int]:
        return [x for x in range(len(self.sexes)) if self.ends[2 * x + OWN] == family]

    def relate(self, x: int, shape: Shape, y: int) -> Iterator["Growth"]:
        """The growths in which a path of this shape leads from x to y."""
        yield from self._relate(x, shape, y, self.component[x] == self.component[y])

    def _relate(self, x: int, shape: Shape, y: int, is_known: bool) -> Iterator["Growth"]:
        step = LETTERS[shape[0]]
        family = self.ends[2 * x + step.leaves]
        for next_ in (y,) if len(shape) == 1 else range(len(self.sexes)):
            if next_ == x or self.sexes[next_] == _OTHER[step.sex]:
                continue
            grown: Growth | None = self
            if self.ends[2 * next_ + step.enters] != family:
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
        """The growths of which it is a part: everybody is related and every sex is known."""
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
    """The growth of persons of whom nothing is known."""
    return Growth(("",) * size, tuple(range(2 * size)), tuple(range(size)))
