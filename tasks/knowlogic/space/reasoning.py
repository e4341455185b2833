"""Rules of space, and forward chaining by them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import Argument, Proposition
from perennial.tasks.knowlogic.arrangement import Constraint, Frame, Puzzle, all_of, frame
from perennial.tasks.knowlogic.closure import Closure, Inference, close
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.space.scenes import SCENES, Family, Predicate, Scene, predicates

# The sentences of each scenario: which predicate a template says, and where it may be used.

# The files of each family; those of the shelf serve both shelves.
FILES: Mapping[Family, tuple[str, ...]] = {
    "ring": ("space_ring",),
    "booth": ("space_booth",),
    "shelf": ("space_shelf", "space_shelf_places"),
    "plots": ("space_plots",),
}
# "The thing is in this slot": no predicate of distinct slots.
IS_AT = "is_at"


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence: its name, the predicate that it says, and for each place whether a slot fills it.

    `needs` has a property for each place (or fewer): without it, what the sentence speaks of is not there,
    as the right-hand neighbor of what stands at the right end.
    """

    name: str
    predicate: str
    is_slot: tuple[bool, ...]
    needs: tuple[str, ...] = ()


@lru_cache(maxsize=16)
def sentences(scenario: str) -> Mapping[str, Mapping[str, Any]]:
    """The sentences of a scenario by name, each with its places in the order of their letters."""
    usable: dict[str, Mapping[str, Any]] = {}
    existing = predicates(scenario)
    for file in FILES[SCENES[scenario].family]:
        for name, sentence in load_sentences(file).items():
            predicate = sentence.get("property") or sentence["relation"]
            if (predicate in existing or predicate == IS_AT) and sentence.get("only", scenario) == scenario:
                places = [letter for letter in "abc" if f"{{{letter}:" in sentence["zh"]]
                usable[name] = {**sentence, "places": places}
    return usable


# What statements mean in a scenario: propositions as facts, facts as masks of arrangements.
#
# A fact names a predicate and what fills its places: the index of an entity (0, 1, ...), or a slot as -1 -
# its number. Problems are drawn, decided and labelled in facts; only their text needs names.


class Fact(NamedTuple):
    """A predicate, and the entities (0 and up) or slots (-1 and down) that it is said of."""

    predicate: str
    places: tuple[int, ...]


def slot_place(slot: int) -> int:
    """The place of a fact that stands for a slot."""
    return -1 - slot


@dataclass(frozen=True)
class SpaceBoard:
    """A scenario with all its arrangements, predicates and templates; masks are kept once computed."""

    scene: Scene
    masks: dict[Fact, int] = field(default_factory=dict)

    @cached_property
    def frame(self) -> Frame:
        """All arrangements of as many entities as there are slots."""
        return frame(self.scene.size, self.scene.size)

    @cached_property
    def predicates(self) -> dict[str, Predicate]:
        """The predicates by name, and that of a thing in a slot."""
        same = Predicate(IS_AT, 2, frozenset((slot, slot) for slot in range(self.scene.size)), True, True)
        return {**predicates(self.scene.name), IS_AT: same}

    @cached_property
    def templates(self) -> dict[str, Template]:
        """The templates by name."""
        return {
            name: Template(
                name,
                sentence.get("property") or sentence["relation"],
                tuple(f"{{{letter}:slot}}" in sentence["zh"] for letter in sentence["places"]),
                tuple(sentence.get("needs", ())),
            )
            for name, sentence in sentences(self.scene.name).items()
        }

    def fact(self, proposition: Proposition, indices: dict[Argument, int]) -> Fact:
        """The fact that a proposition says.

        Raises LookupError for a template, entity or slot that the problem does not have, and ValueError for
        a wrong number of arguments.
        """
        template = self.templates[proposition.template]
        pairs = zip(template.is_slot, proposition.arguments, strict=True)
        places = [
            slot_place(self.scene.slot_numbers[name]) if is_slot else indices[name] for is_slot, name in pairs
        ]
        return Fact(template.predicate, tuple(places))

    def constraint(self, fact: Fact) -> Constraint:
        """The constraint on entities that a fact is; nothing is in a relation to itself."""
        entities = [filler for filler in fact.places if filler >= 0]
        if len(set(entities)) < len(entities):
            # Allowed nowhere, so that it is false and not an error: options may say such things.
            return Constraint((entities[0],), frozenset())
        allowed = frozenset(
            tuple(slot for slot, filler in zip(slots, fact.places, strict=True) if filler >= 0)
            for slots in self.predicates[fact.predicate].allowed
            if all(
                filler >= 0 or slot_place(slot) == filler
                for slot, filler in zip(slots, fact.places, strict=True)
            )
        )
        return Constraint(tuple(entities), allowed)

    def mask(self, fact: Fact) -> int:
        """The arrangements in which the fact holds."""
        mask = self.masks.get(fact)
        if mask is None:
            mask = self.masks[fact] = self.frame.mask(self.constraint(fact))
        return mask


