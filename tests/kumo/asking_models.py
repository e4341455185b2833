"""What tests of model players share: boards, and an Ask without a server."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.game import Episode
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import Setting, Step
from perennial.schemas.model_calls import Message, ModelRequest, Reply
from perennial.tasks.kumo.books import write_book
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.game import VARIANTS, Board, KumoGame
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search.solve import Solution
from perennial.tasks.play import ModelPlayer, parse_model_player, play_all, play_model
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from tests.kumo.small_worlds import World, world_of
from tests.kumo.test_books import CLINIC
from tests.server.roles.player import SCRIPT
from tests.server.script import Asked

VANILLA = parse_model_player("m", {"temperature": 0.5}, VARIANTS)
SYMBOLIC = parse_model_player("symbolic:m", {"temperature": 0.5}, VARIANTS)


def board_of(world: World, seed: int = 0, solution: Solution | None = None) -> Board:
    book = write_book(world.config, world.instance, world.rules, random.Random(seed))
    return Board(world.config, world.instance, world.encoded, book, world.rules, solution)


BOARD = board_of(CLINIC)


@lru_cache(maxsize=1)
def bundled_boards() -> tuple[Board, ...]:
    """An easy and a hard instance of each bundled domain, with their template books."""
    boards = []
    for name in bundled_domains():
        encoded = encode_config(load_bundled(name))
        for setting in ("easy", "hard"):
            request = SamplingRequest(Setting.parse(setting), 1, seed=1)
            boards.append(board_of(world_of(encoded.config, sample_instances(encoded, request).instances[0])))
    return tuple(boards)


def make_reply(content: str, **fields: object) -> Reply:
    """A whole answer with its tokens; `fields` change it."""
    reply = Reply("", "ok", content, usage="reported", prompt_tokens=100, completion_tokens=10, cost_usd=0.5)
    return replace(reply, **fields)


def name(move: str) -> Reply:
    return make_reply(f"Hm. <ANSWER> {move} </ANSWER>")


class Asking:
    """Answers each request by a function of it and its number, and keeps all requests."""

    def __init__(self, reply: Callable[[ModelRequest, int], Reply]) -> None:
        self.reply = reply
        self.requests: list[ModelRequest] = []

    async def __call__(self, request: ModelRequest) -> Reply:
        self.requests.append(request)
        return replace(self.reply(request, len(self.requests) - 1), call_id=request.call_id)


def replies(*given: Reply) -> Asking:
    return Asking(lambda _, number: given[min(number, len(given) - 1)])


def make_asked(request: ModelRequest) -> Asked:
    return Asked(request.model, request.messages, request.params)


def make_scripted() -> Asking:
    """The scripted player."""

    def reply(request: ModelRequest, _: int) -> Reply:
        assert SCRIPT.recognises(make_asked(request))
        return make_reply(SCRIPT.reply(make_asked(request), None, derive_rng(0, request.call_id, 0)))

    return Asking(reply)


def play_once(ask: Asking, player: ModelPlayer = VANILLA, board: Board = BOARD, run: int = 0) -> Episode:
    return asyncio.run(play_model(ask, player, KumoGame(board), run))


def play_all_boards(ask, player: ModelPlayer, boards: Sequence[Board], runs: int, concurrency: int):
    games = [partial(KumoGame, board) for board in boards]
    return asyncio.run(play_all(ask, player, games, range(runs), concurrency))


def steps(episode: Episode) -> list[Step]:
    return episode.game.steps


def moves(episode: Episode) -> list[str | None]:
    return [step.move for step in steps(episode)]


def conversation(board: Board, replies: Sequence[str], variant: str = "") -> list[Message]:
    """The messages of a game up to the one that asks for the reply after these, as a call sends them."""
    game = KumoGame(board)
    opening = game.opening(variant)
    messages = [*opening.kept]
    for reply in replies:
        assert game.take(reply) is not None
        messages += [{"role": "assistant", "content": reply}, game.next_message()]
    *earlier, last = messages
    return [*earlier, {**last, "content": last["content"] + opening.tail}]
