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
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from perennial.schemas.knowlogic.knowledge import Knowledge

BIRTH, OWN = 0, 1


class Step(NamedTuple):
    """A basic step: the ends that it leaves and enters, the sex of whom it leads to, and (for siblings)
    whether that person is older (True) or younger (False) than the one before.
    """

    leaves: int
    enters: int
    sex: str
    older: bool | None
    # The step without age: what is visible on a family graph without births.
    letter: str


STEPS: dict[str, Step] = {
    "f": Step(BIRTH, OWN, "m", None, "f"),
    "m": Step(BIRTH, OWN, "f", None, "m"),
    "s": Step(OWN, BIRTH, "m", None, "s"),
    "d": Step(OWN, BIRTH, "f", None, "d"),
    "ob": Step(BIRTH, BIRTH, "m", True, "b"),
    "lb": Step(BIRTH, BIRTH, "m", False, "b"),
    "os": Step(BIRTH, BIRTH, "f", True, "z"),
    "ls": Step(BIRTH, BIRTH, "f", False, "z"),
    "h": Step(OWN, OWN, "m", None, "h"),
    "w": Step(OWN, OWN, "f", None, "w"),
}
# A step by its letter without age, and the letter by what is seen of a step.
LETTERS: dict[str, Step] = {step.letter: step for step in STEPS.values()}
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
        siblings = [(place + 1, place, STEPS[step].older) for place, step in enumerate(self.steps)]
        cousins = [(place, place - 3, older) for place, older in self.cousins]
        return frozenset(
            (a, b) if older else (b, a) for a, b, older in siblings + cousins if older is not None
        )


def read_path(text: str) -> Path:
    """Return the path of a text such as `f.ob.s>`.

    Raises ValueError for an unknown step, a path that folds back, or a mark where no cousin is.
    """
    steps, cousins = [], []
    for place, part in enumerate(text.split("."), start=1):
        step = part.rstrip("<>")
        if step not in STEPS:
            raise ValueError(f"path {text!r} has an unknown step {part!r}")
        steps.append(step)
        if mark := part.removeprefix(step):
            if mark not in _MARKS or place < 3:
                raise ValueError(f"path {text!r} has a mark that compares nobody: {part!r}")
            cousins.append((place, _MARKS[mark]))
    for first, second in pairwise(steps):
        if folds_back(first, second):
            raise ValueError(f"path {text!r} folds back at {first}.{second}")
    return Path(tuple(steps), tuple(cousins))


def folds_back(first: str, second: str) -> bool:
    """Return whether a step may not follow another: it folds back, or is the spouse of the wrong sex."""
    before, after = STEPS[first], STEPS[second]
    return before.enters == after.leaves or (second in ("h", "w") and before.sex == after.sex)


def all_paths(length: int) -> Iterator[tuple[str, ...]]:
    """Yield the paths of so many steps that do not fold back."""
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
        object.__setattr__(self, "shapes", {shape: _combine(self.id, each) for shape, each in ages.items()})

    @property
    def sex(self) -> str:
        """The sex of whoever is called so."""
        return LETTERS[next(iter(self.shapes))[-1]].sex

    @property
    def length(self) -> int:
        """The steps of its longest path."""
        return max(map(len, self.shapes))


def _combine(term: str, choices: set[frozenset[Age]]) -> frozenset[Age]:
    """Return the ages that all choices share, where the others are free."""
    for older, younger in sorted(set().union(*choices)):
        flipped = {
            frozenset((b, a) if {a, b} == {older, younger} else (a, b) for a, b in each) for each in choices
        }
        if flipped == choices:
            choices = {frozenset(age for age in each if set(age) != {older, younger}) for each in choices}
    if len(choices) != 1:
        raise ValueError(f"term {term} mixes ages in a way that is no single comparison")
    return next(iter(choices))


def read_terms(knowledge: Knowledge) -> dict[str, Term]:
    """Return the terms of table `kinship/terms` by id; raise ValueError for a row that is none."""
    terms = {}
    for row in knowledge.rows("kinship/terms"):
        paths = tuple(map(read_path, row["paths"].split("|")))
        if len({STEPS[path.steps[-1]].sex for path in paths}) != 1:
            raise ValueError(f"term {row['id']} is called of both sexes")
        terms[row["id"]] = Term(
            row["id"],
            {"zh": row["zh"], "en": row["en"]},
            int(row["generation"]),
            row["use"] == "yes",
            paths,
        )
    return terms
