"""A problem: drawn from (seed, cell, index), shown as a prompt, graded by its task (App. C of the paper)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

from perennial.prompts.render import render
from perennial.schemas.beyondbench.things import Answer, Parsed, Solutions
from perennial.schemas.errors import InstancesExhausted
from perennial.schemas.ids import canonical_json, content_id, derive_rng
from perennial.tasks.beyondbench.parse import parse_reply
from perennial.tasks.beyondbench.task import RIGHT, Task

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
        """The id of the task and of what is shown, whichever variation and size it was drawn for."""
        from pydantic_core import to_jsonable_python

        shown = to_jsonable_python(dict(self.task.words(self.params)))
        return content_id("bb", self.task.name, shown)

    @property
    def origin(self) -> str:
        """The id of the task and its parameters, whatever the order of the lists among them."""
        return content_id("bo", self.task.name, _without_order(json.loads(self.payload)))

    def parse(self, reply: str) -> Parsed:
        """Return what was read from a reply."""
        return parse_reply(reply, self.task.form(self.params))

    def verify(self, answer: Answer) -> str:
        """Return "" for a right answer, else a detail code."""
        return self.task.verify(self.params, answer)

    def is_right(self, answer: Answer) -> bool:
        """Whether the answer is right."""
        return self.verify(answer) == RIGHT

    def is_best(self, answer: Answer) -> bool | None:
        """Whether no answer is better, None where all right ones are as good."""
        return None if self.task.is_best is None else self.task.is_best(self.params, answer)

    def write_answer(self, answer: Answer) -> str:
        """Return the answer in its container, in the required format."""
        return write_answer(self.task, self.params, answer)


def _without_order(value: object) -> object:
    """The value with each list in it sorted."""
    if isinstance(value, dict):
        return {key: _without_order(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted(map(_without_order, value), key=canonical_json)
    return value


def write_answer(task: Task[Any], params: Any, answer: Answer) -> str:
    """Return the answer in its container, in the required format."""
    form = task.form(params)
    text = form.write(answer)
    return f"\\boxed{{{text}}}" if form.container == "boxed" else f"<answer>{text}</answer>"


def draw_problem(task: Task[Any], variation: str, size: int, seed: int, index: int) -> tuple[Problem, int]:
    """Return the first sound problem of this index, and how many draws were rejected before it.

    Deterministic in all five. Raises InstancesExhausted where no draw is accepted.
    """
    return next(draw_problems(task, variation, size, seed, index))


def draw_problems(
    task: Task[Any], variation: str, size: int, seed: int, index: int
) -> Iterator[tuple[Problem, int]]:
    """Yield sound problems of this index without end, each with the number of draws rejected before it.

    Raises InstancesExhausted where so many draws in a row are rejected that the generator is at fault.
    """
    rejected = 0
    for attempt in count():
        rng = derive_rng(seed, f"beyondbench/{task.name}/{variation}/{size}/{index}", attempt)
        params = task.draw(variation, size, rng)
        if params is not None:
            yield Problem(task, variation, size, params), rejected
            rejected = 0
            continue
        rejected += 1
        if rejected == MAX_DRAWS:
            raise InstancesExhausted(
                f"{task.name} {variation} of size {size}: {MAX_DRAWS:,} draws in a row gave no sound problem"
            )
