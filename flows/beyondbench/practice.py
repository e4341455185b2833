"""Practice questions of BeyondBench: problems of any variation and size, drawn by the index."""

from collections.abc import Callable, Sequence

from pydantic import field_validator

from perennial.flows.benchmark import Draw, Practice
from perennial.flows.beyondbench.edition import ProblemSeat, choose_cells
from perennial.flows.practice.parameters import Parameters
from perennial.prompts.render import template_hash
from perennial.schemas.beyondbench.things import Cell
from perennial.schemas.errors import InvalidOption, UnreadableInput, join_choices, quote
from perennial.schemas.ids import derive_rng, derive_seed
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.settings.form import Names, setting
from perennial.tasks.beyondbench.gate import TaskGame
from perennial.tasks.beyondbench.problem import (
    DEFAULT_CONTEXT,
    TaskProblem,
    draw_problem,
    estimate_tokens,
    fits,
)
from perennial.tasks.beyondbench.registry import TASKS

# Which of a variation's sizes, the smallest first.
_CHOICES: dict[str, Callable[[Sequence[int]], Sequence[int]]] = {
    "all": lambda sizes: sizes,
    "smallest": lambda sizes: sizes[:1],
    "middle": lambda sizes: [sizes[(len(sizes) - 1) // 2]],
    "largest": lambda sizes: sizes[-1:],
}


class BeyondBenchParameters(Parameters):
    """Which tasks, which sizes, and the budget of tokens."""

    tasks: Names = setting(
        [],
        "Tasks, separated by commas: a suite (easy, medium, hard), a task, TASK/VARIATION, or paper; "
        "`perennial tasks list` shows them. Default: all.",
    )
    size: str = setting(
        "all", f"Sizes of each variation: {join_choices(_CHOICES)}, or a number that a variation has."
    )
    context_tokens: int = setting(
        DEFAULT_CONTEXT, "Budget of tokens: prompt and solution take at most 85 % of it.", ge=1
    )

    @field_validator("size")
    @classmethod
    def _check_size(cls, value: str) -> str:
        if value not in _CHOICES and not value.isdecimal():
            raise ValueError(f"expected {join_choices(_CHOICES)}, or a number")
        return value


class BeyondBenchPractice(Practice[BeyondBenchParameters, ProblemSeat, TaskGame]):
    """Problems of the cells that are asked for; InvalidOption where nothing has such a size."""

    parameters = BeyondBenchParameters
    levels = tuple({"size": size} for size in ("smallest", "middle", "largest"))

    def start(
        self, parameters: BeyondBenchParameters, seed: int
    ) -> Callable[[int, int], Draw[ProblemSeat] | None]:
        chosen = choose_cells(parameters.tasks)
        sizes = {cell: _sizes(cell, parameters.size) for cell in chosen}
        if not any(sizes.values()):
            available = sorted({size for cell in chosen for size in _sizes(cell, "all")})
            raise InvalidOption(
                f"--size {parameters.size}: no variation that was chosen has it; sizes are {available[0]} to "
                f"{available[-1]}"
            )
        budget = parameters.context_tokens
        sizes = {cell: [size for size in held if _fits(cell, size, budget)] for cell, held in sizes.items()}
        cells = [cell for cell, held in sizes.items() if held]
        if not cells:
            raise InvalidOption(f"--context-tokens {budget}: no problem that was chosen fits 85 % of it")

        def draw(index: int, attempt: int) -> Draw[ProblemSeat] | None:
            rng = derive_rng(seed, f"practice/{index}", attempt)
            cell = rng.choice(cells)
            size = rng.choice(sizes[cell])
            attempt_seed = derive_seed(seed, "practice/attempt", attempt)
            problem, _ = draw_problem(TASKS[cell.task], cell.variation, size, attempt_seed, index)
            # A size fits by its mean tokens; the prompt of this problem may still be too long.
            solution = TASKS[cell.task].tokens(cell.variation, size)[1]
            if not fits(estimate_tokens(problem.prompt) + solution, budget):
                return None
            form = problem.task.form(problem.params)
            return Draw(
                _seat(problem),
                cell.task,
                form.write(problem.solutions.reference),
                {"variation": cell.variation, "size": size, "payload": problem.payload},
                {"suite": problem.task.suite, "variation": cell.variation, "size": size},
                reply=problem.write_answer(problem.solutions.reference),
            )

        return draw

    def open_seat(self, question: PracticeQuestion) -> ProblemSeat:
        game = question.game
        task, variation, size = TASKS.get(question.domain), game.get("variation"), game.get("size")
        names = [] if task is None else [option.name for option in task.variations]
        if task is None or variation not in names or type(size) is not int:
            raise UnreadableInput(
                f"practice question: task {quote(question.domain)} has no variation {quote(variation)} "
                "of size "
                f"{quote(size)}"
            )
        try:
            return _seat(TaskProblem(task, str(variation), size, task.params_of(str(game.get("payload")))))
        except ValueError:
            raise UnreadableInput(
                f"practice question: its payload is none of task {question.domain}"
            ) from None

    def measure(self, game: TaskGame) -> dict[str, float]:
        return {"instruction_following": float(game.parsed.instruction_followed)}


def _sizes(cell: Cell, chosen: str) -> Sequence[int]:
    sizes = TASKS[cell.task].variation(cell.variation).sizes
    return _CHOICES[chosen](sizes) if chosen in _CHOICES else [size for size in sizes if size == int(chosen)]


def _fits(cell: Cell, size: int, budget: int) -> bool:
    return fits(sum(TASKS[cell.task].tokens(cell.variation, size)), budget)


def _seat(problem: TaskProblem) -> ProblemSeat:
    hash_ = template_hash(problem.task.template)
    return ProblemSeat(problem.content_id, problem, problem.prompt, hash_, 0, 0, DEFAULT_CONTEXT, {})
