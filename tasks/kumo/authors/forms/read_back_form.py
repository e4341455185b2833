"""The JSON form in which a model writes down what a book says.

Every key must be given and no other one may be: strict structured output wants a form with nothing
optional, and a reader that leaves a question out has not answered it.
"""

from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, model_validator

Bound = Annotated[float, Field(allow_inf_nan=False)]
_MOST_ACTIONS = 1_000  # the wrong places of so many are counted
# Of a longer list the first wrong entry is enough.
Names = Annotated[list[str], FailFast()]


def _not_too_many(value: object) -> object:
    if isinstance(value, list) and len(value) > _MOST_ACTIONS:
        raise ValueError(f"expected {_MOST_ACTIONS:,} actions at most, got {len(value):,}")
    return value


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class RangeForm(_Form):
    """A range of numbers; null where the guidebook does not say."""

    low: Bound | None
    high: Bound | None
    low_included: bool | None
    high_included: bool | None


class PassageForm(_Form):
    """A passage that leaves open what is ruled out, and the names that it may mean."""

    passage: str
    names: Names


class OutcomeForm(_Form):
    """One outcome, a label or a range, and what the guidebook says of it."""

    label: str | None
    range: RangeForm | None
    rules_out: Names
    confirms: Names
    unclear: Annotated[list[PassageForm], FailFast()]

    @model_validator(mode="after")
    def _one_of_both(self) -> "OutcomeForm":
        if (self.label is None) == (self.range is None):
            given = "neither" if self.label is None else "both"
            raise ValueError(f"expected either a label or a range, and null for the other one, got {given}")
        return self


class ActionForm(_Form):
    """An action with all outcomes that the guidebook describes."""

    action: str
    outcomes: Annotated[list[OutcomeForm], FailFast()]


class ReadBackForm(_Form):
    """What the guidebook says of each action, and unclear passages that belong to no single outcome."""

    actions: Annotated[list[ActionForm], BeforeValidator(_not_too_many)]
    unclear: Names


@lru_cache(maxsize=1)
def read_back_schema() -> dict[str, Any]:
    """Return the form's JSON schema."""
    return ReadBackForm.model_json_schema()
