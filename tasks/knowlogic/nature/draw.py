"""Draw a nature question: four things, what to ask, and statements that allow one arrangement.

A draw that does not come out as requested is thrown away; most come out within a few (see the benchmark).
"""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from perennial.schemas.knowlogic.things import GAP, LETTERS, Difficulty, Proposition, QuestionType
from perennial.tasks.knowlogic.arrangement import drop_redundant, fewest_statements
from perennial.tasks.knowlogic.nature.meaning import (
    CUTS,
    FRAME,
    HIDDEN,
    HOLDS,
    NOT_APPLY,
    SIZE,
    SLOTS,
    SPECTRUM,
    Cells,
    FactMaker,
    Meaning,
    Nature,
    NatureFact,
    NatureFacts,
    mask_of,
)
from perennial.tasks.knowlogic.problem import Problem, Request, fill

# What may be asked of four things at four places: the question, its options, and which of them are right.

# How often a precise question asks for the name of what is at a place, or the place of a named thing.
_HOLDS_SHARE = 0.6


class NatureQuestion(NamedTuple):
    """A question: the masks of its options, the property of a gap, and statements to choose from as facts."""

    asked: Proposition | None
    options: tuple[Proposition, ...]
    masks: tuple[int, ...]
    about: str | None = None
    facts: tuple[NatureFact, ...] = ()


def choose_statements(
    request: Request, facts: Sequence[NatureFacts], rng: random.Random
) -> NatureQuestion | None:
    """Statements to choose from, so many right as requested; None where there are too few."""
    chosen: list[NatureFact] = []
    for truth in sorted(request.list_truths(len(LETTERS)), reverse=True):
        groups = [group for made in facts for group in (made.true if truth else made.false)]
        fact = _draw_fact(groups, chosen, rng)
        if fact is None:
            return None
        chosen.append(fact)
    rng.shuffle(chosen)
    options, masks = (fact.proposition for fact in chosen), (fact.mask for fact in chosen)
    return NatureQuestion(None, tuple(options), tuple(masks), facts=tuple(chosen))


def choose_gap(
    request: Request, four: Sequence[str], cells: Mapping[str, Cells], maker: FactMaker, rng: random.Random
) -> NatureQuestion | None:
    """A question with a gap and so many right choices as requested; None where there is none.

    The four things, in their order here, and the four places are the options.
    """
    is_precise = request.type.startswith("precise")
    # All four are options: of a vague question two fit at least.
    if (request.right != 1) if is_precise else (request.right < 2):
        return None
    of_slots = request.type in ("precise_slot", "vague_slot")
    choices = SLOTS if of_slots else four
    if is_precise and rng.random() < _HOLDS_SHARE:
        index = rng.randrange(SIZE)
        asked = Proposition(HOLDS, (GAP, four[index]) if of_slots else (SLOTS[index], GAP))
        pairs = [(slot, index) for slot in SLOTS] if of_slots else [(SLOTS[index], n) for n in range(SIZE)]
        masks = tuple(mask_of((slot,), frozenset({(number,)})) for slot, number in pairs)
        return NatureQuestion(asked, tuple(fill(asked, choice) for choice in choices), masks)
    for name in rng.sample(list(cells), len(cells)):
        if templates := maker.gaps(name, cells[name]).get((of_slots, request.right)):
            asked, masks = rng.choice(rng.choice(templates))
            return NatureQuestion(asked, tuple(fill(asked, choice) for choice in choices), masks, name)
    return None


def _draw_fact(
    groups: Sequence[Sequence[NatureFact]], chosen: Collection[NatureFact], rng: random.Random, tries: int = 8
) -> NatureFact | None:
    """A fact that says nothing that a chosen one says or denies by the same property."""
    if not groups:
        return None
    taken = {(fact.about, mask) for fact in chosen for mask in (fact.mask, fact.mask ^ FRAME.full)}
    for _ in range(tries):
        group = groups[int(rng.random() * len(groups))]
        fact = group[int(rng.random() * len(group))]
        if (fact.about, fact.mask) not in taken:
            return fact
    return None


# The scenarios of nature: which things stand at the four places, and which properties tell them apart.


