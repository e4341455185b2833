"""Which rules fit the examples of an item: the catalogue's, two of them, primitives, those of the grammar.

The paper's cycle check says that a rule is reversible, not that it is the only one that fits. An item on
which a rule that fits gives another answer has no single answer.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, product
from math import gcd, prod
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from perennial.tasks.a2rbench.catalogue import RULES, TOKENS, Alphabet, Dimension, Rule, Value
from perennial.tasks.a2rbench.grammar import (
    RuleStep,
    compile_step,
    describe_step,
    is_move,
    list_last_steps,
    list_steps,
)
from perennial.tasks.a2rbench.inputs import Example, trivial_rules
from perennial.tasks.a2rbench.place_rules import fitting_moves
from perennial.tasks.a2rbench.values import fault_of_shape, fill_tokens, shape_of, tokens_of

# Rules that compute with the numbers of tokens in an alphabet, their places kept.
#
# The families: `a·c + b + step·place` modulo the alphabet's size, on all places or on those of a mask; sums
# and differences along an axis or in reading order; a key that repeats; one token for another.

Codes = npt.NDArray[np.int64]
Pair = tuple[Codes, Codes]
Mask = npt.NDArray[np.bool_]
_STEPS = (-3, -2, -1, 1, 2, 3)
_PERIODS = range(2, 7)
# So many places are compared at first: most of the steps fail there.
_FIRST = 8


def fitting_codes(examples: Sequence[Pair], query: Codes, size: int) -> Iterator[tuple[str, Codes]]:
    """Yield the rules on numbers below `size` that fit all examples, and what they give for the query.

    Shapes of inputs and outputs are equal in all examples.
    """
    yield from _affine(examples, query, size)
    for name, rule in _along(query.ndim):
        if all((rule(source) % size == wanted).all() for source, wanted in examples):
            yield name, rule(query) % size
    yield from _keys(examples, query, size)
    yield from _substitution(examples, query)


def _affine(examples: Sequence[Pair], query: Codes, size: int) -> Iterator[tuple[str, Codes]]:
    sources = np.concatenate([source.ravel() for source, _ in examples])
    wanted = np.concatenate([other.ravel() for _, other in examples])
    names, steps = _steps(query.ndim)
    places = np.concatenate([_features(source.shape) for source, _ in examples], axis=1)
    masks = [_masks(source.shape) for source, _ in examples]
    of_query, masks_of_query = _features(query.shape), _masks(query.shape)
    for mask in masks_of_query:
        chosen = np.concatenate([masks_of_example[mask].ravel() for masks_of_example in masks])
        if not chosen.any() or not (sources == wanted)[~chosen].all():
            continue
        c, w, features = sources[chosen], wanted[chosen], places[:, chosen]
        # Other factors map several tokens to one: no rule that can be undone has them.
        for a in (a for a in range(1, size) if gcd(a, size) == 1):
            rest = (w - a * c) % size
            # What a step leaves over must be one constant: all steps are tried at once on a few places.
            left = (rest[:_FIRST] - steps @ features[:, :_FIRST]) % size
            for row in np.flatnonzero((left == left[:, :1]).all(axis=1)):
                constant = (rest - steps[row] @ features) % size
                if (constant != constant[0]).any():
                    continue
                moved = (a * query.ravel() + constant[0] + steps[row] @ of_query) % size
                answer = np.where(masks_of_query[mask], moved.reshape(query.shape), query)
                yield f"{a}·c + {constant[0]} + {names[row]}, {mask}", answer


@lru_cache(maxsize=3)
def _steps(dimension: int) -> tuple[list[str], Codes]:
    """Return the coefficients of the features of a place that are tried, a row each, and their names."""
    width = 3 * dimension
    choices = [[(0, 0), *((step, end) for step in _STEPS for end in (0, 1))]] * dimension
    rows = []
    for chosen in product(*choices):
        row = [0] * width
        for axis, (step, end) in enumerate(chosen):
            row[3 * axis + end] = step
        rows.append(row)
    for axis in range(dimension):
        for step in _STEPS:
            row = [0] * width
            row[3 * axis + 2] = step
            rows.append(row)
    return [f"steps {row}" for row in rows], np.array(rows)


@lru_cache(maxsize=512)
def _features(shape: tuple[int, ...]) -> Codes:
    """Return per axis the number of each place, its number from the end, and the length of the axis."""
    rows = []
    for axis, index in enumerate(np.indices(shape)):
        rows += [index, shape[axis] - 1 - index, np.full(shape, shape[axis])]
    return np.array(rows).reshape(len(rows), -1)


@lru_cache(maxsize=512)
def _masks(shape: tuple[int, ...]) -> dict[str, Mask]:
    """Return the places that a rule may be meant for, by name."""
    index = np.indices(shape)
    masks: dict[str, Mask] = {"everywhere": np.ones(shape, dtype=bool)}
    sums = [axes for axes in product((0, 1), repeat=len(shape)) if any(axes)]
    for axes in sums:
        number = np.tensordot(np.array(axes), index, 1)
        for modulus in (2, 3):
            for rest in range(modulus):
                masks[f"where {axes} is {rest} modulo {modulus}"] = number % modulus == rest
                masks[f"where {axes} is not {rest} modulo {modulus}"] = number % modulus != rest
    border = np.zeros(shape, dtype=bool)
    for axis, number in enumerate(index):
        n = shape[axis]
        for name, mask in (
            ("first", number == 0),
            ("last", number == n - 1),
            ("in the first half", number < n // 2),
            ("in the first half (up)", number < (n + 1) // 2),
            ("even from the end", (n - 1 - number) % 2 == 0),
        ):
            masks[f"where axis {axis + 1} is {name}"] = mask
            masks[f"where axis {axis + 1} is not {name}"] = ~mask
        border |= (number == 0) | (number == n - 1)
        ends = (number == 0) | (number == n - 1)
        masks[f"at the ends of axis {axis + 1}"], masks[f"within axis {axis + 1}"] = ends, ~ends
    masks["at the border"], masks["inside"] = border, ~border
    return masks


@lru_cache(maxsize=3)
def _along(dimension: int) -> tuple[tuple[str, Callable[[Codes], Codes]], ...]:
    """Return sums and differences, by name: along each axis and in reading order, both ways."""
    rules: list[tuple[str, Callable[[Codes], Codes]]] = []
    for axis in (*range(dimension), None):
        for is_back in (False, True):
            for name, line in _LINES.items():
                way = f"{name} along {'all' if axis is None else f'axis {axis + 1}'}"
                way += " backwards" if is_back else ""
                rules.append((way, partial(_apply_codes, axis=axis, is_back=is_back, line=line)))
    return tuple(rules)


def _apply_codes(x: Codes, axis: int | None, is_back: bool, line: Callable[[Codes], Codes]) -> Codes:
    rows = x.reshape(1, -1) if axis is None else np.moveaxis(x, axis, -1)
    moved = line(rows[..., ::-1])[..., ::-1] if is_back else line(rows)
    return moved.reshape(x.shape) if axis is None else np.moveaxis(moved, -1, axis)


def _before(x: Codes) -> Codes:
    """Return each number's neighbour before it; 0 before the first."""
    moved = np.zeros_like(x)
    moved[..., 1:] = x[..., :-1]
    return moved


