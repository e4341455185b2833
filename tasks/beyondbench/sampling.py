"""Distinct problems without an edition: variations and sizes in turn, as long as there are new ones."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from perennial.tasks.beyondbench.growing import most_repeats
from perennial.tasks.beyondbench.problem import Problem, draw_problems
from perennial.tasks.beyondbench.task import Task


@dataclass
class ProblemStream:
    """The problems of a sample, each with its number; of those handed out, the ids alone are held.

    The variations take turns, and each takes its sizes in turn: number and seed give the problem that an
    edition of that seed has. `known` holds ids that are not drawn again. `exhausted` names variations and
    sizes of which many draws in a row gave nothing new: they are left out from then on. It and `yielded` are
    complete once the stream is at its end.
    """

    task: Task[Any]
    variations: Sequence[str]
    size: int | None
    count: int
    seed: int
    known: Container[str]
    yielded: int = 0
    exhausted: set[tuple[str, int]] = field(default_factory=set)

    def __iter__(self) -> Iterator[tuple[int, Problem]]:
        drawn: set[str] = set()
        for place in range(self.count):
            number, turn = divmod(place, len(self.variations))
            variation = self.variations[turn]
            sizes = (self.size,) if self.size else self.task.variation(variation).sizes
            problem = self._draw_new(variation, sizes[number % len(sizes)], number, drawn)
            if problem is not None:
                drawn.add(problem.content_id)
                self.yielded += 1
                yield number, problem

    def _draw_new(self, variation: str, size: int, number: int, drawn: set[str]) -> Problem | None:
        if (variation, size) in self.exhausted:
            return None
        draws = draw_problems(self.task, variation, size, self.seed, number)
        for problem, _ in islice(draws, most_repeats(len(drawn))):
            if problem.content_id not in drawn and problem.content_id not in self.known:
                return problem
        self.exhausted.add((variation, size))
        return None
