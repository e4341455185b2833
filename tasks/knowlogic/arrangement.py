"""Arrangements of things on places: all of them as bit masks, and the same question put to a SAT solver."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, permutations, product

from pysat.solvers import Solver

from perennial.schemas.knowlogic.things import EngineDecision, Verdict

# All arrangements of a few variables on values, as bits of one integer.
#
# A space question has people as variables and seats as values; a nature question plots as variables and
# plants as values. These are distinct; surnames of people may repeat. A constraint on one, two or three
# variables is the set of value tuples that it allows; its mask is the set of arrangements that keep it. AND
# of masks is "all of these hold".


@dataclass(frozen=True, slots=True)
class Constraint:
    """Which tuples of values these variables (distinct indices) may have, in their order."""

    variables: tuple[int, ...]
    allowed: frozenset[tuple[int, ...]]


@dataclass(frozen=True)
class Frame:
    """All maps of `size` variables to `values` values, injective unless said, in lexicographic order."""

    size: int
    values: int
    is_injective: bool = True

    @cached_property
    def arrangements(self) -> tuple[tuple[int, ...], ...]:
        """The arrangements: the value of each variable."""
        values = range(self.values)
        return tuple(
            permutations(values, self.size) if self.is_injective else product(values, repeat=self.size)
        )

    @cached_property
    def full(self) -> int:
        """The mask of all arrangements."""
        return (1 << len(self.arrangements)) - 1

    @cached_property
    def at(self) -> tuple[tuple[int, ...], ...]:
        """`at[variable][value]`: the mask of arrangements with that value."""
        masks = [[0] * self.values for _ in range(self.size)]
        for number, arrangement in enumerate(self.arrangements):
            for variable, value in enumerate(arrangement):
                masks[variable][value] |= 1 << number
        return tuple(tuple(row) for row in masks)

    def mask(self, constraint: Constraint) -> int:
        """The mask of the arrangements that keep the constraint."""
        mask = 0
        for values in constraint.allowed:
            held = self.full
            for variable, value in zip(constraint.variables, values, strict=True):
                held &= self.at[variable][value]
            mask |= held
        return mask

    def arrangement(self, mask: int) -> tuple[int, ...]:
        """The first arrangement of a mask that is not empty."""
        return self.arrangements[(mask & -mask).bit_length() - 1]


@lru_cache(maxsize=16)
def frame(size: int, values: int, *, is_injective: bool = True) -> Frame:
    """The frame of so many variables and values, built once."""
    return Frame(size, values, is_injective)


def verdict(held: int, option: int) -> bool | None:
    """Whether an option's mask covers all arrangements that are held (True), none (False), or some."""
    return True if held & option == held else False if not held & option else None


def all_of(frame_: Frame, masks: Iterable[int]) -> int:
    """The arrangements that keep all of these masks."""
    common = frame_.full
    for mask in masks:
        common &= mask
    return common


def drop_redundant(frame_: Frame, masks: Sequence[int], order: Sequence[int]) -> list[int]:
    """The places of masks that are kept when, in this order, each is dropped that the others imply."""
    kept = list(range(len(masks)))
    goal = all_of(frame_, masks)
    for index in order:
        rest = [number for number in kept if number != index]
        if all_of(frame_, (masks[number] for number in rest)) == goal:
            kept = rest
    return kept


def fewest_statements(frame_: Frame, masks: Sequence[int], option: int) -> int:
    """The size of the smallest set of statements that decides the option, true or false.

    It is the size of a smallest unsatisfiable core of "the answer is false" (0: the frame decides it alone).
    Raises ValueError where all statements together leave it open.
    """
    # Breadth first: the masks that some `size` statements leave, so the first that decides is the smallest.
    reached = {frame_.full}
    for size in range(len(masks) + 1):
        if any(verdict(held, option) is not None for held in reached):
            return size
        # A statement that rules nothing out would only lead back to a set that was looked at before.
        reached = {held & mask for held in reached for mask in masks if held & mask != held}
    raise ValueError("the statements leave the option open")


