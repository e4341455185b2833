"""Rules that a model wrote, that run and are reversible, and still give no new puzzle of their cell."""

import random
from collections.abc import Callable, Mapping, Sequence

from perennial.tasks.a2rbench.catalogue.registry import RULES
from perennial.tasks.a2rbench.catalogue.rule import FORWARD, Dimension, Value
from perennial.tasks.a2rbench.coded_rule import CodedRule
from perennial.tasks.a2rbench.items import Shown
from perennial.tasks.a2rbench.remapping import draw_remapping, remap
from perennial.tasks.a2rbench.trials import UnfitItem
from perennial.tasks.a2rbench.values import tokens_of
from perennial.tasks.sandbox.refusal import Refused
from perennial.tasks.sandbox.run import Jail, run_code

INVERSE_OF_KNOWN, COMPOSITION, STRUCTURAL, MIRRORED = (
    "inverse_of_known",
    "composition_of_known",
    "structural",
    "mirrored_example",
)
_PERMUTATIONS = 3
# Tokens that a rule does not know, or a shape that only its outputs have.
_UNFIT = (ValueError, LookupError, TypeError, ArithmeticError)
Function = Callable[[Value], Value]


def refuse_derived(dimension: Dimension, inputs: Sequence[Value], outputs: Sequence[Value]) -> None:
    """Raise UnfitItem where a catalogue rule backwards, or two of them forwards or backwards, do the same."""
    functions = _functions(dimension)
    for words, function in functions:
        if _maps(function, inputs, outputs):
            raise UnfitItem(INVERSE_OF_KNOWN, f"it is a rule that exists already, read backwards: {words}")
    for words, function in functions:
        between = _apply_all(function, inputs)
        for others, other in functions if between is not None else ():
            if _maps(other, between or [], outputs):
                why = f"it is two rules that exist already, one after the other: {words} Then: {others}"
                raise UnfitItem(COMPOSITION, why)


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
        raise UnfitItem(STRUCTURAL, why)


def refuse_mirrored(shown: Shown) -> None:
    """Raise UnfitItem where an example, read backwards, leads from the query to the answer."""
    for number, (given, wanted) in enumerate(shown.examples, 1):
        if given == shown.answer and wanted == shown.query:
            why = f"example {number} turns the answer into the query: read backwards, it shows the answer"
            raise UnfitItem(MIRRORED, why)


def _functions(dimension: Dimension) -> list[tuple[str, Function]]:
    """Return the catalogue rules of a dimension and their inverses, with their words."""
    rules = [rule for rule in RULES.values() if rule.dimension == dimension]
    forward = [(rule.description, rule.forward) for rule in rules]
    return forward + [(rule.inverse_description, rule.inverse) for rule in rules]


def _maps(function: Function, inputs: Sequence[Value], outputs: Sequence[Value]) -> bool:
    """Return whether a function gives all outputs: most fail at the first one."""
    try:
        return all(function(given) == wanted for given, wanted in zip(inputs, outputs, strict=True))
    except _UNFIT:
        return False


def _apply_all(function: Function, values: Sequence[Value]) -> list[Value] | None:
    """Return what a function gives for all values; None where it does not take one."""
    try:
        return [function(value) for value in values]
    except _UNFIT:
        return None


def _commutes(
    rule: CodedRule, inputs: Sequence[Value], outputs: Sequence[Value], phi: Mapping[str, str], jail: Jail
) -> bool:
    try:
        found = run_code(rule.code, FORWARD, [remap(value, phi) for value in inputs], jail=jail)
    except Refused:
        return False
    return found == [remap(value, phi) for value in outputs]
