"""Rules drawn from a secret seed: two or three steps of a grammar, one after the other.

A step does one thing to each line of tokens along an axis: it moves tokens (`_MOVES`) or, where tokens mean
something, computes with their numbers in the alphabet (`_SUMS`), perhaps only in some lines (`_WHERE`). A
step is data; its Python code and its words are rendered from the same row of these tables, and what a rule
does is what its code does.
"""

import random
import tomllib
from collections.abc import Container, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import product
from math import gcd
from typing import Any, NamedTuple

from perennial.schemas.a2rbench.things import DRAWN, SHAPES
from perennial.schemas.errors import InstancesExhausted
from perennial.schemas.ids import canonical_json, content_id, derive_rng
from perennial.tasks.a2rbench.catalogue import (
    DIMENSIONS,
    FORWARD,
    INVERSE,
    RULES,
    TOKENS,
    Alphabet,
    Dimension,
    Function,
    Rule,
    Value,
    compile_code,
    type_of,
)
from perennial.tasks.a2rbench.values import map_tokens


class RuleStep(NamedTuple):
    """A move or sum with its numbers, the axis of its lines, and the axis `by` whose index numbers them."""

    kind: str
    numbers: tuple[int, ...] = ()
    axis: int = 0
    by: int = 0
    where: str = "all"


_TABLES = tomllib.loads(files(__package__).joinpath("grammar.toml").read_text(encoding="utf-8"))
_MOVES: dict[str, dict[str, Any]] = _TABLES["moves"]
_SUMS: dict[str, dict[str, str]] = _TABLES["sums"]
_WHERE: dict[str, dict[str, str]] = _TABLES["where"]
# Those moves that are made in some lines only: each changes lines of two tokens or of three.
_SIMPLE = (
    *(RuleStep("reverse"), RuleStep("swap_ends"), RuleStep("rotate_left", (1,))),
    *(RuleStep("rotate_right", (step,)) for step in (1, 2)),
)
_BY_TOKENS = ("twice", "even_sum")
_NUMBERED = ("odd", "even", "first", "later")
# By dimension: what a line along each axis is called, and what the index of each axis counts.
_LINES = (
    ("the list",),
    ("each column", "each row"),
    ("each line through the layers", "each column", "each row"),
)
_COUNTED = (("list",), ("row", "column"), ("layer", "row", "column"))
_ALPHABETS: tuple[Alphabet, ...] = ("letters", "digits", "bits", "elements", "days")
# The largest number of a move, by dimension: sides of cubes are short.
_MOST = (5, 3, 2)


@lru_cache(maxsize=32)
def list_steps(dimension: Dimension, alphabet: Alphabet) -> tuple[RuleStep, ...]:
    """Return all steps on values of a dimension; in alphabet "any", those that only move tokens."""
    # Which axis numbers the lines matters only to steps that look at the number of a line.
    axes = [(axis, by) for axis in range(dimension)[::-1] for by in range(dimension) if axis != by]
    axes = axes or [(0, 0)]
    plain = [(axis, by) for axis, by in axes if by == min(other for same, other in axes if same == axis)]
    moves = [
        RuleStep(kind, numbers, axis, by)
        for kind, move in _MOVES.items()
        for numbers in map(tuple, move.get("choices", [()]))
        if max(numbers, default=0) <= _MOST[dimension - 1]
        for axis, by in (plain if "{by}" not in move["words"] else axes if dimension > 1 else ())
    ]
    if dimension == 1:
        moves += [step._replace(where="twice") for step in moves]
    wheres = [(where, axes) for where in _NUMBERED] if dimension > 1 else []
    if alphabet == "any":
        choices = [*wheres, ("twice", plain)] if dimension > 1 else []
        return (*moves, *_in_some_lines(_SIMPLE, choices))
    size = len(TOKENS[alphabet])
    sums = [RuleStep(kind, numbers) for kind, numbers in _list_sums(size, dimension)]
    # A sum that looks at no place is the same along each axis.
    by_kind = {"number": axes, **dict.fromkeys(("add", "multiply", "parity", "low"), plain[:1])}
    steps = [step._replace(axis=axis, by=by) for step in sums for axis, by in by_kind.get(step.kind, plain)]
    added = [step for step in sums if step.kind == "add"][:5]
    conditional = (*_in_some_lines(_SIMPLE, [("even_sum", plain)]), *_in_some_lines(added, wheres))
    return (*moves, *steps, *conditional)


