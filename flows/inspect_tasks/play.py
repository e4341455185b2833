"""The solver of a task: the game is played turn by turn as by `perennial evaluate`, by any model of Inspect.

Games, messages and statuses are perennial's own; Inspect makes the calls. The replies of an episode are kept
in the store of its sample (`perennial.flows.inspect_tasks.record`).
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
    get_model,
)
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    grouped,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from perennial.flows.inspect_tasks.record import (
    PARAMS,
    RECORD,
    EditionQuestions,
    Record,
    in_our_name,
    open_questions,
    player_name,
    read_completion,
    replay,
)
from perennial.flows.stages.compute_statistics import analyse_edition
from perennial.flows.stages.play_episodes import episode_rows
from perennial.schemas.errors import EndpointFailed
from perennial.schemas.game import EPISODE_STATUSES
from perennial.schemas.model_calls import Message, ModelRequest, Reply
from perennial.schemas.rows import JsonObject, Rows
from perennial.schemas.tables import TABLES, staged_tables
from perennial.tasks.play import play_model
from perennial.warehouse.store.parquet import parquet_bytes

if TYPE_CHECKING:
    from inspect_ai.model import ModelUsage
    from inspect_ai.tool import ToolCall


# No public function says with which settings a model is called.

_KINDS: JsonObject = {
    "system": ChatMessageSystem,
    "developer": ChatMessageSystem,
    "assistant": ChatMessageAssistant,
}


@solver(name="perennial/play")
@in_our_name
def play(root: str, edition: str, variant: str = "") -> Solver:
    """Return the solver of an edition; `variant` names another way of asking, "" the usual one."""

    async def solve(state: TaskState, _generate: Generate) -> TaskState:
        questions = open_questions(root, edition)
        model = get_model()
        config = model.config.merge(active_generate_config())
        record = Record(config.model_dump(mode="json", include=set(PARAMS), exclude_none=True))
        spoken: list[ChatMessage] = []

        async def ask(request: ModelRequest) -> Reply:
            sent = chat_messages(request.messages)
            output = await model.generate(sent)
            completion = as_completion(output)
            record.completions.append(completion)
            reply = read_completion(request, completion)
            if not reply.answered:
                raise EndpointFailed(f"model {model} gave no answer that can be read: {reply.error}")
            state.output = output
            # A later call repeats what was said before.
            spoken[:] = [*sent, output.message]
            return reply

        name = player_name(variant, str(model))
        player = questions.player(name, record.params)
        try:
            await play_model(ask, player, questions.seat(state.sample_id).start(), state.epoch - 1)
        finally:
            state.messages = spoken or state.messages
            state.store.set(RECORD, record.as_json())
        state.completed = True
        return state

    return solve


def chat_messages(messages: Sequence[Message]) -> list[ChatMessage]:
    """Return messages of the OpenAI form as those of Inspect."""
    return [_KINDS.get(message["role"], ChatMessageUser)(content=message["content"]) for message in messages]


def as_completion(output: ModelOutput) -> JsonObject:
    """Write what a model of Inspect said and called as a chat completion, with its seconds and its cost."""
    text, finish_reason = "", None
    reasoning: list[str] = []
    refusals = [output.error] if output.error else []
    calls: Sequence[ToolCall] = ()
    if output.choices:
        choice = output.choices[0]
        finish_reason = choice.stop_reason
        calls = choice.message.tool_calls or ()
        parts = choice.message.content
        if isinstance(parts, str):
            text = parts
        else:
            text = "".join(part.text for part in parts if part.type == "text" and not part.refusal)
            refusals += [part.text for part in parts if part.type == "text" and part.refusal]
            reasoning = [part.reasoning for part in parts if part.type == "reasoning" and not part.redacted]
    message: JsonObject = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [{"id": call.id, "function": _function_of(call)} for call in calls]
    if reasoning:
        message["reasoning_content"] = "\n".join(reasoning)
    if refusals:
        message["refusal"] = "\n".join(refusals) or "refused"
    usage = output.usage
    return {
        "model": output.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": None if usage is None else _usage_of(usage),
        "seconds": output.time,
        "cost_usd": None if usage is None else usage.total_cost,
    }


def _function_of(call: "ToolCall") -> JsonObject:
    """Name and arguments of a call; Inspect keeps no arguments that are no JSON object."""
    return {"name": call.function, "arguments": "" if call.parse_error else json.dumps(call.arguments)}


def _usage_of(usage: "ModelUsage") -> JsonObject:
    """Return counts of tokens as servers of the OpenAI form report them: the prompt's with cached ones."""
    cached = usage.input_tokens_cache_read
    prompt = usage.input_tokens + (cached or 0) + (usage.input_tokens_cache_write or 0)
    counts: JsonObject = {"prompt_tokens": prompt, "completion_tokens": usage.output_tokens}
    if cached is not None:
        counts["prompt_tokens_details"] = {"cached_tokens": cached}
    if usage.reasoning_tokens is not None:
        counts["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return counts


# The scorer of a task: the benchmark's own game grades the recorded replies again.
#
# A score is `success` (1 or 0) and `score` (0 to 1) of an episode; its status is in the metadata. Over
# samples come means by domain, standard errors clustered by what instances share, and the benchmark's
# measures, computed as on perennial's leaderboards.

_OF_EACH = [mean(), stderr(cluster="cluster"), grouped(mean(), "domain", all=False)]


@metric(name="perennial/status", scores="unreduced")
@in_our_name
def status() -> Metric:
    """Return the metric that gives the share of each status among episodes."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        counts = Counter((score.score.metadata or {}).get("status") for score in scores)
        return {name: counts[name] / len(scores) for name in EPISODE_STATUSES if counts[name]}

    return compute


@scorer(name="perennial/grade", metrics=[{"success": _OF_EACH, "score": _OF_EACH}, status()])
@in_our_name
def grade(root: str, edition: str, variant: str = "") -> Scorer:
    """Return the scorer of an edition."""

    async def score(state: TaskState, _target: Target) -> Score:
        questions = open_questions(root, edition)
        seat = questions.seat(state.sample_id)
        record = Record.from_json(state.store.get(RECORD))
        name = player_name(variant, str(state.model))
        replayed = await replay(questions, seat, name, state.epoch - 1, record)
        episode = replayed.episode
        episode_id = seat.episode_id(name, episode.run)
        questions.graded[episode_id] = episode_rows([(seat, episode, replayed.seconds)])
        result = episode.result
        return Score(
            value={"success": float(result.success), "score": result.score},
            answer=episode.turns[-1].reply if episode.turns else "",
            explanation=result.status,
            metadata={"status": result.status, "turns": len(episode.turns), "episode_id": episode_id},
        )

    return score


@metric(name="perennial/measures", scores="unreduced")
@in_our_name
def measures(root: str, edition: str) -> Metric:
    """Return the metric that gives the benchmark's measures, by setting where there are several."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        questions = open_questions(root, edition)
        ids = [(score.score.metadata or {}).get("episode_id") for score in scores]
        graded = [questions.graded[id_] for id_ in ids if id_ in questions.graded]
        return compute_measures(questions, graded) if graded else {}

    return compute


def metrics_of(root: str, edition: str) -> list[Metric | dict[str, list[Metric]]]:
    """Return the metrics of a task that plays the edition."""
    return [{"success": _OF_EACH, "score": _OF_EACH}, status(), measures(root, edition)]


def compute_measures(questions: EditionQuestions, graded: list[dict[str, Rows]]) -> dict[str, float]:
    """Return the benchmark's measures of one player's episodes, from their rows by table."""
    with TemporaryDirectory(prefix="perennial-inspect-") as folder:
        files = {}
        for name in staged_tables(questions.plan.benchmark, answers=True):
            rows = [row for tables in graded for row in tables.get(name, ())]
            files[name] = _write_table(Path(folder), name, rows)
        table = analyse_edition(questions.store, questions.plan.edition, (), files)
    player = graded[0]["episodes"][0]["player"]
    declared = questions.benchmark.declaration.measures
    columns = {(measure.statistic, measure.convention): measure.column for measure in declared}
    rows = [
        row
        for row in table.to_pylist()
        if (row["player"], row["domain"], row["other"]) == (player, "all", "") and row["value"] is not None
        if (row["statistic"], row["convention"]) in columns
    ]
    several = len({row["setting"] for row in rows}) > 1
    return {
        columns[row["statistic"], row["convention"]] + (f" {row['setting']}" if several else ""): row["value"]
        for row in rows
    }


def _write_table(folder: Path, name: str, rows: Rows) -> Path:
    import pyarrow as pa

    path = folder / f"{name}.parquet"
    path.write_bytes(parquet_bytes(pa.Table.from_pylist(rows, schema=TABLES[name].arrow_schema())))
    return path
