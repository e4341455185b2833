"""Draw a problem that keeps a request: scenario, difficulty, type, and number of right options."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from perennial.schemas.knowlogic.things import GAP, LETTERS, Argument, Proposition, QuestionType
from perennial.tasks.knowlogic.arrangement import drop_redundant, fewest_statements, verdict
from perennial.tasks.knowlogic.problem import Cuts, Problem, Request
from perennial.tasks.knowlogic.space.reasoning import (
    Fact,
    SpaceBoard,
    Template,
    load_board,
    mask_all,
    slot_place,
)

# Difficulty of space questions (Appendix D of the paper): level = 0.3 nm + 0.5 pr + 0.2 al.
#
# - `nm`: the number of entities that the introduction lists, 4 or 6.
# - `pr`: 1 where the question is vague: a gap that several fill, or options of which one at least uses a
#   predicate that leaves several slots (as 'above' does); 0 where it is precise. (The paper's words are "the
#   number of entities involved in the question exceeds 2", and its labels are precise and vague.)
# - `al`: 1 where the statements name one entity fewer than the introduction.
#
# So a level is one of 1.2, 1.4, 1.7, 1.9 (four slots) and 1.8, 2.0, 2.3, 2.5 (six), whatever must be put
# together to answer. The class is ours, by proof steps (`perennial.tasks.knowlogic.problem`): easy up to two
# steps for four options, medium with three, hard above. Four slots have hardly any chain of four.

CUTS = Cuts(easy=4, medium=5)


def level(nm: int, pr: int, al: int) -> float:
    """The level of the paper's formula."""
    return round(0.3 * nm + 0.5 * pr + 0.2 * al, 9)


def list_shapes(type_: QuestionType) -> list[tuple[int, int]]:
    """The values of (pr, al) that questions of a type can have."""
    kinds = (0,) if type_.startswith("precise") else (1,) if type_.startswith("vague") else (0, 1)
    return [(pr, al) for pr in kinds for al in (0, 1)]


# Draw a hidden arrangement and the statements that leave no other (Appendix B of the paper, the Reasoner).
#
# Random true facts are added until one arrangement modulo symmetry is left; each one added rules some out.

# How often facts that the others imply are dropped (else all that were drawn stay).
_MINIMAL = 0.75
# How often a fact is about one thing or about three, where the scenario has such predicates.
_SINGLE, _TRIPLE = 0.2, 0.08
# A property often names the slot outright, and ternary relations say much.
_MOST_SINGLE = 2
_MOST_FACTS, _MOST_DRAWS_STATEMENTS = 8, 80


@dataclass(frozen=True, slots=True)
class Sayings:
    """The names of what can be said of slots: of one, of each pair, and of some triples."""

    single: tuple[tuple[str, ...], ...]
    pairs: tuple[tuple[tuple[str, ...], ...], ...]
    triples: tuple[tuple[str, tuple[int, ...]], ...]


@lru_cache(maxsize=16)
def sayings(scenario: str) -> Sayings:
    """What holds of the slots of a scenario, as far as there are sentences that say it."""
    board = load_board(scenario)
    size = range(board.scene.size)
    spoken = {template.predicate for template in board.templates.values() if not any(template.is_slot)}
    sayable = [predicate for name, predicate in board.predicates.items() if name in spoken]
    triples = [(predicate.name, predicate.allowed) for predicate in sayable if predicate.arity == 3]

    def names(*slots: int) -> tuple[str, ...]:
        return tuple(predicate.name for predicate in sayable if slots in predicate.allowed)

    return Sayings(
        tuple(names(a) for a in size),
        tuple(tuple(names(a, b) for b in size) for a in size),
        tuple((name, slots) for name, allowed in triples for slots in sorted(allowed)),
    )


def draw_statements(board: SpaceBoard, al: int, rng: random.Random) -> "SpaceDraft | None":
    """An arrangement and its statements; None where this draw failed.

    With `al` 1 the statements name all entities but one, else all.
    """
    size = board.scene.size
    slots = tuple(rng.sample(range(size), size))
    named = rng.sample(range(size), size - al)
    facts = _draw_facts(board, slots, named, rng)
    if facts is None:
        return None
    if rng.random() < _MINIMAL:
        order = rng.sample(range(len(facts)), len(facts))
        kept = drop_redundant(board.frame, [board.mask(fact) for fact in facts], order)
        # What names an entity that no other statement names may be redundant: the last place is the only one.
        if _count_named([facts[index] for index in kept]) == len(named):
            facts = [facts[index] for index in kept]
    if _count_named(facts) != len(named):
        return None
    return SpaceDraft(board, rng, slots, tuple(rng.sample(facts, len(facts))))