def _in_some_lines(
    steps: Sequence[RuleStep], wheres: Sequence[tuple[str, Sequence[tuple[int, int]]]]
) -> Iterator[RuleStep]:
    for step, (where, axes) in product(steps, wheres):
        yield from (step._replace(axis=axis, by=by, where=where) for axis, by in axes)


def _list_sums(size: int, dimension: Dimension) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each kind of `_SUMS` with its numbers, for an alphabet of `size` tokens."""
    near = (1, 2, 3, -1, -2, -3) if size > 3 else (1,)
    yield from (("add", (added,)) for added in range(1, size))
    for factor in range(2, size):
        if gcd(factor, size) == 1:
            # The inverse factor is a number of the step too, as its code is rendered from numbers only.
            yield from (("multiply", (factor, pow(factor, -1, size), added)) for added in range(3))
    kinds = ("slope", "number") if dimension > 1 else ("slope",)
    yield from ((kind, (step, first)) for kind in kinds for step in near for first in (0, 1))
    keys = [*product(range(min(size, 5)), repeat=2), *product(range(min(size, 3)), repeat=4 - dimension)]
    yield from (("key", key) for key in dict.fromkeys(keys) if len(set(key)) > 1)
    if size > 2 and size % 2 == 0:
        yield from (("parity", (added, rest)) for added in range(2, min(size, 12), 2) for rest in (0, 1))
    yield from (("low", (added, size // 2)) for added in range(1, min(size // 2, 6)))
    yield from (("sum", ()), ("sum_back", ()), ("difference", ()))


@lru_cache(maxsize=3)
def list_last_steps(dimension: Dimension) -> tuple[RuleStep, ...]:
    """Return the few steps that may follow as a third one."""
    lines = [(axis, (axis + 1) % dimension) for axis in range(dimension)]
    steps = RuleStep("reverse"), RuleStep("rotate_left", (1,))
    return tuple(step._replace(axis=axis, by=by) for step in steps for axis, by in lines)


def make_rule(dimension: Dimension, alphabet: Alphabet, steps: tuple[RuleStep, ...]) -> Rule:
    """Return the rule of these steps; its name says what it does to fixed probes."""
    functions = (_write_function(dimension, alphabet, steps, is_inverse) for is_inverse in (False, True))
    return Rule(
        _name(dimension, alphabet, run_probes(dimension, alphabet, steps)),
        dimension,
        type_of(alphabet),
        _describe(dimension, alphabet, "", steps),
        _describe(dimension, alphabet, "undo, last step first: ", steps[::-1]),
        "\n\n".join(functions),
        alphabet,
        DRAWN,
        canonical_json({"alphabet": alphabet, "steps": steps}),
    )


@lru_cache(maxsize=1 << 13)
def compile_step(dimension: Dimension, alphabet: Alphabet, step: RuleStep, is_inverse: bool) -> Function:
    """Return what one step does, or its inverse, to values whose tokens are numbers already."""
    code = _write_function(dimension, alphabet, (step,), is_inverse, is_coded=True)
    return compile_code(code)[INVERSE if is_inverse else FORWARD]


def is_move(step: RuleStep) -> bool:
    """Whether a step moves tokens, whatever they are."""
    return step.kind in _MOVES


def _describe(dimension: Dimension, alphabet: Alphabet, opening: str, steps: Sequence[RuleStep]) -> str:
    words = opening + "; then ".join(describe_step(dimension, step) for step in steps) + "."
    words = words[0].upper() + words[1:]
    if alphabet == "any":
        return words
    first, *_, last = tokens = TOKENS[alphabet]
    size = len(tokens)
    return f"{words} Tokens count as numbers from {first} = 0 to {last} = {size - 1}, modulo {size}."


def describe_step(dimension: Dimension, step: RuleStep) -> str:
    """Return what a step does, in words."""
    words: str = (_MOVES | _SUMS)[step.kind]["words"]
    by = _COUNTED[dimension - 1][step.by]
    words += _WHERE[step.where]["words"]
    line = _LINES[dimension - 1][step.axis]
    return words.format(*step.numbers, line=line, by=by, all=", ".join(map(str, step.numbers)))


# Code.

_TURN = """
def turn(x, axes):
    sides = len(x), len(x[0]), len(x[0][0])
    places = [axes.index(axis) for axis in range(3)]
    a, b, c = (range(sides[axis]) for axis in axes)
    return [
        [[x[at[places[0]]][at[places[1]]][at[places[2]]] for k in c for at in [(i, j, k)]] for j in b]
        for i in a
    ]