_LINES: dict[str, Callable[[Codes], Codes]] = {
    "running sum": lambda x: np.cumsum(x, axis=-1),
    "running sum from 1": lambda x: np.cumsum(x, axis=-1) + 1,
    "alternating running sum": lambda x: np.cumsum(x * (-1) ** np.arange(x.shape[-1]), axis=-1),
    "difference": lambda x: x - _before(x),
    "negative difference": lambda x: _before(x) - x,
    "sum with the one before": lambda x: x + _before(x),
    "sum with the one before, around": lambda x: x + np.roll(x, 1, axis=-1),
    "difference, around": lambda x: x - np.roll(x, 1, axis=-1),
    "negative difference, around": lambda x: np.roll(x, 1, axis=-1) - x,
    "sum of all": lambda x: x + x.sum(axis=-1, keepdims=True),
    "sum with the first": lambda x: np.where(np.arange(x.shape[-1]) > 0, x + x[..., :1], x),
    "difference from the first": lambda x: np.where(np.arange(x.shape[-1]) > 0, x - x[..., :1], x),
    "sum of the others": lambda x: x.sum(axis=-1, keepdims=True) - x,
}


def _keys(examples: Sequence[Pair], query: Codes, size: int) -> Iterator[tuple[str, Codes]]:
    """Yield keys of a few numbers that repeat along an axis or in reading order."""
    for axis, period in product((*range(query.ndim), None), _PERIODS):
        classes = [_classes(source.shape, axis) % period for source, _ in examples]
        numbers = np.concatenate([numbers_of_example.ravel() for numbers_of_example in classes])
        for a in (1, size - 1):
            added = np.concatenate([(wanted - a * source).ravel() % size for source, wanted in examples])
            # The last place of each class wins here; whether all of them agree is compared below.
            key = {int(number): int(addend) for number, addend in zip(numbers, added, strict=True)}
            classes_of_query = _classes(query.shape, axis) % period
            fits = (np.array([key[int(number)] for number in numbers]) == added).all()
            if fits and set(classes_of_query.ravel().tolist()) <= set(key):
                moved = np.vectorize(key.__getitem__, otypes=[np.int64])(classes_of_query)
                yield f"key of {period} along {axis}", (a * query + moved) % size