@dataclass(frozen=True)
class Scenario:
    """A scenario: the kinds of things, the kind whose properties are drawn for, and the properties
    that its sentences cannot say well.
    """

    name: str
    kinds: frozenset[str]
    drawn_kind: str
    unused: frozenset[str] = frozenset()


SCENARIOS = (
    Scenario("farm", frozenset({"plant"}), "plant"),
    Scenario("zoo", frozenset({"animal"}), "animal"),
    # "The thing in the photo is a woody plant" is odd of a peach.
    Scenario("photos", frozenset({"animal", "plant", "artefact"}), "artefact", frozenset({"stem"})),
)


@dataclass(frozen=True)
class ScenarioPools:
    """What a scenario has to choose from: its things, its properties, and pools of things to draw four of."""

    scenario: Scenario
    nature: Nature

    @cached_property
    def entities(self) -> tuple[str, ...]:
        """Things of the scenario's kinds."""
        return tuple(e.id for e in self.nature.entities.values() if e.kind in self.scenario.kinds)

    @cached_property
    def properties(self) -> tuple[str, ...]:
        """Properties of the scenario's kinds, for which two things or more surely differ."""
        return tuple(
            trait.id
            for trait in self.nature.properties.values()
            if self.scenario.kinds & set(trait.kinds)
            and trait.id not in self.scenario.unused
            and len({self.nature.cells[entity][trait.id] for entity in self.entities} - {None}) > 1
        )

    @cached_property
    def pools(self) -> tuple[tuple[str | None, tuple[str, ...]], ...]:
        """Pools to draw four things of, each with the property that it is about.

        There are as many of all things as others: one per property of the scenario's own kind, of things that
        surely have it, and one of things with colors of the spectrum. Without these, properties that are
        often unsure would hardly be used.
        """
        cells = self.nature.cells
        pools: list[tuple[str | None, tuple[str, ...]]] = []
        for name in self.properties:
            if self.scenario.drawn_kind in self.nature.properties[name].kinds:
                sure = tuple(e for e in self.entities if cells[e][name] not in (None, NOT_APPLY))
                pools += [(name, sure), (None, self.entities)]
        if "color" in self.properties:
            pools.append(("color", tuple(e for e in self.entities if cells[e]["color"] in SPECTRUM)))
        return tuple((name, pool) for name, pool in pools if len(pool) >= 4)


_TRIES = 80
_STATEMENT_TRIES = 3
# How many more properties than needed to tell four things apart are offered, by requested difficulty.
_EXTRA: dict[Difficulty, tuple[int, ...]] = {"easy": (0,), "medium": (0, 1), "hard": (1, 2, 3)}
_OF_ENTITIES: tuple[QuestionType, ...] = ("precise_entity", "vague_entity")
_STATEMENTS: tuple[QuestionType, ...] = ("correct_statements", "incorrect_statements")


