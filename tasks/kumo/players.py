"""Players of KUMO that need no model."""

import random
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import Move, Program
from perennial.schemas.kumo.plan import RELIABILITIES
from perennial.schemas.kumo.things import Observation, SeedConfig, Step
from perennial.schemas.model_calls import Message
from perennial.tasks.kumo.book_reading import BookContents, read_book
from perennial.tasks.kumo.game import Board, KumoGame, Player, Terms, menu_text, system_message, user_message
from perennial.tasks.kumo.guessing import count_striking_states
from perennial.tasks.kumo.reliability import Case, state_probability, states_seen

if TYPE_CHECKING:
    from perennial.tasks.kumo.search.solve import Solution


# What a player is given before the first turn.


@dataclass(frozen=True, slots=True)
class Briefing:
    """What a player may know of one instance: no observation, no state and no valid truth is in it.

    `truths` and `actions` are in the order in which they are shown. `masks[j][s]` is the mask of the
    truths that state s of action j rules out, for players that need no book. `solution` is for those
    that play what a search found, `rng` for players that draw. `n_valid` is how many truths are promised
    to survive. `case` is what is known where outcomes are reported, for a player that weighs reports.
    """

    config: SeedConfig
    truths: tuple[str, ...]
    actions: tuple[str, ...]
    masks: tuple[tuple[int, ...], ...]
    book: str
    solution: "Solution | None"
    rng: random.Random
    n_valid: int = 1
    case: Case | None = None


def brief_player(board: Board, rng: random.Random) -> Briefing:
    """Tell a player what it may know of the instance on the board."""
    instance = board.instance
    return Briefing(
        board.config,
        instance.truths,
        instance.actions,
        board.encoded.masks,
        board.book,
        board.solution,
        rng,
        len(instance.valid_truths),
        board.reports.case if board.reports else None,
    )


def answer(name: str) -> str:
    """The reply that names an action or a truth."""
    return f"<ANSWER> {name} </ANSWER>"


# The greedy player, and its choice, which the reader makes too.


StateMasks = Sequence[Sequence[int]]


def make_greedy(briefing: Briefing) -> Player:
    """The player that takes the action that rules out most in expectation: one step of look-ahead."""
    indices = {name: i for i, name in enumerate(briefing.actions)}

    def reply(steps: Sequence[Step]) -> str:
        left = (1 << len(briefing.truths)) - 1
        untried = set(range(len(briefing.actions)))
        for step in steps:
            action = indices.get(step.move or "")
            if action is not None:
                untried.discard(action)
                if step.state is not None:
                    left &= ~briefing.masks[action][step.state]
        chosen = best_action(briefing.masks, left, sorted(untried), briefing.n_valid)
        return answer(briefing.actions[chosen] if chosen is not None else briefing.truths[first_left(left)])

    return reply


def best_action(masks: StateMasks, left: int, untried: Sequence[int], n_valid: int = 1) -> int | None:
    """The untried action that rules out most of the truths left in expectation, or None.

    State s has weight W(s), the number of truths left that it does not rule out, and the expectation is
    sum(W(s) * ruled_out(s)) / sum(W(s)); the earliest action wins a tie. None: name a truth, because at
    most `n_valid` are left, or because no untried action can rule out any that is left.
    """
    n_left = left.bit_count()
    if n_left <= n_valid:
        return None
    best: int | None = None
    best_sum, best_weight = -1, 1
    for action in untried:
        ruled_out = [(mask & left).bit_count() for mask in masks[action]]
        if not any(ruled_out):
            continue
        weight = sum(n_left - n for n in ruled_out) or 1
        expected = sum((n_left - n) * n for n in ruled_out)
        # expected / weight compared as fractions: sums of floats would break ties by rounding.
        if expected * best_weight > best_sum * weight:
            best, best_sum, best_weight = action, expected, weight
    return best


def first_left(left: int) -> int:
    """The index of the first truth left; 0 where none is, so that a move always exists."""
    return (left & -left).bit_length() - 1 if left else 0


# The guesser: an answer without any test, by the rules alone. Its rate is the floor of an edition.


