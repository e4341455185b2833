"""Try inputs of an item: run the rule's code on them, and test what that gives.

Outputs come from the rule's code, run in the sandbox, and never from an author.
"""

from collections.abc import Container, Sequence

from perennial.schemas.a2rbench.authoring import CATALOGUE
from perennial.tasks.a2rbench.catalogue.rule import FORWARD, INVERSE, Value
from perennial.tasks.a2rbench.coded_rule import CodedRule
from perennial.tasks.a2rbench.fits import Fits, find_fits
from perennial.tasks.a2rbench.items import PREFIX, Shown, instance_id, show
from perennial.tasks.a2rbench.uniqueness.trivial import find_trivial
from perennial.tasks.a2rbench.values import fault_of_shape
from perennial.tasks.sandbox.run import Jail, run_purely


class UnfitItem(Exception):
    """An item that players must not be shown: a named reason, and why in one line."""

    def __init__(self, reason: str, why: str) -> None:
        super().__init__(why)
        self.reason = reason


def run_inputs(
    rule: CodedRule, inputs: Sequence[Sequence[Value]], jail: Jail, hash_seeds: Sequence[int]
) -> list[Shown | UnfitItem]:
    """Return what each list of inputs, the query last, shows; UnfitItem where its cycle does not close.

    The rule runs with each of the hash seeds, its inverse with every other one. Raises Refused where the
    sandbox refuses the code on any of them (section 3.1: g(f(x)) = x).
    """
    flat = [value for values in inputs for value in values]
    if not flat:
        return []
    outputs = run_purely(rule.code, FORWARD, flat, jail=jail, hash_seeds=hash_seeds)
    # In processes that never saw the inputs: a rule cannot remember what it was given.
    back = run_purely(rule.code, INVERSE, outputs, jail=jail, hash_seeds=hash_seeds[1::2] or hash_seeds)
    tried: list[Shown | UnfitItem] = []
    place = 0
    for values in inputs:
        part = slice(place, place + len(values))
        tried.append(_test_cycle(rule, list(values), outputs[part], back[part]))
        place += len(values)
    return tried


def _test_cycle(
    rule: CodedRule, inputs: list[Value], outputs: list[Value], back: list[Value]
) -> Shown | UnfitItem:
    for number, (given, output, returned) in enumerate(zip(inputs, outputs, back, strict=True), 1):
        if returned != given:
            return UnfitItem("open_cycle", f"the inverse does not give back input {number}")
        fault = fault_of_shape(output, rule.dimension)
        if fault:
            return UnfitItem("bad_shape", f"the output of input {number} is {fault}")
    return show(inputs, outputs)


def check_item(
    rule: CodedRule, variation: int, shown: Shown, known: Container[str], issued: Container[str] = frozenset()
) -> Fits:
    """Return the programs that fit an item, which has one answer.

    `known` are ids of items, `issued` content hashes of those of earlier editions. Raises UnfitItem for an
    item that is there already, in which nothing changes, whose answer is trivial, or that a program fits that
    gives another answer.
    """
    own = instance_id(shown)
    if own in known or own.removeprefix(f"{PREFIX}_") in issued:
        raise UnfitItem("not_new", "there is an item with these examples and this query already")
    changed = [given != wanted for given, wanted in zip(shown.inputs, shown.outputs, strict=True)]
    if not any(changed[:-1]) or (variation == 0 and 2 * sum(changed) <= len(changed)):
        raise UnfitItem("unchanged", "the rule changes none of the examples, or of a seed only a few")
    why = find_trivial(rule.dimension, shown.examples, shown.query, shown.answer)
    if why:
        raise UnfitItem("trivial", why)
    fits = find_fits(rule.dimension, shown.examples, shown.query)
    why = fault_of_fits(rule, shown, fits)
    if why:
        raise UnfitItem("not_unique", why)
    return fits


def fault_of_fits(rule: CodedRule, shown: Shown, fits: Fits) -> str:
    """Return why the programs that fit leave the item without one answer, "" where they agree with it.

    A rule of the catalogue is among those that fit; what an author wrote need not be.
    """
    if fits.count and (fits.other or fits.answer != shown.answer):
        return "a program that fits the examples gives another answer"
    if not fits.count and rule.author == CATALOGUE:
        return "the rule itself does not fit the examples"
    return ""