@lru_cache(maxsize=16)
def load_board(scenario: str) -> SpaceBoard:
    """The board of a scenario, built once."""
    return SpaceBoard(SCENES[scenario])


class Facts(NamedTuple):
    """What a problem says, as facts of its board."""

    board: SpaceBoard
    statements: tuple[Fact, ...]
    options: tuple[Fact, ...]

    @property
    def puzzle(self) -> Puzzle:
        """What both engines judge; arrangements count modulo symmetry."""
        stated, asked = (list(map(self.board.constraint, facts)) for facts in (self.statements, self.options))
        return Puzzle(self.board.frame, stated, asked, self.board.scene.order)


def facts_of(problem: Problem) -> Facts:
    """The facts of a problem; raise LookupError or ValueError where it names what is not there."""
    board = load_board(problem.scenario)
    indices = {entity: index for index, entity in enumerate(problem.entities)}
    if len(indices) != board.scene.size:
        raise ValueError(f"{problem.scenario} has {len(indices)} entities, expected {board.scene.size}")
    statements = tuple(board.fact(proposition, indices) for proposition in problem.statements)
    return Facts(board, statements, tuple(board.fact(option, indices) for option in problem.options))


def mask_all(board: SpaceBoard, statements: Sequence[Fact]) -> int:
    """The arrangements in which all statements hold."""
    return all_of(board.frame, map(board.mask, statements))


def arrangement_of(board: SpaceBoard, statements: Sequence[Fact]) -> tuple[int, ...]:
    """The slot of each entity in the first arrangement that the statements allow."""
    held = mask_all(board, statements)
    if not held:
        raise ValueError("the statements allow no arrangement")
    return board.frame.arrangement(held)


def canonical(problem: Problem) -> object:
    """A value that is the same for problems that differ by names, symmetry, order or wording alone.

    Entities are called by their slots in the one arrangement, and of its symmetric ones the smallest form is
    kept. Predicates stand for templates: two wordings are the same problem.
    """
    board, statements, options = facts_of(problem)
    slots = arrangement_of(board, statements)

    def form(turn: tuple[int, ...]) -> tuple[list[list[object]], list[list[object]]]:
        def rename(fact: Fact) -> list[object]:
            return [fact.predicate, *(turn[slots[fill]] if fill >= 0 else fill for fill in fact.places)]

        return sorted(map(rename, statements), key=repr), sorted(map(rename, options), key=repr)

    smallest = min((form(turn) for turn in board.scene.symmetries), key=repr)
    return [problem.scenario, problem.type, *smallest]


# Sets of slot pairs as integers: bit `i * size + j` says that a may be at slot i while b is at slot j.
#
# A predicate of one thing is a set of pairs (i, i): what is known of one thing composes as of two.