"""


def _write_function(
    dimension: Dimension,
    alphabet: Alphabet,
    steps: Sequence[RuleStep],
    is_inverse: bool,
    is_coded: bool = False,
) -> str:
    """Return the function as text; `is_coded`: its values are numbers already."""
    body: list[str] = []
    if alphabet != "any":
        body += [f"m = {len(TOKENS[alphabet])}"]
        if not is_coded:
            body += [
                f'table = "{" ".join(TOKENS[alphabet])}".split()',
                _map("x = ", "table.index(c)", dimension),
            ]
    if dimension == 3:
        body += _TURN.strip().splitlines()
    for number, step in enumerate(steps[::-1] if is_inverse else steps, 1):
        body += [f"def step_{number}(line, s):", *("    " + line for line in _write_step(step, is_inverse))]
        body += _apply_to_lines(dimension, step, f"step_{number}")
    is_named = alphabet != "any" and not is_coded
    body.append(_map("return ", "table[c]", dimension) if is_named else "return x")
    return f"def {INVERSE if is_inverse else FORWARD}(x):\n" + "".join(f"    {line}\n" for line in body)


def _map(opening: str, change: str, dimension: Dimension) -> str:
    text = f"[{change} for c in {('x', 'row', 'row')[dimension - 1]}]"
    text = text if dimension == 1 else f"[{text} for row in {('x', 'layer')[dimension - 2]}]"
    return opening + (text if dimension < 3 else f"[{text} for layer in x]")


def _write_step(step: RuleStep, is_inverse: bool) -> Iterator[str]:
    yield "n = len(line)"
    if step.where != "all":
        yield f"if not ({_WHERE[step.where]['test']}):"
        yield "    return line"
    if is_move(step):
        yield f"order = {_MOVES[step.kind]['order'].format(*step.numbers)}"
        yield f"return [line[{'order.index(i)' if is_inverse else 'order[i]'}] for i in range(n)]"
    else:
        text = _SUMS[step.kind]["inverse" if is_inverse else "forward"]
        text = text.format(*step.numbers, all=step.numbers, length=len(step.numbers))
        yield f"return [{text} for i, c in enumerate(line)]"


def _apply_to_lines(dimension: Dimension, step: RuleStep, function: str) -> list[str]:
    if dimension == 1:
        return [f"x = {function}(x, 0)"]
    if dimension == 2:
        turn = ["x = [list(line) for line in zip(*x)]"] if step.axis == 0 else []
        return [*turn, f"x = [{function}(line, s) for s, line in enumerate(x)]", *turn]
    axes = step.by, 3 - step.by - step.axis, step.axis
    back = tuple(axes.index(axis) for axis in range(3))
    apply = f"x = [[{function}(line, s) for line in plane] for s, plane in enumerate(x)]"
    return [apply] if axes == (0, 1, 2) else [f"x = turn(x, {axes})", apply, f"x = turn(x, {back})"]


def grammar_id() -> str:
    """Return the content id of all that rules are drawn from."""
    steps = [list_steps(dimension, alphabet) for dimension in DIMENSIONS for alphabet in TOKENS]
    return content_id("gram", steps, _TABLES)


# Draws.

_PROBES: dict[Dimension, tuple[tuple[int, ...], ...]] = {
    1: ((7,), (8,), (9,), (12,), (6,), (5,)),
    2: ((4, 5), (5, 4), (3, 6), (5, 5)),
    3: ((3, 4, 2), (2, 3, 4), (4, 2, 3), (3, 3, 3)),
}
_TRIES = 200
# On which share of the probes a rule differs from none and from one of its steps, and from all but one.
_LEAST, _LEAST_OF_STEP = 0.6, 0.25


@lru_cache(maxsize=32)
def _probes(dimension: Dimension, alphabet: Alphabet) -> tuple[Value, ...]:
    """Return the fixed inputs that distinguish rules, as numbers: of all tokens, then of few."""
    # By a fixed seed: a rule must have the same name in every edition, so that it is not drawn twice.
    rng, size = derive_rng(0, f"a2rbench/probes/{dimension}/{alphabet}", 0), len(TOKENS[alphabet])

    def fill(sides: Sequence[int], numbers: Sequence[int]) -> Value:
        return [fill(sides[1:], numbers) if sides[1:] else rng.choice(numbers) for _ in range(sides[0])]

    few = rng.sample(range(size), min(size, 4))
    return tuple(fill(sides, numbers) for numbers in (range(size), few) for sides in _PROBES[dimension])


@lru_cache(maxsize=1 << 12)
def run_probes(dimension: Dimension, alphabet: Alphabet, steps: tuple[RuleStep, ...]) -> Sequence[Value]:
    """Return the outputs of these steps for the probes; two rules with equal outputs count as one."""
    outputs: Sequence[Value] = _probes(dimension, alphabet)
    for step in steps:
        outputs = [compile_step(dimension, alphabet, step, False)(value) for value in outputs]
    return list(outputs)


def _name(dimension: Dimension, alphabet: Alphabet, outputs: Sequence[Value]) -> str:
    return content_id("rule", dimension, alphabet, outputs)


@lru_cache(maxsize=32)
def _catalogue_names(dimension: Dimension, alphabet: Alphabet) -> frozenset[str]:
    """Return the names that the catalogue's rules would have by what they do to the probes."""
    tokens = TOKENS[alphabet]
    inputs = [map_tokens(probe, tokens.__getitem__) for probe in _probes(dimension, alphabet)]
    return frozenset(
        _name(dimension, alphabet, [map_tokens(rule.forward(value), tokens.index) for value in inputs])
        for rule in RULES.values()
        if (rule.dimension, rule.alphabet) == (dimension, alphabet)
    )


