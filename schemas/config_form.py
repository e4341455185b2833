"""The JSON form of a seed configuration, as people and models write it."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StrictStr, model_validator

from schemas.kumo import Outcome, OutcomeState, SeedConfig

Number = StrictInt | StrictFloat


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=False)


class StateForm(_Form):
    """One outcome state: a `label`, or a `range` of two numbers, and the truths that it rules out."""

    label: StrictStr | StrictInt | StrictFloat | None = None
    range: Annotated[list[Number], Field(min_length=2, max_length=2)] | None = None
    rules_out: list[StrictStr]

    @model_validator(mode="after")
    def _one_of_both(self) -> "StateForm":
        if (self.label is None) == (self.range is None):
            raise ValueError("a state has either a label or a range of two numbers")
        return self

    def state(self) -> OutcomeState:
        """Return the state as perennial keeps it; a number as a label becomes its text."""
        if self.range is None:
            return OutcomeState(str(self.label), None, None, tuple(self.rules_out))
        low, high = (float(bound) for bound in self.range)
        return OutcomeState(None, low, high, tuple(self.rules_out))


class OutcomeForm(_Form):
    """All outcome states of one action."""

    action: StrictStr
    type: StrictStr
    unit: StrictStr = ""
    states: list[StateForm]

    def outcome(self) -> Outcome:
        """Return the outcome as perennial keeps it."""
        return Outcome(self.action, self.type, tuple(form.state() for form in self.states), self.unit)


class SeedConfigForm(_Form):
    """A whole configuration; the release has `name`, `truths`, `actions` and `outcomes` only."""

    name: StrictStr
    truths: list[StrictStr]
    actions: list[StrictStr]
    outcomes: list[OutcomeForm]
    goal: StrictStr = ""
    category: StrictStr = ""
    truth_noun: StrictStr = "truth"
    action_noun: StrictStr = "action"
    book_title: StrictStr = ""
    truth_notes: dict[StrictStr, StrictStr] = {}
    action_notes: dict[StrictStr, StrictStr] = {}

    def config(self) -> SeedConfig:
        """Return the configuration as perennial keeps it."""
        values: dict[str, Any] = dict(self)
        values["truths"] = tuple(self.truths)
        values["actions"] = tuple(self.actions)
        values["outcomes"] = tuple(form.outcome() for form in self.outcomes)
        return SeedConfig(**values)