def _classes(shape: tuple[int, ...], axis: int | None) -> Codes:
    places = np.arange(int(np.prod(shape))).reshape(shape) if axis is None else np.indices(shape)[axis]
    return places.astype(np.int64)


def _substitution(examples: Sequence[Pair], query: Codes) -> Iterator[tuple[str, Codes]]:
    sources = np.concatenate([source.ravel() for source, _ in examples]).tolist()
    wanted = np.concatenate([other.ravel() for _, other in examples]).tolist()
    table = dict(zip(sources, wanted, strict=True))
    if [table[code] for code in sources] == wanted and set(query.ravel().tolist()) <= set(table):
        yield "one token for another", np.vectorize(table.__getitem__, otypes=[np.int64])(query)


# Search rules beyond the catalogue for one that fits an item's examples and gives another answer.
#
# Single primitives: moves of places (`places`), arithmetic with tokens (`codes`), and what sorts (`trivial`).

# Published values may be larger: numbers of places are of two bytes, and time grows with them.
_MOST_TOKENS = 500


def _find_primitives(
    dimension: Dimension, examples: Sequence[Example], query: Value
) -> Iterator[tuple[tuple[str], Value]]:
    """Yield the answers of the primitives that fit all examples, by name."""
    tokens = list(dict.fromkeys(tokens_of([*(value for pair in examples for value in pair), query])))
    pairs, asked = _encode(dimension, examples, query, tokens)
    for name, moved in fitting_moves(pairs, asked):
        yield (name,), _decode(moved, tokens)
    for name, rule in trivial_rules(dimension).items():
        if all(rule(source) == wanted for source, wanted in examples):
            yield (name,), rule(query)
    pairs = [pair for pair in pairs if pair[0].size]
    if not pairs or not asked.size or any(source.shape != wanted.shape for source, wanted in pairs):
        return
    for alphabet, signs in TOKENS.items():
        if alphabet != "any" and set(tokens) <= set(signs):
            coded, of_query = _encode(dimension, examples, query, signs)
            for name, answer in fitting_codes([pair for pair in coded if pair[0].size], of_query, len(signs)):
                yield (f"{alphabet}: {name}",), _decode(answer, signs)


def _encode(
    dimension: Dimension, examples: Sequence[Example], query: Value, tokens: Sequence[str]
) -> tuple[list[tuple[Codes, Codes]], Codes]:
    numbers = {token: number for number, token in enumerate(tokens)}

    def encode(value: Value) -> Codes:
        flat = np.array([numbers[token] for token in tokens_of(value)], dtype=np.int64)
        return flat.reshape(shape_of(value, dimension))

    return [(encode(source), encode(wanted)) for source, wanted in examples], encode(query)


def _decode(codes: Codes, tokens: Sequence[str]) -> Value:
    return np.array(tokens, dtype=object)[codes].tolist()


