"""The optimum of an instance as columns of `kumo_instances`, and back."""

from perennial.schemas.kumo.things import Instance
from perennial.schemas.rows import Row
from perennial.tasks.kumo.search import Optimum


def optimum_columns(instance: Instance, optimum: Optimum | None) -> Row:
    """Return the columns of the optimum under the promise; status `none` where it does not apply."""
    if optimum is None:
        return {"promise_status": "none"}
    figures: Row = {
        "promise_status": optimum.status,
        "promise_steps": optimum.steps,
        "promise_steps_low": optimum.least_steps,
        "policy_steps": optimum.policy_steps,
    }
    if optimum.status == "bounds":
        return figures
    moves = [instance.actions[action] for action in optimum.actions]
    golden = [*moves, instance.truths[optimum.answer or 0]]
    return {**figures, "promise_tests": len(moves), "promise_golden": golden}


def optimum_from_row(row: Row, instance: Instance) -> Optimum | None:
    """Return the optimum that a row of `kumo_instances` holds."""
    if row["promise_status"] == "none":
        return None
    golden = row["promise_golden"]
    *actions, answer = golden or [None]
    return Optimum(
        status=row["promise_status"],
        steps=row["promise_steps"],
        least_steps=row["promise_steps_low"],
        policy_steps=row["policy_steps"],
        actions=tuple(instance.actions.index(action) for action in actions),
        answer=None if answer is None else instance.truths.index(answer),
    )
