"""The game of KUMO: a player's replies against the instance's observations, and the paper's grader."""

from collections.abc import Sequence
from functools import partial, reduce
from operator import or_
from typing import Protocol

from perennial.schemas.game import EpisodeStatus, Opening, Result
from perennial.schemas.kumo.things import TURN_LIMIT, Instance, Step, observation_text
from perennial.schemas.model_calls.calls import Message
from perennial.tasks.kumo.answers import NO_MOVE, Move, parse_answer
from perennial.tasks.kumo.board import Board
from perennial.tasks.kumo.conversation import (
    AMONG_TEMPLATE,
    CLOSED_TEMPLATE,
    REPORTS_TEMPLATE,
    SYMBOLIC_TEMPLATE,
    SYSTEM_TEMPLATE,
    Terms,
    among_message,
    closed_message,
    menu_text,
    reports_message,
    symbolic_message,
    system_message,
    user_message,
)
from perennial.tasks.kumo.decided_runs import is_decided
from perennial.tasks.kumo.encoding import EncodedInstance
from perennial.tasks.kumo.paper_protocol import open_as_published, parse_as_published, show_as_published

SYMBOLIC = "symbolic"
CLOSED = "closed"
VARIANTS = (SYMBOLIC, CLOSED)
TEMPLATES = {"": SYSTEM_TEMPLATE, SYMBOLIC: SYMBOLIC_TEMPLATE, CLOSED: CLOSED_TEMPLATE}


class Player(Protocol):
    """Whoever plays and answers at once: a program, a person. Models play in `tasks/play/model_player.py`."""

    def reply(self, steps: Sequence[Step]) -> str:
        """Return the text of the next move, given all earlier steps with their observations."""
        ...


class KumoGame:
    """One run on one instance, reply by reply (`perennial.schemas.game.Game`).

    `steps` are what the replies so far were read as. `status` says how the run ended, None while it
    continues.
    """

    def __init__(self, board: Board, turn_limit: int = TURN_LIMIT) -> None:
        self.board = board
        self._turn_limit = turn_limit
        self.steps: list[Step] = []
        self.status: EpisodeStatus | None = "turn_limit" if turn_limit < 1 else None

    def opening(self, variant: str) -> Opening:
        """Return the system message with the book, and the first turn; the menu stands at the end alone.

        Where the board has guidebooks, all of them are shown. `symbolic` shows the rules as a mapping instead
        of the book, `closed` shows neither.
        """
        if self.board.protocol is not None:
            book = None if variant == CLOSED else self.board.book
            instance = self.board.instance
            return open_as_published(self.board.protocol, instance.truths, instance.actions, book)
        return self._open(variant, None)

    def _open(self, variant: str, max_tokens: int | None) -> Opening:
        board, instance = self.board, self.board.instance
        terms = Terms(
            config=board.config,
            truths=instance.truths,
            actions=instance.actions,
            n_valid=len(instance.valid_truths),
            turn_limit=self._turn_limit,
            max_tokens=max_tokens,
        )
        template = TEMPLATES[variant]
        if variant == SYMBOLIC:
            system = symbolic_message(terms, board.rules)
        elif variant == CLOSED:
            system = closed_message(terms)
        elif board.guidebooks:
            system, template = among_message(terms, board.guidebooks), AMONG_TEMPLATE
        elif board.reports:
            system, template = reports_message(terms, board.book, board.reports.case), REPORTS_TEMPLATE
        else:
            system = system_message(terms, board.book)
        start, tail = user_message(None), menu_text(terms)
        asked: Message = {"role": "user", "content": start["content"] + tail}
        return Opening(
            (system, asked),
            template,
            kept=(system, start),
            tail=tail,
            with_max_tokens=partial(self._open, variant),
        )

    def take(self, reply: str) -> str | None:
        """Add the step that the reply makes, and return the observation of an action as text.

        An action gives its observation, the same one and a turn again when repeated. A truth ends the
        game: `solved` when no observation of the instance, taken or not, rules it out (the paper's
        grader), else `wrong`. A reply without a move ends it as `unparsed`, an action in the last turn
        allowed as `turn_limit`.
        """
        instance = self.board.instance
        parse = parse_answer if self.board.protocol is None else parse_as_published
        move = parse(reply, instance.truths, instance.actions)
        step = self._add(move)
        if move.kind != "action":
            self.status = _status_of(instance, self.board.encoded, move)
        elif len(self.steps) >= self._turn_limit:
            self.status = "turn_limit"
        return None if step.observation is None else observation_text(step.observation)

    def next_message(self) -> Message:
        """Return the message that shows what the last action gave; the lists are in the opening's tail."""
        if self.board.protocol is not None:
            return show_as_published(self.board.protocol, self.steps[-1])
        return user_message(self.steps[-1])

    def end(self, status: EpisodeStatus) -> None:
        """End the run with this status and a step of kind `none`: its reply is not read."""
        self._add(NO_MOVE)
        self.status = status

    def result(self) -> Result | None:
        """Return how the run ended, None while it continues."""
        if self.status is None:
            return None
        return Result(self.status, self.status == "solved", float(self.status == "solved"))

    @property
    def tests(self) -> int:
        """Number of actions taken, repeated ones included."""
        return sum(step.kind == "action" for step in self.steps)

    def is_decided(self) -> bool | None:
        """Return whether the outcomes seen so far make some truth sure (`perennial.tasks.kumo.decided_runs`).

        None where that is not looked at, and where reports are shown, which make nothing sure.
        """
        if self.board.reports:
            return None
        names = self.board.instance.actions
        tried = {names.index(step.move) for step in self.steps if step.kind == "action" and step.move}
        return is_decided(self.board.encoded, tried)

    def _add(self, move: Move) -> Step:
        if self.status is not None:
            raise ValueError(f"the run has ended ({self.status}): no further reply belongs to it")
        shown = self.board.reports.told if self.board.reports else self.board.instance
        self.steps.append(_step(shown, len(self.steps) + 1, move))
        return self.steps[-1]


def play(game: KumoGame, player: Player) -> KumoGame:
    """Let the player play the game to its end, and return it."""
    while game.status is None:
        game.take(player.reply(game.steps))
    return game


def is_correct(instance: Instance, encoded: EncodedInstance, truth: str) -> bool:
    """Return whether none of the instance's observations rules out the truth."""
    excluded = reduce(or_, (encoded.observed_mask(action) for action in range(len(encoded.masks))), 0)
    return not excluded >> instance.truths.index(truth) & 1


def _step(instance: Instance, number: int, move: Move) -> Step:
    if move.kind != "action" or move.name is None:
        return Step(number, move.kind, move.name, None, None)
    index = instance.actions.index(move.name)
    return Step(number, "action", move.name, instance.observations[index], instance.states[index])


def _status_of(instance: Instance, encoded: EncodedInstance, move: Move) -> EpisodeStatus:
    if move.name is None:
        return "unparsed"
    return "solved" if is_correct(instance, encoded, move.name) else "wrong"
