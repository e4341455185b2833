"""Stage `problems`: draw the problems of one cell, and count what did not fit or does not exist."""

from itertools import takewhile

from perennial.flows.beyondbench.edition import batch_of, cell_of, plan_of, problem_of
from perennial.flows.stages.workspace import Policies, Workspace, refuse_faults
from perennial.prompts.render import template_hash
from perennial.schemas.benchmark import Batch
from perennial.schemas.beyondbench.things import BeyondBenchPlan, Cell
from perennial.schemas.ids import canonical_json, derive_rng
from perennial.schemas.rows import Rejection, Rows
from perennial.tasks.beyondbench.gate import TestedProblem, check_problem
from perennial.tasks.beyondbench.problem import (
    SHARE,
    CellRequest,
    DrawnProblem,
    GrownCell,
    estimate_tokens,
    grow_cell,
)
from perennial.tasks.beyondbench.registry import TASKS, unlike_paper
from perennial.tasks.llm.limits import text_counter
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.staging import question_row

# Stage `gate`: test each problem and its grader before any model is paid for an answer.


def check_cell(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the gate's row of one cell; raise AuditFailed, naming the problems, where one is unsound."""
    cell = cell_of(batch)
    faults: list[str] = []
    tested: list[TestedProblem] = []
    for row in workspace.rows(batch_of("problems", cell), "beyondbench_instances"):
        instance_id, problem = row["instance_id"], problem_of(cell.task, row)
        check = check_problem(problem, derive_rng(workspace.seed, f"beyondbench/gate/{instance_id}", 0))
        if problem.content_id != instance_id or problem.prompt != row["prompt"]:
            check.faults.append("id or prompt are not those of its parameters")
        faults += [f"{instance_id}: {fault}" for fault in check.faults]
        tested.append(check)
    refuse_faults(str(cell), faults, len(tested), "problems")
    return {"beyondbench_gate": [_row(cell, tested)]}


def _row(cell: Cell, tested: list[TestedProblem]) -> dict[str, object]:
    return {
        "domain": cell.task,
        "variation": cell.variation,
        "problems": len(tested),
        "mutations": sum(check.mutations for check in tested),
        "refused": sum(check.refused for check in tested),
        "also_right": sum(check.also_right for check in tested),
        "unique": sum(check.is_unique for check in tested),
    }


def gate_batches(workspace: Workspace) -> list[Batch]:
    """Return a batch for each cell."""
    return [batch_of("gate", cell) for cell in plan_of(workspace).cells]


EXCLUDED = "token_budget"
EXHAUSTED = "space_exhausted"


def draw(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of the problems of one cell, and of what is missing."""
    plan, cell = plan_of(workspace), cell_of(batch)
    request = CellRequest(
        task=TASKS[cell.task],
        variation=cell.variation,
        plan=plan,
        seed=workspace.seed,
        held=_read_earlier_ids(workspace, plan, cell),
        issued=issued_instances(workspace.staging.store, workspace.growth.known_editions),
        count=text_counter(plan.tokenizer) if plan.tokenizer else estimate_tokens,
    )
    grown = grow_cell(request)
    first = plan.instances * [peer.variation for peer in plan.cells if peer.task == cell.task].index(
        cell.variation
    )
    drawn = list(grown.drawn.values())
    return {
        "instances": [_shared_row(cell, problem, first, workspace.growth.seed) for problem in drawn],
        "beyondbench_instances": [_own_row(cell, problem, plan.context_tokens) for problem in drawn],
        "rejections": _rejection_rows(cell, plan, grown),
    }


def _read_earlier_ids(workspace: Workspace, plan: BeyondBenchPlan, cell: Cell) -> set[str]:
    """The ids of the problems of the task's variations before this one, which are staged before it."""
    earlier = takewhile(lambda peer: peer != cell, (peer for peer in plan.cells if peer.task == cell.task))
    batches = (batch_of("problems", other) for other in earlier)
    return {id_ for batch in batches for id_ in workspace.column(batch, "instances", "instance_id")}


def _shared_row(cell: Cell, drawn: DrawnProblem, first: int, seed: int | None) -> dict[str, object]:
    return question_row(
        drawn.content_id,
        benchmark="beyondbench",
        domain=cell.task,
        setting=drawn.problem.task.suite,
        seed=seed,
        index=first + drawn.number,
        cluster=drawn.content_id,
        origin=drawn.problem.origin,
    )


def _own_row(cell: Cell, drawn: DrawnProblem, context_tokens: int) -> dict[str, object]:
    problem, solutions = drawn.problem, drawn.problem.solutions
    space = problem.task.space(cell.variation, problem.size)
    return {
        "instance_id": drawn.content_id,
        "variation": cell.variation,
        "suite": problem.task.suite,
        "size": problem.size,
        "prompt": problem.prompt,
        "template_hash": template_hash(problem.task.template),
        "payload": problem.payload,
        "reference": canonical_json(solutions.reference),
        "solutions": solutions.count,
        "solutions_complete": solutions.is_complete,
        "space_log10": space.log10,
        "space_exact": space.is_exact,
        "unlike_paper": unlike_paper(cell.task, cell.variation) or None,
        "prompt_tokens": drawn.prompt_tokens,
        "solution_tokens": drawn.solution_tokens,
        "context_tokens": context_tokens,
        "rejected_draws": drawn.rejected_draws,
        "reused": drawn.is_reused,
    }


def _rejection_rows(cell: Cell, plan: BeyondBenchPlan, grown: GrownCell) -> Rows:
    """One row per size: which problems are excluded or missing, and how many."""
    rows = []
    counted = {"domain": cell.task, "setting": TASKS[cell.task].suite}
    for size, number in sorted(grown.excluded.items()):
        message = (
            f"{number} of {plan.instances} problems: prompt and solution need more than {SHARE:.0%} of "
            f"{plan.context_tokens} tokens even at the smallest size"
        )
        rows.append(
            Rejection("problems", f"{cell} size {size}", EXCLUDED, message, **counted, amount=number).row()
        )
    for size, number in sorted(grown.missing.items()):
        message = (
            f"{number} of {plan.instances} problems: the space holds too few that neither this edition nor "
            "an earlier one holds"
        )
        rows.append(
            Rejection("problems", f"{cell} size {size}", EXHAUSTED, message, **counted, amount=number).row()
        )
    return rows
