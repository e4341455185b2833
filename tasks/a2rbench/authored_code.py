"""Test a script that a model wrote by running it: on its own inputs, and on more of the same kind.

The paper's cycle is tested on examples and query alone; a script that remembers them, or that is reversible
there only, passes that.
"""

import random
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from perennial.schemas.errors import shorten
from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.catalogue import FORWARD, RULES, Dimension, Function, Value
from perennial.tasks.a2rbench.growing import trial_seeds
from perennial.tasks.a2rbench.items import (
    CodedRule,
    ItemParts,
    UnfitItem,
    check_item,
    draw_remapping,
    remap,
    run_inputs,
)
from perennial.tasks.a2rbench.values import build_value, fault_of_input, shape_of, tokens_of
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import Jail, run_code

# More inputs of the same kind as an author's: their tokens, in sizes between theirs.

_DRAWS_A_PIECE = 5


def generate_inputs(
    dimension: Dimension, inputs: Sequence[Value], number: int, rng: random.Random
) -> list[Value]:
    """Return up to `number` further inputs, each once and none of the given ones.

    Half of them reorder the tokens of an author's input, half draw new tokens for its shape. Empty if no
    input has a token.
    """
    tokens = [token for value in inputs for token in tokens_of(value)]
    if not tokens:
        return []
    sizes = [shape_of(value, dimension) for value in inputs]
    ends = [(min(side), max(side)) for side in zip(*sizes, strict=True)]
    seen = {canonical_json(value) for value in inputs}
    values: list[Value] = []
    for draw in range(number * _DRAWS_A_PIECE):
        if draw % 2:
            template = rng.choice(inputs)
            new_tokens = list(tokens_of(template))
            rng.shuffle(new_tokens)
            sides = shape_of(template, dimension)
        else:
            sides = tuple(rng.randint(low, high) for low, high in ends)
            new_tokens = rng.choices(tokens, k=prod(sides))
        value = build_value(sides, iter(new_tokens))
        text = canonical_json(value)
        if text not in seen:
            seen.add(text)
            values.append(value)
        if len(values) == number:
            break
    return values


# Rules that a model wrote, that run and are reversible, and still give no new puzzle of their cell.

_PERMUTATIONS = 3
# Tokens that a rule does not know, or a shape that only its outputs have.
_UNFIT = (ValueError, LookupError, TypeError, ArithmeticError)


def refuse_derived(dimension: Dimension, inputs: Sequence[Value], outputs: Sequence[Value]) -> None:
    """Raise UnfitItem where a catalogue rule backwards, or two of them forwards or backwards, do the same."""
    functions = _functions(dimension)
    for words, function in functions:
        if _maps(function, inputs, outputs):
            raise UnfitItem("inverse_of_known", f"it is a rule that exists already, read backwards: {words}")
    for words, function in functions:
        between = _apply_rule_to_all(function, inputs)
        for others, other in functions if between is not None else ():
            if _maps(other, between or [], outputs):
                why = f"it is two rules that exist already, one after the other: {words} Then: {others}"
                raise UnfitItem("composition_of_known", why)


def refuse_structural(
    rule: CodedRule, inputs: Sequence[Value], outputs: Sequence[Value], jail: Jail, rng: random.Random
) -> None:
    """Raise UnfitItem where a semantic rule does not look at what tokens mean.

    It gives renamed outputs for renamed inputs, whether tokens change places with each other or are replaced
    by signs that it cannot know.
    """
    if rule.type != "semantic":
        return
    values = [*inputs, *outputs]
    tokens = sorted(set(tokens_of(values)))
    phis: list[Mapping[str, str]] = [
        dict(zip(tokens, rng.sample(tokens, len(tokens)), strict=True)) for _ in range(_PERMUTATIONS)
    ]
    signs = draw_remapping(values, rng)
    phis += [] if signs is None else [signs]
    moving = [phi for phi in phis if any(token != sign for token, sign in phi.items())]
    if moving and all(_commutes(rule, inputs, outputs, phi, jail) for phi in moving):
        why = (
            "the rule does the same to any tokens, so that it is symbolic; a semantic rule uses what tokens "
            "mean outside the puzzle"
        )
        raise UnfitItem("structural", why)


