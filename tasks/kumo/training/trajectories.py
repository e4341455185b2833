"""Golden trajectories: a program's play on an instance as the chat of a model that is shown the rules.

The messages are those of the last call of `symbolic:MODEL` in an evaluation, and its reply, word for word but
for the edition's canary: a trajectory belongs to no edition, and holds the canary of none ('Details of
overfitting resistance experiment').
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from perennial.schemas.errors import InvalidOption
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import Instance
from perennial.tasks.kumo.board import Board
from perennial.tasks.kumo.books.rules import rules_of
from perennial.tasks.kumo.encoding import EncodedConfig, EncodedInstance, instance_id
from perennial.tasks.kumo.game import SYMBOLIC, KumoGame
from perennial.tasks.kumo.players import PLAYERS
from perennial.tasks.kumo.search import Solution

Policy = Literal["algorithm-3", "optimum"]
POLICIES: tuple[Policy, ...] = ("algorithm-3", "optimum")


def golden_trajectories(
    encoded: EncodedConfig,
    instances: Sequence[Instance],
    boards: Sequence[EncodedInstance],
    solutions: Sequence[Solution],
    setting: str,
    policy: Policy,
) -> Iterator[dict[str, Any]]:
    """Yield the record of each instance whose search came to its end: `messages`, and what they are of.

    `policy` says whose play it is: Algorithm 3's also where only bounds of the optimum are known.
    Raises InvalidOption where the optimum does not apply to the instances, or the play does not win.
    """
    for instance, board, solution in zip(instances, boards, solutions, strict=True):
        if solution.expected_steps is None:
            continue
        place = Board(encoded.config, instance, board, rules=rules_of(encoded, instance), solution=solution)
        game = KumoGame(place)
        messages = _play(game, policy)
        if game.status != "solved":
            raise InvalidOption(
                f"setting {setting}: the play of {policy} does not win instance {instance.index}, so it is "
                "not a golden trajectory: let `perennial domains validate` look at the configuration"
            )
        is_bound = solution.optimum is not None and solution.optimum.status == "bounds"
        yield {
            "messages": messages,
            "instance_id": instance_id(encoded, instance),
            "domain": encoded.config.name,
            "setting": setting,
            "policy": "algorithm-3" if is_bound else policy,
            "tests": game.tests,
            "expected_steps": solution.expected_steps,
            "promise_steps": None if solution.optimum is None else solution.optimum.steps,
            "seed": instance.seed,
            "index": instance.index,
        }


def _play(game: KumoGame, policy: Policy) -> list[dict[str, str]]:
    program = PLAYERS[policy]
    move = program.start(game, derive_rng(game.board.instance.seed, policy, game.board.instance.index))
    opening = game.opening(SYMBOLIC)
    messages = [*opening.kept]
    while game.status is None:
        reply = move()
        game.take(reply)
        if game.status is not None:
            *earlier, last = messages
            messages = [*earlier, {**last, "content": last["content"] + opening.tail}]
        messages.append({"role": "assistant", "content": reply})
        if game.status is None:
            messages.append(game.next_message())
    return [dict(message) for message in messages]
