"""What play is made of, whatever the benchmark: a game, its turns, and how an episode ends."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from random import Random
from typing import Any, Generic, Literal, NamedTuple, Protocol

from typing_extensions import TypeVar

from perennial.schemas.model_calls import Message
from perennial.schemas.rows import Row

EpisodeStatus = Literal[
    "solved", "wrong", "unparsed", "truncated", "refused", "tool_call", "turn_limit", "api_error"
]
EPISODE_STATUSES: tuple[EpisodeStatus, ...] = (
    "solved",
    "wrong",
    "unparsed",
    "truncated",
    "refused",
    "tool_call",
    "turn_limit",
    "api_error",
)


TOOLS = "tools"  # the variant in which a model that answers once may run scripts first
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
        """What a model is shown first; `variant` names how, "" for the usual way."""
        ...

    def take(self, reply: str) -> str | None:
        """Take the next reply and return what comes back; None: the game has ended."""
        ...

    def next_message(self) -> Message:
        """The message that shows a model what came back and asks for the next reply."""
        ...

    def end(self, status: EpisodeStatus) -> None:
        """End the game with this status, by a reply that is kept and not read."""
        ...

    def result(self) -> Result | None:
        """How the game ended, None while it continues."""
        ...


# A benchmark's own game; code that all benchmarks share takes any.
GameT = TypeVar("GameT", bound=Game, default=Any)


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of an episode: its number from 1, its text, what came back, and the call that gave it."""

    number: int
    reply: str
    feedback: str | None
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Episode(Generic[GameT]):
    """One run of one player: its turns, how it ended, tokens and cost of its calls, and the game itself.

    `tokens` and `cost_usd` are None where no model played or one is unknown.
    """

    player: str
    run: int
    turns: tuple[Turn, ...]
    result: Result
    game: GameT = field(compare=False)
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


Move = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Program(Generic[GameT]):
    """A player that needs no model: whether its runs differ (it draws), what it does, and how it starts.

    `start` gets the benchmark's game and a random generator, and returns what gives its next reply.
    `versions` are other versions of questions that it plays beside the usual one.
    """

    name: str
    is_random: bool
    summary: str
    start: Callable[[GameT, Random], Move]
    versions: Collection[str] = ()


class Seat(Protocol[GameT]):
    """An instance of a published edition as players play it."""

    @property
    def instance_id(self) -> str:
        """The instance."""
        ...

    def start(self) -> GameT:
        """Start a fresh game of the question."""
        ...

    def episode_id(self, player: str, run: int) -> str:
        """The content id of question, player and run."""
        ...

    def own_rows(self, episode_id: str, episode: Episode[GameT]) -> dict[str, list[Row]]:
        """Rows of the benchmark's tables of an episode, by table."""
        ...


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a person is shown of a game: the text that models read, and the choices by name.

    An action shows something, a truth ends the game; `n_valid` truths are right. Without truths an answer is
    typed. `reply` returns the reply that the game reads as this choice or answer. `ask` says how an answer is
    typed, and `fault` why a typed one cannot be read ("": it can): whoever typed it may try again.
    """

    book: str
    reply: Callable[[str], str]
    goal: str = ""
    truths: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    truth_noun: str = "answer"
    action_noun: str = ""
    n_valid: int = 1
    ask: str = ""
    fault: Callable[[str], str] = lambda _answer: ""
