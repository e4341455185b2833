"""Play games, whatever the benchmark: by models over a conversation, or by programs."""

import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from perennial.prompts.render import template_hash
from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import (
    TOOLS,
    USUAL,
    Episode,
    EpisodeStatus,
    Game,
    GameT,
    Opening,
    Program,
    Result,
    Turn,
)
from perennial.schemas.ids import content_id
from perennial.schemas.model_calls import (
    DEFAULT_MAX_TOKENS,
    CallStatus,
    Message,
    ModelChoice,
    ModelRequest,
    Reply,
)
from perennial.tasks.llm.structured import Ask
from perennial.tasks.tools import MOST_ROUNDS, answer_calls, tool_params

# Models as players: an episode is a chat, each reply one call, until the game ends.
#
# How a game opens and what it answers is the benchmark's; the conversation, the statuses of calls that came
# to no whole answer, and who plays when others wait are the same for all.


NewGame = Callable[[], GameT]
# Asks a model what a reply says that ended a game unparsed, and tells the game.
SecondReader = Callable[[Ask, GameT, str], Awaitable[None]]

_Number = TypeVar("_Number", int, float)


# How a reply ends an episode when its call did not come to a whole answer.
ENDINGS: dict[CallStatus, EpisodeStatus] = {
    "truncated": "truncated",
    "refused": "refused",
    "empty": "unparsed",
    "tool_call": "tool_call",
    "overflow": "truncated",
    "rejected": "api_error",
    "unavailable": "api_error",
    "html_body": "api_error",
    "invalid_body": "api_error",
}


class Players(Protocol):
    """What is asked of a benchmark's players here: its programs by name, and the variants of asking."""

    @property
    def programs(self) -> Mapping[str, Program[Any]]:
        """The programs by name."""
        ...

    @property
    def variants(self) -> Sequence[str]:
        """The names of the variants."""
        ...


@dataclass(frozen=True)
class ModelPlayer:
    """A model that plays: its name among the players, the model with its parameters, what it is shown."""

    name: str
    choice: ModelChoice
    variant: str


def parse_model_player(
    name: str, params: Mapping[str, Any] | Callable[[str], Mapping[str, Any]], variants: Sequence[str]
) -> ModelPlayer:
    """The player of this name: `MODEL` in the usual way, `VARIANT:MODEL` in another one.

    Only the variants given count as prefixes: the rest is the model's name, whatever it holds. `params`
    go with every call, or what they return for the model. Raises InvalidOption where no model is named.
    """
    variant = next((prefix for prefix in variants if name.startswith(f"{prefix}:")), "")
    model = name.removeprefix(f"{variant}:") if variant else name
    if not model.strip():
        forms = " or ".join(["MODEL", *(f"{prefix}:MODEL" for prefix in variants)])
        raise InvalidOption(f"player {name!r} names no model: write {forms}")
    own_params = params(model) if callable(params) else params
    return ModelPlayer(name, ModelChoice(model, dict(own_params)), variant)


def models_of(players: Iterable[str], playing: Players) -> list[str]:
    """The models among these players, each once; programs are left out."""
    names = (name for name in players if name not in playing.programs)
    models = (parse_model_player(name, {}, playing.variants).choice.model for name in names)
    return list(dict.fromkeys(models))


def plays_version(playing: Players, player: str, version: str) -> bool:
    """Whether the player plays this version of a question.

    All play the usual one; others are for models in the usual variant, and programs that name them.
    """
    if version == USUAL:
        return True
    if player in playing.programs:
        return version in playing.programs[player].versions
    return not parse_model_player(player, {}, playing.variants).variant


def open_game(game: Game, player: ModelPlayer) -> Opening:
    """How the game opens for the player, with the limit of tokens that somebody set for its calls.

    The default limit, which only stops replies that would never end, is not said: so editions and practice
    ask in the same words.
    """
    opening = game.opening("" if player.variant == TOOLS else player.variant)
    params = player.choice.params
    limit = params.get("max_completion_tokens", params.get("max_tokens"))
    if opening.with_max_tokens is None or type(limit) is not int or limit == DEFAULT_MAX_TOKENS:
        return opening
    return opening.with_max_tokens(limit)


