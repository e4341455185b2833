"""Practice questions as a resources server of NeMo-Gym: its `app.py` runs what `practice_server` makes.

A row of the data set holds the question and the moves as functions; a session plays it by the moves, and the
score of the game is the reward. The games are those of `trl_environments`. Nothing of NeMo-Gym is imported.
"""

import inspect
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel, Field

from perennial.flows.practice.trl_environments import environment_class, training_rows
from perennial.schemas.errors import PerennialError
from perennial.schemas.json_text import read_json
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.rows import JsonObject


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
