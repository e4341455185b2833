"""What a model says that a book says, outcome by outcome, and changes of it."""

from collections.abc import Iterable
from typing import Any

from perennial.tasks.kumo.authors.read_back import ActionForm, RangeForm, ReadBackForm, ReadBackOutcome


def ends(low: float | None, high: float | None, low_in: bool | None, high_in: bool | None) -> RangeForm:
    return RangeForm(low=low, high=high, low_included=low_in, high_included=high_in)


def one_action(
    action: str,
    label: str | None = None,
    range: RangeForm | None = None,
    rules_out: Iterable[str] = (),
    **more: Any,
) -> ActionForm:
    """Return an action with one outcome."""
    values = {"confirms": [], "unclear": [], **more}
    return ActionForm(
        action=action,
        outcomes=[ReadBackOutcome(label=label, range=range, rules_out=list(rules_out), **values)],
    )


def read_back(entries: Iterable[ActionForm], unclear: Iterable[str] = ()) -> ReadBackForm:
    return ReadBackForm(actions=list(entries), unclear=list(unclear))


def changed(entry: ActionForm, action: str | None = None, **values: Any) -> ActionForm:
    """Return the action with other values of its one outcome."""
    (outcome,) = entry.outcomes
    return ActionForm(action=action or entry.action, outcomes=[outcome.model_copy(update=values)])