# Search all rules that a seed may draw (`grammar`): each step forwards from the inputs of an example, each
# backwards from its output, and where two meet, they are tried on the other examples.

Flat = tuple[int, ...]
_Apply = Callable[[Flat], Flat]
# What these do to a token depends on others, so that no table of places says it.
_UNTABLED = {"twice", "even_sum", "sum", "sum_back", "difference"}
_BY_TOKEN = {"add", "multiply", "parity", "low"}


def find_compositions(
    dimension: Dimension, examples: Sequence[Example], query: Value
) -> dict[tuple[str, ...], Value]:
    """Return each different answer that a rule of the grammar which fits all examples gives, by its steps."""
    values = [value for pair in examples for value in pair] + [query]
    if any(shape_of(source, dimension) != shape_of(wanted, dimension) for source, wanted in examples):
        return {}
    answers: dict[tuple[str, ...], Value] = {}
    for alphabet in _alphabets(values):
        # Moves alone keep the tokens.
        if alphabet == "any" and any(
            Counter(tokens_of(source)) != Counter(tokens_of(wanted)) for source, wanted in examples
        ):
            continue
        tokens = TOKENS[alphabet] if alphabet != "any" else tuple(dict.fromkeys(tokens_of(values)))
        numbers = {token: number for number, token in enumerate(tokens)}

        def encode(value: Value, numbers: dict[str, int] = numbers) -> tuple[tuple[int, ...], Flat]:
            return shape_of(value, dimension), tuple(map(numbers.__getitem__, tokens_of(value)))

        pairs = [(*encode(source), encode(wanted)[1]) for source, wanted in examples]
        asked = encode(query)
        for steps, answer in _meet(dimension, alphabet, pairs, asked):
            value = fill_tokens(query, map(tokens.__getitem__, answer))
            if value not in answers.values():
                answers[tuple(describe_step(dimension, step) for step in steps)] = value
    return answers


def _meet(
    dimension: Dimension,
    alphabet: Alphabet,
    pairs: list[tuple[tuple[int, ...], Flat, Flat]],
    asked: tuple[tuple[int, ...], Flat],
) -> Iterator[tuple[tuple[RuleStep, ...], Flat]]:
    """Yield the rules that lead from each pair's second member to its third, with their answer."""
    # Of different tokens few steps do the same; of few tokens most fail at once.
    pairs.sort(key=lambda pair: (-len(set(pair[1])), len(pair[1])))
    (shape, source, wanted), *others = pairs
    if not source:
        return
    tabulate, steps = partial(_tabulate, dimension, alphabet), list_steps(dimension, alphabet)
    # What the first steps of a rule make of another example, or of the query, is computed once.
    made: dict[tuple[tuple[RuleStep, ...], int], Flat] = {}
    inputs = [*((shape, source) for shape, source, _ in others), asked]

    def apply(rule: tuple[RuleStep, ...], index: int) -> Flat:
        shape, flat = inputs[index]
        if not rule or not flat:
            return flat
        key = rule, index
        if key not in made:
            made[key] = tabulate(rule[-1], False, shape)(apply(rule[:-1], index))
        return made[key]

    # Met in the middle: S steps forwards and S backwards in place of S * S pairs of them.
    after: dict[Flat, list[tuple[RuleStep, ...]]] = {source: [()]}
    for step in steps:
        after.setdefault(tabulate(step, False, shape)(source), []).append((step,))
    for last in ((), *((step,) for step in list_last_steps(dimension))):
        before_last = tabulate(last[0], True, shape)(wanted) if last else wanted
        for step in steps:
            for first in after.get(tabulate(step, True, shape)(before_last), ()):
                rule = (*first, step, *last)
                if all(apply(rule, index) == other for index, (_, _, other) in enumerate(others)):
                    yield rule, apply(rule, len(others))


