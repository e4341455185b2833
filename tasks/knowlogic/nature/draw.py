"""Draw a nature question: four things, what to ask, and statements that allow one arrangement.

A draw that does not come out as requested is thrown away; most come out within a few (see the benchmark).
"""

import random
from collections.abc import Iterable, Mapping, Sequence

from schemas.knowlogic.things import Difficulty, QuestionType
from tasks.knowlogic.arrangement.frame import drop_redundant, fewest_statements
from tasks.knowlogic.domain import Request
from tasks.knowlogic.nature.difficulty import CUTS, is_unmentioned, rate, slots_of
from tasks.knowlogic.nature.facts import FRAME, HIDDEN, Cells, Fact, FactMaker, Facts
from tasks.knowlogic.nature.meaning import SIZE, Meaning
from tasks.knowlogic.nature.questions import Question, choose_gap, choose_statements, right_count
from tasks.knowlogic.nature.scenarios import Choice
from tasks.knowlogic.problem import Problem

_TRIES = 60
# How many more properties than needed to tell four things apart are offered, by requested difficulty.
_EXTRA: dict[Difficulty, tuple[int, ...]] = {"easy": (0,), "medium": (0, 1), "hard": (1, 2, 3)}
_STATEMENTS: tuple[QuestionType, ...] = ("correct_statements", "incorrect_statements")


class Drawer:
    """Draws questions of one scenario."""

    def __init__(self, choice: Choice, meanings: Mapping[str, Meaning], maker: FactMaker) -> None:
        self._choice = choice
        self._meanings = meanings
        self._maker = maker
        self._cells = choice.nature.cells
        self._difficulty = {name: each.difficulty for name, each in choice.nature.properties.items()}

    def draw(self, request: Request, rng: random.Random) -> Problem | None:
        """Return a question that keeps the request, or None where none came out in so many tries."""
        for _ in range(_TRIES):
            if problem := self._attempt(request, rng):
                return problem
        return None

    def _attempt(self, request: Request, rng: random.Random) -> Problem | None:
        focus, pool = rng.choice(self._choice.pools)
        four = rng.sample(pool, SIZE)
        cells = self._choose_properties(four, focus, request.difficulty, rng)
        if cells is None:
            return None
        facts = [self._maker.make(name, own) for name, own in cells.items()]
        listed = rng.sample(four, SIZE)
        if request.type in _STATEMENTS:
            question = choose_statements(request, facts, self._meanings, rng)
        else:
            question = choose_gap(request, four, listed, cells, self._meanings, rng)
        if question is None or right_count(request.type, question.masks) != request.right:
            return None
        statements = choose_facts(facts, question, rng)
        if statements is None or self._classify(question, statements) != request.difficulty:
            return None
        said = tuple(fact.said for fact in statements)
        return Problem(
            request.scenario,
            tuple(listed),
            notes_of(self._meanings[each.template] for each in (*said, *question.options)),
            said,
            request.type,
            question.asked,
            question.options,
        )

    def _choose_properties(
        self, four: Sequence[str], focus: str | None, difficulty: Difficulty, rng: random.Random
    ) -> dict[str, Cells] | None:
        """Return properties that tell the four things apart, perhaps a few more, with their cells.

        All cells are sure. None where no properties tell them apart.
        """
        rows = [self._cells[entity] for entity in four]
        usable: dict[str, Cells] = {}
        for name in self._choice.properties:
            own = [row[name] for row in rows]
            if None not in own and len(set(own)) > 1:
                usable[name] = tuple(own)  # type: ignore[arg-type]
        names = list(usable)
        rng.shuffle(names)
        if focus in usable:
            names.sort(key=lambda name: name != focus)
        chosen: dict[str, Cells] = {}
        extra = rng.choice(_EXTRA[difficulty])
        for name in names:
            if chosen and len(set(zip(*chosen.values(), strict=True))) == SIZE:
                if not extra:
                    break
                extra -= 1
            chosen[name] = usable[name]
        return chosen if chosen and len(set(zip(*chosen.values(), strict=True))) == SIZE else None

    def _classify(self, question: Question, statements: Sequence[Fact]) -> Difficulty:
        used = {fact.about for fact in statements} | question.properties
        kl = sum(self._difficulty[name] for name in used)
        masks = [fact.mask for fact in statements]
        cl = max(fewest_statements(FRAME, masks, mask) for mask in set(question.masks))
        named = {
            slot for fact in statements for slot in slots_of(self._meanings[fact.said.template], fact.said)
        }
        return CUTS.classify(rate(kl, cl, is_unmentioned(named, question.wanted)))


def choose_facts(facts: Sequence[Facts], question: Question, rng: random.Random) -> list[Fact] | None:
    """Return true facts that allow the hidden arrangement only, none of which follows from the others.

    None of them is an option, nor says or denies the same as an option by the same property. None where such
    facts leave several arrangements.
    """
    taken = {(fact.about, mask) for fact in question.facts for mask in (fact.mask, fact.mask ^ FRAME.full)}
    options = set(question.options)
    groups = [list(group) for each in facts for group in each.true]
    chosen: list[Fact] = []
    held = FRAME.full
    while held != HIDDEN:
        if not groups:
            return None
        place = rng.randrange(len(groups))
        group = groups[place]
        fact = group.pop(rng.randrange(len(group)))
        if not group:
            groups.pop(place)
        if held & fact.mask != held and fact.said not in options and (fact.about, fact.mask) not in taken:
            chosen.append(fact)
            held &= fact.mask
    masks = [fact.mask for fact in chosen]
    kept = drop_redundant(FRAME, masks, rng.sample(range(len(masks)), len(masks)))
    return [chosen[each] for each in kept]


def notes_of(meanings: Iterable[Meaning]) -> tuple[str, ...]:
    """Return the conventions that these templates need, sorted."""
    return tuple(sorted({meaning.note for meaning in meanings if meaning.note}))
