"""Forward chaining over what is known of each pair of things (Appendix B of the paper, the Reasoner).

A derived fact says that the slots of a and b are one of a set of pairs; statements give the first ones. Each
round makes new ones by the exchange of a and b, and by composing what is known of (a, b) and of (b, c); only
the smallest set known of a pair is used further. That is sound but not complete: where it does not reach an
option, no rules are recorded for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from perennial.tasks.knowlogic.closure import Closure, Step, close
from perennial.tasks.knowlogic.space.board import Board, Fact
from perennial.tasks.knowlogic.space.reasoning.pairs import (
    compose,
    inverse,
    other_slot,
    pairs_mask,
    same_slot,
)
from perennial.tasks.knowlogic.space.reasoning.rules import (
    Vocabulary,
    compose_rules,
    move_rules,
    place_rules,
    vocabulary,
)

_AND, _TURN, _COMPOSE = "and", "turn", "compose"


class Known(NamedTuple):
    """The slots of a and b are one of these pairs (of equal slots where a is b)."""

    a: int
    b: int
    pairs: int


_Steps = dict[Known, Step[Known]]


@dataclass
class _Chain:
    """What is known so far: the smallest set of each pair that a step made."""

    of: Board
    known: dict[tuple[int, int], int] = field(default_factory=dict)

    def __call__(self, facts: _Steps, new: list[Known]) -> Iterator[tuple[Known, Step[Known]]]:
        """Yield what the new facts make with what is known."""
        size = self.of.scene.size
        things = range(size)
        for a, b, pairs in new:
            if (a, b) not in self.known:
                self.known[a, b] = pairs
            elif pairs & self.known[a, b] != self.known[a, b]:
                yield from self._refine(a, b, pairs, _AND, (Known(a, b, pairs),))
        for a, b in dict.fromkeys((a, b) for a, b, _ in new):
            here = Known(a, b, self.known[a, b])
            if a != b:
                yield from self._refine(b, a, inverse(size, here.pairs), _TURN, (here,))
            for c in things:
                other = Known(b, c, self._all_of(b, c))
                yield from self._refine(a, c, compose(size, here.pairs, other.pairs), _COMPOSE, (here, other))
                other = Known(c, a, self._all_of(c, a))
                yield from self._refine(c, b, compose(size, other.pairs, here.pairs), _COMPOSE, (other, here))

    def _all_of(self, a: int, b: int) -> int:
        found = self.known.get((a, b))
        if found is None:
            size = self.of.scene.size
            return same_slot(size) if a == b else other_slot(size)
        return found

    def _refine(
        self, a: int, b: int, pairs: int, rule: str, premises: tuple[Known, ...]
    ) -> Iterator[tuple[Known, Step[Known]]]:
        """Yield what is known of a and b when it becomes less than it was."""
        old = self._all_of(a, b)
        left = old & pairs
        if left == old:
            return
        used = [each for each in premises if (each.a, each.b) in self.known]
        if (a, b) in self.known:
            used.append(Known(a, b, old))
        self.known[a, b] = left
        yield Known(a, b, left), Step(rule, tuple(used))


def _read_statements(of: Board, statements: Sequence[Fact]) -> list[Known]:
    """Return what the statements say of pairs; of three things, each pair of them."""
    size = of.scene.size
    found = []
    for fact in statements:
        constraint = of.constraint(fact)
        things, allowed = constraint.variables, constraint.allowed
        if len(things) == 1:
            found.append(Known(things[0], things[0], pairs_mask(size, allowed)))
        for first in range(len(things)):
            for second in range(first + 1, len(things)):
                pairs = pairs_mask(size, {(each[first], each[second]) for each in allowed})
                found.append(Known(things[first], things[second], pairs))
    return found


def infer(of: Board, statements: Sequence[Fact]) -> tuple[Closure[Known], dict[tuple[int, int], int]]:
    """Return the closure of the statements, and the smallest set of each pair."""
    chain = _Chain(of)
    return close(_read_statements(of, statements), chain), chain.known


def rules_used(of: Board, statements: Sequence[Fact], options: Sequence[Fact]) -> list[str]:
    """Return the rules of the proofs of those options that the closure reaches, true or false; sorted."""
    closure, known = infer(of, statements)
    proof: _Steps = {}
    for option in options:
        goal = _read_statements(of, [option])
        if len(goal) != 1:
            continue
        a, b, pairs = goal[0]
        reached = known.get((a, b))
        if reached is not None and (reached & pairs == reached or not reached & pairs):
            proof |= closure.proof(Known(a, b, reached))
    words = vocabulary(of.scene.name)
    found = {text for fact, step in proof.items() for text in _name_rules(words, fact, step)}
    used = {premise for step in proof.values() for premise in step.premises}
    for statement in statements:
        if not used.isdisjoint(_read_statements(of, [statement])):
            found |= set(_name_synonym(words, statement))
    return sorted(found)


def _name_synonym(of: Vocabulary, fact: Fact) -> list[str]:
    """Return the rule that gives a fact the name that other rules use for it; none where it is its own."""
    for named, things in ((of.properties, "(a)"), (of.relations, "(a,b)")):
        if fact.predicate in named:
            name = of.names(named[fact.predicate], single=named is of.properties)[0]
            return [] if name == fact.predicate else [f"{name}{things} <-> {fact.predicate}{things}"]
    return []


def _name_rules(of: Vocabulary, fact: Known, step: Step[Known]) -> list[str]:
    """Return the rule (`reasoning.rules`) of a step; none where its sets have no names."""
    if step.rule != _COMPOSE or len(step.premises) < 2:
        return []
    first, second = step.premises[:2]
    if first.b != second.a:
        return []
    names = (
        of.names(first.pairs, single=first.a == first.b),
        of.names(second.pairs, single=second.a == second.b),
    )
    if not all(names):
        return []
    one, two = names[0][0], names[1][0]
    if first.a == first.b and second.a != second.b:
        rules = move_rules(of, one, two)
    elif first.a != first.b and second.a == second.b:
        turned = of.names(inverse(of.size, first.pairs), single=False)
        rules = move_rules(of, two, turned[0])
    elif fact.a == fact.b:
        rules = place_rules(of, one)
    else:
        rules = compose_rules(of, one, two)
    return [rule.text for rule in rules[:1]]