def refuse_mirrored(puzzle: ItemParts) -> None:
    """Raise UnfitItem where an example, read backwards, leads from the query to the answer."""
    for number, (source, wanted) in enumerate(puzzle.examples, 1):
        if source == puzzle.answer and wanted == puzzle.query:
            why = f"example {number} turns the answer into the query: read backwards, it shows the answer"
            raise UnfitItem("mirrored_example", why)


def _functions(dimension: Dimension) -> list[tuple[str, Function]]:
    """Return the catalogue rules of a dimension and their inverses, with their words."""
    rules = [rule for rule in RULES.values() if rule.dimension == dimension]
    forward: list[tuple[str, Function]] = [(rule.description, rule.forward) for rule in rules]
    return forward + [(rule.inverse_description, rule.inverse) for rule in rules]


def _maps(function: Function, inputs: Sequence[Value], outputs: Sequence[Value]) -> bool:
    """Return whether a function gives all outputs: most fail at the first one."""
    try:
        return all(function(source) == wanted for source, wanted in zip(inputs, outputs, strict=True))
    except _UNFIT:
        return False


def _apply_rule_to_all(function: Function, values: Sequence[Value]) -> list[Value] | None:
    """Return what a function gives for all values; None where it does not take one."""
    try:
        return [function(value) for value in values]
    except _UNFIT:
        return None


def _commutes(
    rule: CodedRule, inputs: Sequence[Value], outputs: Sequence[Value], phi: Mapping[str, str], jail: Jail
) -> bool:
    try:
        outputs_of_copies = run_code(rule.code, FORWARD, [remap(value, phi) for value in inputs], jail=jail)
    except SandboxRefusal:
        return False
    return outputs_of_copies == [remap(value, phi) for value in outputs]


KNOWN = "known_rule"
GENERATED = 20
_LONGEST_VALUE, _LONGEST_DETAIL = 300, 600


@dataclass(frozen=True, slots=True)
class TestedRule:
    """A rule that passed: what its item shows, and all inputs that it was run on with their outputs."""

    __test__ = False  # a name that pytest would collect

    rule: CodedRule
    puzzle: ItemParts
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class EarlierCode:
    """What a new rule must not repeat: code of rules of its cell, and content hashes of earlier items."""

    codes: tuple[str, ...] = ()
    issued: Container[str] = frozenset()


def run_rule(
    rule: CodedRule, inputs: Sequence[Value], existing: EarlierCode, jail: Jail, seed: int, rng: random.Random
) -> TestedRule:
    """Return what a rule gives for its inputs, the query last, and for generated ones.

    `seed` is the edition's: the orders of sets in which the code runs are drawn with it.

    Raises UnfitItem with a named reason, and a line for the author: the sandbox's reasons, `bad_input`,
    `same_input`, `open_cycle`, `bad_shape`, `same_output`, `unchanged`, `not_new`, `not_unique`,
    `known_rule`, and those of `refusals`.
    """
    _check_inputs(rule, inputs)
    more = generate_inputs(rule.dimension, inputs, GENERATED, rng)
    try:
        puzzle, *further = run_inputs(
            rule, [inputs, *([value] for value in more)], jail, trial_seeds(rule, seed)
        )
    except SandboxRefusal as error:
        raise _find_refused(rule, [*inputs, *more], error, jail) from None
    if isinstance(puzzle, UnfitItem):
        raise puzzle
    outputs = puzzle.outputs + _outputs_of(more, further)
    tried = [*inputs, *more]
    for value, output in zip(tried, outputs, strict=True):
        fault = fault_of_input(output, rule.dimension)
        if fault:
            raise UnfitItem("bad_shape", f"the output of {_quote(value)} is {fault}")
    _check_outputs(tried, outputs)
    tested = TestedRule(rule, puzzle, tuple(tried), tuple(outputs))
    twin = find_twin(tested, existing.codes, jail)
    if twin:
        raise UnfitItem(KNOWN, twin)
    refuse_derived(rule.dimension, tried, outputs)
    refuse_structural(rule, tried, outputs, jail, rng)
    refuse_mirrored(puzzle)
    check_item(rule, 0, puzzle, frozenset(), existing.issued)
    return tested


