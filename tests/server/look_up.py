"""The question by which `perennial` looks a model up: the server answers it and keeps no line in its log."""

from perennial.flows.refresh.models import QUESTION
from tests.server.faults import Completion
from tests.server.script import Asked

ANSWER = Completion("yes")


def is_look_up(asked: Asked) -> bool:
    """Whether this is that question."""
    return asked.messages[-1]["content"].endswith(QUESTION)
