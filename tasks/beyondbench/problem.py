"""A problem: drawn from (seed, cell, index), shown as a prompt, graded by its task (App. C of the paper)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from prompts.render import render
from schemas.beyondbench.things import Answer, Parsed, Solutions
from schemas.errors import InstancesExhausted
from schemas.ids import content_id, derive_rng
from tasks.beyondbench.parse import parse_reply
from tasks.beyondbench.task import RIGHT, Task

# So many draws of one problem may be rejected by its generator before that is taken for a fault of it.
MAX_DRAWS = 10_000


@dataclass(frozen=True)
class Problem:
    """A problem of one variation and size."""

    task: Task[Any]
    variation: str
    size: int
    params: Any

    @cached_property
    def prompt(self) -> str:
        """The text that a player is shown."""
        return render(self.task.template, **self.task.words(self.params)).strip()

    @cached_property
    def solutions(self) -> Solutions:
        """Its solutions, the reference first."""
        return self.task.solve(self.params)

    @property
    def payload(self) -> str:
        """Its parameters as JSON text."""
        return self.task.payload_of(self.params)

    @property
    def content_id(self) -> str:
        """The id of task and shown parameters, whichever variation and size they were drawn for."""
        return content_id("bb", self.task.name, self.task.payload_of(self.task.shown(self.params)))

    def parse(self, reply: str) -> Parsed:
        """Return what was read from a reply."""
        return parse_reply(reply, self.task.form(self.params))

    def verify(self, answer: Answer) -> str:
        """Return "" for a right answer, else a detail code."""
        return self.task.verify(self.params, answer)

    def is_right(self, answer: Answer) -> bool:
        """Whether the answer is right."""
        return self.verify(answer) == RIGHT

    def write_answer(self, answer: Answer) -> str:
        """Return the answer in its container, in the required format."""
        return write_answer(self.task, self.params, answer)


def write_answer(task: Task[Any], params: Any, answer: Answer) -> str:
    """Return the answer in its container, in the required format."""
    form = task.form(params)
    text = form.write(answer)
    return f"\\boxed{{{text}}}" if form.container == "boxed" else f"<answer>{text}</answer>"


def draw_problem(task: Task[Any], variation: str, size: int, seed: int, index: int) -> tuple[Problem, int]:
    """Return the problem of this index, and how many draws were rejected before it.

    Deterministic in all five. Raises InstancesExhausted where no draw is accepted.
    """
    for attempt, problem in enumerate(_attempts(task, variation, size, seed, index)):
        if problem is not None:
            return problem, attempt
    raise InstancesExhausted(
        f"{task.name} {variation} of size {size}: {MAX_DRAWS} draws in a row gave no sound problem"
    )


def _attempts(task: Task[Any], variation: str, size: int, seed: int, index: int) -> Iterator[Problem | None]:
    for attempt in range(MAX_DRAWS):
        rng = derive_rng(seed, f"beyondbench/{task.name}/{variation}/{size}/{index}", attempt)
        params = task.draw(variation, size, rng)
        yield None if params is None else Problem(task, variation, size, params)
