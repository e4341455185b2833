"""An environment of verifiers from a benchmark's practice questions: what its package exports.

verifiers imports the environment `perennial-NAME` as the package `perennial_NAME`, and looks through what it
exports for one class of each kind: the taskset, whose tasks are practice questions without end; the program
that plays them; and the environment itself, which plays a task once.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pydantic import create_model

from perennial.schemas.errors import add_extra

try:
    import verifiers.v1 as vf
except ModuleNotFoundError as error:
    if error.name not in ("verifiers", "verifiers.v1"):
        raise
    raise ModuleNotFoundError(
        f"environments of verifiers need a package that is not installed: {add_extra('verifiers')}",
        name=error.name,
    ) from None

from perennial.flows.practice.draw import draw_questions
from perennial.flows.practice.grade import find_practice
from perennial.flows.practice.parameters import read_levels, read_parameters
from perennial.flows.verifiers_tasks.play import play_question
from perennial.flows.verifiers_tasks.question_task import QuestionData, QuestionTask

# Of a taskset, beside the benchmark's parameters.
_SHARED: dict[str, tuple[type, object]] = {"seed": (int, 0), "root": (str, ""), "curriculum": (int, 0)}


class EnvironmentParts(NamedTuple):
    """What the package of an environment exports, in this order."""

    taskset: type[vf.Taskset]
    environment: type[vf.Env]
    harness: type[vf.Harness]
    load: Callable[..., vf.Env]


class EnvironmentConfig(vf.EnvConfig):
    """Who plays: the model of the run, in this process, without a container."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


def define_environment(benchmark: str) -> EnvironmentParts:
    """Return the classes of the environment `perennial-NAME`.

    Raises InvalidOption for a benchmark without practice questions.
    """
    practice = find_practice(benchmark)
    declared = practice.parameters.model_fields
    fields: Any = {name: (field.annotation, field) for name, field in declared.items()}
    config: Any = create_model(f"{benchmark}_config", __base__=vf.TasksetConfig, **(fields | _SHARED))

    class Questions(vf.Taskset[QuestionTask, config]):
        """Practice questions without end, by seed; none is of an edition of the data root."""

        INFINITE = True

        def load(self) -> Iterator[QuestionTask]:
            asked = {
                name: getattr(self.config, name) for name in declared if name in self.config.model_fields_set
            }
            root = self.config.root or None
            curriculum = self.config.curriculum
            for question in draw_questions(benchmark, self.config.seed, root, curriculum, **asked):
                yield QuestionTask(QuestionData.from_question(question), self.config.task)

    class Player(vf.Harness[vf.HarnessConfig]):
        """Plays a question as `perennial evaluate` asks a model: each call has the messages of that turn."""

        APPENDS_SYSTEM_PROMPT = True
        EXECUTES_CODE = False
        NEEDS_CONTAINER = False

        async def launch(
            self,
            ctx: Any,
            trace: Any,
            runtime: object,
            endpoint: str,
            secret: str,
            mcp_urls: object,
            data: Any,
        ) -> Any:
            fault = await play_question(data, ctx.model, endpoint, secret)
            return vf.ProgramResult(exit_code=1 if fault else 0, stdout="", stderr=fault)

    class Environment(vf.Env[EnvironmentConfig]):
        """One model plays a question once."""

        async def run(self, task: vf.Task, agents: vf.Agents) -> None:
            await agents.agent.run(task)

    def load_environment(**arguments: object) -> vf.Env:
        """Return the environment of these parameters; raise InvalidOption, in one line, for a wrong one."""
        asked = {name: value for name, value in arguments.items() if name not in _SHARED}
        curriculum = arguments.get("curriculum", 0)
        for level in read_levels(practice, asked, curriculum if isinstance(curriculum, int) else -1):
            read_parameters(practice, benchmark, {**asked, **level})
        taskset = {"id": f"perennial-{benchmark}", **arguments}
        return vf.load_environment(vf.resolve_env_config({"taskset": taskset}))

    return EnvironmentParts(Questions, Environment, Player, load_environment)
