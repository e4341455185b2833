"""Models that answer problems of BeyondBench from the text alone, as roles of the scripted server."""

import random
from functools import lru_cache
from typing import Any

from perennial.prompts.render import render
from perennial.tasks.beyondbench.problem import Task, write_answer
from perennial.tasks.beyondbench.registry import TASKS
from tests.server.script import Asked

MODELS = ("right", "chatty", "thinking", "wrong", "lost", "cut")


class ScriptedModel:
    """Reads the prompt, solves it and answers as its name says."""

    role = "player"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.model in MODELS

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        task, params = understand(asked.messages[-1]["content"])
        answer = task.solve(params).reference
        right = write_answer(task, params, answer)
        wrong = write_answer(task, params, task.form(params).careless(answer))
        return {
            "right": f"Let me work it out.\n{right}",
            "chatty": f"The answer is {task.form(params).write(answer)}",
            "thinking": f"<think>At first I thought {wrong}</think>\n{right}",
            "wrong": wrong,
            "lost": "I cannot say.",
            "cut": right,
        }[asked.model]


@lru_cache(maxsize=4096)
def understand(text: str) -> tuple[Task[Any], Any]:
    """Return task and parameters of a prompt: those from which the same text comes about."""
    for task in TASKS.values():
        try:
            params = task.read(text)
            shown = render(task.template, **task.words(params)).strip()
        except (ValueError, LookupError, ArithmeticError):
            continue
        if shown in text:
            return task, params
    raise AssertionError(f"no task has this prompt: {text}")


def scripts() -> tuple[ScriptedModel, ...]:
    """Return the roles of the scripted server."""
    return (ScriptedModel(),)