def pairs_mask(size: int, pairs: Iterable[tuple[int, ...]]) -> int:
    """The integer of pairs, or of single slots as pairs of equal ones."""
    return sum(1 << (slots[0] * size + slots[-1]) for slots in set(pairs))


@lru_cache(maxsize=8)
def same_slot(size: int) -> int:
    """All pairs of equal slots: nothing is known of one thing."""
    return pairs_mask(size, ((slot,) for slot in range(size)))


@lru_cache(maxsize=8)
def other_slot(size: int) -> int:
    """All pairs of different slots: nothing is known of two things."""
    return ((1 << size * size) - 1) ^ same_slot(size)


@lru_cache(maxsize=1 << 14)
def compose(size: int, first: int, second: int) -> int:
    """The pairs (i, k) for which some j has (i, j) in the first set and (j, k) in the second."""
    row = (1 << size) - 1
    rows = [second >> (slot * size) & row for slot in range(size)]
    composed = 0
    for start in range(size):
        through = first >> (start * size) & row
        reached = 0
        for slot in range(size):
            if through >> slot & 1:
                reached |= rows[slot]
        composed |= reached << (start * size)
    return composed


@lru_cache(maxsize=1 << 14)
def inverse(size: int, pairs: int) -> int:
    """The pairs (j, i)."""
    turned = 0
    for start in range(size):
        for slot in range(size):
            if pairs >> (start * size + slot) & 1:
                turned |= 1 << (slot * size + start)
    return turned


@lru_cache(maxsize=1 << 14)
def first_slots(size: int, pairs: int) -> int:
    """The first slots of the pairs, as pairs of equal ones."""
    return compose(size, pairs, inverse(size, pairs)) & same_slot(size)


# The rules of space by which facts follow from one fact or two, computed from the geometry (Table 6).
#
# The paper lists 861 rules by hand. Here a rule is true because the sets of slots of its predicates are
# included in each other, so the table of a scenario is complete for its kinds:
#
# - `places`: a relation says of one of its things where it is;
# - `moves`: where one thing is, and its relation to another, say where the other one is;
# - `composes`: R(a,b) and S(b,c) make T(a,c).
#
# What follows is always a smallest set that has a name; of several names the first one stands for it.


class SpaceRule(NamedTuple):
    """A rule: its kind, and what it says, such as `left_2(a,b) & left_3(b,c) -> opposite(a,c)`."""

    kind: str
    text: str


@dataclass(frozen=True)
class Vocabulary:
    """The named sets of slots (as pairs of equal ones) and of slot pairs of a scenario."""

    scenario: str

    @cached_property
    def size(self) -> int:
        """The number of slots."""
        return load_board(self.scenario).scene.size

    @cached_property
    def properties(self) -> dict[str, int]:
        """The properties."""
        return self._predicates(1)

    @cached_property
    def relations(self) -> dict[str, int]:
        """The relations of two things."""
        return self._predicates(2)

    def _predicates(self, arity: int) -> dict[str, int]:
        board = load_board(self.scenario)
        sayable = {template.predicate for template in board.templates.values()}
        return {
            name: pairs_mask(self.size, predicate.allowed)
            for name, predicate in board.predicates.items()
            if predicate.arity == arity and name in sayable and name != "is_at"
        }

    @cached_property
    def _cache(self) -> dict[tuple[int, bool], tuple[str, ...]]:
        return {}

    def names(self, pairs: int, *, single: bool) -> tuple[str, ...]:
        """The smallest named sets that hold all these pairs, one name for each; none for no pairs."""
        key = pairs, single
        if key not in self._cache:
            self._cache[key] = self._smallest(pairs, self.properties if single else self.relations)
        return self._cache[key]

    def _smallest(self, pairs: int, named: dict[str, int]) -> tuple[str, ...]:
        if not pairs:
            return ()
        holding = [(name, mask) for name, mask in named.items() if pairs & mask == pairs]
        # Reversed, so that the first of several names for one set stays.
        first = {mask: name for name, mask in reversed(holding)}
        smallest = [
            mask for mask in first if not any(other != mask and other & mask == other for other in first)
        ]
        return tuple(
            sorted((first[mask] for mask in smallest), key=lambda name: (named[name].bit_count(), name))
        )