class NatureDrawer:
    """Draws questions of one scenario."""

    def __init__(self, choice: ScenarioPools, meanings: Mapping[str, Meaning], maker: FactMaker) -> None:
        self._choice, self._meanings, self._maker = choice, meanings, maker
        self._rows = {
            entity: tuple(choice.nature.cells[entity][name] for name in choice.properties)
            for entity in choice.entities
        }
        # A question for several things compares: its four are drawn for a property that compares things.
        compared = {meaning.about for meaning in meanings.values() if meaning.with_entity}
        pools = choice.pools
        self._pools = (pools, tuple(pool for pool in pools if pool[0] in compared) or pools)
        self._difficulty = {name: trait.difficulty for name, trait in choice.nature.properties.items()}

    def draw(self, request: Request, rng: random.Random) -> Problem | None:
        """A question that keeps the request, or None where none came out in so many tries."""
        if request.option_count == SIZE - 1:
            return None
        for _ in range(_TRIES):
            if problem := self._attempt(request, rng):
                return problem
        return None

    def _attempt(self, request: Request, rng: random.Random) -> Problem | None:
        focus, pool = rng.choice(self._pools[request.type == "vague_entity"])
        four = rng.sample(pool, SIZE)
        usable = self._find_usable(four)
        if not _tell_four_apart(usable):
            return None
        question = None
        if request.type not in _STATEMENTS:
            question = choose_gap(request, four, usable, self._maker, rng)
            if question is None:
                return None
            focus = question.about
        elif request.difficulty == "easy":
            focus = None
        cells = self._choose_properties(usable, focus, request.difficulty, rng)
        facts = [self._maker.facts(name, column) for name, column in cells.items()]
        question = question or choose_statements(request, facts, rng)
        if question is None:
            return None
        steps = CUTS.list_steps(request.difficulty, request.type, SIZE)
        statements = self._choose_statements(facts, question, steps, rng)
        if statements is None:
            return None
        stated = tuple(fact.proposition for fact in statements)
        # The order of the draw is the hidden arrangement: things are listed, and offered, in another one.
        order = rng.sample(range(SIZE), SIZE)
        options = question.options
        if request.type in _OF_ENTITIES:
            options = tuple(options[index] for index in order)
        notes = notes_of(self._meanings[sentence.template] for sentence in (*stated, *question.options))
        return request.pose((four[index] for index in order), stated, options, question.asked, notes)

    def _find_usable(self, four: Sequence[str]) -> dict[str, Cells]:
        """The properties whose cells are sure for all four things and not all equal."""
        columns = zip(*(self._rows[entity] for entity in four), strict=True)
        return {
            name: column
            for name, column in zip(self._choice.properties, columns, strict=True)
            if None not in column and column.count(column[0]) < SIZE
        }

    def _choose_properties(
        self, usable: Mapping[str, Cells], focus: str | None, difficulty: Difficulty, rng: random.Random
    ) -> dict[str, Cells]:
        """Properties that tell the four things apart, easy ones or perhaps more than needed."""
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
            is_told = is_told or _tell_four_apart(chosen)
        return chosen

    def _choose_statements(
        self, facts: Sequence[NatureFacts], question: NatureQuestion, steps: range, rng: random.Random
    ) -> list[NatureFact] | None:
        """Statements of which so many decide the hardest option; None where a few tries gave none."""
        for _ in range(_STATEMENT_TRIES):
            statements = choose_facts(facts, question, rng)
            if statements is None:
                return None
            if len(statements) >= steps.start and _count_steps(question, statements) in steps:
                return statements
        return None


def _count_steps(question: NatureQuestion, statements: Sequence[NatureFact]) -> int:
    masks = [fact.mask for fact in statements]
    return max(fewest_statements(FRAME, masks, mask) for mask in set(question.masks))


def choose_facts(
    facts: Sequence[NatureFacts], question: NatureQuestion, rng: random.Random
) -> list[NatureFact] | None:
    """True facts that allow the hidden arrangement only, none of which follows from the others.

    None of them is an option, nor says or denies the same as an option by the same property. None where such
    facts leave several arrangements.
    """
    taken = {(fact.about, mask) for fact in question.facts for mask in (fact.mask, fact.mask ^ FRAME.full)}
    options = set(question.options)
    groups = [list(group) for made in facts for group in made.true]
    chosen: list[NatureFact] = []
    held = FRAME.full
    while held != HIDDEN:
        if not groups:
            return None
        # `randrange` says the same in three times as long.
        number = int(rng.random() * len(groups))
        group = groups[number]
        fact = group.pop(int(rng.random() * len(group)))
        if not group:
            groups.pop(number)
        is_new = fact.proposition not in options and (fact.about, fact.mask) not in taken
        if is_new and held & fact.mask != held:
            chosen.append(fact)
            held &= fact.mask
    masks = [fact.mask for fact in chosen]
    # The order in which they were drawn is as good as any.
    kept = drop_redundant(FRAME, masks, range(len(masks)))
    return [chosen[number] for number in kept]


def _tell_four_apart(cells: Mapping[str, Cells]) -> bool:
    return len(set(zip(*cells.values(), strict=True))) == SIZE


def notes_of(meanings: Iterable[Meaning]) -> tuple[str, ...]:
    """The conventions that these templates need, sorted."""
    return tuple(sorted({meaning.note for meaning in meanings if meaning.note}))
