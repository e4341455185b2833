"""Grow the items of one seed of a rule of perennial's: draw inputs of each variation V0 to V9.

Several draws of inputs of each variation are run at once, as starting processes costs more than calls; the
first good one is taken.
"""

import random
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Generic, NamedTuple, TypeVar

from perennial.schemas.a2rbench.things import OURS, Item
from perennial.schemas.ids import derive_rng
from perennial.tasks.a2rbench.catalogue import FORWARD, Rule, Value
from perennial.tasks.a2rbench.fits import Fits
from perennial.tasks.a2rbench.inputs import draw_inputs, find_trivial
from perennial.tasks.a2rbench.items import (
    CodedRule,
    ItemParts,
    UnfitItem,
    check_item,
    draw_remapping,
    instance_id,
    remap,
    run_inputs,
    show,
    write_item,
)
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import Jail, run_code, try_twice

# The orders of sets in which a rule's code is tried: hash seeds, drawn from the edition's seed.
#
# A rule that builds on the order of a set of two texts passes n of them by chance with a probability of
# 1 / 2^(n - 1). The rules of perennial's use no order of a set, which tests show: for them two are enough.

TRIED, AT_GATE = 5, 7
_TRIED_OF_OURS, _AT_GATE_OF_OURS = 2, 1


def trial_seeds(rule: CodedRule, seed: int) -> list[int]:
    """Return the hash seeds with which a rule's code is run before an item is made."""
    return _draw_hash_seed(rule, seed, "trial", _TRIED_OF_OURS if rule.author in OURS else TRIED)


def gate_seeds(rule: CodedRule, seed: int) -> list[int]:
    """Return the hash seeds with which the gate runs a rule's code: others, and more of them."""
    return _draw_hash_seed(rule, seed, "gate", _AT_GATE_OF_OURS if rule.author in OURS else AT_GATE)


def _draw_hash_seed(rule: CodedRule, seed: int, purpose: str, number: int) -> list[int]:
    # 0 would switch hashing by chance off.
    return derive_rng(seed, f"a2rbench/{rule.name}/hash/{purpose}", 0).sample(range(1, 2**32), number)


# From the variations of a seed to its items: each original, and symbolic ones in other tokens (P1) too.

Phi = dict[str, str]
_PHI_DRAWS = 20
AnyRule = TypeVar("AnyRule", bound=CodedRule)


@dataclass(frozen=True, slots=True)
class SeedRequest(Generic[AnyRule]):
    """A seed: a rule, its number among the seeds of its cell, and what to make of it.

    `issued` holds the content hashes of earlier editions' items.
    """

    rule: AnyRule
    number: int
    variations: Sequence[int]
    remapping: bool
    seed: int
    jail: Jail
    issued: Container[str] = frozenset()

    @property
    def hash_seeds(self) -> list[int]:
        """The orders of sets with which the rule's code is tried."""
        return trial_seeds(self.rule, self.seed)


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


class DrawnItem(NamedTuple):
    """What an item shows, the programs that fit it, and how many draws were refused before."""

    puzzle: ItemParts
    fits: Fits
    rejected: int


def write_items(request: SeedRequest[AnyRule], drawn: Mapping[int, DrawnItem]) -> GrownSeed:
    """Return the items of these variations (V0 is one), each copy after its original.

    Raises Refused where the sandbox refuses to run the code.
    """
    grown = GrownSeed()
    seed_item = instance_id(drawn[0].puzzle)
    copies = _copy_all(request, drawn)
    for variation, (puzzle, fits, rejected) in sorted(drawn.items()):
        phi, copy = copies.get(variation, (None, None))
        commutes = None if phi is None else copy is not None and copy.outputs == remap(puzzle.outputs, phi)
        written = partial(write_item, request.rule, variation, seed_item=seed_item)
        grown.items.append(written(puzzle, fits, commutes=commutes, rejected_draws=rejected))
        if not _is_copied(request):
            continue
        if copy is None or phi is None or not commutes:
            why = (
                "the item has more tokens than there are signs"
                if phi is None
                else "f(phi(x)) is not phi(f(x))"
            )
            grown.rejected.append(Rejected(variation, "not_remapped", why))
            continue
        issued_ids = {item.instance_id for item in grown.items}
        try:
            fits_of_copy = check_item(request.rule, variation, copy, issued_ids, request.issued)
        except UnfitItem as fault:
            grown.rejected.append(Rejected(variation, "not_remapped", str(fault)))
        else:
            original_id = grown.items[-1].instance_id
            grown.items.append(written(copy, fits_of_copy, original_id=original_id, phi=phi, commutes=True))
    return grown


def remove_known(grown: GrownSeed, issued_ids: Container[str]) -> GrownSeed:
    """Return the seed without items of these ids and without their copies: all of it where V0 is one."""
    if not grown.items:
        return grown
    is_known = {item.instance_id for item in grown.items if item.instance_id in issued_ids}
    if grown.items[0].instance_id in is_known:
        is_known = {item.instance_id for item in grown.items}
    kept = [item for item in grown.items if is_known.isdisjoint((item.instance_id, item.of))]
    why = "another rule of the edition has this item, its original or its V0"
    rejected = [
        Rejected(item.variation, "not_remapped" if item.is_remapped else "not_new", why)
        for item in grown.items
        if item not in kept
    ]
    return GrownSeed(kept, [*grown.rejected, *rejected])


