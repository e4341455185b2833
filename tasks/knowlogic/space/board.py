"""What statements mean in a scenario: propositions as facts, facts as masks of arrangements.

A fact names a predicate and what fills its places: the index of an entity (0, 1, ...), or a slot as -1 - its
number. Problems are drawn, decided and labelled in facts; only their text needs names.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from perennial.schemas.knowlogic.things import Argument, Decision, Proposition
from perennial.tasks.knowlogic.arrangement.frame import Constraint, Frame, all_of, frame, verdict
from perennial.tasks.knowlogic.arrangement.solver import decide_by_solver
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.space.geometry import SCENES, Scene
from perennial.tasks.knowlogic.space.relations import Predicate, predicates
from perennial.tasks.knowlogic.space.sentences import IS_AT, Template, templates


class Fact(NamedTuple):
    """A predicate, and the entities (0 and up) or slots (-1 and down) that it is said of."""

    predicate: str
    places: tuple[int, ...]


def slot_place(slot: int) -> int:
    """Return the place of a fact that stands for a slot."""
    return -1 - slot


@dataclass(frozen=True)
class Board:
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
        return dict(templates(self.scene.name))

    def fact(self, proposition: Proposition, indices: dict[Argument, int]) -> Fact:
        """Return the fact that a proposition says.

        Raises LookupError for a template, entity or slot that the problem does not have, and ValueError for
        a wrong number of arguments.
        """
        template = self.templates[proposition.template]
        pairs = zip(template.is_slot, proposition.arguments, strict=True)
        places = [
            slot_place(self.scene.slot_numbers[each]) if is_slot else indices[each] for is_slot, each in pairs
        ]
        return Fact(template.predicate, tuple(places))

    def constraint(self, fact: Fact) -> Constraint:
        """Return the constraint on entities that a fact is; nothing is in a relation to itself."""
        entities = [place for place in fact.places if place >= 0]
        if len(set(entities)) < len(entities):
            return Constraint((entities[0],), frozenset())
        allowed = frozenset(
            tuple(slot for slot, place in zip(slots, fact.places, strict=True) if place >= 0)
            for slots in self.predicates[fact.predicate].allowed
            if all(
                place >= 0 or slot_place(slot) == place
                for slot, place in zip(slots, fact.places, strict=True)
            )
        )
        return Constraint(tuple(entities), allowed)

    def mask(self, fact: Fact) -> int:
        """Return the arrangements in which the fact holds."""
        found = self.masks.get(fact)
        if found is None:
            found = self.masks[fact] = self.frame.mask(self.constraint(fact))
        return found


@lru_cache(maxsize=16)
def board(scenario: str) -> Board:
    """Return the board of a scenario, built once."""
    return Board(SCENES[scenario])


class Facts(NamedTuple):
    """What a problem says, as facts of its board."""

    board: Board
    statements: tuple[Fact, ...]
    options: tuple[Fact, ...]


def facts_of(problem: Problem) -> Facts:
    """Return the facts of a problem; raise LookupError or ValueError where it names what is not there."""
    of = board(problem.scenario)
    indices = {entity: index for index, entity in enumerate(problem.entities)}
    if len(indices) != of.scene.size:
        raise ValueError(f"{problem.scenario} has {len(indices)} entities, expected {of.scene.size}")
    statements = tuple(of.fact(each, indices) for each in problem.statements)
    return Facts(of, statements, tuple(of.fact(each, indices) for each in problem.options))


def mask_all(of: Board, statements: Sequence[Fact]) -> int:
    """Return the arrangements in which all statements hold."""
    return all_of(of.frame, map(of.mask, statements))


def decide(problem: Problem) -> Decision:
    """Return what all arrangements say: their number modulo symmetry, and the verdict of each option."""
    of, statements, options = facts_of(problem)
    held = mask_all(of, statements)
    # Where nothing can hold, neither can an option.
    verdicts = tuple(verdict(held, of.mask(option)) if held else False for option in options)
    return Decision(held.bit_count() // of.scene.order, verdicts)


def check(problem: Problem) -> Decision:
    """Return the same by python-sat, from the sets of slots alone."""
    of, statements, options = facts_of(problem)
    size = of.scene.size
    return decide_by_solver(
        size, size, list(map(of.constraint, statements)), list(map(of.constraint, options)), of.scene.order
    )


def arrangement_of(of: Board, statements: Sequence[Fact]) -> tuple[int, ...]:
    """Return the slot of each entity in the first arrangement that the statements allow."""
    held = mask_all(of, statements)
    if not held:
        raise ValueError("the statements allow no arrangement")
    return of.frame.arrangement(held)


def canonical(problem: Problem) -> object:
    """Return a value that is the same for problems that differ by names, symmetry, order or wording alone.

    Entities are called by their slots in the one arrangement, and of its symmetric ones the smallest form is
    kept. Predicates stand for templates: two wordings are the same problem.
    """
    of, statements, options = facts_of(problem)
    slots = arrangement_of(of, statements)

    def form(turn: tuple[int, ...]) -> tuple[list[list[object]], list[list[object]]]:
        def rename(fact: Fact) -> list[object]:
            return [fact.predicate, *(turn[slots[each]] if each >= 0 else each for each in fact.places)]

        return sorted(map(rename, statements), key=repr), sorted(map(rename, options), key=repr)

    smallest = min((form(turn) for turn in of.scene.symmetries), key=repr)
    return [problem.scenario, problem.type, *smallest]
