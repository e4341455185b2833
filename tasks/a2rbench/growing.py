"""Grow the items of one seed: a rule, its variations V0 to V9, and their copies in other tokens (P1).

Outputs come from the rule's code, run in the sandbox, and never from an author. Several draws of inputs of
each variation are run at once, as starting processes costs more than calls; the first good one is taken.
"""

from collections.abc import Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from schemas.a2rbench.item import Item
from schemas.ids import derive_rng
from tasks.a2rbench.catalogue.rule import FORWARD, INVERSE, Rule, Value
from tasks.a2rbench.fits import Fits, find_fits
from tasks.a2rbench.inputs import draw_inputs
from tasks.a2rbench.items import PREFIX, Shown, instance_id, show, write_item
from tasks.a2rbench.remapping import draw_remapping, remap
from tasks.a2rbench.values import fault_of_shape
from tasks.sandbox.refusal import Refused
from tasks.sandbox.run import Jail, run_code, run_purely

Phi = dict[str, str]
# Draws of a variation: so many at once, and so often.
_AT_ONCE, _ROUNDS = 2, 10


@dataclass(frozen=True, slots=True)
class SeedRequest:
    """A seed: a rule, its number among the seeds of its cell, and what to make of it.

    `issued` holds the content hashes of earlier editions' items.
    """

    rule: Rule
    number: int
    variations: Sequence[int]
    remapping: bool
    seed: int
    jail: Jail
    issued: Container[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rejected:
    """An item that does not exist: its variation, the rule that it broke, and why."""

    variation: int
    rule: str
    why: str


@dataclass
class GrownSeed:
    """The items of a seed, by variation and with a copy after its original, and those that are missing."""

    items: list[Item] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Candidate:
    variation: int
    attempt: int
    inputs: list[Value]


class _Drawn(NamedTuple):
    """What an item shows, the programs that fit it, and how many draws were refused before."""

    shown: Shown
    fits: Fits
    rejected: int


def grow_seed(request: SeedRequest) -> GrownSeed:
    """Return the items of a seed; deterministic in edition seed, rule and number.

    A draw is refused where a program that fits its examples gives another answer, where nothing changes in
    any example, where the inverse does not give back each input, and where an edition holds it already.
    """
    grown = GrownSeed()
    try:
        found = _draw_variations(request, grown)
        if 0 not in found:
            grown.rejected += [
                Rejected(each, "no_seed_item", "there is no V0 of this seed") for each in found
            ]
            return grown
        grown.items = _write(request, found, grown)
    except Refused as error:
        grown.items = []
        grown.rejected.append(Rejected(0, "refused_by_sandbox", str(error)))
    return grown


def _draw_variations(request: SeedRequest, grown: GrownSeed) -> dict[int, _Drawn]:
    """Return the first good draw of each variation."""
    found: dict[int, _Drawn] = {}
    seen: set[str] = set()
    for round_ in range(_ROUNDS):
        open_ = [variation for variation in request.variations if variation not in found]
        candidates = [
            _Candidate(variation, attempt, inputs)
            for variation in open_
            for attempt in range(round_ * _AT_ONCE, (round_ + 1) * _AT_ONCE)
            if (inputs := _draw(request, variation, attempt)) is not None
        ]
        for candidate, shown in zip(candidates, _run(request, candidates), strict=True):
            if candidate.variation in found or shown is None:
                continue
            fits = _judge(request, candidate.variation, shown, seen)
            if fits is not None:
                seen.add(instance_id(shown))
                found[candidate.variation] = _Drawn(shown, fits, candidate.attempt)
    for variation in request.variations:
        if variation not in found:
            why = (
                f"{_ROUNDS * _AT_ONCE} draws gave no new item whose answer all programs that fit agree on, "
                "and whose inverse closes"
            )
            grown.rejected.append(Rejected(variation, "no_unique_item", why))
    return {variation: found[variation] for variation in sorted(found)}


def _draw(request: SeedRequest, variation: int, attempt: int) -> list[Value] | None:
    place = f"a2rbench/{request.rule.name}/{request.number}/V{variation}"
    return draw_inputs(request.rule, variation, derive_rng(request.seed, place, attempt))


def _run(request: SeedRequest, candidates: Sequence[_Candidate]) -> list[Shown | None]:
    """Return what each candidate shows; None where its cycle does not close or an output has no shape."""
    if not candidates:
        return []
    code, jail, dimension = request.rule.code, request.jail, request.rule.dimension
    inputs = [value for candidate in candidates for value in candidate.inputs]
    outputs = run_purely(code, FORWARD, inputs, jail=jail)
    # In a process that never saw the inputs: a rule cannot remember what it was given.
    back = run_code(code, INVERSE, outputs, jail=jail)
    found: list[Shown | None] = []
    for candidate in candidates:
        size, start = len(candidate.inputs), len(found) * len(candidates[0].inputs)
        own = outputs[start : start + size]
        good = back[start : start + size] == candidate.inputs
        good = good and not any(fault_of_shape(value, dimension) for value in own)
        found.append(show(candidate.inputs, own) if good else None)
    return found


def _judge(request: SeedRequest, variation: int, shown: Shown, seen: set[str]) -> Fits | None:
    """Return the programs that fit a new item with one answer; None where it is not new, or has several."""
    own = instance_id(shown)
    if own in seen or own.removeprefix(f"{PREFIX}_") in request.issued:
        return None
    changed = [given != wanted for given, wanted in zip(shown.inputs, shown.outputs, strict=True)]
    if not any(changed[:-1]) or (variation == 0 and 2 * sum(changed) <= len(changed)):
        return None
    fits = find_fits(request.rule.dimension, shown.examples, shown.query)
    return fits if fits.count and not fits.other and fits.answer == shown.answer else None


def _write(request: SeedRequest, found: dict[int, _Drawn], grown: GrownSeed) -> list[Item]:
    """Return the rows, each copy after its original."""
    seed_item = instance_id(found[0].shown)
    copies = _copy_all(request, found)
    items = []
    for variation, (shown, fits, rejected) in found.items():
        phi, copy = copies.get(variation, (None, None))
        commutes = None if phi is None else copy is not None and copy.outputs == remap(shown.outputs, phi)
        written = partial(write_item, request.rule, variation, seed_item=seed_item)
        items.append(written(shown, fits, commutes=commutes, rejected_draws=rejected))
        if request.rule.type != "symbolic" or not request.remapping:
            continue
        if copy is None or phi is None or not commutes:
            why = (
                "the item has more tokens than there are signs"
                if phi is None
                else "f(phi(x)) is not phi(f(x))"
            )
            grown.rejected.append(Rejected(variation, "not_remapped", why))
            continue
        fits_of_copy = _judge(request, variation, copy, {item.instance_id for item in items})
        if fits_of_copy is None:
            grown.rejected.append(Rejected(variation, "not_remapped", "the copy is not new, or not unique"))
        else:
            own = items[-1].instance_id
            items.append(written(copy, fits_of_copy, of=own, phi=phi, commutes=True))
    return items


def _copy_all(request: SeedRequest, found: dict[int, _Drawn]) -> dict[int, tuple[Phi, Shown | None]]:
    """Return for each variation of a symbolic rule a mapping of tokens and what the copy shows.

    The copy's outputs come from the code as well; None where it fails on the other tokens.
    """
    if request.rule.type != "symbolic" or not request.remapping:
        return {}
    copies: dict[int, tuple[Phi, Shown | None]] = {}
    for variation, drawn in found.items():
        place = f"a2rbench/{request.rule.name}/{request.number}/phi"
        values = [*drawn.shown.inputs, *drawn.shown.outputs]
        phi = draw_remapping(values, derive_rng(request.seed, place, variation))
        if phi is not None:
            copies[variation] = phi, None
    inputs = {variation: remap(found[variation].shown.inputs, phi) for variation, (phi, _) in copies.items()}
    try:
        outputs = _run_each(request, inputs)
    except Refused:
        # It fails on some of them: one process for each says which.
        outputs = {}
        for variation, values in inputs.items():
            with suppress(Refused):
                outputs |= _run_each(request, {variation: values})
    return {
        variation: (phi, show(inputs[variation], outputs[variation]) if variation in outputs else None)
        for variation, (phi, _) in copies.items()
    }


def _run_each(request: SeedRequest, inputs: dict[int, list[Value]]) -> dict[int, list[Value]]:
    """Return the outputs of several lists of inputs, all from one process."""
    flat = [value for values in inputs.values() for value in values]
    outputs = iter(run_code(request.rule.code, FORWARD, flat, jail=request.jail) if flat else [])
    return {variation: [next(outputs) for _ in values] for variation, values in inputs.items()}
