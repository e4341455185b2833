"""The solver of a task: the game is played turn by turn as by `perennial evaluate`, by any model of Inspect.

Games, messages and statuses are perennial's own; Inspect makes the calls. The replies of an episode are kept
in the store of its sample (`perennial.flows.inspect_tasks.record`).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
    get_model,
)

# No public function says with which settings a model is called.
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.solver import Generate, Solver, TaskState, solver

from perennial.flows.inspect_tasks.names import in_our_name
from perennial.flows.inspect_tasks.questions import open_questions
from perennial.flows.inspect_tasks.record import PARAMS, RECORD, Record, play_seat, player_of, read_completion
from perennial.schemas.errors import EndpointFailed
from perennial.schemas.model_calls import Message, ModelRequest, Reply
from perennial.schemas.rows import JsonObject

if TYPE_CHECKING:
    from inspect_ai.model import ModelUsage

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
        player = player_of(questions, name, record.params)
        try:
            await play_seat(questions.seat(state.sample_id), player, state.epoch - 1, ask)
        finally:
            state.messages = spoken or state.messages
            state.store.set(RECORD, record.as_json())
        state.completed = True
        return state

    return solve


def player_name(variant: str, model: str) -> str:
    """Return the name among perennial's players of a model that is asked in this way."""
    return f"{variant}:{model}" if variant else model


def chat_messages(messages: Sequence[Message]) -> list[ChatMessage]:
    """Return messages of the OpenAI form as those of Inspect."""
    return [_KINDS.get(one["role"], ChatMessageUser)(content=one["content"]) for one in messages]


def as_completion(output: ModelOutput) -> JsonObject:
    """Return what a model of Inspect said as a chat completion, with its seconds and its cost."""
    text, finish_reason = "", None
    reasoning: list[str] = []
    refusals = [output.error] if output.error else []
    if output.choices:
        choice = output.choices[0]
        finish_reason = choice.stop_reason
        parts = choice.message.content
        if isinstance(parts, str):
            text = parts
        else:
            text = "".join(part.text for part in parts if part.type == "text" and not part.refusal)
            refusals += [part.text for part in parts if part.type == "text" and part.refusal]
            reasoning = [part.reasoning for part in parts if part.type == "reasoning" and not part.redacted]
    said = {"role": "assistant", "content": text}
    if reasoning:
        said["reasoning_content"] = "\n".join(reasoning)
    if refusals:
        said["refusal"] = "\n".join(refusals) or "refused"
    usage = output.usage
    return {
        "model": output.model,
        "choices": [{"index": 0, "message": said, "finish_reason": finish_reason}],
        "usage": None if usage is None else _usage_of(usage),
        "seconds": output.time,
        "cost_usd": None if usage is None else usage.total_cost,
    }


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