def _count_named(facts: Sequence[Fact]) -> int:
    return len({index for fact in facts for index in fact.places})


def _draw_facts(
    board: SpaceBoard, slots: tuple[int, ...], named: Sequence[int], rng: random.Random
) -> list[Fact] | None:
    usable = sayings(board.scene.name)
    entity_at = {slots[entity]: entity for entity in named}

    def draw_fact(first: Sequence[int]) -> Fact | None:
        """A random fact of the arrangement about named entities, one from `first`; None for no fact."""
        # `randrange` would say the same in three times as long.
        chance = rng.random()
        if chance < _TRIPLE and usable.triples:
            name, places = usable.triples[int(rng.random() * len(usable.triples))]
            if any(slot not in entity_at for slot in places):
                return None
            return Fact(name, tuple(entity_at[slot] for slot in places))
        a = first[int(rng.random() * len(first))]
        if chance > 1 - _SINGLE and (names := usable.single[slots[a]]):
            return Fact(names[int(rng.random() * len(names))], (a,))
        b = named[int(rng.random() * len(named))]
        if a == b:
            return None
        names = usable.pairs[slots[a]][slots[b]]
        return Fact(names[int(rng.random() * len(names))], (a, b))

    held, facts, singles = board.frame.full, list[Fact](), 0
    # Entities without a fact come first: one that no statement names would make the draw fail at the end.
    unnamed = list(named)
    for _ in range(_MOST_DRAWS_STATEMENTS):
        fact = draw_fact(unnamed or named)
        if fact is None or (len(fact.places) == 1 and singles == _MOST_SINGLE):
            continue
        left = held & board.mask(fact)
        if left == held:
            continue
        held = left
        facts.append(fact)
        singles += len(fact.places) == 1
        unnamed = [entity for entity in unnamed if entity not in fact.places]
        if held.bit_count() == board.scene.order:
            return facts
        if len(facts) == _MOST_FACTS:
            return None
    return None


# Draw what is asked and the options (Appendix B of the paper, the Question Generator).
#
# The statements leave one arrangement modulo symmetry and no predicate tells symmetric ones apart, so each
# fact is decided. An option must not say what a statement says, in these or other words (equal masks); nor
# may two statements to choose from.

_MOST_DRAWS = 60


@dataclass(frozen=True, slots=True)
class Sentence:
    """A fact in the words of a template."""

    template: Template
    places: tuple[int, ...]

    @property
    def fact(self) -> Fact:
        """What it says."""
        return Fact(self.template.predicate, self.places)


@dataclass(frozen=True, slots=True)
class DrawnOptions:
    """A question: its options; of a gap question, they differ in the place `gap` alone."""

    options: tuple[Sentence, ...]
    gap: int | None = None


@dataclass(frozen=True, slots=True)
class Phrases:
    """The templates of a scenario by use: statements by predicate, vague ones, gaps by kind and precision."""

    by_predicate: dict[str, tuple[Template, ...]]
    precise: tuple[Template, ...]
    vague: tuple[Template, ...]
    entity_gaps: dict[bool, tuple[tuple[Template, int], ...]]
    slot_gaps: dict[bool, tuple[tuple[Template, int], ...]]


@lru_cache(maxsize=16)
def phrases(scenario: str) -> Phrases:
    """The templates of a scenario by use."""
    board = load_board(scenario)
    sayable = [template for template in board.templates.values() if not any(template.is_slot)]
    by_predicate: dict[str, tuple[Template, ...]] = {}
    for phrase in sayable:
        by_predicate[phrase.predicate] = (*by_predicate.get(phrase.predicate, ()), phrase)

    def is_precise(template: Template) -> bool:
        return board.predicates[template.predicate].is_precise

    def gaps(*, is_slot: bool, precise: bool) -> tuple[tuple[Template, int], ...]:
        return tuple(
            (template, position)
            for template in board.templates.values()
            if any(template.is_slot) == is_slot and is_precise(template) == precise
            for position in range(len(template.is_slot))
            if template.is_slot[position] == is_slot
        )

    return Phrases(
        by_predicate,
        tuple(template for template in sayable if is_precise(template)),
        tuple(template for template in sayable if not is_precise(template)),
        {precise: gaps(is_slot=False, precise=precise) for precise in (True, False)},
        {precise: gaps(is_slot=True, precise=precise) for precise in (True, False)},
    )


_OTHER_RING = {"ring_out": "ring_in", "ring_in": "ring_out"}


