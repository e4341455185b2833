"""The gate's test of one problem, before anybody plays: its solutions, its text, and wrong answers."""

import random
from dataclasses import dataclass, field

from perennial.schemas.beyondbench.things import Parsed
from perennial.tasks.beyondbench.parse import NOTHING
from perennial.tasks.beyondbench.problem import TaskProblem, write_answer
from perennial.tasks.play import OneShotGame

# One run on one problem: it ends at the first reply (`perennial.schemas.game.Game`).


@dataclass
class TaskGame(OneShotGame):
    """A problem as it is played: what was read of the reply, and the grader's detail code.

    `template` is that of the prompt, "" for the task's own.
    """

    problem: TaskProblem
    prompt: str
    template_hash: str = ""
    template: str = ""
    parsed: Parsed = NOTHING
    detail: str = ""

    def __post_init__(self) -> None:
        self.template = self.template or self.problem.task.template

    def take(self, reply: str) -> None:
        """Read the reply and grade it; the game ends."""
        self.parsed = self.problem.parse(reply)
        if self.parsed.answer is None:
            self.end("unparsed")
            return
        self.detail = self.problem.verify(self.parsed.answer)
        self.end("wrong" if self.detail else "solved")


LEAST_MUTATIONS = 20


@dataclass
class TestedProblem:
    """What was tried on a problem, and what does not hold (`faults`, in words)."""

    mutations: int = 0
    refused: int = 0
    also_right: int = 0
    is_unique: bool = False
    faults: list[str] = field(default_factory=list)


def check_problem(problem: TaskProblem, rng: random.Random) -> TestedProblem:
    """What holds of a problem.

    Each solution is accepted by the grader and by the independent checker, written in the required format and
    read back at level 1. There is one where the variation says so. The text alone leads to a right answer. At
    least 20 changed answers are refused, unless the independent checker accepts them too.
    """
    tested = TestedProblem()
    for check in (_check_solutions, _check_text):
        check(problem, tested)
    if not tested.faults:
        _check_mutations(problem, rng, tested)
    return tested


def _check_solutions(problem: TaskProblem, tested: TestedProblem) -> None:
    task, params, solutions = problem.task, problem.params, problem.solutions
    if not solutions.answers:
        tested.faults.append("there is no solution")
    for answer in solutions.answers:
        if detail := problem.verify(answer):
            tested.faults.append(f"the grader refuses the solution {answer!r} ({detail})")
        if not task.check(params, answer):
            tested.faults.append(f"the independent checker refuses the solution {answer!r}")
        parsed = problem.parse(problem.write_answer(answer))
        if parsed.level != 1 or problem.verify(parsed.answer):
            tested.faults.append(f"the solution {answer!r} is not read back from its own text")
    tested.is_unique = (solutions.count, solutions.is_complete) == (1, True)
    if task.variation(problem.variation).is_unique and not tested.is_unique:
        tested.faults.append(f"the solution is not proved to be the only one ({solutions.count} are known)")


def _check_text(problem: TaskProblem, tested: TestedProblem) -> None:
    task = problem.task
    try:
        params = task.read(problem.prompt)
        answer = task.solve(params).reference
        parsed = problem.parse(write_answer(task, params, answer))
    except (ValueError, ArithmeticError, LookupError) as error:
        tested.faults.append(f"the text alone cannot be solved ({type(error).__name__}: {error})")
        return
    if parsed.answer is None or problem.verify(parsed.answer):
        tested.faults.append(f"what the text alone leads to is refused: {answer!r}")


def _check_mutations(problem: TaskProblem, rng: random.Random, tested: TestedProblem) -> None:
    seen: set[str] = set()
    for kind, answer in problem.task.mutations(problem.params, problem.solutions.reference, rng):
        if repr(answer) in seen:
            continue
        seen.add(repr(answer))
        is_right = problem.task.check(problem.params, answer)
        if problem.is_right(answer) != is_right:
            word = "refuses" if is_right else "accepts"
            tested.faults.append(f"the grader {word} a changed answer ({kind}): {answer!r}")
        tested.refused += not is_right
        tested.also_right += is_right
    tested.mutations = len(seen)
    if tested.mutations < LEAST_MUTATIONS:
        tested.faults.append(f"{tested.mutations} changed answers were tried, {LEAST_MUTATIONS} are needed")
    elif not tested.refused:
        tested.faults.append("no changed answer was refused")
