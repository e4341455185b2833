"""How much a model is sent in a game of KUMO: `python -m tests.benchmarks.messages`.

The greedy player's games on fresh instances of the bundled domains, as `MODEL` is asked. Sent: what all calls
of a game hold; last: what its last call holds; kept: what one more turn adds to each later call, without the
reply.
Tokens are estimated as characters / 4.
"""

import random
from statistics import mean

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.books import rules_of, write_book
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import encode_config, encode_instance
from perennial.tasks.kumo.game import Board, KumoGame
from perennial.tasks.kumo.players import PLAYERS
from perennial.tasks.kumo.sampling import SamplingRequest, sample_instances
from perennial.warehouse.kumo.bundled_domains import bundled_domains, bundled_text

_INSTANCES = 5


def measure(board: Board) -> tuple[int, int, float]:
    """Return the characters that the game's calls hold, its last call's, and a kept message's."""
    game = KumoGame(board)
    move = PLAYERS["greedy"].start(game, derive_rng(0, "messages", 0))
    opening = game.opening("")
    kept = [message["content"] for message in opening.kept or opening.messages]
    calls = [sum(len(message["content"]) for message in opening.messages)]
    shown = []
    while game.status is None:
        reply = move()
        game.take(reply)
        if game.status is None:
            shown.append(game.next_message()["content"])
            kept += [reply, shown[-1]]
            calls.append(sum(map(len, kept)) + len(opening.tail))
    return sum(calls), calls[-1], mean(map(len, shown)) if shown else 0.0


def boards(setting: str) -> list[Board]:
    """Return fresh instances of the bundled domains with their books."""
    found = []
    for name in bundled_domains():
        encoded = encode_config(parse_config(bundled_text(name), name))
        for instance in sample_instances(
            encoded, SamplingRequest(Setting.parse(setting), _INSTANCES, seed=1)
        ).instances:
            rules = rules_of(encoded, instance)
            book = write_book(encoded.config, instance, rules, random.Random(instance.index))
            found.append(Board(encoded.config, instance, encode_instance(encoded, instance), book, rules))
    return found


def main() -> None:
    """Print the mean figures of each setting."""
    for setting in ("easy", "hard"):
        sent, last, kept = (mean(column) for column in zip(*map(measure, boards(setting)), strict=True))
        print(
            f"{setting}: sent {sent:,.0f} characters ({sent / 4:,.0f} tokens), last call {last:,.0f} "
            f"({last / 4:,.0f}), kept turn {kept:,.0f} ({kept / 4:,.0f})"
        )


if __name__ == "__main__":
    main()