@dataclass(frozen=True)
class Puzzle:
    """What statements and options say, for both engines; `symmetry`: so many arrangements count as one."""

    frame: Frame
    statements: Sequence[Constraint]
    options: Sequence[Constraint]
    symmetry: int = 1

    @cached_property
    def stated(self) -> list[int]:
        """The masks of the statements."""
        return list(map(self.frame.mask, self.statements))

    @cached_property
    def kept(self) -> int:
        """The arrangements that keep all statements."""
        return all_of(self.frame, self.stated)

    def decide(self) -> EngineDecision:
        """The number of arrangements, and what all of them say of each option."""
        # Where nothing can hold, neither can an option.
        verdicts = (
            verdict(self.kept, mask) if self.kept else False for mask in map(self.frame.mask, self.options)
        )
        return EngineDecision(self.kept.bit_count() // self.symmetry, tuple(verdicts))

    def count_steps(self) -> int:
        """The fewest statements that decide the hardest option; ValueError where they leave one open."""
        return max(
            fewest_statements(self.frame, self.stated, self.frame.mask(option)) for option in self.options
        )

    def check(self) -> EngineDecision:
        """Second engine: python-sat, without any bit mask.

        Raises ValueError where the number of arrangements is no multiple of the symmetry's order.
        """
        with Solver(name="cadical153", bootstrap_with=_clauses(self.frame)) as solver:
            for constraint in self.statements:
                _add(solver, self.frame, constraint)
            verdicts = tuple(_decide(solver, self.frame, option) for option in self.options)
            count = _count(solver, self.frame)
        if count % self.symmetry:
            raise ValueError(f"{count} arrangements are no multiple of the symmetry's order {self.symmetry}")
        return EngineDecision(count // self.symmetry, verdicts)


# The clauses of the second engine: a literal says that a variable has a value.


def _literal(frame_: Frame, variable: int, value: int) -> int:
    return variable * frame_.values + value + 1


def _clauses(frame_: Frame) -> list[list[int]]:
    # At most one, pair by pair: for so few values an encoding with more variables would not be smaller.
    clauses = []
    for variable in range(frame_.size):
        literals = [_literal(frame_, variable, value) for value in range(frame_.values)]
        clauses.append(literals)
        clauses += [[-a, -b] for a, b in combinations(literals, 2)]
    for value in range(frame_.values if frame_.is_injective else 0):
        literals = [_literal(frame_, variable, value) for variable in range(frame_.size)]
        clauses += [[-a, -b] for a, b in combinations(literals, 2)]
    return clauses


def _add(solver: Solver, frame_: Frame, constraint: Constraint) -> None:
    for chosen in product(range(frame_.values), repeat=len(constraint.variables)):
        if chosen not in constraint.allowed:
            pairs = zip(constraint.variables, chosen, strict=True)
            solver.add_clause([-_literal(frame_, variable, value) for variable, value in pairs])


def _decide(solver: Solver, frame_: Frame, option: Constraint) -> Verdict:
    """Whether the option holds in all arrangements, in none, or in some."""
    held = broken = False
    for chosen in product(range(frame_.values), repeat=len(option.variables)):
        pairs = zip(option.variables, chosen, strict=True)
        if solver.solve(assumptions=[_literal(frame_, variable, value) for variable, value in pairs]):
            held, broken = held or chosen in option.allowed, broken or chosen not in option.allowed
    return None if held and broken else held


def _count(solver: Solver, frame_: Frame) -> int:
    """The number of arrangements; each one found is forbidden (so this comes last)."""
    count = 0
    while solver.solve():
        # The true literals are enough: each variable has one value, so the false ones follow.
        model = [literal for literal in solver.get_model() if 0 < literal <= frame_.size * frame_.values]
        solver.add_clause([-literal for literal in model])
        count += 1
    return count
