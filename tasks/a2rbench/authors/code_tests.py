"""Test a script that a model wrote by running it: on its own inputs, and on more of the same kind.

The paper's cycle is tested on examples and query alone; a script that remembers them, or that is reversible
there only, passes that.
"""

import random
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from perennial.schemas.errors import shorten
from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.authors.generated import generate_inputs
from perennial.tasks.a2rbench.authors.refusals import refuse_derived, refuse_mirrored, refuse_structural
from perennial.tasks.a2rbench.catalogue.registry import RULES
from perennial.tasks.a2rbench.catalogue.rule import FORWARD, Rule, Value
from perennial.tasks.a2rbench.coded_rule import CodedRule
from perennial.tasks.a2rbench.hash_seeds import trial_seeds
from perennial.tasks.a2rbench.items import Shown
from perennial.tasks.a2rbench.trials import UnfitItem, check_item, run_inputs
from perennial.tasks.a2rbench.values import fault_of_input
from perennial.tasks.sandbox.refusal import Refused
from perennial.tasks.sandbox.run import Jail, run_code

KNOWN = "known_rule"
GENERATED = 20
_LONGEST_VALUE, _LONGEST_DETAIL = 300, 600


@dataclass(frozen=True, slots=True)
class TestedRule:
    """A rule that passed: what its item shows, and all inputs that it was run on with their outputs."""

    __test__ = False  # a name that pytest would collect

    rule: CodedRule
    shown: Shown
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What a new rule must not repeat: code of rules of its cell, and content hashes of earlier items."""

    codes: tuple[str, ...] = ()
    issued: Container[str] = frozenset()


def run_rule(
    rule: CodedRule, inputs: Sequence[Value], known: Known, jail: Jail, seed: int, rng: random.Random
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
        own, *further = run_inputs(
            rule, [inputs, *([value] for value in more)], jail, trial_seeds(rule, seed)
        )
    except Refused as error:
        raise _find_refused(rule, [*inputs, *more], error, jail) from None
    if isinstance(own, UnfitItem):
        raise own
    outputs = own.outputs + _outputs_of(more, further)
    tried = [*inputs, *more]
    for value, output in zip(tried, outputs, strict=True):
        fault = fault_of_input(output, rule.dimension)
        if fault:
            raise UnfitItem("bad_shape", f"the output of {_quote(value)} is {fault}")
    _check_outputs(tried, outputs)
    tested = TestedRule(rule, own, tuple(tried), tuple(outputs))
    twin = find_twin(tested, known.codes, jail)
    if twin:
        raise UnfitItem(KNOWN, twin)
    refuse_derived(rule.dimension, tried, outputs)
    refuse_structural(rule, tried, outputs, jail, rng)
    refuse_mirrored(own)
    check_item(rule, 0, own, frozenset(), known.issued)
    return tested


def find_twin(tested: TestedRule, codes: Iterable[str], jail: Jail) -> str:
    """Return which known rule gives the same outputs for all inputs that were tried; "" for none."""
    for rule in RULES.values():
        if rule.dimension == tested.rule.dimension and _apply_all(rule, tested):
            return f"it is a rule that exists already: {rule.description}"
    for code in codes:
        if code == tested.rule.code or _gives_same(code, tested, jail):
            return "it is a rule that was written for another puzzle already"
    return ""


def _apply_all(rule: Rule, tested: TestedRule) -> bool:
    try:
        pairs = zip(tested.inputs, tested.outputs, strict=True)
        return all(rule.forward(given) == wanted for given, wanted in pairs)
    except (ValueError, IndexError, KeyError):  # tokens that the rule does not know
        return False


def _gives_same(code: str, tested: TestedRule, jail: Jail) -> bool:
    try:
        return run_code(code, FORWARD, tested.inputs, jail=jail) == list(tested.outputs)
    except Refused:
        return False


def _check_inputs(rule: CodedRule, inputs: Sequence[Value]) -> None:
    for number, value in enumerate(inputs, 1):
        fault = fault_of_input(value, rule.dimension)
        if fault:
            raise UnfitItem("bad_input", f"input {number} (the query is the last) is {fault}")
    if len({canonical_json(value) for value in inputs}) < len(inputs):
        raise UnfitItem("same_input", "two of the inputs are the same; give different ones")


def _outputs_of(inputs: Sequence[Value], tried: Sequence[Shown | UnfitItem]) -> list[Value]:
    """Return the outputs of generated inputs, each tried by itself; raise UnfitItem naming the input."""
    outputs = []
    for value, shown in zip(inputs, tried, strict=True):
        if isinstance(shown, UnfitItem):
            what = "the inverse does not give it back" if shown.reason == "open_cycle" else str(shown)
            raise UnfitItem(shown.reason, f"on the further input {_quote(value)}: {what}")
        outputs.append(shown.answer)
    return outputs


def _find_refused(rule: CodedRule, inputs: Sequence[Value], error: Refused, jail: Jail) -> UnfitItem:
    """Return the refusal with the first input that by itself is refused for the same reason."""
    detail = shorten(error.detail, _LONGEST_DETAIL)
    if error.reason in ("raised", "time", "memory", "value", "mutated"):
        for value in inputs:
            try:
                run_inputs(rule, [[value]], jail, (1,))
            except Refused as own:
                if own.reason == error.reason:
                    said = shorten(own.detail, _LONGEST_DETAIL)
                    return UnfitItem(own.reason, f"on the input {_quote(value)}: {said}")
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
