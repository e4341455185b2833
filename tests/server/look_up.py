"""The question by which `perennial` looks a model up: the server answers it and keeps no line in its log."""

from perennial.flows.refresh.models import QUESTION, TOOL_QUESTION
from tests.server.faults import Completion
from tests.server.script import Asked

ANSWER = Completion("yes")
_CALL = {"name": "python", "arguments": '{"code": "print(6 * 7)"}'}
CALLING = Completion("", tool_calls=[{"id": "call_0", "type": "function", "function": _CALL}])


def is_look_up(asked: Asked) -> bool:
    """Whether this is that question."""
    return asked.messages[-1]["content"].endswith((QUESTION, TOOL_QUESTION))


def answer_look_up(asked: Asked) -> Completion:
    """What the server answers: a call, where it is asked for one and offered the function."""
    wants_call = asked.messages[-1]["content"].endswith(TOOL_QUESTION) and "tools" in asked.params
    return CALLING if wants_call else ANSWER