@dataclass(frozen=True)
class SpaceDraft:
    """A hidden arrangement (the slot of each entity), and statements that hold in it alone."""

    board: SpaceBoard
    rng: random.Random
    slots: tuple[int, ...]
    statements: tuple[Fact, ...]

    @cached_property
    def masks(self) -> list[int]:
        """The masks of the statements."""
        return list(map(self.board.mask, self.statements))

    def say(self, fact: Fact) -> Sentence | None:
        """A fact in the words of a template that fits the arrangement; None where none does."""
        templates = phrases(self.board.scene.name).by_predicate[fact.predicate]
        fitting = [template for template in templates if self._speaks(template, fact.places)]
        return Sentence(self.rng.choice(fitting), fact.places) if fitting else None

    def ask(self, pr: int, request: Request) -> DrawnOptions | None:
        """What a request asks of the arrangement; `pr` as in the formula of the level."""
        if request.type.endswith("statements"):
            truths = request.list_truths(len(LETTERS))
            return self._draw_statements(pr, self.rng.sample(truths, len(truths)))
        use, is_slot = phrases(self.board.scene.name), request.type.endswith("slot")
        return self._draw_gap((use.slot_gaps if is_slot else use.entity_gaps)[not pr], request)

    def _draw_statements(self, pr: int, truths: Sequence[bool]) -> DrawnOptions | None:
        """Statements with these truth values; with `pr` 1 the first one is of a vague predicate."""
        use = phrases(self.board.scene.name)
        every = use.vague + use.precise if pr else use.precise
        seen = set(self.masks)
        options: list[Sentence] = []
        for truth in truths:
            option = self._draw_statement(every if options or not pr else use.vague, truth, seen)
            if option is None:
                return None
            seen.add(self.board.mask(option.fact))
            options.append(option)
        return DrawnOptions(tuple(self.rng.sample(options, len(options))))

    def _draw_statement(self, choices: Sequence[Template], truth: bool, seen: set[int]) -> Sentence | None:
        """A statement of this truth value; the template is drawn first, so that it tells nothing."""
        for _ in range(_MOST_DRAWS // 4):
            template = choices[int(self.rng.random() * len(choices))]
            allowed = self.board.predicates[template.predicate].allowed
            for _ in range(_MOST_DRAWS // 4):
                places = tuple(self.rng.sample(range(self.board.scene.size), len(template.is_slot)))
                is_true = tuple([self.slots[index] for index in places]) in allowed
                if is_true is not truth or not self._speaks(template, places):
                    continue
                if self.board.mask(Fact(template.predicate, places)) not in seen:
                    return Sentence(template, places)
        return None

    def _draw_gap(self, gaps: Sequence[tuple[Template, int]], request: Request) -> DrawnOptions | None:
        """A question with one of these gaps, of which so many options fit as requested.

        Of a precise question exactly one thing fits, of a vague one several, whether they are options or not.
        """
        for _ in range(_MOST_DRAWS if gaps else 0):
            template, gap = gaps[int(self.rng.random() * len(gaps))]
            others = self.rng.sample(range(self.board.scene.size), len(template.is_slot) - 1)
            choices = self._draw_choices(template, gap, others, request)
            options = tuple(Sentence(template, (*others[:gap], choice, *others[gap:])) for choice in choices)
            if options and not any(self.board.mask(option.fact) in self.masks for option in options):
                return DrawnOptions(options, gap)
        return None

    def _draw_choices(
        self, template: Template, gap: int, others: Sequence[int], request: Request
    ) -> list[int]:
        """Places for the gap, so many of which fit; none where this gap does not fit the request."""
        size, rng = self.board.scene.size, self.rng
        predicate, is_slot = self.board.predicates[template.predicate], template.is_slot[gap]
        has_all = size == len(LETTERS)
        # With all four as options, the one named in the question would be on the same side as itself.
        if has_all and predicate.is_reflexive and not is_slot:
            return []
        if not self._speaks(template, (*others[:gap], None, *others[gap:])):
            return []
        slots = [self.slots[index] for index in others]
        choices = (
            [(slot_place(slot), slot) for slot in range(size)] if is_slot else list(enumerate(self.slots))
        )
        fitting = [
            choice for choice, slot in choices if (*slots[:gap], slot, *slots[gap:]) in predicate.allowed
        ]
        if (len(fitting) != 1) if predicate.is_precise else (len(fitting) < 2):
            return []

        def speaks(choice: int) -> bool:
            # A slot is there, whatever fills it.
            return choice < 0 or self._speaks(template, (*others[:gap], choice, *others[gap:]))

        if has_all:
            every = [choice for choice, _ in choices]
            return (
                rng.sample(every, size) if len(fitting) == request.right and all(map(speaks, every)) else []
            )
        rest = [
            choice
            for choice, _ in choices
            if choice not in fitting
            and choice not in others
            and speaks(choice)
            # What can be nowhere needs no statement to be wrong.
            and self.board.mask(Fact(template.predicate, (*others[:gap], choice, *others[gap:])))
        ]
        wrong = count_options(self.board, request) - request.right
        if wrong < 0 or len(fitting) < request.right or len(rest) < wrong:
            return []
        chosen = rng.sample(fitting, request.right) + rng.sample(rest, wrong)
        rng.shuffle(chosen)
        return chosen

    def _speaks(self, template: Template, places: Sequence[int | None]) -> bool:
        """Whether what the sentence speaks of is there (the gap, None, is not asked)."""
        return all(
            index is None or (self.slots[index],) in self.board.predicates[need].allowed
            for need, index in zip(template.needs, places, strict=False)
        )

    def count_steps(self, asked: DrawnOptions) -> int:
        """The fewest statements that decide the hardest option."""
        masks = (self.board.mask(option.fact) for option in asked.options)
        return max(fewest_statements(self.board.frame, self.masks, mask) for mask in masks)

    def needs_facing(self, asked: DrawnOptions) -> bool:
        """Whether a reader who takes one ring for the other goes wrong (always so for other scenarios).

        Without both clockwise and left or right, 703 of 703 questions had the same answer in both rings
        (spec, convention 2): two such scenarios would be one.
        """
        board, other = self.board, _OTHER_RING.get(self.board.scene.name)
        if other is None:
            return True
        turned = load_board(other)
        held, misread = mask_all(board, self.statements), mask_all(turned, self.statements)
        if misread.bit_count() != board.scene.order:
            return True
        facts = [option.fact for option in asked.options]
        return any(verdict(held, board.mask(fact)) != verdict(misread, turned.mask(fact)) for fact in facts)


_MOST_TRIES = 12

# From a scenario, returns the setting and the entities of a problem, as many as there are slots.
Cast = Callable[[str, random.Random], tuple[str, tuple[Argument, ...]]]


def draw(request: Request, rng: random.Random, cast: Cast) -> Problem | None:
    """A problem that keeps the request, None where a dozen tries gave none or none exists."""
    board = load_board(request.scenario)
    if not _is_possible(board, request):
        return None
    kinds = list_shapes(request.type)
    steps = CUTS.list_steps(request.difficulty, request.type, count_options(board, request))
    for _ in range(_MOST_TRIES):
        pr, al = kinds[int(rng.random() * len(kinds))]
        draft = draw_statements(board, al, rng)
        asked = draft and draft.ask(pr, request)
        if draft and asked and draft.count_steps(asked) in steps and draft.needs_facing(asked):
            return _write(draft, asked, request, cast)
    return None


def _is_possible(board: SpaceBoard, request: Request) -> bool:
    """Whether a question of this type can have so many right options."""
    option_count = count_options(board, request)
    if request.type.endswith("statements"):
        return option_count == len(LETTERS) and 1 <= request.right <= option_count
    if request.type.endswith("slot") and not board.scene.has_slot_questions:
        return False
    # All four of four things are options: one fits at least, and what is asked for is not among them.
    has_all = board.scene.size == len(LETTERS)
    if has_all and option_count < len(LETTERS):
        return False
    if request.type.startswith("precise"):
        return request.right == 1 or (not has_all and option_count < len(LETTERS) and request.right == 0)
    if option_count == len(LETTERS):
        return (2 if has_all else 1) <= request.right < option_count
    return 0 <= request.right <= option_count


def count_options(board: SpaceBoard, request: Request) -> int:
    """The number of own options: where it is left open, all four of four things, three of six."""
    if request.option_count is not None:
        return request.option_count
    is_gap = not request.type.endswith("statements")
    return len(LETTERS) - (is_gap and board.scene.size > len(LETTERS))


def _write(draft: SpaceDraft, asked: DrawnOptions, request: Request, cast: Cast) -> Problem:
    board = draft.board
    setting, entities = cast(board.scene.name, draft.rng)
    sentences = map(draft.say, draft.statements)
    statements = tuple(_proposition(board, entities, sentence) for sentence in sentences if sentence)
    options = tuple(_proposition(board, entities, sentence) for sentence in asked.options)
    question = None
    if asked.gap is not None:
        arguments = options[0].arguments
        question = Proposition(
            options[0].template, (*arguments[: asked.gap], GAP, *arguments[asked.gap + 1 :])
        )
    return request.pose(entities, statements, options, question, (setting,))


def _proposition(board: SpaceBoard, entities: tuple[Argument, ...], sentence: Sentence) -> Proposition:
    places = sentence.places
    names = (entities[index] if index >= 0 else board.scene.slots[-1 - index].id for index in places)
    return Proposition(sentence.template.name, tuple(names))
