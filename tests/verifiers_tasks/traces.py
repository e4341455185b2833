"""Traces of verifiers with one reply."""

from typing import Any

import verifiers.v1 as vf


def trace_of(task: Any, content: str, reason: str, *tool_calls: dict[str, str]) -> Any:
    """Return the trace of a task that the model answered with this content."""
    message = {"role": "assistant", "content": content, "tool_calls": list(tool_calls) or None}
    node = {"message": message, "sampled": True, "parent": None}
    return vf.Trace.model_validate(
        {
            "task": {"type": "QuestionTask", "data": task.data, "key": task.key},
            "agent": {"config": {}},
            "nodes": [node],
            "calls": [{"node": 0, "finish_reason": reason}],
        }
    )
