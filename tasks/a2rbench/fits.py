"""Which rules fit the examples of an item: those of the catalogue, compositions of two, and primitives.

The paper's cycle check says that a rule is reversible, not that it is the only one that fits. An item on
which a rule that fits gives another answer has no single answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from perennial.tasks.a2rbench.catalogue.registry import RULES
from perennial.tasks.a2rbench.catalogue.rule import Alphabet, Dimension, Rule, Value
from perennial.tasks.a2rbench.inputs import TOKENS
from perennial.tasks.a2rbench.uniqueness.primitives import find_primitives
from perennial.tasks.a2rbench.values import tokens_of

Example = tuple[Value, Value]


@dataclass(frozen=True, slots=True)
class Fits:
    """The programs (names of one or two rules, applied in order) that fit the examples.

    `agreeing` give the answer of the first of them, which is `answer`; `other` give another one. A primitive
    beyond the catalogue is named where it gives an answer that no rule of the catalogue gives.
    """

    agreeing: tuple[tuple[str, ...], ...]
    other: tuple[tuple[str, ...], ...]
    answer: Value

    @property
    def count(self) -> int:
        """How many programs fit."""
        return len(self.agreeing) + len(self.other)


def find_fits(dimension: Dimension, examples: Sequence[Example], query: Value) -> Fits:
    """Return the programs of at most two rules, and primitives, that fit all examples; single rules first."""
    values = [value for pair in examples for value in pair] + [query]
    programs = _programs(dimension, frozenset(_alphabets(values)))
    # A small example refuses most programs at the least cost.
    for given, wanted in sorted(examples, key=lambda pair: sum(1 for _ in tokens_of(pair[0]))):
        outputs = _outputs(programs, given)
        programs = tuple(
            program for program, output in zip(programs, outputs, strict=True) if output == wanted
        )
    answers = _outputs(programs, query)
    found = [
        (tuple(rule.name for rule in program), answer)
        for program, answer in zip(programs, answers, strict=True)
    ]
    found += [
        ((name,), answer)
        for name, answer in find_primitives(dimension, examples, query).items()
        if answer not in answers
    ]
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


def _outputs(programs: Sequence[tuple[Rule, ...]], value: Value) -> list[Value]:
    """Return what each program gives; what a first rule gives is computed once. None: it fails."""
    firsts = {program[0].name: program[0] for program in programs}
    after = {name: _apply(rule, value) for name, rule in firsts.items()}
    return [
        after[program[0].name] if len(program) == 1 else _apply(program[1], after[program[0].name])
        for program in programs
    ]


def _apply(rule: Rule, value: Value) -> Value:
    try:
        return None if value is None else rule.forward(value)
    # A rule that does not take what the one before it gives, or a published value of uneven parts.
    except (ValueError, LookupError, TypeError, ArithmeticError):
        return None