def make_guesser(briefing: Briefing) -> Player:
    """The player that names the truth that the fewest outcome states rule out, the first listed of equals.

    Balanced instances leave it at chance; those of the paper's sampler do not.
    """
    struck = count_striking_states(briefing.masks, len(briefing.truths))
    return lambda _: answer(briefing.truths[struck.index(min(struck))])


# The reader: a player that knows nothing but the text of its messages, and plays by what it reads.
#
# It is the check that books and prompts are enough to win by: where Algorithm 3 solves an instance, the
# reader does. Only the first message and what the last action showed are read each time.


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

    def __init__(self, briefing: Briefing) -> None:
        self._steps_read = 0
        terms = Terms(briefing.config, briefing.truths, briefing.actions, briefing.n_valid)
        system = system_message(terms, book=briefing.book.strip("\n"))
        self._n_valid = read_promise(system["content"])
        self._truths, self._actions = read_lists(menu_text(terms))
        contents = read_system_book(system["content"], self._truths)
        self._states = _states_by_action(contents, self._truths, self._actions)
        self._masks = [[state.mask for state in states] for states in self._states]
        self._left = (1 << len(self._truths)) - 1
        self._untried = list(range(len(self._actions)))

    def reply(self, steps: Sequence[Step]) -> str:
        """The next move, as an answer between tags; `steps` continue those of the last call."""
        for step in steps[self._steps_read :]:
            self._read_outcome(user_message(step))
        self._steps_read = len(steps)
        return answer(self._next_name())

    @property
    def left(self) -> tuple[str, ...]:
        """The truths that nothing read so far rules out."""
        return tuple(name for i, name in enumerate(self._truths) if self._left >> i & 1)

    def _next_name(self) -> str:
        excludable = reduce(or_, (mask for action in self._untried for mask in self._masks[action]), 0)
        if safe := self._left & ~excludable:
            return self._truths[first_left(safe)]
        chosen = best_action(self._masks, self._left, self._untried, self._n_valid)
        return self._actions[chosen] if chosen is not None else self._truths[first_left(self._left)]

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


def make_reader(briefing: Briefing) -> Player:
    """The player that knows nothing but its messages."""
    return ReaderPlayer(briefing).reply


def read_system_book(content: str, truths: Sequence[str]) -> BookContents:
    """What the book in a system message says; an empty book where there is none.

    Of several books it is the one whose rules name the most of these truths.
    """
    listed = set(truths)
    books = [read_book(text) for text in _BOOK.findall(content)] or [read_book("")]

    def count_named(book: BookContents) -> int:
        return len(listed & frozenset().union(*(rule.rules_out for rule in book.rules)))

    return max(books, key=count_named)


def read_promise(content: str) -> int:
    """How many truths a system message says are consistent with all outcomes; 1 where it is silent."""
    match = _PROMISE.search(content)
    return 1 if match is None or match[1] == "one" else int(match[1])


def read_lists(content: str) -> tuple[list[str], list[str]]:
    """The truths and the actions that the end of a call's last message lists."""
    lists = [
        [line[2:] for line in block.split("\n")[1:] if line.startswith("- ")]
        for block in content.split("\n\n")
    ]
    actions, truths = [names for names in lists if names][-2:]
    return truths, actions


def read_last_outcome(content: str) -> tuple[str, Observation]:
    """The action that a turn's message says was chosen, and what it showed; blanks at the start."""
    match = _LAST_OUTCOME.match(content)
    if match is None:
        return "", ""
    action, outcome = match[1], match[2]
    return action, outcome[1:-1] if outcome.startswith('"') else float(outcome)


def _states_by_action(
    contents: BookContents, truths: Sequence[str], actions: Sequence[str]
) -> list[list[_State]]:
    bits = {name: 1 << i for i, name in enumerate(truths)}
    states: dict[str, list[_State]] = {name: [] for name in actions}
    for rule, closed in zip(contents.rules, contents.closed, strict=True):
        mask = sum(bits.get(name, 0) for name in rule.rules_out)
        states.setdefault(rule.action, []).append(_State(rule.label, rule.low, rule.high, closed, mask))
    return [states[name] for name in actions]