def find_twin(tested: TestedRule, codes: Iterable[str], jail: Jail) -> str:
    """Return which known rule gives the same outputs for all inputs that were tried; "" for none."""
    for rule in RULES.values():
        if rule.dimension == tested.rule.dimension and _maps(rule.forward, tested.inputs, tested.outputs):
            return f"it is a rule that exists already: {rule.description}"
    for code in codes:
        if code == tested.rule.code or _gives_same(code, tested, jail):
            return "it is a rule that was written for another puzzle already"
    return ""


def _gives_same(code: str, tested: TestedRule, jail: Jail) -> bool:
    try:
        return run_code(code, FORWARD, tested.inputs, jail=jail) == list(tested.outputs)
    except SandboxRefusal:
        return False


def _check_inputs(rule: CodedRule, inputs: Sequence[Value]) -> None:
    for number, value in enumerate(inputs, 1):
        fault = fault_of_input(value, rule.dimension)
        if fault:
            raise UnfitItem("bad_input", f"input {number} (the query is the last) is {fault}")
    if len({canonical_json(value) for value in inputs}) < len(inputs):
        raise UnfitItem("same_input", "two of the inputs are the same; give different ones")


def _outputs_of(inputs: Sequence[Value], tried: Sequence[ItemParts | UnfitItem]) -> list[Value]:
    """Return the outputs of generated inputs, each tried by itself; raise UnfitItem naming the input."""
    outputs = []
    for value, puzzle in zip(inputs, tried, strict=True):
        if isinstance(puzzle, UnfitItem):
            what = "the inverse does not give it back" if puzzle.reason == "open_cycle" else str(puzzle)
            raise UnfitItem(puzzle.reason, f"on the further input {_quote(value)}: {what}")
        outputs.append(puzzle.answer)
    return outputs


def _find_refused(rule: CodedRule, inputs: Sequence[Value], error: SandboxRefusal, jail: Jail) -> UnfitItem:
    """Return the refusal with the first input that by itself is refused for the same reason."""
    detail = shorten(error.detail, _LONGEST_DETAIL)
    if error.reason in ("raised", "time", "memory", "value", "mutated"):
        for value in inputs:
            try:
                run_inputs(rule, [[value]], jail, (1,))
            except SandboxRefusal as own:
                if own.reason == error.reason:
                    shortened = shorten(own.detail, _LONGEST_DETAIL)
                    return UnfitItem(own.reason, f"on the input {_quote(value)}: {shortened}")
    return UnfitItem(error.reason, detail)


def _check_outputs(inputs: Sequence[Value], outputs: Sequence[Value]) -> None:
    seen: dict[str, Value] = {}
    for value, output in zip(inputs, outputs, strict=True):
        text = canonical_json(output)
        if text in seen:
            both = f"{_quote(seen[text])} and {_quote(value)}"
            raise UnfitItem("same_output", f"two inputs have one output: {both}")
        seen[text] = value
    changed = sum(value != output for value, output in zip(inputs, outputs, strict=True))
    if 2 * changed <= len(inputs):
        why = f"the rule changes {changed} of {len(inputs)} inputs that were tried; it must change most"
        raise UnfitItem("unchanged", why)


def _quote(value: Value) -> str:
    return shorten(canonical_json(value), _LONGEST_VALUE)
