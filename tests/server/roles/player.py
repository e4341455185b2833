"""The role of a player: it plays by reading the conversation alone, with a book or with the mapping."""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from perennial.schemas.kumo.things import Observation
from perennial.tasks.kumo.players import (
    answer,
    best_action,
    first_left,
    read_last_outcome,
    read_lists,
    read_system_book,
)
from tests.server.script import Asked

FIRST_SENTENCE = "You solve a case by elimination."

_RULE_OUTS = re.compile(r"^<RULE_OUTS>\n(.*)\n</RULE_OUTS>", re.DOTALL | re.MULTILINE)
_INTERVAL = re.compile(r"\[(\S+), (\S+)([\])])")


@dataclass(frozen=True)
class State:
    """One outcome as it was read: a label or a range, and the mask of the truths that it rules out."""

    label: str | None
    low: float | None
    high: float | None
    closed: bool
    mask: int

    def holds(self, observation: Observation) -> bool:
        if isinstance(observation, str):
            return observation == self.label
        if self.low is None or self.high is None:
            return False
        return self.low <= observation < self.high or (self.closed and observation == self.high)


@dataclass(frozen=True)
class Case:
    """What the first and the last message say: the lists, and the states of each action, in their order."""

    truths: list[str]
    actions: list[str]
    states: list[list[State]]
    masks: list[list[int]]


class PlayerScript:
    """Eliminates by the rules that it reads, names the truth that is left, and says how it got there."""

    role = "player"
    faults = ("wrong_name", "other_case", "two_answers", "no_answer")

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith(FIRST_SENTENCE)

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        return play_on(read_case(asked.system, asked.messages[-1]["content"]), asked, fault, rng)


def play_on(case: Case, asked: Asked, fault: str | None, rng: random.Random) -> str:
    """Return the next move of a player that eliminates by the case."""
    shown = [message["content"] for message in asked.messages if message["role"] == "user"]
    left, untried = _position(case, shown[1:])
    chosen = best_action(case.masks, left, untried)
    name = case.truths[first_left(left)] if chosen is None else case.actions[chosen]
    thought = f"Still possible: {', '.join(_names(case.truths, left))}.\n\n"
    return thought + _ending(case, name, fault, rng)


def _position(case: Case, shown: Sequence[str]) -> tuple[int, list[int]]:
    """Return the mask of the truths left and the actions not tried, after these turns' messages."""
    left = (1 << len(case.truths)) - 1
    untried = list(range(len(case.actions)))
    for content in shown:
        action, observation = read_last_outcome(content)
        if action not in case.actions:
            continue
        index = case.actions.index(action)
        if index in untried:
            untried.remove(index)
        for state in case.states[index]:
            if state.holds(observation):
                left &= ~state.mask
                break
    return left, untried


def _names(truths: Sequence[str], left: int) -> list[str]:
    return [name for i, name in enumerate(truths) if left >> i & 1]


def _ending(case: Case, name: str, fault: str | None, rng: random.Random) -> str:
    match fault:
        case "wrong_name":
            return answer(f"{name}, or rather its opposite")
        case "other_case":
            return answer(name.swapcase())
        case "two_answers":
            return f"At first sight {answer(rng.choice(case.truths))}, but no: {answer(name)}"
        case "no_answer":
            return "I cannot tell yet which way to go."
    return answer(name)


@lru_cache(maxsize=1024)
def read_case(system: str, last: str) -> Case:
    """Return what the system message and the last message say; no states where that is unreadable."""
    truths, actions = read_lists(last)
    bits = {name: 1 << i for i, name in enumerate(truths)}
    mapping = _RULE_OUTS.search(system)
    found = _states_of_mapping(mapping[1], bits) if mapping else states_of_book(system, bits)
    states = [found.get(action, []) for action in actions]
    return Case(truths, actions, states, [[state.mask for state in listed] for listed in states])


def states_of_book(system: str, bits: dict[str, int]) -> dict[str, list[State]]:
    """Return the states of each action that the system message's book tells of."""
    contents = read_system_book(system, list(bits))
    states: dict[str, list[State]] = {}
    for rule, closed in zip(contents.rules, contents.closed, strict=True):
        state = State(rule.label, rule.low, rule.high, closed is True, _mask(rule.rules_out, bits))
        states.setdefault(rule.action, []).append(state)
    return states


def _states_of_mapping(text: str, bits: dict[str, int]) -> dict[str, list[State]]:
    return {
        action: [_state_of_entry(outcome, _mask(names, bits)) for outcome, names in outcomes.items()]
        for action, outcomes in json.loads(text).items()
    }


def _state_of_entry(outcome: str, mask: int) -> State:
    interval = _INTERVAL.fullmatch(outcome)
    low, high = _numbers(interval[1], interval[2]) if interval else (None, None)
    return State(outcome, low, high, interval is not None and interval[3] == "]", mask)


def _numbers(low: str, high: str) -> tuple[float | None, float | None]:
    """Return the ends of a range; none where a label only looks like one."""
    try:
        return float(low), float(high)
    except ValueError:
        return None, None


def _mask(names: Sequence[str] | frozenset[str], bits: dict[str, int]) -> int:
    return sum(bits.get(name, 0) for name in set(names))


SCRIPT = PlayerScript()
