"""Play one instance: turn after turn, a player's reply against the instance's observations."""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Protocol

from schemas.kumo import TURN_LIMIT, Episode, EpisodeStatus, Instance, Turn
from tasks.kumo.answers import Move, parse_answer
from tasks.kumo.encoding import EncodedInstance


class Player(Protocol):
    """Whoever plays: a symbolic player, a model, a person."""

    def reply(self, turns: Sequence[Turn]) -> str:
        """Return the text of the next move, given all earlier turns with their observations."""
        ...


def play(
    instance: Instance,
    encoded: EncodedInstance,
    player: Player,
    name: str,
    run: int,
    turn_limit: int = TURN_LIMIT,
) -> Episode:
    """Return the player's run: turns numbered from 1, at most `turn_limit` of them, and how it ended.

    An action gives its observation, the same one and a turn again when repeated. A truth ends the game:
    `solved` when no observation of the instance, taken or not, rules it out (the paper's grader), else
    `wrong`. A reply without a move ends it as `unparsed`, too many turns as `turn_limit`.
    """
    turns: list[Turn] = []
    status: EpisodeStatus = "turn_limit"
    for number in range(1, turn_limit + 1):
        reply = player.reply(turns)
        move = parse_answer(reply, instance.truths, instance.actions)
        turns.append(_turn(instance, number, reply, move))
        if move.kind != "action":
            status = _status_of(instance, encoded, move)
            break
    return Episode(player=name, run=run, status=status, turns=tuple(turns))


def is_correct(instance: Instance, encoded: EncodedInstance, truth: str) -> bool:
    """Return whether none of the instance's observations rules out the truth."""
    excluded = reduce(or_, (encoded.observed_mask(action) for action in range(len(encoded.masks))), 0)
    return not excluded >> instance.truths.index(truth) & 1


def _turn(instance: Instance, number: int, reply: str, move: Move) -> Turn:
    if move.kind != "action" or move.name is None:
        return Turn(number, move.kind, move.name, reply, None, None)
    index = instance.actions.index(move.name)
    return Turn(number, "action", move.name, reply, instance.observations[index], instance.states[index])


def _status_of(instance: Instance, encoded: EncodedInstance, move: Move) -> EpisodeStatus:
    if move.name is None:
        return "unparsed"
    return "solved" if is_correct(instance, encoded, move.name) else "wrong"
