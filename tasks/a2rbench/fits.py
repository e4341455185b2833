"""Which rules fit the examples of an item: those of the catalogue and compositions of two.

The paper's cycle check says that a rule is reversible, not that it is the only one that fits. An item on
which a rule that fits gives another answer has no single answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from tasks.a2rbench.catalogue.registry import RULES
from tasks.a2rbench.catalogue.rule import Alphabet, Dimension, Rule, Value
from tasks.a2rbench.inputs import TOKENS
from tasks.a2rbench.values import tokens_of

Example = tuple[Value, Value]


@dataclass(frozen=True, slots=True)
class Fits:
    """The programs (names of one or two rules, applied in order) that fit the examples.

    `agreeing` give the answer that most simple ones give, `other` another one; `answer` is that of the first.
    """

    agreeing: tuple[tuple[str, ...], ...]
    other: tuple[tuple[str, ...], ...]
    answer: Value

    @property
    def count(self) -> int:
        """How many programs fit."""
        return len(self.agreeing) + len(self.other)


def find_fits(dimension: Dimension, examples: Sequence[Example], query: Value) -> Fits:
    """Return the programs of at most two rules that fit all examples, single rules first."""
    values = [value for pair in examples for value in pair] + [query]
    alphabets = frozenset(_alphabets(values))
    found: list[tuple[tuple[str, ...], Value]] = []
    for program in _programs(dimension, alphabets):
        if all(_gives(program, given, wanted) for given, wanted in examples):
            found.append((tuple(rule.name for rule in program), _apply(program, query)))
    if not found:
        return Fits((), (), None)
    answer = found[0][1]
    return Fits(
        tuple(names for names, given in found if given == answer),
        tuple(names for names, given in found if given != answer),
        answer,
    )


def _alphabets(values: Sequence[Value]) -> list[Alphabet]:
    """Return the alphabets that have all tokens; "any" always does."""
    tokens = set(tokens_of(list(values)))
    return [name for name, known in TOKENS.items() if name == "any" or tokens <= set(known)]


@lru_cache(maxsize=64)
def _programs(dimension: Dimension, alphabets: frozenset[Alphabet]) -> tuple[tuple[Rule, ...], ...]:
    rules = [rule for rule in RULES.values() if rule.dimension == dimension and rule.alphabet in alphabets]
    return (*((rule,) for rule in rules), *product(rules, repeat=2))


def _apply(program: Sequence[Rule], value: Value) -> Value:
    try:
        for rule in program:
            value = rule.forward(value)
    except (ValueError, IndexError):  # a rule that does not take what the one before it gives
        return None
    return value


def _gives(program: Sequence[Rule], given: Value, wanted: Value) -> bool:
    return bool(_apply(program, given) == wanted)
