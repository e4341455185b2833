"""Stage `gate`: test each problem and its grader before any model is paid for an answer."""

from perennial.flows.beyondbench.edition import batch_of, cell_of, plan_of, problem_of
from perennial.flows.stages.gate_faults import refuse_faults
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.beyondbench.things import Cell
from perennial.schemas.ids import derive_rng
from perennial.schemas.rows import Rows
from perennial.tasks.beyondbench.gate import Tested, check_problem


def check_cell(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the gate's row of one cell; raise AuditFailed, naming the problems, where one is unsound."""
    cell = cell_of(batch)
    faults: list[str] = []
    tested: list[Tested] = []
    for row in workspace.rows(batch_of("problems", cell), "beyondbench_instances"):
        instance_id, problem = row["instance_id"], problem_of(row)
        found = check_problem(problem, derive_rng(workspace.seed, f"beyondbench/gate/{instance_id}", 0))
        if problem.content_id != instance_id or problem.prompt != row["prompt"]:
            found.faults.append("id or prompt are not those of its parameters")
        faults += [f"{instance_id}: {fault}" for fault in found.faults]
        tested.append(found)
    refuse_faults(str(cell), faults, len(tested), "problems")
    return {"beyondbench_gate": [_row(cell, tested)]}


def _row(cell: Cell, tested: list[Tested]) -> dict[str, object]:
    return {
        "task": cell.task,
        "variation": cell.variation,
        "problems": len(tested),
        "mutations": sum(each.mutations for each in tested),
        "refused": sum(each.refused for each in tested),
        "also_right": sum(each.also_right for each in tested),
        "unique": sum(each.is_unique for each in tested),
    }


def gate_batches(workspace: Workspace) -> list[Batch]:
    """Return a batch for each cell."""
    return [batch_of("gate", cell) for cell in plan_of(workspace).cells]
