"""The JSON form of a seed configuration, as people and models write it.

Names must not be blank and numbers must be finite; everything else that can be wrong with a
configuration is left in, for `perennial.tasks.kumo.validation` to find all at once.
"""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, model_validator

from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig
from perennial.schemas.rows import JsonObject


def _label_text(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return repr(value) if is_number else value


def _not_too_many(value: object) -> object:
    """Refuse a list that no valid document has room for, before it gives a million errors."""
    if isinstance(value, list) and len(value) > _MAX_OUTCOMES:
        raise ValueError(f"expected {_MAX_OUTCOMES:,} outcome entries at most, got {len(value):,}")
    return value


_MAX_OUTCOMES = 250_000  # an entry takes 40 characters at least, a document has ten million at most

Text = Annotated[str, Field(strict=True)]
Name = Annotated[str, Field(strict=True, pattern=r"\S")]
Names = Annotated[list[Name], FailFast()]
Label = Annotated[Name, BeforeValidator(_label_text)]
Bound = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Pair = Annotated[list[Bound], Field(min_length=2, max_length=2)]
MAX_DIGITS = 9  # significant digits of a shown number


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class StateForm(_Form):
    """One outcome state: a `label`, or a `range` of two numbers, and the truths that it rules out."""

    label: Label | None = None
    range: Pair | None = None
    rules_out: Names

    @model_validator(mode="after")
    def _one_of_both(self) -> "StateForm":
        if (self.label is None) == (self.range is None):
            fault = "neither" if self.label is None else "both"
            raise ValueError(f"expected either a label or a range [low, high], got {fault}")
        return self

    def state(self) -> OutcomeState:
        """Convert to perennial's own state of an outcome."""
        low, high = self.range or (None, None)
        return OutcomeState(self.label, low, high, tuple(self.rules_out))


class OutcomeForm(_Form):
    """All outcome states of one action."""

    action: Name
    type: Text
    unit: Text = ""
    step: Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0)] | None = None
    digits: Annotated[int, Field(strict=True, ge=1, le=MAX_DIGITS)] | None = None
    cells: Annotated[dict[Name, Pair], FailFast()] = Field(default_factory=dict)
    states: Annotated[list[StateForm], FailFast()]

    def outcome(self) -> Outcome:
        """Convert to perennial's own outcome."""
        states = tuple(form.state() for form in self.states)
        cells = tuple((truth, low, high) for truth, (low, high) in self.cells.items())
        return Outcome(self.action, self.type, states, self.unit, self.step, self.digits, cells)

    @model_validator(mode="after")
    def _has_one_precision(self) -> "OutcomeForm":
        if self.step is not None and self.digits is not None:
            raise ValueError("expected a step or a number of digits, got both; keep one of them")
        return self


class SeedConfigForm(_Form):
    """A whole configuration; the release has `name`, `truths`, `actions` and `outcomes` only."""

    name: Name
    truths: Names
    actions: Names
    outcomes: Annotated[list[OutcomeForm], BeforeValidator(_not_too_many)]
    goal: Text = ""
    category: Text = ""
    truth_noun: Text = "truth"
    action_noun: Text = "action"
    book_title: Text = ""
    truth_notes: dict[Text, Text] = Field(default_factory=dict)
    action_notes: dict[Text, Text] = Field(default_factory=dict)

    def config(self) -> SeedConfig:
        """Convert to perennial's own configuration."""
        values: JsonObject = dict(self)
        values["truths"] = tuple(self.truths)
        values["actions"] = tuple(self.actions)
        values["outcomes"] = tuple(form.outcome() for form in self.outcomes)
        return SeedConfig(**values)


def known_keys(path: tuple[int | str, ...]) -> list[str]:
    """The keys allowed in the object that holds `place`, a path such as ("outcomes", 0, "colour")."""
    forms: dict[int, type[_Form]] = {1: SeedConfigForm, 3: OutcomeForm, 5: StateForm}
    form = forms.get(len(path))
    return list(form.model_fields) if form is not None else []
