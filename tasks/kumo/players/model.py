"""Models as players: the paper's VanillaAgent as a conversation, and the symbolic variant without a book.

An episode is a chat: the system message, then each turn's message and the model's reply to it. The symbolic
variant shows the rules as a mapping (the form of the paper's fine-tuning data) and needs no book.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from prompts.render import template_hash
from schemas.calls import CallStatus, Message, ModelChoice, ModelRequest, Reply
from schemas.errors import InvalidOption
from schemas.kumo.things import TURN_LIMIT, Episode, EpisodeStatus, Instance, Rule, SeedConfig
from tasks.kumo.conversation import (
    SYMBOLIC_TEMPLATE,
    SYSTEM_TEMPLATE,
    assistant_message,
    symbolic_message,
    system_message,
    user_message,
)
from tasks.kumo.encoding import EncodedInstance
from tasks.kumo.game import Match
from tasks.llm.asking import Ask

SYMBOLIC_PREFIX = "symbolic:"

Variant = Literal["vanilla", "symbolic"]

_Number = TypeVar("_Number", int, float)

# How a reply ends an episode when its call did not come to a whole answer.
_ENDINGS: dict[CallStatus, EpisodeStatus] = {
    "truncated": "truncated",
    "refused": "refused",
    "empty": "unparsed",
    "rejected": "api_error",
    "unavailable": "api_error",
    "html_body": "api_error",
    "invalid_body": "api_error",
}


@dataclass(frozen=True)
class ModelPlayer:
    """A model that plays: its name among the players, the model with its parameters, what it is shown."""

    name: str
    choice: ModelChoice
    variant: Variant

    @property
    def template(self) -> str:
        """The template of its system message, which is what tells the variants apart."""
        return SYMBOLIC_TEMPLATE if self.variant == "symbolic" else SYSTEM_TEMPLATE


@dataclass(frozen=True)
class Board:
    """An instance as models play it: `book` for the vanilla variant, `rules` for the symbolic one."""

    config: SeedConfig
    instance: Instance
    encoded: EncodedInstance
    book: str
    rules: Sequence[Rule]


def parse_model_player(name: str, params: Mapping[str, Any]) -> ModelPlayer:
    """Return the player of this name: `MODEL` reads the book, `symbolic:MODEL` gets the mapping.

    Only this exact prefix counts: the rest is the model's name, whatever stands in it. `params` go with
    every call. Raises InvalidOption where no model is named.
    """
    variant: Variant = "symbolic" if name.startswith(SYMBOLIC_PREFIX) else "vanilla"
    model = name.removeprefix(SYMBOLIC_PREFIX)
    if not model.strip():
        raise InvalidOption(f"player {name!r} names no model: write MODEL or {SYMBOLIC_PREFIX}MODEL")
    return ModelPlayer(name, ModelChoice(model, dict(params)), variant)


async def play_model(
    ask: Ask,
    player: ModelPlayer,
    config: SeedConfig,
    instance: Instance,
    encoded: EncodedInstance,
    book: str,
    rules: Sequence[Rule],
    run: int,
    turn_limit: int = TURN_LIMIT,
) -> Episode:
    """Return the model's run on the instance: one call a turn, repeated as `run`.

    The move is read from the reply's content, never from its reasoning, which does not enter the
    conversation either. A truncated reply ends the episode as `truncated` even if an answer stands in its
    text: the cut text may hold one that the model was still weighing, or quoted from the prompt, and its
    last word is not known. A refusal ends it as `refused`, an empty reply as `unparsed`, and a call that
    came to no answer as `api_error`. Tokens and cost are sums over the calls, None where one is unknown.
    What `ask` raises passes through.
    """
    board = Board(config, instance, encoded, book, rules)
    return await _play(ask, player, board, _opening(player, board), run, turn_limit)


async def play_all(
    ask: Ask,
    player: ModelPlayer,
    boards: Sequence[Board],
    runs: int,
    concurrency: int,
    turn_limit: int = TURN_LIMIT,
) -> list[Episode]:
    """Return the runs 0 to `runs` - 1 on each board, by board and then run, whatever the timing.

    At most `concurrency` episodes are under way, each with one call: take twice as many as the client makes
    calls at a time, so that others take its place while a reply is being stored. Where an episode raises,
    no other asks again, but what has been asked is waited for, since its reply is paid for and kept; then
    the first error is raised. Cancelling this cancels them all. Raises InvalidOption for no concurrency.
    """
    # Imported here: asyncio costs 30 ms, which a command that plays nothing should not pay.
    from asyncio import gather

    if concurrency < 1:
        raise InvalidOption(f"concurrency {concurrency}: at least 1 episode must be under way")
    gate = _Gate(ask)
    games = _games(player, boards, runs)
    episodes: dict[int, Episode] = {}

    async def work() -> None:
        try:
            for place, board, opening, run in games:
                episodes[place] = await _play(gate, player, board, opening, run, turn_limit)
        except BaseException as error:
            gate.close(error)
            raise

    # Errors come back as results: raised, they would leave the other workers behind, still under way.
    workers = min(concurrency, len(boards) * runs)
    await gather(*(work() for _ in range(workers)), return_exceptions=True)
    if gate.error is not None:
        raise gate.error
    return [episodes[place] for place in range(len(boards) * runs)]


class _Closed(Exception):
    """Another episode failed: no call is made any more."""


class _Gate:
    """Passes calls on until it is closed by an error; the first one is kept."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.error: BaseException | None = None

    async def __call__(self, request: ModelRequest) -> Reply:
        if self.error is not None:
            raise _Closed
        return await self._ask(request)

    def close(self, error: BaseException) -> None:
        if self.error is None:
            self.error = error