def draw_rules(domain: str, seed: int, number: int, earlier: Container[str] = ()) -> list[Rule]:
    """Return so many rules of a cell, no two alike, and none like one of the catalogue or of these names.

    Deterministic in the seed. Raises InstancesExhausted where the draws give too few.
    """
    rules: dict[str, Rule] = {}
    for index in range(number):
        for attempt in range(_TRIES):
            rule = draw_rule(domain, derive_rng(seed, f"a2rbench/drawn/{domain}/{index}", attempt))
            if rule is not None and rule.name not in rules and rule.name not in earlier:
                rules[rule.name] = rule
                break
        else:
            raise InstancesExhausted(
                f"{domain}: {_TRIES} draws gave no rule that differs from {len(rules):,} before it and from "
                "those of earlier editions: ask for fewer --seeds, or name models with --author"
            )
    return list(rules.values())


def draw_rule(domain: str, rng: random.Random) -> Rule | None:
    """Return one drawn rule of a cell; None where it is the catalogue's, or a step of it does too little."""
    shape, _, type_ = domain.partition("_")
    dimension = DIMENSIONS[SHAPES.index(shape)]
    alphabet = "any" if type_ == "symbolic" else rng.choice(_ALPHABETS)
    drawn = [_draw_step(list_steps(dimension, alphabet), rng) for _ in range(2)]
    if alphabet != "any" and all(step.kind in _MOVES for step in drawn):
        sums = [step for step in list_steps(dimension, alphabet) if step.kind in _SUMS]
        # Or the rule would only move tokens, as those of the symbolic cells do.
        drawn[rng.randrange(2)] = _draw_step(sums, rng)
    if rng.random() < 0.5:
        drawn.append(rng.choice(list_last_steps(dimension)))
    steps = tuple(drawn)
    if not is_telling(dimension, alphabet, steps):
        return None
    rule = make_rule(dimension, alphabet, steps)
    return None if rule.name in _catalogue_names(dimension, alphabet) else rule


def is_telling(dimension: Dimension, alphabet: Alphabet, steps: tuple[RuleStep, ...]) -> bool:
    """Whether a rule, and each of its steps, makes a difference on enough of the probes."""
    if sum(step.where in _BY_TOKENS for step in steps) > 1:
        return False
    outputs = run_probes(dimension, alphabet, steps)
    without_one = [steps[:index] + steps[index + 1 :] for index in range(len(steps))]
    # A step that hardly matters makes the rule as easy as what is left without it.
    for shorter in ((), *((step,) for step in steps), *without_one):
        pairs = zip(outputs, run_probes(dimension, alphabet, shorter), strict=True)
        least = _LEAST_OF_STEP if len(shorter) > 1 else _LEAST
        if sum(output != other for output, other in pairs) < least * len(outputs):
            return False
    return True


def _draw_step(steps: Sequence[RuleStep], rng: random.Random) -> RuleStep:
    """Return a step; each kind, in all lines or in some, is as likely as another."""
    kinds = sorted({(step.kind, step.where == "all") for step in steps})
    kind = rng.choice(kinds)
    return rng.choice([step for step in steps if (step.kind, step.where == "all") == kind])
