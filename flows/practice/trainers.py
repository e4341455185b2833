"""Practice questions for trainers: environments of TRL, and a resources server of NeMo-Gym that plays these.

TRL's `GRPOTrainer(environment_factory=...)` makes an object per rollout and calls `reset` with the row of the
dataset before each; the model gets the public methods as tools, with names, types and descriptions from here;
`get_reward` is asked for at the end. In NeMo-Gym a row of the data set holds the question and the moves as
functions; a session plays it by the moves, and the score of the game is the reward.

Nothing of either package is imported: TRL knows a class by its methods, NeMo-Gym's module is given.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pydantic import BaseModel, Field

from perennial.flows.benchmark import find_benchmark
from perennial.flows.export.source import Conversation
from perennial.flows.practice.grade import find_practice, open_question
from perennial.prompts.render import render
from perennial.schemas.errors import PerennialError
from perennial.schemas.ids import canonical_json
from perennial.schemas.json_text import read_json
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.rows import JsonObject

_TEMPLATE = "tools/moves.md.j2"


def environment_class(benchmark: str) -> "type[AnswerEnvironment | GameEnvironment]":
    """The class to give as `environment_factory`; raise InvalidOption for no practice questions."""
    find_practice(benchmark)
    return AnswerEnvironment if find_benchmark(benchmark).one_shot else GameEnvironment


def training_rows(questions: Iterable[PracticeQuestion]) -> Iterator[JsonObject]:
    """The dataset to train on: the messages as `prompt`, and what `reset` needs in `line`, as text."""
    # A column of objects would not do: `datasets` gives all of them the same keys.
    for question in questions:
        yield {"prompt": [*question.question], "line": canonical_json(question.as_json())}


class _Environment:
    """One question at a time, played by the benchmark's own game."""

    _run: Conversation

    def reset(self, line: str, **_columns: object) -> str:
        """Begin the question of a row; what is returned follows the prompt. Raises UnreadableInput."""
        question = PracticeQuestion.from_json(read_json(line))
        self._run = open_question(question)
        self._begin(question)
        return "\n\n" + render(_TEMPLATE).strip()

    # With this method TRL needs no function of rewards.
    def get_reward(self) -> float:
        """The score of the game, 0 to 1; 0 if it has not ended."""
        result = self._run.result
        return 0.0 if result is None else result.score

    def _begin(self, question: PracticeQuestion) -> None:
        """Prepare what moves need."""

    def _enter(self, reply: str) -> str:
        observation = self._run.take(reply)
        return "The question has ended." if observation is None else observation


class AnswerEnvironment(_Environment):
    """A question that is answered once."""

    def answer(self, reply: str) -> str:
        """Answer the question, which ends it.

        Args:
            reply: The answer, in the form that the question asks for.

        Returns:
            That the question has ended.
        """
        return self._enter(reply)


class GameEnvironment(_Environment):
    """A game of several turns: actions show something, and an answer ends it."""

    _reply: Callable[[str], str]

    def _begin(self, question: PracticeQuestion) -> None:
        # Another game of the question, for how a choice is written.
        seat = find_practice(question.benchmark).open_seat(question)
        self._reply = find_benchmark(question.benchmark).draw_sheet(seat.start()).reply

    def take_action(self, name: str) -> str:
        """Take an action and see its outcome.

        Args:
            name: The name of the action, as the question lists it.

        Returns:
            The outcome, or why there is none.
        """
        return self._enter(self._reply(name))

    def answer(self, name: str) -> str:
        """Name the right answer, which ends the game.

        Args:
            name: The name of the answer, as the question lists it.

        Returns:
            That the game has ended, or why it goes on.
        """
        return self._enter(self._reply(name))


# NeMo-Gym: its `app.py` runs what `practice_server` makes.


def gym_rows(questions: Iterable[PracticeQuestion]) -> Iterator[JsonObject]:
    """The data set: what a model is sent, by the Responses API, and what `seed_session` needs in `line`."""
    for question in questions:
        environment = environment_class(question.benchmark)()
        (row,) = training_rows([question])
        *before, last = row["prompt"]
        messages = [*before, {**last, "content": last["content"] + environment.reset(**row)}]
        functions = [_describe(name, getattr(environment, name)) for name in _moves(environment)]
        yield {"responses_create_params": {"input": messages, "tools": functions}, "line": row["line"]}


def _moves(environment: object) -> list[str]:
    names = (name for name, _ in inspect.getmembers(type(environment), inspect.isfunction))
    return [name for name in names if name not in ("reset", "get_reward") and not name.startswith("_")]


def _describe(name: str, move: Any) -> JsonObject:
    (argument,) = inspect.signature(move).parameters
    words, _, rest = (inspect.getdoc(move) or "").partition("\n\nArgs:\n")
    described = rest.partition("\n\n")[0].strip().removeprefix(f"{argument}: ")
    properties = {argument: {"type": "string", "description": described}}
    parameters: JsonObject = {"type": "object", "properties": properties, "required": [argument]}
    parameters["additionalProperties"] = False
    return {"type": "function", "name": name, "description": words, "parameters": parameters, "strict": True}


class MoveResult(BaseModel):
    """What came back for a move."""

    outcome: str


def practice_server(gym: Any) -> Any:
    """The server's class; `gym` is the module `nemo_gym.base_resources_server`.

    It plays a question per session; its games are in memory, so it runs as one process.
    """

    class SessionStart(gym.BaseSeedSessionRequest):  # type: ignore[misc]
        line: str

    class PracticeServer(gym.SimpleResourcesServer):  # type: ignore[misc]
        games: dict[str, Any] = Field(default_factory=dict)

        def setup_webserver(self) -> Any:
            """The application, with a path per move."""
            app = super().setup_webserver()
            app.post("/{move}")(self.play)
            return app

        async def seed_session(self, request: gym.Request, body: SessionStart) -> Any:
            """Begin the question."""
            environment = environment_class(read_json(body.line)["benchmark"])()
            environment.reset(body.line)
            self.games[request.session[gym.SESSION_ID_KEY]] = environment
            return gym.BaseSeedSessionResponse()

        async def play(self, request: gym.Request, move: str, body: dict[str, str]) -> MoveResult:
            """Make a move; what cannot be made is said, for the model to go on."""
            environment = self.games.get(request.session[gym.SESSION_ID_KEY])
            if environment is None or move not in _moves(environment):
                return MoveResult(outcome="There is no such move.")
            try:
                return MoveResult(outcome=getattr(environment, move)(**body))
            except (PerennialError, TypeError) as error:
                return MoveResult(outcome=str(error))

        async def verify(self, request: gym.Request, body: gym.BaseVerifyRequest) -> Any:
            """End the session: the reward is the score of its game."""
            environment = self.games.pop(request.session[gym.SESSION_ID_KEY], None)
            reward = 0.0 if environment is None else environment.get_reward()
            return gym.BaseVerifyResponse(**body.model_dump(), reward=reward)

    return PracticeServer
