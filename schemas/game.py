"""What play is made of, whatever the benchmark: a game, its turns, and how an episode ends."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from schemas.calls import Message, ModelChoice

EpisodeStatus = Literal["solved", "wrong", "unparsed", "truncated", "refused", "turn_limit", "api_error"]
EPISODE_STATUSES: tuple[EpisodeStatus, ...] = (
    "solved",
    "wrong",
    "unparsed",
    "truncated",
    "refused",
    "turn_limit",
    "api_error",
)


USUAL = "usual"  # the version of each question that figures are of


class Opening(NamedTuple):
    """What a player is shown first, and the template that says how it is asked.

    `template_hash` is given where that template is not installed. `kept` are the messages as they stand in
    later calls, where these differ. `tail` is added to the last message of each later call, and not kept.
    `with_max_tokens` returns the opening of a game that says how many tokens a reply may have.
    """

    messages: tuple[Message, ...]
    template: str
    template_hash: str = ""
    kept: tuple[Message, ...] = ()
    tail: str = ""
    with_max_tokens: "Callable[[int], Opening] | None" = None


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended: `success`: the answer was right; `score`: how right it was, 0 to 1."""

    status: EpisodeStatus
    success: bool
    score: float


class Game(Protocol):
    """One run on one instance, reply by reply; one-shot benchmarks end at the first reply."""

    def opening(self, variant: str) -> Opening:
        """Return what a model is shown first; `variant` names how, "" for the usual way."""
        ...

    def take(self, reply: str) -> str | None:
        """Take the next reply and return what comes back; None: the game has ended."""
        ...

    def next_message(self) -> Message:
        """Return the message that shows a model what came back and asks for the next reply."""
        ...

    def end(self, status: EpisodeStatus) -> None:
        """End the game with this status, by a reply that is kept and not read."""
        ...

    def result(self) -> Result | None:
        """Return how the game ended, None while it continues."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of an episode: its number from 1, its text, what came back, and the call that gave it."""

    number: int
    reply: str
    feedback: str | None
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """One run of one player: its turns, how it ended, tokens and cost of its calls, and the game itself.

    `tokens` and `cost_usd` are None where no model played or one is unknown.
    """

    player: str
    run: int
    turns: tuple[Turn, ...]
    result: Result
    game: Game = field(compare=False)
    tokens: int | None = None
    cost_usd: float | None = None

    @property
    def status(self) -> EpisodeStatus:
        """How it ended."""
        return self.result.status

    @property
    def success(self) -> bool:
        """Whether the answer was right."""
        return self.result.success


class Seat(Protocol):
    """An instance of a published edition as players play it."""

    @property
    def instance_id(self) -> str:
        """The instance."""
        ...

    def start(self) -> Game:
        """Return a fresh game of it."""
        ...

    def episode_id(self, player: str, run: int) -> str:
        """Return the content id of what is played, player and run."""
        ...

    def own_rows(self, episode_id: str, episode: Episode) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of the benchmark's own tables of an episode, by table."""
        ...


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a person is shown of a game: the text that models read, and the choices by name.

    An action shows something, a truth ends the game; `n_valid` truths are right. Without truths an answer is
    typed. `reply` returns the reply that the game reads as this choice or answer. `ask` says how an answer is
    typed, and `fault` why a typed one cannot be read ("": it can): whoever typed it may try again.
    """

    goal: str
    book: str
    truths: tuple[str, ...]
    actions: tuple[str, ...]
    truth_noun: str
    action_noun: str
    reply: Callable[[str], str]
    n_valid: int = 1
    ask: str = ""
    fault: Callable[[str], str] = lambda _answer: ""


# Asks a model (`tasks.llm.asking.Ask`) what a reply says that ended a game unparsed, and tells the game.
SecondReader = Callable[[Any, Any, str], Awaitable[None]]


def _no_models(_protocol: Mapping[str, Any]) -> Sequence[ModelChoice]:
    return ()


def _no_reader(_protocol: Mapping[str, Any]) -> SecondReader | None:
    return None


def _no_stages() -> tuple[Any, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Playing:
    """How a benchmark is played: its programs by name, the variants of asking a model, and its seats.

    `seats` gets a data root (`warehouse.store.store.Store`), a published edition, ids of its instances and
    the evaluation's `protocol`, and returns those that can be played; `reads` are the tables of questions
    that it reads; `aliases` are other names of programs.
    `versions` are other versions of its questions by name, such as another wording: each returns, as `seats`
    does, the seats of those instances for which it differs from the usual one. Only models that are asked in
    the usual way play them. `one_shot`: each game ends at the first reply. `refuse` returns why a model is
    not asked at a seat, "" where it is: such refusals are published in `rejections`.
    `sheet` returns what a person is shown of a game; None: people cannot play. `draw` returns the seat of a
    fresh instance, from a domain, a setting ("": the benchmark's choice) and a seed. `references` are the
    programs whose play is shown to a person afterwards, the first one that can play.
    `second_reader` returns, for a protocol, what is called with a way to ask, a game and its reply where that
    reply of a model ended it unparsed; own rows of the seat may then be of `rejections`. `analysing` returns
    the stages (`schemas.benchmark.Stage`) of an evaluation after its episodes. `readers` returns, for a
    protocol, the models that these two ask.
    """

    programs: Mapping[str, Any]
    variants: Sequence[str]
    seats: Callable[[Any, str, Sequence[str], Mapping[str, Any]], Sequence[Seat]]
    reads: tuple[str, ...] = ("instances",)
    aliases: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, Callable[[Any, str, Sequence[str], Mapping[str, Any]], Sequence[Seat]]] = field(
        default_factory=dict
    )
    one_shot: bool = False
    refuse: Callable[[Any, str], str] | None = None
    sheet: Callable[[Any], Sheet] | None = None
    draw: Callable[[str, str, int], Seat] | None = None
    references: tuple[str, ...] = ()
    second_reader: Callable[[Mapping[str, Any]], SecondReader | None] = _no_reader
    analysing: Callable[[], tuple[Any, ...]] = _no_stages
    readers: Callable[[Mapping[str, Any]], Sequence[ModelChoice]] = _no_models
