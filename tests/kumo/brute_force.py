"""All instances of a tiny configuration, by trying everything: the reference for sampling.

Written from the definitions, over names and sets, without any of sampling's code: an instance is a choice
of truths, actions and observable states that leaves exactly the wanted number of truths; irrelevant actions
are admitted only where no related action with a non-contradictory state is left unused.
"""

import math
from collections.abc import Collection, Iterator
from itertools import combinations, pairwise, product

from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig, Setting

Key = tuple[frozenset[str], frozenset[tuple[str, int]]]


def every_instance(config: SeedConfig, setting: Setting, all_related: bool) -> set[Key]:
    """Return (truths, (action, state) pairs) of every instance; with `all_related` each truth must be
    related to some action of it.
    """
    return {
        (truths, frozenset(zip((o.action for o in outcomes), states, strict=True)))
        for chosen in combinations(config.truths, setting.n_truths)
        for truths in (frozenset(chosen),)
        for outcomes in combinations(config.outcomes, setting.n_actions)
        for states in product(*map(observable, outcomes))
        for left in (truths - ruled_out(outcomes, states),)
        if len(left) == setting.n_valid
        and _is_padded_by_the_rules(config, outcomes, truths, left)
        and (not all_related or all(any(relates(o, {t}) for o in outcomes) for t in truths))
    }


def ruled_out(outcomes: Collection[Outcome], states: Collection[int]) -> set[str]:
    """Return the truths that these states rule out."""
    return {truth for o, s in zip(outcomes, states, strict=True) for truth in o.states[s].rules_out}


def relates(outcome: Outcome, truths: Collection[str]) -> bool:
    """Return whether some state of the action rules out one of these truths."""
    return any(truth in state.rules_out for state in outcome.states for truth in truths)


def observable(outcome: Outcome) -> list[int]:
    """Return the states that some observation is read as."""
    return [
        i
        for i, state in enumerate(outcome.states)
        if any(outcome.state_of(observation) == i for observation in _observations(outcome, state))
    ]


def is_consistent(state: OutcomeState, valid: Collection[str]) -> bool:
    """Return whether the state rules out none of the valid truths."""
    return not any(truth in state.rules_out for truth in valid)


def _is_padded_by_the_rules(
    config: SeedConfig, outcomes: Collection[Outcome], truths: Collection[str], valid: Collection[str]
) -> bool:
    if all(relates(outcome, truths) for outcome in outcomes):
        return True
    return not any(
        relates(outcome, truths) and any(is_consistent(outcome.states[s], valid) for s in observable(outcome))
        for outcome in config.outcomes
        if outcome not in outcomes
    )


def _observations(outcome: Outcome, state: OutcomeState) -> Iterator[str | float]:
    """Yield the label, or a point between any two neighbouring bounds, end points excluded."""
    if state.label is not None:
        yield state.label
        return
    bounds = sorted(
        {b for s in outcome.states for b in (s.low, s.high) if b is not None and math.isfinite(b)}
    )
    yield from ((low + high) / 2 for low, high in pairwise(bounds))
