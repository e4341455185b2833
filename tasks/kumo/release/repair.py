"""Repair a configuration without inventing anything: what is void, repeated or ambiguous goes.

Names, labels, rules and numbers stay as they are written; a range whose bounds are exchanged gets them in
order. An action of which sampling would make ambiguous instances (its ranges overlap, say) is left out. What
would need a decision, such as two names for one truth, is left to the findings of
`perennial.tasks.kumo.validation`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from perennial.schemas.errors import count
from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig
from perennial.tasks.kumo.validation import RULES, validate_config

_KINDS = ("str", "float")


def repair_config(config: SeedConfig, words: Mapping[str, str]) -> tuple[SeedConfig, tuple[str, ...]]:
    """The configuration with what can be repaired, and a line about each change.

    `words` are the operator's `goal`, `truth_noun` and `action_noun`, which the release does not have. A goal
    that nobody gave and the book's title are made of the domain's name.
    """
    changes: list[str] = []
    for repair in (_list_once, _order_bounds, _name_kinds, _drop_ambiguous, _drop_idle):
        config = repair(config, changes)
    return _describe(config, words), tuple(changes)


def _list_once(config: SeedConfig, changes: list[str]) -> SeedConfig:
    for what, names in (("truth", config.truths), ("action", config.actions)):
        changes += [
            f"{what} {name!r} was listed {number} times: kept once"
            for name, number in Counter(names).items()
            if number > 1
        ]
    truths, actions = tuple(dict.fromkeys(config.truths)), tuple(dict.fromkeys(config.actions))
    listed = set(truths)
    outcomes = []
    for outcome in config.outcomes:
        if outcome.action not in actions:
            changes.append(f"the outcomes of {outcome.action!r}, which is no action, were dropped")
            continue
        unknown = sorted(outcome.ruled_out - listed)
        changes += [
            f"{name!r}, no truth, was dropped from the rules of {outcome.action!r}" for name in unknown
        ]
        states = (
            replace(state, rules_out=tuple(name for name in dict.fromkeys(state.rules_out) if name in listed))
            for state in outcome.states
        )
        outcomes.append(replace(outcome, states=tuple(states)))
    return replace(config, truths=truths, actions=actions, outcomes=tuple(outcomes))


def _order_bounds(config: SeedConfig, changes: list[str]) -> SeedConfig:
    def order_bounds(outcome: Outcome, state: OutcomeState) -> OutcomeState:
        if state.low is None or state.high is None or state.low <= state.high:
            return state
        changes.append(f"the range {state.text} of {outcome.action!r} was read from its lower bound on")
        return replace(state, low=state.high, high=state.low)

    outcomes = (
        replace(outcome, states=tuple(order_bounds(outcome, state) for state in outcome.states))
        for outcome in config.outcomes
    )
    return replace(config, outcomes=tuple(outcomes))


def _name_kinds(config: SeedConfig, changes: list[str]) -> SeedConfig:
    def name_kind(outcome: Outcome) -> Outcome:
        are_ranges = {state.is_range for state in outcome.states}
        if outcome.kind in _KINDS or len(are_ranges) != 1:
            return outcome
        kind = "float" if are_ranges.pop() else "str"
        changes.append(f"the type of {outcome.action!r} was {outcome.kind!r}: its states are of type {kind}")
        return replace(outcome, kind=kind)

    return replace(config, outcomes=tuple(map(name_kind, config.outcomes)))


def _drop_ambiguous(config: SeedConfig, changes: list[str]) -> SeedConfig:
    reasons: dict[str, str] = {}
    for finding in validate_config(config):
        if RULES[finding.rule].unsafe and finding.action is not None:
            reasons.setdefault(finding.action, f"{finding.rule}: {RULES[finding.rule].summary}")
    return _without(config, reasons, changes)


def _drop_idle(config: SeedConfig, changes: list[str]) -> SeedConfig:
    """Drop actions that rule nothing out and truths that nothing rules out, until none is left."""
    while dropped := dict(_idle(config)):
        config = _without(config, dropped, changes)
    return config


def _without(config: SeedConfig, dropped: Mapping[str, str], changes: list[str]) -> SeedConfig:
    changes += [f"{name!r} was dropped: {why}" for name, why in dropped.items()]
    truths, actions = (
        tuple(name for name in names if name not in dropped) for names in (config.truths, config.actions)
    )
    outcomes = (outcome.only(truths) for outcome in config.outcomes if outcome.action not in dropped)
    return replace(config, truths=truths, actions=actions, outcomes=tuple(outcomes))


def _idle(config: SeedConfig) -> Iterator[tuple[str, str]]:
    entries = {outcome.action: outcome for outcome in reversed(config.outcomes)}
    for action in config.actions:
        states = entries[action].states
        if len(states) < 2:
            yield action, f"an action of {count(len(states), 'outcome')}"
        elif not any(state.rules_out for state in states):
            yield action, "an action that rules nothing out"
    ruled_out = set().union(*(outcome.ruled_out for outcome in config.outcomes))
    yield from ((name, "a truth that nothing rules out") for name in config.truths if name not in ruled_out)


def _describe(config: SeedConfig, words: Mapping[str, str]) -> SeedConfig:
    subject = " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", config.name.removesuffix("Env")))
    subject = subject or config.name
    noun = words.get("truth_noun", config.truth_noun)
    goal = words.get("goal", config.goal)
    return replace(
        config,
        goal=goal or f"Find the {noun} that no outcome rules out ({subject}).",
        truth_noun=noun,
        action_noun=words.get("action_noun", config.action_noun),
        book_title=config.book_title or f"{subject}: what each outcome rules out",
    )
