"""Draw a nature question: four things, what to ask, and statements that allow one arrangement.

A draw that does not come out as requested is thrown away; most come out within a few (see the benchmark).
"""

import random
from collections.abc import Iterable, Mapping, Sequence

from perennial.schemas.knowlogic.things import Difficulty, QuestionType
from perennial.tasks.knowlogic.arrangement.frame import drop_redundant, fewest_statements
from perennial.tasks.knowlogic.domain import Request
from perennial.tasks.knowlogic.nature.difficulty import CUTS
from perennial.tasks.knowlogic.nature.facts import FRAME, HIDDEN, Cells, Fact, FactMaker, Facts
from perennial.tasks.knowlogic.nature.meaning import SIZE, Meaning
from perennial.tasks.knowlogic.nature.questions import GapMaker, Question, choose_gap, choose_statements
from perennial.tasks.knowlogic.nature.scenarios import Choice
from perennial.tasks.knowlogic.problem import Problem

_TRIES = 80
_STATEMENT_TRIES = 3
# How many more properties than needed to tell four things apart are offered, by requested difficulty.
_EXTRA: dict[Difficulty, tuple[int, ...]] = {"easy": (0,), "medium": (0, 1), "hard": (1, 2, 3)}
_OF_ENTITIES: tuple[QuestionType, ...] = ("precise_entity", "vague_entity")
_STATEMENTS: tuple[QuestionType, ...] = ("correct_statements", "incorrect_statements")


class Drawer:
    """Draws questions of one scenario."""

    def __init__(
        self, choice: Choice, meanings: Mapping[str, Meaning], facts: FactMaker, gaps: GapMaker
    ) -> None:
        self._choice = choice
        self._meanings = meanings
        self._facts = facts
        self._gaps = gaps
        self._rows = {
            entity: tuple(choice.nature.cells[entity][name] for name in choice.properties)
            for entity in choice.entities
        }
        # A question for several things compares: its four are drawn for a property that compares things.
        compared = {meaning.about for meaning in meanings.values() if meaning.with_entity}
        pools = choice.pools
        self._pools = (pools, tuple(each for each in pools if each[0] in compared) or pools)
        self._difficulty = {name: each.difficulty for name, each in choice.nature.properties.items()}

    def draw(self, request: Request, rng: random.Random) -> Problem | None:
        """Return a question that keeps the request, or None where none came out in so many tries."""
        if request.own == SIZE - 1:
            return None
        for _ in range(_TRIES):
            if problem := self._attempt(request, rng):
                return problem
        return None

    def _attempt(self, request: Request, rng: random.Random) -> Problem | None:
        focus, pool = rng.choice(self._pools[request.type == "vague_entity"])
        four = rng.sample(pool, SIZE)
        usable = self._find_usable(four)
        if not _are_told(usable):
            return None
        question = None
        if request.type not in _STATEMENTS:
            question = choose_gap(request, four, usable, self._gaps, rng)
            if question is None:
                return None
            focus = question.about
        elif request.difficulty == "easy":
            focus = None
        cells = self._choose_properties(usable, focus, request.difficulty, rng)
        facts = [self._facts.make(name, own) for name, own in cells.items()]
        question = question or choose_statements(request, facts, self._meanings, rng)
        if question is None:
            return None
        steps = CUTS.list_steps(request.difficulty, request.type, SIZE)
        statements = self._choose_statements(facts, question, steps, rng)
        if statements is None:
            return None
        said = tuple(fact.said for fact in statements)
        # The order of the draw is the hidden arrangement: things are listed, and offered, in another one.
        order = rng.sample(range(SIZE), SIZE)
        options = question.options
        if request.type in _OF_ENTITIES:
            options = tuple(options[place] for place in order)
        return Problem(
            request.scenario,
            entities=tuple(four[place] for place in order),
            details=notes_of(self._meanings[each.template] for each in (*said, *question.options)),
            statements=said,
            type=request.type,
            asked=question.asked,
            options=options,
        )

    def _find_usable(self, four: Sequence[str]) -> dict[str, Cells]:
        """Return the properties whose cells are sure for all four things and not all equal."""
        columns = zip(*(self._rows[entity] for entity in four), strict=True)
        return {
            name: own
            for name, own in zip(self._choice.properties, columns, strict=True)
            if None not in own and own.count(own[0]) < SIZE
        }

    def _choose_properties(
        self, usable: Mapping[str, Cells], focus: str | None, difficulty: Difficulty, rng: random.Random
    ) -> dict[str, Cells]:
        """Return properties that tell the four things apart, easy ones or perhaps more than needed."""
        names = rng.sample(list(usable), len(usable))
        if difficulty == "easy":
            names.sort(key=self._difficulty.__getitem__)
        names.sort(key=lambda name: name != focus)
        extra = rng.choice(_EXTRA[difficulty])
        chosen: dict[str, Cells] = {}
        is_told = False
        for name in names:
            if is_told and not extra:
                break
            extra -= is_told
            chosen[name] = usable[name]
            is_told = is_told or _are_told(chosen)
        return chosen

    def _choose_statements(
        self, facts: Sequence[Facts], question: Question, steps: range, rng: random.Random
    ) -> list[Fact] | None:
        """Return statements of which so many decide the hardest option; None where a few tries gave none."""
        for _ in range(_STATEMENT_TRIES):
            statements = choose_facts(facts, question, rng)
            if statements is None:
                return None
            if len(statements) >= steps.start and _count_steps(question, statements) in steps:
                return statements
        return None


def _count_steps(question: Question, statements: Sequence[Fact]) -> int:
    masks = [fact.mask for fact in statements]
    return max(fewest_statements(FRAME, masks, mask) for mask in set(question.masks))


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
        # `randrange` says the same in three times as long.
        place = int(rng.random() * len(groups))
        group = groups[place]
        fact = group.pop(int(rng.random() * len(group)))
        if not group:
            groups.pop(place)
        if held & fact.mask != held and fact.said not in options and (fact.about, fact.mask) not in taken:
            chosen.append(fact)
            held &= fact.mask
    masks = [fact.mask for fact in chosen]
    # The order in which they were drawn is as good as any.
    kept = drop_redundant(FRAME, masks, range(len(masks)))
    return [chosen[each] for each in kept]


def _are_told(cells: Mapping[str, Cells]) -> bool:
    """Whether these properties tell four things apart."""
    return len(set(zip(*cells.values(), strict=True))) == SIZE


def notes_of(meanings: Iterable[Meaning]) -> tuple[str, ...]:
    """Return the conventions that these templates need, sorted."""
    return tuple(sorted({meaning.note for meaning in meanings if meaning.note}))
