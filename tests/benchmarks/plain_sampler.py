"""Algorithms 1 and 2 of Lin et al. (2025), transcribed as they stand: the yardstick for
perennial.tasks.kumo.sampling.

One plain solver call an instance, over named variables, and a comparison with every earlier instance. It
is written to be read and nothing in it is slow on purpose: it runs above the 1,060-1,695 Easy and 279-489
Hard instances per second that were measured of the authors' own program elsewhere.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from pysat.card import CardEnc, EncType
from pysat.formula import IDPool
from pysat.solvers import Solver

from perennial.schemas.kumo.things import Observation, Outcome, OutcomeState, SeedConfig, Setting

Choice = tuple[str, OutcomeState]


@dataclass(frozen=True, slots=True)
class PlainInstance:
    """What the authors keep of an instance, and which actions the solver had selected before padding."""

    truths: tuple[str, ...]
    valid_truths: tuple[str, ...]
    states: dict[str, str]
    observations: dict[str, Observation]
    selected: tuple[str, ...]


def plain_sample(
    config: SeedConfig, setting: Setting, count: int, rng: random.Random, solver: str = "glucose3"
) -> list[PlainInstance]:
    """Return `count` distinct instances (Algorithm 1)."""
    instances: list[PlainInstance] = []
    while len(instances) < count:
        instance = _attempt(config, setting, rng, solver)
        if instance is not None and not any(_same(instance, earlier) for earlier in instances):
            instances.append(instance)
    return instances


def _same(one: PlainInstance, other: PlainInstance) -> bool:
    return one.states == other.states and set(one.truths) == set(other.truths)


def _attempt(config: SeedConfig, setting: Setting, rng: random.Random, solver: str) -> PlainInstance | None:
    truths = rng.sample(config.truths, setting.n_truths)
    valid = rng.sample(truths, setting.n_valid)
    invalid = [truth for truth in truths if truth not in valid]
    related: list[str] = []
    usable: list[Choice] = []
    for outcome in config.outcomes:
        for state in outcome.states:
            if any(truth in state.rules_out for truth in truths):
                if outcome.action not in related:
                    related.append(outcome.action)
                if not any(truth in state.rules_out for truth in valid):
                    usable.append((outcome.action, state))
    chosen = _select(usable, invalid, setting.n_actions, solver)
    if chosen is None:
        return None
    selected = tuple(chosen)
    _pad(chosen, config, related, valid, setting.n_actions, rng)
    if len(chosen) < setting.n_actions:
        return None
    actions = list(chosen)
    rng.shuffle(actions)
    return PlainInstance(
        truths=tuple(truths),
        valid_truths=tuple(valid),
        states={action: chosen[action].text for action in actions},
        observations={action: _observe(chosen[action], rng) for action in actions},
        selected=selected,
    )


def _select(
    usable: Sequence[Choice], invalid: Sequence[str], n_actions: int, solver: str
) -> dict[str, OutcomeState] | None:
    """Return the states that the solver selects, by action; None if unsatisfiable (Algorithm 2)."""
    names = IDPool()
    clauses: list[list[int]] = []
    by_action: dict[str, list[int]] = {}
    for action, state in usable:
        by_action.setdefault(action, []).append(names.id((action, state.text)))
    for action, states in by_action.items():
        clauses += [[-one, -other] for one, other in combinations(states, 2)]
        clauses += [[-state, names.id(action)] for state in states]
    for truth in invalid:
        clauses.append([names.id((a, state.text)) for a, state in usable if truth in state.rules_out])
    actions = [names.id(action) for action in by_action]
    limit = CardEnc.atmost(actions, bound=n_actions, vpool=names, encoding=EncType.seqcounter)
    with Solver(name=solver, bootstrap_with=clauses + limit.clauses) as engine:
        if not engine.solve():
            return None
        true = {literal for literal in engine.get_model() if literal > 0}
    return {action: state for action, state in usable if names.id((action, state.text)) in true}


def _pad(
    chosen: dict[str, OutcomeState],
    config: SeedConfig,
    related: Sequence[str],
    valid: Sequence[str],
    n_actions: int,
    rng: random.Random,
) -> None:
    """Add unused related actions, then irrelevant ones, each in a random non-contradictory state."""
    free: dict[str, list[OutcomeState]] = {}
    for outcome in config.outcomes:
        states = _consistent(outcome, valid)
        if states and outcome.action not in chosen:
            free[outcome.action] = states
    first = [action for action in free if action in related]
    rest = [action for action in free if action not in related]
    rng.shuffle(first)
    rng.shuffle(rest)
    for action in (first + rest)[: n_actions - len(chosen)]:
        chosen[action] = rng.choice(free[action])


def _consistent(outcome: Outcome, valid: Sequence[str]) -> list[OutcomeState]:
    return [state for state in outcome.states if not any(truth in state.rules_out for truth in valid)]


def _observe(state: OutcomeState, rng: random.Random) -> Observation:
    if state.low is not None and state.high is not None:
        return rng.uniform(state.low, state.high)
    return state.text
