"""Encode configurations and instances to integers: names stay outside of every hot path.

Bit t of a mask stands for truth t. `masks[a][s]` is the set of truths that state s of action a rules out.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import isfinite
from operator import or_
from typing import Any

from perennial.schemas.errors import UnreadableInput, quote
from perennial.schemas.kumo.things import (
    COUNTERFACTUAL,
    Instance,
    Observation,
    Outcome,
    OutcomeState,
    SeedConfig,
)
from perennial.tasks.kumo.configuration import parse_json


@dataclass(frozen=True, slots=True)
class EncodedConfig:
    """A configuration over its distinct truths and those actions that have an outcome entry.

    Where names repeat, the first entry counts; unknown names in rule-out sets are skipped.
    `truth_tokens[t]` and `state_tokens[a][s]` are 8 bytes of content hash, the parts of canonical ids.
    """

    config: SeedConfig
    truths: tuple[str, ...]
    actions: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    masks: tuple[tuple[int, ...], ...]
    related: tuple[int, ...]
    truth_index: dict[str, int] = field(repr=False)
    action_index: dict[str, int] = field(repr=False)
    truth_tokens: tuple[bytes, ...] = field(repr=False)
    state_tokens: tuple[tuple[bytes, ...], ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class EncodedInstance:
    """An instance over its own truths: bit i of a mask stands for `truths[i]` of the instance.

    `masks[j]` are the masks of all outcome states of action j, `observed[j]` the index of the observed
    state (-1: none, which rules out nothing), `valid` the mask of the valid truths.
    """

    n_truths: int
    masks: tuple[tuple[int, ...], ...]
    observed: tuple[int, ...]
    valid: int

    @property
    def related(self) -> tuple[int, ...]:
        """For each action the mask of truths that some state of it rules out."""
        return tuple(reduce(or_, states, 0) for states in self.masks)

    def observed_mask(self, action: int) -> int:
        """The mask of truths that the action's observation rules out."""
        state = self.observed[action]
        return 0 if state < 0 else self.masks[action][state]


def encode_config(config: SeedConfig) -> EncodedConfig:
    """The configuration in masks over all of its truths."""
    truths = tuple(dict.fromkeys(config.truths))
    truth_index = {name: i for i, name in enumerate(truths)}
    first_entries: dict[str, Outcome] = {}
    for outcome in config.outcomes:
        first_entries.setdefault(outcome.action, outcome)
    # An instance of a counterfactual domain is another one than that of the true domain with the same names.
    mark = [COUNTERFACTUAL] if config.is_counterfactual else []
    actions = tuple(action for action in dict.fromkeys(config.actions) if action in first_entries)
    outcomes = tuple(first_entries[action] for action in actions)
    masks = tuple(
        tuple(_mask_of(state.rules_out, truth_index) for state in outcome.states) for outcome in outcomes
    )
    return EncodedConfig(
        config=config,
        truths=truths,
        actions=actions,
        outcomes=outcomes,
        masks=masks,
        related=tuple(reduce(or_, states, 0) for states in masks),
        truth_index=truth_index,
        action_index={name: i for i, name in enumerate(actions)},
        truth_tokens=tuple(_token("truth", name, *mark) for name in truths),
        state_tokens=tuple(
            tuple(_token("state", outcome.action, state.text) for state in outcome.states)
            for outcome in outcomes
        ),
    )


def _mask_of(names: Sequence[str], index: dict[str, int]) -> int:
    return reduce(or_, (1 << index[name] for name in names if name in index), 0)


def _token(*parts: str) -> bytes:
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).digest()


