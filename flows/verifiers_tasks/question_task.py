"""A practice question as a task of verifiers: what is kept of it, and the rewards of a trace."""

import verifiers.v1 as vf

from perennial.flows.practice.grade import grade_replies
from perennial.schemas.practice import Grade, PracticeQuestion
from perennial.schemas.rows import JsonObject
from perennial.tasks.llm.replies import read_message

_STATUSES = ("unparsed", "truncated", "unfinished")


class QuestionData(vf.TaskData):
    """The line of `perennial sample` (`practice`), and the prompt that it opens with."""

    practice: JsonObject

    @classmethod
    def from_question(cls, question: PracticeQuestion) -> "QuestionData":
        """Return the data of a question: a first message of the system is the system prompt."""
        messages = [*question.question]
        system = messages.pop(0)["content"] if messages[0]["role"] == "system" else None
        return cls(
            id=question.instance_id,
            name=f"{question.benchmark} {question.index}",
            prompt="\n\n".join(message["content"] for message in messages),
            system_prompt=system,
            practice=question.as_json(),
        )


class QuestionTask(vf.Task[QuestionData, vf.State, vf.TaskConfig]):
    """A question: its reward is the score of the benchmark's own game, all else is measured beside it."""

    @property
    def key(self) -> str:
        """The id of the question's content."""
        return str(self.data.id)

    @vf.reward(weight=1.0)
    async def game_score(self, trace: vf.Trace) -> float:
        """Return the score, 0 to 1."""
        return grade_trace(self.data.practice, trace).score

    @vf.metric
    async def measures(self, trace: vf.Trace) -> dict[str, float]:
        """Return success, how the game ended, and the benchmark's own measures; none counts as reward."""
        graded = grade_trace(self.data.practice, trace)
        ended = {name: float(graded.status == name) for name in _STATUSES}
        return {"success": float(graded.success), **ended, **graded.measures}


def _as_chat_message(message: vf.AssistantMessage) -> JsonObject:
    """The message as servers send it: calls of tools count, whoever reads them."""
    calls = [{"id": call.id, "function": call.model_dump()} for call in message.tool_calls or ()]
    return {"content": message.content, "tool_calls": calls}


def grade_trace(line: JsonObject, trace: vf.Trace) -> Grade:
    """Return the grade of the replies of a trace, read as `perennial evaluate` reads replies."""
    finished = {call.node: call.finish_reason for call in trace.calls if call.node is not None}
    replies = [
        read_message(_as_chat_message(node.message), finished.get(index))
        for index, node in enumerate(trace.nodes)
        if node.sampled and node.message.role == "assistant"
    ]
    return grade_replies(line, replies)
