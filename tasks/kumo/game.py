"""Play one instance: turn after turn, a player's reply against the instance's observations."""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Protocol

from schemas.kumo.things import TURN_LIMIT, Episode, EpisodeStatus, Instance, Turn
from tasks.kumo.answers import NO_MOVE, Move, parse_answer
from tasks.kumo.encoding import EncodedInstance


class Player(Protocol):
    """Whoever plays and answers at once: a symbolic player, a person. Models play in `players.model`."""

    def reply(self, turns: Sequence[Turn]) -> str:
        """Return the text of the next move, given all earlier turns with their observations."""
        ...


class Match:
    """One run on one instance, move by move, for those whose replies come by and by.

    `turns` are the moves so far, numbered from 1. `status` says how the run ended, None while it goes on;
    then the next reply goes to `take`, or to `end` where it is no move whatever its text says.
    """

    def __init__(self, instance: Instance, encoded: EncodedInstance, turn_limit: int = TURN_LIMIT) -> None:
        self._instance = instance
        self._encoded = encoded
        self._turn_limit = turn_limit
        self.turns: list[Turn] = []
        self.status: EpisodeStatus | None = "turn_limit" if turn_limit < 1 else None

    def take(self, reply: str, call_id: str | None = None) -> None:
        """Add the turn that the reply makes.

        An action gives its observation, the same one and a turn again when repeated. A truth ends the
        game: `solved` when no observation of the instance, taken or not, rules it out (the paper's
        grader), else `wrong`. A reply without a move ends it as `unparsed`, an action in the last turn
        allowed as `turn_limit`.
        """
        move = parse_answer(reply, self._instance.truths, self._instance.actions)
        self._add(move, reply, call_id)
        if move.kind != "action":
            self.status = _status_of(self._instance, self._encoded, move)
        elif len(self.turns) >= self._turn_limit:
            self.status = "turn_limit"

    def end(self, status: EpisodeStatus, reply: str = "", call_id: str | None = None) -> None:
        """End the run with this status and a turn of kind `none`: its reply is kept and not read."""
        self._add(NO_MOVE, reply, call_id)
        self.status = status

    def episode(
        self, player: str, run: int, tokens: int | None = None, cost_usd: float | None = None
    ) -> Episode:
        """Return the run as an episode of the named player; ValueError while it goes on."""
        if self.status is None:
            raise ValueError(f"run {run} of player {player!r} goes on: take or end it before its episode")
        return Episode(player, run, self.status, tuple(self.turns), tokens, cost_usd)

    def _add(self, move: Move, reply: str, call_id: str | None) -> None:
        if self.status is not None:
            raise ValueError(f"the run has ended ({self.status}): no further reply belongs to it")
        self.turns.append(_turn(self._instance, len(self.turns) + 1, reply, move, call_id))


def play(
    instance: Instance,
    encoded: EncodedInstance,
    player: Player,
    name: str,
    run: int,
    turn_limit: int = TURN_LIMIT,
) -> Episode:
    """Return the player's run: at most `turn_limit` turns, and how it ended, as `Match.take` says."""
    match = Match(instance, encoded, turn_limit)
    while match.status is None:
        match.take(player.reply(match.turns))
    return match.episode(name, run)


def is_correct(instance: Instance, encoded: EncodedInstance, truth: str) -> bool:
    """Return whether none of the instance's observations rules out the truth."""
    excluded = reduce(or_, (encoded.observed_mask(action) for action in range(len(encoded.masks))), 0)
    return not excluded >> instance.truths.index(truth) & 1


def _turn(instance: Instance, number: int, reply: str, move: Move, call_id: str | None) -> Turn:
    if move.kind != "action" or move.name is None:
        return Turn(number, move.kind, move.name, reply, None, None, call_id)
    index = instance.actions.index(move.name)
    observation, state = instance.observations[index], instance.states[index]
    return Turn(number, "action", move.name, reply, observation, state, call_id)


def _status_of(instance: Instance, encoded: EncodedInstance, move: Move) -> EpisodeStatus:
    if move.name is None:
        return "unparsed"
    return "solved" if is_correct(instance, encoded, move.name) else "wrong"
