"""The reader: a player that knows nothing but the text of its messages, and plays by what it reads.

It is the check that books and prompts are enough to win by: where Algorithm 3 solves an instance, the reader
does. Only the first message and what the last action showed are read each time.
"""

import re
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from perennial.schemas.kumo.things import Observation, Step
from perennial.tasks.kumo.books.reading import BookContents, read_book
from perennial.tasks.kumo.conversation import Message, Terms, menu_text, system_message, user_message
from perennial.tasks.kumo.players.greedy import best_action, first_left
from perennial.tasks.kumo.players.seat import Seat, answer

_BOOK = re.compile(r"^<BOOK>\n(.*?)\n</BOOK>$", re.DOTALL | re.MULTILINE)
_LAST_OUTCOME = re.compile(r"\AYou chose: (.*)\nObserved outcome: (.*)(?:\n|\Z)")
_PROMISE = re.compile(r"^Exactly (one|\d+) .* consistent with ", re.MULTILINE)


class _State(NamedTuple):
    label: str | None
    low: float | None
    high: float | None
    closed: bool | None
    mask: int

    def holds(self, observation: Observation) -> bool:
        if isinstance(observation, str):
            return self.label == observation
        if self.low is None or self.high is None:
            return False
        return self.low <= observation < self.high or (
            self.closed is True and self.low <= observation == self.high
        )


class ReaderPlayer:
    """Eliminates by the rules that it has read, and chooses among the actions as the greedy player does.

    It names a truth once no more are left than are promised, or before that one which no untried action can
    rule out any more.
    """

    def __init__(self, seat: Seat) -> None:
        self._steps_read = 0
        terms = Terms(seat.config, seat.truths, seat.actions, seat.n_valid)
        system = system_message(terms, seat.book)
        self._n_valid = read_promise(system["content"])
        self._truths, self._actions = read_lists(menu_text(terms))
        contents = read_system_book(system["content"], self._truths)
        self._states = _states_by_action(contents, self._truths, self._actions)
        self._masks = [[state.mask for state in states] for states in self._states]
        self._left = (1 << len(self._truths)) - 1
        self._untried = list(range(len(self._actions)))

    def reply(self, steps: Sequence[Step]) -> str:
        """Return the next move, as an answer between tags; `steps` continue those of the last call."""
        for step in steps[self._steps_read :]:
            self._read_outcome(user_message(step))
        self._steps_read = len(steps)
        return answer(self._next_name())

    @property
    def left(self) -> tuple[str, ...]:
        """The truths that nothing read so far rules out."""
        return tuple(name for i, name in enumerate(self._truths) if self._left >> i & 1)

    def _next_name(self) -> str:
        safe = self._left & ~self._still_excludable()
        if safe:
            return self._truths[first_left(safe)]
        chosen = best_action(self._masks, self._left, self._untried, self._n_valid)
        return self._actions[chosen] if chosen is not None else self._truths[first_left(self._left)]

    def _still_excludable(self) -> int:
        return reduce(or_, (mask for action in self._untried for mask in self._masks[action]), 0)

    def _read_outcome(self, message: Message) -> None:
        action, observation = read_last_outcome(message["content"])
        if action not in self._actions:
            return
        index = self._actions.index(action)
        if index in self._untried:
            self._untried.remove(index)
        seen = next((state for state in self._states[index] if state.holds(observation)), None)
        if seen is not None:
            self._left &= ~seen.mask


def read_system_book(content: str, truths: Sequence[str]) -> BookContents:
    """Return what the book in a system message says; an empty book where there is none.

    Of several books it is the one whose rules name the most of these truths.
    """
    listed = set(truths)
    books = [read_book(text) for text in _BOOK.findall(content)] or [read_book("")]

    def count_named(book: BookContents) -> int:
        return len(listed & frozenset().union(*(rule.rules_out for rule in book.rules)))

    return max(books, key=count_named)


def read_promise(content: str) -> int:
    """Return how many truths a system message says are consistent with all outcomes; 1 where it is silent."""
    match = _PROMISE.search(content)
    return 1 if match is None or match[1] == "one" else int(match[1])


def read_lists(content: str) -> tuple[list[str], list[str]]:
    """Return the truths and the actions that the end of a call's last message lists."""
    lists = [
        [line[2:] for line in block.split("\n")[1:] if line.startswith("- ")]
        for block in content.split("\n\n")
    ]
    actions, truths = [names for names in lists if names][-2:]
    return truths, actions


def read_last_outcome(content: str) -> tuple[str, Observation]:
    """Return the action that a turn's message says was chosen, and what it showed; blanks at the start."""
    match = _LAST_OUTCOME.match(content)
    if match is None:
        return "", ""
    action, shown = match[1], match[2]
    return action, shown[1:-1] if shown.startswith('"') else float(shown)


def _states_by_action(
    contents: BookContents, truths: Sequence[str], actions: Sequence[str]
) -> list[list[_State]]:
    bits = {name: 1 << i for i, name in enumerate(truths)}
    states: dict[str, list[_State]] = {name: [] for name in actions}
    for rule, closed in zip(contents.rules, contents.closed, strict=True):
        mask = sum(bits.get(name, 0) for name in rule.rules_out)
        states.setdefault(rule.action, []).append(_State(rule.label, rule.low, rule.high, closed, mask))
    return [states[name] for name in actions]