def enter_reply(game: Game, reply: Reply) -> str | None:
    """Let the game take the reply, or end as its status says; return what comes back, None at the end.

    The way in for every reply that a model gave: of a server, a log, a trace, and a program's own call.
    """
    if reply.status == "ok":
        return game.take(reply.content)
    game.end(ENDINGS[reply.status])
    return None


async def play_model(
    ask: Ask,
    player: ModelPlayer,
    game: GameT,
    run: int,
    opening: Opening | None = None,
    second_reader: SecondReader[GameT] | None = None,
) -> Episode[GameT]:
    """The model's run of the game: one call a turn, repeated as `run`.

    The answer is read from the reply's content, never from its reasoning, which does not enter the
    conversation either. A truncated reply ends the episode as `truncated` even if there is an answer in its
    text: the cut text may hold one that the model was still weighing, or quoted from the prompt, and its
    last word is not known. So does a prompt that has outgrown the model's context. A refusal ends it as
    `refused`, an empty reply as `unparsed`, and a call that came to no answer as `api_error`. Tokens and
    cost are sums over the calls, None where one is unknown.
    Of the variant `tools`, a reply that calls the function gets the results, in at most `MOST_ROUNDS` rounds.
    `opening` is the game's, where it is rendered already. `second_reader` gets a reply that the game could
    not read (`perennial.flows.benchmark.Playing`); its calls are not the episode's. What `ask` raises passes
    through.
    """
    opening = opening or open_game(game, player)
    messages, kept = [*opening.messages], [*(opening.kept or opening.messages)]
    turns: list[Turn] = []
    replies: list[Reply] = []
    while (result := game.result()) is None:
        request = _request(player, opening, messages, run)
        reply = await ask(request)
        replies.append(reply)
        if reply.status == "tool_call" and player.variant == TOOLS:
            answers = await answer_calls(ask, reply) if len(turns) < MOST_ROUNDS else []
            if answers:
                feedback = "\n\n".join(message["content"] for message in answers[1:])
                messages += answers
            else:
                feedback = None
                game.end("tool_call" if answers is None else "turn_limit")
            turns.append(Turn(len(turns) + 1, reply.content, feedback, request.call_id))
            continue
        feedback = enter_reply(game, reply)
        ended = game.result()
        if second_reader and reply.status == "ok" and ended is not None and ended.status == "unparsed":
            await second_reader(ask, game, reply.content)
        turns.append(Turn(len(turns) + 1, reply.content, feedback, request.call_id))
        if feedback is not None:
            kept += [{"role": "assistant", "content": reply.content}, game.next_message()]
            messages = _with_tail(kept, opening.tail)
    # A server that finds a prompt too long has done nothing else with it.
    billed = [reply for reply in replies if reply.status != "overflow"]
    tokens = _total([reply.tokens for reply in billed])
    cost_usd = _total([reply.cost_usd for reply in billed])
    return Episode(player.name, run, tuple(turns), result, game, tokens, cost_usd)