# The best play where outcomes are reported with a known reliability, by the exact probabilities.


def make_reasoner(briefing: Briefing, case: Case) -> Player:
    """The player that tests and answers as the best play does, and says how probable its answer is."""
    # Imported here: numpy costs 100 ms, which other players should not pay.
    from perennial.tasks.kumo.belief import believe, plan_best_play

    def reply(steps: Sequence[Step]) -> str:
        seen = states_seen(briefing.actions, steps)
        action, truth = plan_best_play(case).choose(seen)
        if action >= 0:
            return answer(briefing.actions[action])
        return answer(briefing.truths[truth]) + state_probability(believe(case, seen)[truth])

    return reply


# The players that need no model, by name.


def _make_planned(briefing: Briefing, actions: Sequence[int], truth: int | None) -> Player:
    """The player of what a search found: actions, and then the truth, again where the game continues."""
    # Observations that contradict each other leave no answer; a move there has to be all the same.
    moves = [*(briefing.actions[action] for action in actions), briefing.truths[truth or 0]]
    return lambda steps: answer(moves[min(len(steps), len(moves) - 1)])


def make_algorithm_3(briefing: Briefing) -> Player:
    """The player of Algorithm 3's golden trajectory; raise InvalidOption without a finished search."""
    solution = briefing.solution
    if solution is None or solution.status == "time_limit":
        raise InvalidOption(
            "player 'algorithm-3' needs the instance's finished search, but there is none: "
            "search the instance first, or let another player play"
        )
    return _make_planned(briefing, solution.golden_actions, solution.golden_answer)


def make_optimum(briefing: Briefing) -> Player:
    """The player of the optimum's golden play, of Algorithm 3's where only bounds of it are known.

    Where outcomes are reported, it is the best play by the exact probabilities. Raises InvalidOption where
    the optimum does not apply to the instance.
    """
    if briefing.case is not None:
        return make_reasoner(briefing, briefing.case)
    optimum = None if briefing.solution is None else briefing.solution.optimum
    if optimum is None:
        raise InvalidOption(
            "player 'optimum' needs the instance's optimum under the promise, but there is none "
            "(a size beyond its tables): let another player play"
        )
    if optimum.status == "bounds":
        return make_algorithm_3(briefing)
    return _make_planned(briefing, optimum.actions, optimum.answer)


def make_random(briefing: Briefing) -> Player:
    """The player that draws from the untried actions and one more move: to stop and name any truth.

    It follows no rule, so it is right as often as there are valid truths among the listed ones, and it
    takes half of the actions on average.
    """

    def reply(steps: Sequence[Step]) -> str:
        tried = {step.move for step in steps}
        untried = [action for action in briefing.actions if action not in tried]
        drawn = briefing.rng.randrange(len(untried) + 1)
        return answer(untried[drawn] if drawn < len(untried) else briefing.rng.choice(briefing.truths))

    return reply


def _program(
    name: str,
    is_random: bool,
    summary: str,
    make_player: Callable[[Briefing], Player],
    versions: Collection[str] = (),
) -> Program[KumoGame]:
    def start(game: KumoGame, rng: random.Random) -> Move:
        player = make_player(brief_player(game.board, rng))
        return lambda: player(game.steps)

    return Program(name, is_random, summary, start, versions)


ALIASES = {"oracle": "algorithm-3"}
PLAYERS: dict[str, Program[KumoGame]] = {
    program.name: program
    for program in (
        _program("algorithm-3", False, "plays the golden trajectory of the paper's search", make_algorithm_3),
        _program(
            "optimum", False, "plays the best policy that uses the promise", make_optimum, RELIABILITIES
        ),
        _program("greedy", False, "takes the action that rules out most in expectation", make_greedy),
        _program("random", True, "takes random actions and names a random truth", make_random, RELIABILITIES),
        _program("reader", False, "plays by what it reads in the book's text alone", make_reader),
        _program("guesser", False, "names a truth without a test, by the rules", make_guesser),
    )
}
