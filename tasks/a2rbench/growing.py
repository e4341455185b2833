"""Grow the items of one seed of the catalogue: draw inputs of each variation V0 to V9.

Several draws of inputs of each variation are run at once, as starting processes costs more than calls; the
first good one is taken.
"""

from dataclasses import dataclass

from perennial.schemas.ids import derive_rng
from perennial.tasks.a2rbench.catalogue.rule import Rule, Value
from perennial.tasks.a2rbench.inputs import draw_inputs
from perennial.tasks.a2rbench.items import Shown, instance_id
from perennial.tasks.a2rbench.seeds import Drawn, GrownSeed, Rejected, SeedRequest, write_items
from perennial.tasks.a2rbench.trials import UnfitItem, check_item, run_inputs
from perennial.tasks.sandbox.refusal import Refused

# Draws of a variation: so many at once, and so often.
_AT_ONCE, _ROUNDS = 2, 10


@dataclass(frozen=True, slots=True)
class _Candidate:
    variation: int
    attempt: int
    inputs: list[Value]


def grow_seed(request: SeedRequest[Rule]) -> GrownSeed:
    """Return the items of a seed; deterministic in edition seed, rule and number.

    A draw is refused where a program that fits its examples gives another answer, where nothing changes in
    any example, where the inverse does not give back each input, and where an edition holds it already.
    """
    rejected: list[Rejected] = []
    try:
        found = _draw_variations(request, rejected)
        if 0 not in found:
            rejected += [Rejected(each, "no_seed_item", "there is no V0 of this seed") for each in found]
            return GrownSeed([], rejected)
        grown = write_items(request, found)
    except Refused as error:
        return GrownSeed([], [*rejected, Rejected(0, "refused_by_sandbox", str(error))])
    return GrownSeed(grown.items, [*rejected, *grown.rejected])


def _draw_variations(request: SeedRequest[Rule], rejected: list[Rejected]) -> dict[int, Drawn]:
    """Return the first good draw of each variation."""
    found: dict[int, Drawn] = {}
    seen: set[str] = set()
    for round_ in range(_ROUNDS):
        open_ = [variation for variation in request.variations if variation not in found]
        candidates = [
            _Candidate(variation, attempt, inputs)
            for variation in open_
            for attempt in range(round_ * _AT_ONCE, (round_ + 1) * _AT_ONCE)
            if (inputs := _draw(request, variation, attempt)) is not None
        ]
        tried = run_inputs(
            request.rule, [candidate.inputs for candidate in candidates], request.jail, request.hash_seeds
        )
        for candidate, shown in zip(candidates, tried, strict=True):
            if candidate.variation in found or not isinstance(shown, Shown):
                continue
            try:
                fits = check_item(request.rule, candidate.variation, shown, seen, request.issued)
            except UnfitItem:
                continue
            seen.add(instance_id(shown))
            found[candidate.variation] = Drawn(shown, fits, candidate.attempt)
    for variation in request.variations:
        if variation not in found:
            why = (
                f"{_ROUNDS * _AT_ONCE} draws gave no new item whose answer all programs that fit agree on, "
                "and whose inverse closes"
            )
            rejected.append(Rejected(variation, "no_unique_item", why))
    return found


def _draw(request: SeedRequest[Rule], variation: int, attempt: int) -> list[Value] | None:
    place = f"a2rbench/{request.rule.name}/{request.number}/V{variation}"
    return draw_inputs(request.rule, variation, derive_rng(request.seed, place, attempt))
