"""What says how difficult practice questions are: parameters of a benchmark, described once."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from perennial.schemas.errors import InvalidOption, count, suggest
from perennial.schemas.settings.form import describe_expectation, redact

if TYPE_CHECKING:
    from perennial.flows.benchmark import Practice


class Parameters(BaseModel):
    """Parameters of a benchmark's practice questions; each field is an option of `perennial sample`."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def read_parameters(practice: "Practice", benchmark: str, arguments: Mapping[str, object]) -> BaseModel:
    """Parse the parameters; raise InvalidOption for the first that is unknown or wrong."""
    form: type[BaseModel] = practice.parameters
    for name in arguments:
        if name not in form.model_fields:
            names = ", ".join(form.model_fields)
            raise InvalidOption(
                f"{name}: {benchmark} has no such parameter; it has {names}{suggest(name, form.model_fields)}"
            )
    try:
        return form.model_validate(dict(arguments))
    except ValidationError as error:
        problem: Any = error.errors()[0]
    where = f"{name_option(str(problem['loc'][0]))} {redact(problem['input'])}: " if problem["loc"] else ""
    raise InvalidOption(f"{where}{describe_expectation(problem)}")


def read_levels(
    practice: "Practice", arguments: Mapping[str, object], curriculum: int
) -> tuple[Mapping[str, object], ...]:
    """The changes of parameters per level; one empty level without a curriculum.

    Raises InvalidOption where the benchmark has no levels, or they set what is given.
    """
    if curriculum < 0:
        raise InvalidOption(f"--curriculum {curriculum}: expected how many questions each level has, or 0")
    if not curriculum:
        return ({},)
    if not practice.levels:
        raise InvalidOption(f"--curriculum {curriculum}: the benchmark has no levels: leave it out")
    conflicting = sorted({name for level in practice.levels for name in level} & set(arguments))
    if conflicting:
        raise InvalidOption(
            f"{' and '.join(map(name_option, conflicting))}: set by --curriculum in each of its "
            f"{count(len(practice.levels), 'level')}: leave one of them out"
        )
    return tuple(practice.levels)


def name_option(parameter: str) -> str:
    """The command line option of a parameter."""
    return f"--{parameter.replace('_', '-')}"