@lru_cache(maxsize=16)
def vocabulary(scenario: str) -> Vocabulary:
    """The vocabulary of a scenario, built once."""
    return Vocabulary(scenario)


def place_rules(words: Vocabulary, relation: str) -> list[SpaceRule]:
    """What a relation says of where its first thing is."""
    slots = first_slots(words.size, words.relations[relation])
    return [SpaceRule("places", f"{relation}(a,b) -> {name}(a)") for name in words.names(slots, single=True)]


def move_rules(words: Vocabulary, name: str, relation: str) -> list[SpaceRule]:
    """Where b is, of which the relation holds for a thing with the property."""
    moved = compose(words.size, words.properties[name], words.relations[relation])
    slots = first_slots(words.size, inverse(words.size, moved))
    implied = words.names(slots, single=True)
    return [SpaceRule("moves", f"{name}(a) & {relation}(a,b) -> {target}(b)") for target in implied]


def compose_rules(words: Vocabulary, first: str, second: str) -> list[SpaceRule]:
    """The relations of a and c that follow from a relation of a and b, and one of b and c."""
    pairs = compose(words.size, words.relations[first], words.relations[second]) & other_slot(words.size)
    implied = words.names(pairs, single=False)
    return [SpaceRule("composes", f"{first}(a,b) & {second}(b,c) -> {third}(a,c)") for third in implied]


# Forward chaining over what is known of each pair of things (Appendix B of the paper, the Reasoner).
#
# A derived fact says that the slots of a and b are one of a set of pairs; statements give the first ones.
# Each round makes new ones by the exchange of a and b, and by composing what is known of (a, b) and of (b,
# c); only the smallest set known of a pair is used further. That is sound but not complete: where it does
# not reach an option, no rules are recorded for it.

_AND, _TURN, _COMPOSE = "and", "turn", "compose"


class PairFact(NamedTuple):
    """The slots of a and b are one of these pairs (of equal slots where a is b)."""

    a: int
    b: int
    pairs: int


_Steps = dict[PairFact, Inference[PairFact]]


@dataclass
class _Chain:
    """What is known so far: the smallest set of each pair that a step made."""

    board: SpaceBoard
    known: dict[tuple[int, int], int] = field(default_factory=dict)

    def __call__(self, facts: _Steps, new: list[PairFact]) -> Iterator[tuple[PairFact, Inference[PairFact]]]:
        size = self.board.scene.size
        things = range(size)
        for a, b, pairs in new:
            if (a, b) not in self.known:
                self.known[a, b] = pairs
            elif pairs & self.known[a, b] != self.known[a, b]:
                yield from self._refine(a, b, pairs, _AND, (PairFact(a, b, pairs),))
        for a, b in dict.fromkeys((a, b) for a, b, _ in new):
            here = PairFact(a, b, self.known[a, b])
            if a != b:
                yield from self._refine(b, a, inverse(size, here.pairs), _TURN, (here,))
            for c in things:
                other = PairFact(b, c, self._all_of(b, c))
                yield from self._refine(a, c, compose(size, here.pairs, other.pairs), _COMPOSE, (here, other))
                other = PairFact(c, a, self._all_of(c, a))
                yield from self._refine(c, b, compose(size, other.pairs, here.pairs), _COMPOSE, (other, here))

    def _all_of(self, a: int, b: int) -> int:
        pairs = self.known.get((a, b))
        if pairs is None:
            size = self.board.scene.size
            return same_slot(size) if a == b else other_slot(size)
        return pairs

    def _refine(
        self, a: int, b: int, pairs: int, rule: str, premises: tuple[PairFact, ...]
    ) -> Iterator[tuple[PairFact, Inference[PairFact]]]:
        """What is known of a and b when it becomes less than it was."""
        old = self._all_of(a, b)
        left = old & pairs
        if left == old:
            return
        used = [premise for premise in premises if (premise.a, premise.b) in self.known]
        if (a, b) in self.known:
            used.append(PairFact(a, b, old))
        self.known[a, b] = left
        yield PairFact(a, b, left), Inference(rule, tuple(used))