def _games(
    player: ModelPlayer, boards: Sequence[Board], runs: int
) -> Iterator[tuple[int, Board, list[Message], int]]:
    """Yield each run with its place; an instance's opening is rendered once, when its first run begins."""
    for number, board in enumerate(boards):
        opening = _opening(player, board)
        for run in range(runs):
            yield number * runs + run, board, opening, run


def _opening(player: ModelPlayer, board: Board) -> list[Message]:
    config, truths, actions = board.config, board.instance.truths, board.instance.actions
    system = (
        symbolic_message(config, truths, actions, board.rules)
        if player.variant == "symbolic"
        else system_message(config, truths, actions, board.book)
    )
    return [system, user_message(config, truths, actions, None)]


async def _play(
    ask: Ask, player: ModelPlayer, board: Board, opening: Sequence[Message], run: int, turn_limit: int
) -> Episode:
    match = Match(board.instance, board.encoded, turn_limit)
    messages = [*opening]
    replies: list[Reply] = []
    while match.status is None:
        request = _request(player, messages, run)
        reply = await ask(request)
        replies.append(reply)
        _enter(match, reply, request.call_id)
        if match.status is None:
            turn = match.turns[-1]
            messages += [
                assistant_message(turn),
                user_message(board.config, board.instance.truths, board.instance.actions, turn),
            ]
    tokens = _total([reply.tokens for reply in replies])
    cost_usd = _total([reply.cost_usd for reply in replies])
    return match.episode(player.name, run, tokens, cost_usd)


def _request(player: ModelPlayer, messages: Sequence[Message], run: int) -> ModelRequest:
    return ModelRequest(
        role="player",
        model=player.choice.model,
        messages=tuple(messages),
        params=player.choice.params,
        template=player.template,
        template_hash=template_hash(player.template),
        repeat=run,
    )


def _enter(match: Match, reply: Reply, call_id: str) -> None:
    if reply.status == "ok":
        match.take(reply.content, call_id)
    else:
        match.end(_ENDINGS[reply.status], reply.content, call_id)


def _total(values: Sequence[_Number | None]) -> _Number | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
