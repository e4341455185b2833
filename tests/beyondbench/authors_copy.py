"""A folder laid out as the BeyondBench authors' package, with sentences of our own, and a model for it."""

import random
from pathlib import Path

from perennial.tasks.beyondbench.authors_prompts import has_words, their_name
from perennial.tasks.beyondbench.problem import write_answer
from perennial.tasks.beyondbench.registry import TASKS
from tests.server.script import Asked

MODEL = "gpt-5"  # the paper prints scores of it
_IN_DICTS = ("mean", "median", "mode")
_BY_NAME = ("comparison",)
_BY_INDEX = ("subtraction", "division")
MODULE = """
import tqdm
from ...core.base_task import BaseTask

raise SystemError("executed")


class MadeTask(BaseTask):
    @property
    def task_name(self):
        return "made"

    def create_prompt(self, data_point):
        \"\"\"Create a prompt.\"\"\"
{body}
"""
LIST = """        return (f"Work on {task}. Count the multiples of 3 in this list, if that is asked.\\n\\n"
                f"List = {{{shown}}}\\n\\nWrite \\\\boxed{{{{answer}}}} at the end.")"""
PAIR = """        return (f"Work on {task}.\\n\\nNumber 1: {{data_point[{first}]}}\\n"
                f"Number 2: {{data_point[{second}]}}\\n\\nWrite \\\\boxed{{{{answer}}}} at the end.")"""
SEQUENCE = """        sequence = data_point['shown_sequence']
        sequence_str = ', '.join(map(str, sequence))

        return f\"\"\"Work on {task}.

Sequence: {{sequence_str}}, ?

Write \\\\boxed{{{{next_term}}}} at the end.
\"\"\""""


def module_of(task: str) -> str:
    """The text of a task's module."""
    if TASKS[task].suite == "medium":
        body = SEQUENCE.format(task=task)
    elif task in _BY_NAME:
        body = PAIR.format(task=task, first="'num1'", second="'num2'")
    elif task in _BY_INDEX:
        body = PAIR.format(task=task, first=0, second=1)
    else:
        shown = "data_point['input_list']" if task in _IN_DICTS else "data_point"
        body = LIST.format(task=task, shown=shown)
    return MODULE.format(body=body)


def file_of(task: str) -> str:
    """Where the module is, below the folder."""
    return f"beyondbench/tasks/{TASKS[task].suite}/{their_name(task)}_task.py"


def write_copy(root: Path) -> Path:
    """Write the folder and return it."""
    for task in filter(has_words, TASKS):
        path = root / file_of(task)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(module_of(task))
    return root


class AuthorsModel:
    """Solves what the made-up prompts ask."""

    role = "player"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.messages[-1]["content"].startswith("Work on ")

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        return answer_prompt(asked.messages[-1]["content"])


def answer_prompt(text: str) -> str:
    """A right reply to a made-up prompt, from its text alone."""
    task = TASKS[text.removeprefix("Work on ").split(".")[0]]
    pair = text.partition("List = [")[2].partition("]")[0].split(", ")
    if task.name == "absolute_difference":
        text = f"Number 1: {pair[0]}\nNumber 2: {pair[1]}"
    if task.name == "count_multiples":
        text = text.partition(". ")[2]
    params = task.read(text)
    return write_answer(task, params, task.solve(params).reference)


def scripts() -> list[AuthorsModel]:
    """The roles that the scripted server loads."""
    return [AuthorsModel()]
