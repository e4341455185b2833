"""Read instances from JSON Lines: the authors' released form, and our own (`Instance.as_json`).

The release shows a whole range, such as [5, 8], and a bare number of a state written as a number; both are
kept as text, as everything that is no measurement.
"""

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from perennial.schemas.errors import UnreadableInput, quote
from perennial.schemas.kumo.things import Instance, Observation, Outcome, OutcomeState
from perennial.tasks.kumo.configuration import parse_json
from perennial.tasks.kumo.encoding import EncodedConfig

_MOST_INTEGER = 2**63 - 1
_REQUIRED = ("truths", "actions", "observations", "seed", "valid_truth")


def parse_instances(lines: Iterable[str], encoded: EncodedConfig, source: str) -> Iterator[Instance]:
    """Yield the instances that the lines hold, one per line; empty lines are skipped.

    An observation without a stated outcome state gets the first one that it falls into, or None. Where
    `index` is missing, the position among the lines' instances is used. Raises UnreadableInput, naming
    `source`, the line, the value and what was expected, at the first line that is no instance of the
    domain, and where there is no instance at all.
    """
    position = 0
    for number, line in enumerate(lines, start=1):
        if line and not line.isspace():
            yield _Line(f"{source}, line {number}", encoded, line).instance(position)
            position += 1
    if position == 0:
        raise UnreadableInput(f"{source}: no instance in it; expected one JSON object per line")


class _Line:
    """One line's record, and the place that its errors name."""

    __slots__ = ("encoded", "place", "record")

    def __init__(self, place: str, encoded: EncodedConfig, line: str) -> None:
        self.place = place
        self.encoded = encoded
        self.record = parse_json(line, place)
        if not isinstance(self.record, dict):
            raise self._unreadable("the line", self.record, f"a JSON object with {', '.join(_REQUIRED)}")
        for key in _REQUIRED:
            if key not in self.record:
                raise UnreadableInput(f"{place}: no {key!r}; expected the keys {', '.join(_REQUIRED)}")

    def instance(self, position: int) -> Instance:
        """Return the instance; `position` is its index where the line has none."""
        truths = self._names("truths", self.encoded.truth_index)
        actions = self._names("actions", self.encoded.action_index)
        states, observations = self._outcomes(actions)
        index = self._integer("index") if "index" in self.record else position
        return Instance(
            truths, actions, states, observations, self._valid_truths(truths), self._integer("seed"), index
        )

    def _names(self, key: str, known: dict[str, int]) -> tuple[str, ...]:
        names = self.record[key]
        if not isinstance(names, list) or not names:
            raise self._unreadable(key, names, "a list of names")
        for name in names:
            if not isinstance(name, str) or name not in known:
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
        shown = self._by_action("observations", actions)
        stated = self._by_action("states", actions) if "states" in self.record else None
        outcomes, columns = self.encoded.outcomes, self.encoded.action_index
        states: list[int | None] = []
        observations: list[Observation] = []
        for action in actions:
            outcome = outcomes[columns[action]]
            observation = shown[action]
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
                    f"{self.place}: {key} has none for action {action!r}; expected one for each"
                )
        if len(values) > len(actions):
            extra = next(name for name in values if name not in actions)
            raise self._unreadable(key, extra, "the line's actions only")
        return values

    def _state_of_value(self, outcome: Outcome, value: Any) -> tuple[int | None, Observation]:
        """Return state and observation for a value that is no text."""
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
        return UnreadableInput(f"{self.place}: {what}: {quote(value, 80)}, expected {expected}")


def _is_number(value: Any) -> bool:
    try:
        return type(value) in (int, float) and isfinite(value)
    except OverflowError:
        return False


def _range_text(low: float, high: float) -> str:
    return f"[{low:.12g}, {high:.12g}]"


def _shows(state: OutcomeState, observation: Observation) -> bool:
    """Whether the observation can come from the state."""
    if state.low is None or state.high is None:
        return state.label == observation
    if isinstance(observation, str):
        return observation == _range_text(state.low, state.high)
    return state.low <= observation <= state.high