async def play_all(
    ask: Ask,
    player: ModelPlayer,
    new_games: Sequence[NewGame[GameT]],
    runs: range,
    concurrency: int,
    on_end: Callable[[Episode[GameT]], None] = lambda _episode: None,
    second_reader: SecondReader[GameT] | None = None,
) -> list[Episode[GameT]]:
    """The runs of these numbers of each game, by game and then run, whatever the timing.

    `new_games` make a fresh game of an instance. At most `concurrency` episodes are under way, each with one
    call: take twice as many as the client makes calls at a time, so that others take its place while a reply
    is being stored. Where an episode raises, no other asks again, but what has been asked is waited for,
    since its reply is paid for and kept; then the first error is raised. Cancelling this cancels them all.
    `on_end` gets each episode as soon as it has ended; `second_reader` is that of `play_model`.
    Raises InvalidOption for no concurrency.
    """
    # Imported here: asyncio costs 30 ms, which a command that plays nothing should not pay.
    from asyncio import gather

    if concurrency < 1:
        raise InvalidOption(f"concurrency {concurrency}: at least 1 episode must be under way")
    gate = _Gate(ask)
    games = _games(player, new_games, runs)
    episodes: dict[int, Episode[GameT]] = {}

    async def work() -> None:
        try:
            for index, game, opening, run in games:
                episodes[index] = await play_model(gate, player, game, run, opening, second_reader)
                on_end(episodes[index])
        except BaseException as error:
            gate.close(error)
            raise

    # Errors come back as results: raised, they would leave the other workers behind, still under way.
    workers = min(concurrency, len(new_games) * len(runs))
    await gather(*(work() for _ in range(workers)), return_exceptions=True)
    if gate.error is not None:
        raise gate.error
    return [episodes[index] for index in range(len(new_games) * len(runs))]


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
    player: ModelPlayer, new_games: Sequence[NewGame[GameT]], runs: range
) -> Iterator[tuple[int, GameT, Opening, int]]:
    """Each run with its place; an instance's opening is rendered once, when its first run begins."""
    for number, new_game in enumerate(new_games):
        opening = open_game(new_game(), player)
        for index, run in enumerate(runs):
            yield number * len(runs) + index, new_game(), opening, run


def _with_tail(messages: Sequence[Message], tail: str) -> list[Message]:
    *earlier, last = messages
    return [*earlier, {**last, "content": last["content"] + tail} if tail else last]


def _request(player: ModelPlayer, opening: Opening, messages: Sequence[Message], run: int) -> ModelRequest:
    params = player.choice.params
    return ModelRequest(
        role="player",
        model=player.choice.model,
        messages=tuple(messages),
        params={**params, **tool_params()} if player.variant == TOOLS else params,
        template=opening.template,
        template_hash=opening.template_hash or template_hash(opening.template),
        repeat=run,
    )


def _total(values: Sequence[_Number | None]) -> _Number | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) if len(numbers) == len(values) else None


# What games of one question and one reply share, whatever the benchmark (`perennial.schemas.game`).


class OneShotGame(ABC):
    """One run on one question: it shows the prompt and ends at the first reply, which `take` grades."""

    prompt: str
    template_hash: str
    _ended: Result | None = None

    @property
    @abstractmethod
    def template(self) -> str:
        """The template of the prompt."""

    @abstractmethod
    def take(self, reply: str) -> None:
        """Read the reply, grade it and end."""

    def opening(self, _variant: str) -> Opening:
        """A single message: the prompt."""
        message: Message = {"role": "user", "content": self.prompt}
        return Opening((message,), self.template, self.template_hash)

    def next_message(self) -> Message:
        """Raise: there is one reply."""
        raise AssertionError("a question is answered once")

    def end(self, status: EpisodeStatus) -> None:
        """End with this status."""
        self._ended = Result(status, status == "solved", float(status == "solved"))

    def result(self) -> Result | None:
        """How it ended; None before the reply."""
        return self._ended


class InstanceSeat:
    """A question of an edition as players meet it."""

    __slots__ = ()
    instance_id: str

    def episode_id(self, player: str, run: int) -> str:
        """The content id of question, player and run."""
        return content_id("ep", self.instance_id, player, run)


# Programs as players: they answer at once, from the benchmark's own view of the game.


def play_program(program: Program[GameT], game: GameT, run: int, rng: random.Random) -> Episode[GameT]:
    """Play a fresh game with the program."""
    move = program.start(game, rng)
    turns: list[Turn] = []
    while (result := game.result()) is None:
        reply = move()
        turns.append(Turn(len(turns) + 1, reply, game.take(reply)))
    return Episode(program.name, run, tuple(turns), result, game)