def _read_statements(board: SpaceBoard, statements: Sequence[Fact]) -> list[PairFact]:
    """What the statements say of pairs; of three things, each pair of them."""
    size = board.scene.size
    read = []
    for fact in statements:
        constraint = board.constraint(fact)
        things, allowed = constraint.variables, constraint.allowed
        if len(things) == 1:
            read.append(PairFact(things[0], things[0], pairs_mask(size, allowed)))
        for first in range(len(things)):
            for second in range(first + 1, len(things)):
                pairs = pairs_mask(size, {(slots[first], slots[second]) for slots in allowed})
                read.append(PairFact(things[first], things[second], pairs))
    return read


def infer(
    board: SpaceBoard, statements: Sequence[Fact]
) -> tuple[Closure[PairFact], dict[tuple[int, int], int]]:
    """The closure of the statements, and the smallest set of each pair."""
    chain = _Chain(board)
    return close(_read_statements(board, statements), chain), chain.known


def rules_used(board: SpaceBoard, statements: Sequence[Fact], options: Sequence[Fact]) -> list[str]:
    """The rules of the proofs of those options that the closure reaches, true or false; sorted."""
    closure, smallest = infer(board, statements)
    proof: _Steps = {}
    for option in options:
        goal = _read_statements(board, [option])
        if len(goal) != 1:
            continue
        a, b, pairs = goal[0]
        reached = smallest.get((a, b))
        if reached is not None and (reached & pairs == reached or not reached & pairs):
            proof |= closure.proof(PairFact(a, b, reached))
    words = vocabulary(board.scene.name)
    rules = {text for fact, step in proof.items() for text in _name_rules(words, fact, step)}
    used = {premise for step in proof.values() for premise in step.premises}
    for statement in statements:
        if not used.isdisjoint(_read_statements(board, [statement])):
            rules |= set(_name_synonym(words, statement))
    return sorted(rules)


def _name_synonym(words: Vocabulary, fact: Fact) -> list[str]:
    """The rule that gives a fact the name that other rules use for it; none where it is its own."""
    for named, things in ((words.properties, "(a)"), (words.relations, "(a,b)")):
        if fact.predicate in named:
            name = words.names(named[fact.predicate], single=named is words.properties)[0]
            return [] if name == fact.predicate else [f"{name}{things} <-> {fact.predicate}{things}"]
    return []


def _name_rules(words: Vocabulary, fact: PairFact, step: Inference[PairFact]) -> list[str]:
    """The rule (`reasoning.rules`) of a step; none where its sets have no names."""
    if step.rule != _COMPOSE or len(step.premises) < 2:
        return []
    first, second = step.premises[:2]
    if first.b != second.a:
        return []
    names = (
        words.names(first.pairs, single=first.a == first.b),
        words.names(second.pairs, single=second.a == second.b),
    )
    if not all(names):
        return []
    first_name, two = names[0][0], names[1][0]
    if first.a == first.b and second.a != second.b:
        rules = move_rules(words, first_name, two)
    elif first.a != first.b and second.a == second.b:
        turned = words.names(inverse(words.size, first.pairs), single=False)
        rules = move_rules(words, two, turned[0])
    elif fact.a == fact.b:
        rules = place_rules(words, first_name)
    else:
        rules = compose_rules(words, first_name, two)
    return [rule.text for rule in rules[:1]]
