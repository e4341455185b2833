"""How a setting is written down: one field with its default, its limits and its description."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic.fields import FieldInfo

AUTHORS = "Models as authors (key: PERENNIAL_API_KEY or OPENAI_API_KEY)"
PLAYERS = "Models as players"
CALLS = "Calls and their limits"
OPERATION = "Operation"
STANDARD = "standard"  # the size of an edition whose size is not given
PANELS = ("", AUTHORS, PLAYERS, CALLS, OPERATION)


def split_names(value: Any) -> Any:
    """Return the names of a text `a,b`, or of a list, without blank ones; leave anything else as it is."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        return value
    return [part.strip() for part in parts if part.strip()]


Sizes = Mapping[str, Mapping[str, object]]  # what each size sets, but for what is given beside it
Names = Annotated[list[str], BeforeValidator(split_names, json_schema_input_type=list[str] | str)]


def setting(default: Any, description: str, panel: str = "", example: Any = None, **limits: Any) -> Any:
    """Return the field of a setting; `panel` is the group of options that `--help` shows it in.

    `example` is a value to show where there is no default.
    """
    examples = None if example is None else [example]
    return Field(
        default,
        description=description,
        json_schema_extra={"panel": panel},
        examples=examples,
        **limits,
    )


def size_setting(**meanings: str) -> Any:
    """Return the field of the setting `size`, from what each size means: instances, calls, minutes."""
    text = " ".join(f"{name}: {meaning}." for name, meaning in meanings.items())
    return setting(
        STANDARD,
        f"How much to make. {text} Calls are those of each model, minutes those of two cores and replies of "
        "5 s; other flags override what a size sets.",
    )


def describe_setting(field: FieldInfo) -> str:
    """Return the setting's description and, where there is one, its default."""
    default = field.default
    if default in (None, "", [], {}) or default is False:
        return str(field.description)
    text = (
        ",".join(default)
        if isinstance(default, list)
        else f"{default:g}"
        if isinstance(default, int | float)
        else default
    )
    return f"{field.description} Default: {text}."


def panel_of(field: FieldInfo) -> str:
    """Return the setting's panel, "" for the main one."""
    extra = field.json_schema_extra
    return str(extra["panel"]) if isinstance(extra, dict) else ""
