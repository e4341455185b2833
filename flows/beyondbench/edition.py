"""A BeyondBench edition: its plan, its cells and their batches, problems from rows and as they are played."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.beyondbench.things import SUITES, BeyondBenchPlan, Cell
from perennial.schemas.errors import InvalidOption, suggest
from perennial.schemas.game import Episode
from perennial.schemas.ids import canonical_json
from perennial.schemas.people import is_person
from perennial.schemas.rows import ReadJson, Row
from perennial.tasks.beyondbench.gate import TaskGame
from perennial.tasks.beyondbench.players import PLAYERS
from perennial.tasks.beyondbench.problem import Task, TaskProblem, Variation, fits, token_status
from perennial.tasks.beyondbench.registry import TASKS
from perennial.tasks.play import InstanceSeat

_PAPER = "paper"  # all cells that the paper counts, and empty boards, which it asks there


def batch_of(stage: str, cell: Cell) -> Batch:
    """Return the batch of a stage that works on this cell."""
    return Batch(stage, tuple(cell))


def problem_batches(workspace: Workspace) -> list[Batch]:
    """Return the batches that draw problems."""
    return [batch_of("problems", cell) for cell in plan_of(workspace).cells]


def cell_of(batch: Batch) -> Cell:
    """Return the cell that a batch works on."""
    return Cell(*batch.key)


def plan_of(workspace: Workspace) -> BeyondBenchPlan:
    """Return BeyondBench's own part of the plan of the edition that is staged."""
    return BeyondBenchPlan.from_json(workspace.growth.own)


def problem_of(domain: str, row: dict[str, object]) -> TaskProblem:
    """Return the problem of a row of `beyondbench_instances`; raise ValueError where its payload is none."""
    task: Task[object] = TASKS[domain]
    size = row["size"]
    assert isinstance(size, int)
    return TaskProblem(task, str(row["variation"]), size, task.params_of(str(row["payload"])))


@dataclass(frozen=True, slots=True)
class ProblemSeat(InstanceSeat):
    """A problem as it is played: the prompt, and the budgets by player.

    `template` is where the prompt comes from, "" for the task's own; `unasked` says why models are not asked.
    """

    instance_id: str
    problem: TaskProblem
    prompt: str
    template_hash: str
    prompt_tokens: int
    solution_tokens: int
    context_tokens: int
    budgets: Mapping[str, ReadJson]
    template: str = ""
    unasked: str = ""

    def start(self) -> TaskGame:
        """Return a fresh game of it."""
        return TaskGame(self.problem, self.prompt, self.template_hash, self.template)

    def context_of(self, player: str) -> int:
        """Return the player's budget of tokens: its own, or the edition's."""
        return int(self.budgets.get(player, {}).get("context", self.context_tokens))

    def own_rows(self, episode_id: str, episode: Episode[TaskGame]) -> dict[str, list[Row]]:
        """Return the row of `beyondbench_answers`."""
        game = episode.game
        has_no_tokens = episode.player in PLAYERS or is_person(episode.player)
        context = self.context_of(episode.player)
        status = token_status(episode.tokens, context, was_cut_off=episode.status == "truncated")
        answer = game.parsed.answer
        row = {
            "episode_id": episode_id,
            "answer": None if answer is None else canonical_json(answer),
            "parse_level": game.parsed.level,
            "instruction_followed": game.parsed.instruction_followed,
            "detail": game.detail or None,
            "is_best": None if answer is None else game.problem.is_best(answer),
            "token_status": None if has_no_tokens else status,
            "context_tokens": None if has_no_tokens else context,
        }
        return {"beyondbench_answers": [row]}


def choose_cells(names: Iterable[str]) -> tuple[Cell, ...]:
    """Return the cells of suites, tasks, TASK/VARIATION and `paper`, or all, in the catalogue's order.

    Raises InvalidOption for what does not exist.
    """
    wanted = [_choose(name) for name in names] or [lambda _task, variation: not variation.on_request]
    return tuple(
        Cell(task.name, variation.name)
        for task in TASKS.values()
        for variation in task.variations
        if any(is_wanted(task, variation) for is_wanted in wanted)
    )


def _choose(name: str) -> Callable[[Task[object], Variation], bool]:
    """Return which variations of which tasks the name stands for."""
    if name in SUITES:
        return lambda task, variation: task.suite == name and not variation.on_request
    if name == _PAPER:
        return lambda _task, variation: variation.is_counted or variation.on_request
    chosen, _, only = name.partition("/")
    if chosen not in TASKS:
        meant = suggest(chosen, (*SUITES, _PAPER, *TASKS))
        raise InvalidOption(
            f"--tasks {name!r}: expected a suite ({', '.join(SUITES)}), {_PAPER}, a task or "
            f"TASK/VARIATION{meant} (see `perennial tasks list`)"
        )
    if only:
        asked = TASKS[chosen].variation(only)
        return lambda task, variation: task.name == chosen and variation == asked
    return lambda task, variation: task.name == chosen and not variation.on_request


def require_room(plan: BeyondBenchPlan) -> None:
    """Raise InvalidOption where no variation fits the budget at its smallest size."""
    needed = {cell: sum(_least_tokens(cell)) for cell in plan.cells}
    if not any(fits(tokens, plan.context_tokens) for tokens in needed.values()):
        cell = min(needed, key=lambda cell: needed[cell])
        raise InvalidOption(
            f"--context-tokens {plan.context_tokens}: no problem fits 85 % of it; the smallest, of {cell}, "
            f"needs about {needed[cell]:,} tokens"
        )


def _least_tokens(cell: Cell) -> tuple[int, int]:
    task = TASKS[cell.task]
    return task.tokens(cell.variation, task.variation(cell.variation).sizes[0])