@lru_cache(maxsize=1 << 17)
def _tabulate(
    dimension: Dimension, alphabet: Alphabet, step: RuleStep, is_inverse: bool, shape: tuple[int, ...]
) -> _Apply:
    """Return what a step or its inverse does to a value of a shape: its tokens' numbers in reading order."""
    function, size = compile_step(dimension, alphabet, step, is_inverse), prod(shape)

    def run(flat: Flat, shape: tuple[int, ...] = shape) -> Flat:
        output = function(_nest(shape, flat))
        for _ in shape[1:]:
            output = chain.from_iterable(output)
        return tuple(output)

    if not _UNTABLED.isdisjoint((step.kind, step.where)):
        return run
    if is_move(step):
        places = run(tuple(range(size)))
        # An itemgetter of one index gives the token itself, not a tuple of it.
        return itemgetter(*places) if size > 1 else tuple
    modulus = len(TOKENS[alphabet])
    if step.kind in _BY_TOKEN and step.where == "all":
        table = [run((number,), (1,) * dimension)[0] for number in range(modulus)]
        return lambda flat: tuple([table[number] for number in flat])
    # At each place such a step is affine in the token: what it makes of 0 and of 1 tells all.
    added, ones = run((0,) * size), run((1,) * size)
    rows = [((number - addend) % modulus, addend) for number, addend in zip(ones, added, strict=True)]
    return lambda flat: tuple(
        [(factor * number + addend) % modulus for number, (factor, addend) in zip(flat, rows, strict=True)]
    )


def _nest(shape: tuple[int, ...], flat: Sequence[Any]) -> Value:
    for side in shape[:0:-1]:
        flat = [flat[start : start + side] for start in range(0, len(flat), side)]
    return flat


@dataclass(frozen=True, slots=True)
class Fits:
    """The programs (names of one or two rules, applied in order) that fit the examples.

    `agreeing` give the answer of the first of them, which is `answer`; `other` give another one. A primitive,
    or a rule of the grammar, is named where it gives an answer that none before it gives.
    """

    agreeing: tuple[tuple[str, ...], ...]
    other: tuple[tuple[str, ...], ...]
    answer: Value

    @property
    def count(self) -> int:
        """How many programs fit."""
        return len(self.agreeing) + len(self.other)


def find_fits(
    dimension: Dimension, examples: Sequence[Example], query: Value, has_grammar: bool = True
) -> Fits:
    """Return the programs that fit all examples: of one rule of the catalogue, of two, and others.

    The rules of the grammar are tried as well, unless they are not asked for: there are millions.
    """
    # As text: lists cannot be keys of the cache.
    return _find_fits(dimension, json.dumps([examples, query]), has_grammar)


# What grows an item, its gate and the player `search` ask the same.
@lru_cache(maxsize=2_000)
def _find_fits(dimension: Dimension, asked: str, has_grammar: bool) -> Fits:
    examples, query = json.loads(asked)
    values = [value for pair in examples for value in pair] + [query]
    programs = _programs(dimension, frozenset(_alphabets(values)))
    # A small example refuses most programs at the least cost.
    for source, wanted in sorted(examples, key=lambda pair: sum(1 for _ in tokens_of(pair[0]))):
        outputs = _outputs(programs, source)
        programs = tuple(
            program for program, output in zip(programs, outputs, strict=True) if output == wanted
        )
    answers = _outputs(programs, query)
    programs_and_answers = [
        (tuple(rule.name for rule in program), answer)
        for program, answer in zip(programs, answers, strict=True)
    ]
    if all(not fault_of_shape(value, dimension) for value in values) and all(
        sum(1 for _ in tokens_of(value)) <= _MOST_TOKENS for value in values
    ):
        compositions = find_compositions(dimension, examples, query) if has_grammar else {}
        for names, answer in (*_find_primitives(dimension, examples, query), *compositions.items()):
            if answer not in answers:
                answers.append(answer)
                programs_and_answers.append((names, answer))
    if not programs_and_answers:
        return Fits((), (), None)
    answer = programs_and_answers[0][1]
    return Fits(
        tuple(names for names, other_answer in programs_and_answers if other_answer == answer),
        tuple(names for names, other_answer in programs_and_answers if other_answer != answer),
        answer,
    )


def _alphabets(values: Sequence[Value]) -> list[Alphabet]:
    """Return the alphabets that have all tokens; "any" always does."""
    tokens = set(tokens_of(list(values)))
    return [name for name, signs in TOKENS.items() if name == "any" or tokens <= set(signs)]


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
