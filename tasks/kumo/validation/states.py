"""Rules on outcome entries and their states: types, labels and ranges."""

import math
from collections.abc import Iterator
from itertools import islice, pairwise

from perennial.prompts.wording import with_article
from perennial.schemas.kumo.things import Finding, Outcome, OutcomeState, SeedConfig
from perennial.tasks.kumo.validation.names import repeats, similar_pairs
from perennial.tasks.kumo.validation.rules import finding, join, quote, state_text

KINDS = ("str", "float")
# Overlaps grow with the square of the states; this many a single action are enough to act on.
_OVERLAPS_LISTED = 100


def entry_findings(config: SeedConfig) -> Iterator[Finding]:
    """Yield where actions and outcome entries are not one to one."""
    entries = {outcome.action for outcome in config.outcomes}
    actions = set(config.actions)
    for action in dict.fromkeys(config.actions):
        if action not in entries:
            text = "this action has no outcome entry; add one or remove the action"
            yield finding(config, "missing-outcome", text, action=action)
    for action, count in repeats(outcome.action for outcome in config.outcomes):
        text = f"{count} outcome entries for this action, expected one; merge them into one"
        yield finding(config, "duplicate-outcome", text, action=action)
    for action in dict.fromkeys(outcome.action for outcome in config.outcomes):
        if action not in actions:
            text = "an outcome entry for an action that is not listed; add it to actions or remove the entry"
            yield finding(config, "unlisted-outcome", text, action=action)


def type_findings(config: SeedConfig) -> Iterator[Finding]:
    """Yield the outcome types that no outcome of a listed action has."""
    actions = set(config.actions)
    kinds = {outcome.kind for outcome in config.outcomes if outcome.action in actions}
    for kind in KINDS:
        if kind not in kinds:
            text = f"no outcome has type {kind!r}, but both str and float must occur; add such an action"
            yield finding(config, "missing-type", text)


def state_findings(config: SeedConfig) -> Iterator[Finding]:
    """Yield what is wrong with the states of each outcome entry."""
    for outcome in config.outcomes:
        yield from _kind_findings(config, outcome)
        yield from _count_findings(config, outcome)
        yield from _label_findings(config, outcome)
        yield from _range_findings(config, outcome)


def _kind_findings(config: SeedConfig, outcome: Outcome) -> Iterator[Finding]:
    if outcome.kind not in KINDS:
        text = f"type {quote(outcome.kind)} is not known; use 'str' with labels or 'float' with ranges"
        yield finding(config, "undeclared-type", text, action=outcome.action)
    for state in outcome.states:
        form, expected = _form(state), _find_form(outcome)
        if form != expected:
            text = (
                f"this state has {form}, but every state of {with_article(quote(outcome.kind))} outcome has "
                f"{expected}; change it or move it to an action of its own"
            )
            yield finding(config, "wrong-state-kind", text, action=outcome.action, state=state_text(state))


def _form(state: OutcomeState) -> str:
    bounds = (state.low is not None) + (state.high is not None)
    if state.label is not None:
        return "a label" if bounds == 0 else "both label and range"
    return ("neither label nor range", "half a range", "a range")[bounds]


def _find_form(outcome: Outcome) -> str:
    """Return the form of all states; an undeclared type must have the form of its first state."""
    if outcome.kind in KINDS:
        return "a label" if outcome.kind == "str" else "a range"
    return "a range" if outcome.states[0].is_range else "a label"


def _count_findings(config: SeedConfig, outcome: Outcome) -> Iterator[Finding]:
    remedy = "expected two or more; add states or remove the action"
    if not outcome.states:
        yield finding(config, "no-states", f"no outcome state, {remedy}", action=outcome.action)
    elif len(outcome.states) == 1:
        state = state_text(outcome.states[0])
        text = f"one outcome state only, {remedy}"
        yield finding(config, "too-few-states", text, action=outcome.action, state=state)


def _label_findings(config: SeedConfig, outcome: Outcome) -> Iterator[Finding]:
    labels = [state.label for state in outcome.states if state.label is not None]
    for label, count in repeats(labels):
        text = f"this label occurs {count} times in the action, expected once; merge or rename the states"
        yield finding(config, "duplicate-label", text, action=outcome.action, state=label)
    for first, label in similar_pairs(labels):
        text = (
            f"this label differs from {quote(first)} in case or spaces only, but a reader takes them "
            "for one; merge or rename the states"
        )
        yield finding(config, "similar-label", text, action=outcome.action, state=label)


def _range_findings(config: SeedConfig, outcome: Outcome) -> Iterator[Finding]:
    usable = []
    for state in outcome.states:
        if state.low is None or state.high is None:
            continue
        defect = _range_defect(state.low, state.high)
        if defect is None:
            usable.append((state.low, state.high))
        else:
            rule, text = defect
            yield finding(config, rule, text, action=outcome.action, state=state_text(state))
    usable.sort()
    yield from _overlap_findings(config, outcome.action, usable)
    yield from _gap_findings(config, outcome.action, usable)


def _range_defect(low: float, high: float) -> tuple[str, str] | None:
    if not (math.isfinite(low) and math.isfinite(high)):
        return "non-finite-range", f"bounds {low!r} and {high!r}, expected finite numbers; write such"
    if low >= high:
        return "inverted-range", f"low {low!r} is not below high {high!r}; swap or widen the bounds"
    if not math.isfinite(high - low):
        # A uniform draw computes low + u * (high - low) and would give infinity.
        return "range-too-wide", f"the width of {low!r} to {high!r} is not finite; narrow the bounds"
    return None


def _overlap_findings(
    config: SeedConfig, action: str, ranges: list[tuple[float, float]]
) -> Iterator[Finding]:
    overlaps = _overlaps(ranges)
    for (low, high), (low_2, high_2) in islice(overlaps, _OVERLAPS_LISTED):
        text = (
            f"this range overlaps {low_2!r}..{high_2!r}, but a number may fall into one state only; "
            "move the bounds apart (a shared end point is allowed)"
        )
        yield finding(config, "overlapping-ranges", text, action=action, state=f"{low!r}..{high!r}")
    if next(overlaps, None) is not None:
        text = f"more than {_OVERLAPS_LISTED} pairs of ranges overlap, the others are not listed"
        yield finding(config, "overlapping-ranges", text, action=action)


def _overlaps(
    ranges: list[tuple[float, float]],
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Yield the overlapping pairs of ranges sorted by their low bounds."""
    for i, first in enumerate(ranges):
        for place in range(i + 1, len(ranges)):
            if ranges[place][0] >= first[1]:
                break
            yield first, ranges[place]


def _gap_findings(config: SeedConfig, action: str, ranges: list[tuple[float, float]]) -> Iterator[Finding]:
    reached: list[float] = []
    for _, high in ranges:
        reached.append(max(high, reached[-1]) if reached else high)
    gaps = [
        f"{end!r}..{low!r}"
        for end, (_, (low, _)) in zip(reached, pairwise(ranges), strict=False)
        if end < low
    ]
    if gaps:
        text = f"no range holds {join(gaps)}, so such a number is never observed; close the gap or leave it"
        yield finding(config, "range-gap", text, action=action)