def _is_copied(request: SeedRequest[AnyRule]) -> bool:
    return request.rule.type == "symbolic" and request.remapping


def _copy_all(
    request: SeedRequest[AnyRule], drawn: Mapping[int, DrawnItem]
) -> dict[int, tuple[Phi, ItemParts | None]]:
    """Return for each variation of a symbolic rule a mapping of tokens and what the copy shows.

    The copy's outputs come from the code as well; None where it fails on the other tokens.
    """
    if not _is_copied(request):
        return {}
    copies: dict[int, tuple[Phi, ItemParts | None]] = {}
    for variation, (puzzle, _, _) in sorted(drawn.items()):
        seed_path = f"a2rbench/{request.rule.name}/{request.number}/phi"
        phi = _draw_phi(request.rule, puzzle, derive_rng(request.seed, seed_path, variation))
        if phi is not None:
            copies[variation] = phi, None
    inputs = {variation: remap(drawn[variation].puzzle.inputs, phi) for variation, (phi, _) in copies.items()}
    try:
        outputs = _run_each(request, inputs)
    except SandboxRefusal:
        # It fails on some of them: one process for each says which.
        outputs = {}
        for variation, values in inputs.items():
            with suppress(SandboxRefusal):
                outputs |= _run_each(request, {variation: values})
    return {
        variation: (phi, show(inputs[variation], outputs[variation]) if variation in outputs else None)
        for variation, (phi, _) in copies.items()
    }


def _draw_phi(rule: CodedRule, puzzle: ItemParts, rng: random.Random) -> Phi | None:
    """Return a mapping of tokens, of a few draws the first under which no sorting gives the answer."""
    values = [*puzzle.inputs, *puzzle.outputs]
    phi = draw_remapping(values, rng)
    for _ in range(_PHI_DRAWS):
        if phi is None:
            break
        image = show(remap(puzzle.inputs, phi), remap(puzzle.outputs, phi))
        if not find_trivial(rule.dimension, image.examples, image.query, image.answer):
            break
        phi = draw_remapping(values, rng)
    return phi


def _run_each(request: SeedRequest[AnyRule], inputs: dict[int, list[Value]]) -> dict[int, list[Value]]:
    """Return the outputs of several lists of inputs, all from one process."""
    flat = [value for values in inputs.values() for value in values]
    outputs = iter(run_code(request.rule.code, FORWARD, flat, jail=request.jail) if flat else [])
    return {variation: [next(outputs) for _ in values] for variation, values in inputs.items()}


# Draws of a variation: so many at once, and so often.
_AT_ONCE, _ROUNDS = 2, 10


def grow_seed(request: SeedRequest[Rule]) -> GrownSeed:
    """Return the items of a seed; deterministic in edition seed, rule and number.

    A draw is refused where a program that fits its examples gives another answer, where nothing changes in
    any example, where the inverse does not give back each input, and where an edition holds it already.
    """
    try:
        return try_twice(partial(_grow, request))
    except SandboxRefusal as error:
        return GrownSeed([], [Rejected(0, "refused_by_sandbox", str(error))])


def _grow(request: SeedRequest[Rule]) -> GrownSeed:
    rejected: list[Rejected] = []
    drawn = _draw_variations(request, rejected)
    if 0 not in drawn:
        rejected += [Rejected(number, "no_seed_item", "there is no V0 of this seed") for number in drawn]
        return GrownSeed([], rejected)
    grown = write_items(request, drawn)
    return GrownSeed(grown.items, [*rejected, *grown.rejected])


def _draw_variations(request: SeedRequest[Rule], rejected: list[Rejected]) -> dict[int, DrawnItem]:
    drawn: dict[int, DrawnItem] = {}
    seen: set[str] = set()
    for round_ in range(_ROUNDS):
        open_ = [variation for variation in request.variations if variation not in drawn]
        attempts = range(round_ * _AT_ONCE, (round_ + 1) * _AT_ONCE)
        candidates = {
            (variation, attempt): inputs
            for variation, attempt in product(open_, attempts)
            if (inputs := _draw(request, variation, attempt)) is not None
        }
        tried = run_inputs(request.rule, [*candidates.values()], request.jail, request.hash_seeds)
        for (variation, attempt), puzzle in zip(candidates, tried, strict=True):
            if variation in drawn or not isinstance(puzzle, ItemParts):
                continue
            try:
                fits = check_item(request.rule, variation, puzzle, seen, request.issued)
            except UnfitItem:
                continue
            seen.add(instance_id(puzzle))
            drawn[variation] = DrawnItem(puzzle, fits, attempt)
    for variation in request.variations:
        if variation not in drawn:
            why = (
                f"{_ROUNDS * _AT_ONCE} draws gave no new item whose answer all programs that fit agree on, "
                "and whose inverse closes"
            )
            rejected.append(Rejected(variation, "no_unique_item", why))
    return drawn


def _draw(request: SeedRequest[Rule], variation: int, attempt: int) -> list[Value] | None:
    seed_path = f"a2rbench/{request.rule.name}/{request.number}/V{variation}"
    return draw_inputs(request.rule, variation, derive_rng(request.seed, seed_path, attempt))