def canonical_instance_id(
    encoded: EncodedConfig, truths: Sequence[int], states: Sequence[tuple[int, int]]
) -> str:
    """The id of the instance with these truth indices and (action, state) pairs, in any order.

    Two instances have the same id exactly when truths, actions and observed states are equal; the
    drawn floats and the order shown to the player do not count.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(b"".join(sorted(encoded.truth_tokens[t] for t in truths)))
    digest.update(b"|")
    digest.update(b"".join(sorted(encoded.state_tokens[a][s] for a, s in states)))
    return "ki_" + digest.hexdigest()


def instance_id(encoded: EncodedConfig, instance: Instance) -> str:
    """The canonical id of an instance of this configuration."""
    truths = [encoded.truth_index[name] for name in instance.truths]
    states = [
        (encoded.action_index[name], state)
        for name, state in zip(instance.actions, instance.states, strict=True)
        if state is not None
    ]
    return canonical_instance_id(encoded, truths, states)


def encode_instance(encoded: EncodedConfig, instance: Instance) -> EncodedInstance:
    """The instance in masks over its own truths.

    Raises UnreadableInput where it names a truth or an action that the configuration lacks.
    """
    bits = {
        1 << _index_of(name, encoded.truth_index, "truth", encoded): 1 << i
        for i, name in enumerate(instance.truths)
    }
    present = reduce(or_, bits, 0)
    columns = [_index_of(name, encoded.action_index, "action", encoded) for name in instance.actions]
    masks = tuple(tuple(_local_mask(mask & present, bits) for mask in encoded.masks[a]) for a in columns)
    valid = _mask_of(instance.valid_truths, {name: i for i, name in enumerate(instance.truths)})
    observed = tuple(-1 if state is None else state for state in instance.states)
    return EncodedInstance(len(instance.truths), masks, observed, valid)


def _local_mask(mask: int, bits: dict[int, int]) -> int:
    local = 0
    while mask:
        lowest = mask & -mask
        local |= bits[lowest]
        mask ^= lowest
    return local


def _index_of(name: str, index: dict[str, int], what: str, encoded: EncodedConfig) -> int:
    position = index.get(name)
    if position is None:
        raise UnreadableInput(
            f"{what} {name!r} of the instance is not in domain {encoded.config.name!r}: "
            f"use the configuration that the instance was drawn from"
        )
    return position


# Read instances from JSON Lines: the authors' released form, and our own (`Instance.as_json`).
#
# The release shows a whole range, such as [5, 8], and a bare number of a state written as a number; both are
# kept as text, as everything that is no measurement.


_MOST_INTEGER = 2**63 - 1
_REQUIRED = ("truths", "actions", "observations", "seed", "valid_truth")


def parse_instances(lines: Iterable[str], encoded: EncodedConfig, source: str) -> Iterator[Instance]:
    """The instances that the lines hold, one per line; empty lines are skipped.

    An observation without a stated outcome state gets the first one that it falls into, or None. Where
    `index` is missing, the position among the lines' instances is used. Raises UnreadableInput, naming
    `source`, the line, the value and what was expected, at the first line that is no instance of the
    domain, and where there is no instance at all.
    """
    position = 0
    for number, line in enumerate(lines, start=1):
        if line and not line.isspace():
            yield _RecordLine(f"{source}, line {number}", encoded, line).instance(position)
            position += 1
    if position == 0:
        raise UnreadableInput(f"{source}: no instance in it; expected one JSON object per line")


class _RecordLine:
    """One line's record, and the source that its errors name."""

    __slots__ = ("encoded", "record", "source")

    def __init__(self, source: str, encoded: EncodedConfig, line: str) -> None:
        self.source = source
        self.encoded = encoded
        self.record = parse_json(line, source)
        if not isinstance(self.record, dict):
            raise self._unreadable("the line", self.record, f"a JSON object with {', '.join(_REQUIRED)}")
        for key in _REQUIRED:
            if key not in self.record:
                raise UnreadableInput(f"{source}: no {key!r}; expected the keys {', '.join(_REQUIRED)}")

    def instance(self, position: int) -> Instance:
        """The instance; `position` is its index where the line has none."""
        truths = self._names("truths", self.encoded.truth_index)
        actions = self._names("actions", self.encoded.action_index)
        states, observations = self._outcomes(actions)
        index = self._integer("index") if "index" in self.record else position
        return Instance(
            truths, actions, states, observations, self._valid_truths(truths), self._integer("seed"), index
        )

    def _names(self, key: str, listed: dict[str, int]) -> tuple[str, ...]:
        names = self.record[key]
        if not isinstance(names, list) or not names:
            raise self._unreadable(key, names, "a list of names")
        for name in names:
            if not isinstance(name, str) or name not in listed:
                domain = self.encoded.config.name
                raise self._unreadable(key, name, f"names of the domain {domain!r}; give its configuration")
        if len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise self._unreadable(key, repeated, "every name once")
        return tuple(names)

    def _integer(self, key: str) -> int:
        value = self.record[key]
        if type(value) is not int or not -_MOST_INTEGER <= value <= _MOST_INTEGER:
            raise self._unreadable(key, value, "a whole number of 64 bits")
        return value

    def _valid_truths(self, truths: tuple[str, ...]) -> tuple[str, ...]:
        first = self.record["valid_truth"]
        valid = self.record.get("valid_truths", [first])
        if not isinstance(first, str) or first not in truths:
            raise self._unreadable("valid_truth", first, "one of the line's truths")
        if not isinstance(valid, list) or not all(isinstance(name, str) and name in truths for name in valid):
            raise self._unreadable("valid_truths", valid, "a list of the line's truths")
        if first not in valid or len(set(valid)) < len(valid):
            raise self._unreadable("valid_truths", valid, f"each name once, {first!r} among them")
        return tuple(valid)

    def _outcomes(self, actions: tuple[str, ...]) -> tuple[tuple[int | None, ...], tuple[Observation, ...]]:
        by_action = self._by_action("observations", actions)
        stated = self._by_action("states", actions) if "states" in self.record else None
        outcomes, columns = self.encoded.outcomes, self.encoded.action_index
        states: list[int | None] = []
        observations: list[Observation] = []
        for action in actions:
            outcome = outcomes[columns[action]]
            observation = by_action[action]
            if type(observation) is str:
                state = outcome.state_of(observation)
            else:
                state, observation = self._state_of_value(outcome, observation)
            if stated is not None:
                state = self._read_integer(outcome, stated[action], observation)
            states.append(state)
            observations.append(observation)
        return tuple(states), tuple(observations)

    def _by_action(self, key: str, actions: tuple[str, ...]) -> dict[str, Any]:
        values = self.record[key]
        if not isinstance(values, dict):
            raise self._unreadable(key, values, "an object with a value for each action")
        for action in actions:
            if action not in values:
                raise UnreadableInput(
                    f"{self.source}: {key} has none for action {action!r}; expected one for each"
                )
        if len(values) > len(actions):
            extra = next(name for name in values if name not in actions)
            raise self._unreadable(key, extra, "the line's actions only")
        return values

    def _state_of_value(self, outcome: Outcome, value: Any) -> tuple[int | None, Observation]:
        if isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)):
            low, high = value
            matching = (i for i, state in enumerate(outcome.states) if (state.low, state.high) == (low, high))
            return next(matching, None), _range_text(low, high)
        if not _is_number(value):
            what = f"observations of {outcome.action!r}"
            raise self._unreadable(what, value, "a text, a finite number, or a range of two numbers")
        state = outcome.state_of(value)
        if state is None and (label := outcome.state_of(str(value))) is not None:
            return label, str(value)
        return state, value

    def _read_integer(self, outcome: Outcome, state: Any, observation: Observation) -> int | None:
        what = f"states of {outcome.action!r}"
        if state is None:
            return None
        if type(state) is not int or not 0 <= state < len(outcome.states):
            raise self._unreadable(what, state, f"null or a number from 0 to {len(outcome.states) - 1}")
        if not _shows(outcome.states[state], observation):
            seen = outcome.states[state].text
            raise self._unreadable(
                what, state, f"the state of observation {observation!r}; that one is {seen!r}"
            )
        return state

    def _unreadable(self, what: str, value: Any, expected: str) -> UnreadableInput:
        return UnreadableInput(f"{self.source}: {what}: {quote(value, 80)}, expected {expected}")


def _is_number(value: Any) -> bool:
    try:
        return type(value) in (int, float) and isfinite(value)
    except OverflowError:
        return False


def _range_text(low: float, high: float) -> str:
    return f"[{low:.12g}, {high:.12g}]"


def _shows(state: OutcomeState, observation: Observation) -> bool:
    if state.low is None or state.high is None:
        return state.label == observation
    if isinstance(observation, str):
        return observation == _range_text(state.low, state.high)
    return state.low <= observation <= state.high


# The truth-action graph of an instance, as the paper's study of topology uses it.


def signature(instance: EncodedInstance) -> str:
    """The graph's signature: sorted truth degrees, `|`, sorted action degrees.

    A truth and an action are joined where some outcome state of the action rules the truth out.
    """
    related = instance.related
    truth_degrees = sorted(sum(mask >> t & 1 for mask in related) for t in range(instance.n_truths))
    action_degrees = sorted(mask.bit_count() for mask in related)
    return ",".join(map(str, truth_degrees)) + "|" + ",".join(map(str, action_degrees))
