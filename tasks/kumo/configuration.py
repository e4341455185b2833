"""Read a seed configuration from the JSON text that somebody, or a model, wrote."""

import json
import math
from collections.abc import Mapping
from typing import Any

from perennial.schemas.errors import UnreadableInput, shorten
from perennial.schemas.json_text import read_json
from perennial.schemas.kumo.things import SeedConfig

MAX_CHARACTERS = 10_000_000
_PROBLEMS_SHOWN = 8

# What pydantic found wrong, by its error type, as what we expect there.
_EXPECTED = {
    "string_type": "text in quotes",
    "string_unicode": "text of whole characters",
    "string_pattern_mismatch": "a name that is not blank",
    "float_type": "a finite number",
    "finite_number": "a finite number",
    "list_type": "a list",
    "int_type": "a whole number",
    "greater_than": "a number above 0",
    "greater_than_equal": "a number from 1 to 9",
    "less_than_equal": "a number from 1 to 9",
    "too_short": "two numbers [low, high]",
    "too_long": "two numbers [low, high]",
    "dict_type": "an object",
    "model_type": "an object",
}


def parse_config(text: str, source: str) -> SeedConfig:
    """The configuration that the text holds; `source` names it in errors.

    Only the form is checked here: what the configuration says is for `perennial.tasks.kumo.validation`.
    Raises UnreadableInput, listing the wrong places, where the text is not JSON of the expected form.
    """
    return read_config(parse_json(text, source), source)


def read_config(value: Any, source: str) -> SeedConfig:
    """The configuration that a JSON value is; raise UnreadableInput as `parse_config` does."""
    from pydantic import ValidationError

    from perennial.schemas.kumo.config_form import SeedConfigForm

    if not isinstance(value, dict):
        raise UnreadableInput(
            f"{source}: expected a JSON object with name, truths, actions and outcomes, got {_show(value)}"
        )
    try:
        return SeedConfigForm.model_validate(value).config()
    except ValidationError as error:
        problems = error.errors(include_url=False)
    lines = [_problem_text(problem) for problem in problems[:_PROBLEMS_SHOWN]]
    more = len(problems) - len(lines)
    ending = f"; and {more} more" if more > 0 else ""
    raise UnreadableInput(f"{source}: not a seed configuration: " + "; ".join(lines) + ending)


def parse_json(text: str, source: str) -> Any:
    """The JSON value of the text; raise UnreadableInput with the place of the first defect."""
    return read_json(text, source, max_bytes=MAX_CHARACTERS)


def _problem_text(problem: Mapping[str, Any]) -> str:
    path: tuple[int | str, ...] = problem["loc"]
    if problem["type"] == "missing":
        return f"{_path(path[:-1])} lacks the key {_show(path[-1])}"
    if problem["type"] == "extra_forbidden":
        return f"{_path(path[:-1])} has the unknown key {_show(path[-1])} (known: {_list_known(path)})"
    if problem["type"] == "value_error":
        return f"{_path(path)}: {problem['ctx']['error']}"
    expected = _EXPECTED.get(problem["type"])
    wanted = f"expected {expected}" if expected is not None else problem["msg"]
    return f"{_path(path)}: {wanted}, got {_show(problem['input'])}"


def _list_known(path: tuple[int | str, ...]) -> str:
    from perennial.schemas.kumo.config_form import known_keys

    return ", ".join(known_keys(path))


def _path(path: tuple[int | str, ...]) -> str:
    """A place such as `outcomes[0].states[1].label`; pydantic marks a key itself by `[key]`."""
    keys = (part for part in path if part != "[key]")
    parts = (f"[{part}]" if isinstance(part, int) else f".{_key_text(part)}" for part in keys)
    return "".join(parts).lstrip(".") or "the document"


def _key_text(key: str) -> str:
    return shorten(key) if key.isprintable() else _show(key)


def _show(value: Any) -> str:
    """A value on one line and shortened; what a list or an object holds is only counted."""
    if isinstance(value, dict):
        return f"an object with {len(value)} {'key' if len(value) == 1 else 'keys'}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return repr(shorten(value))
    if value in (math.inf, -math.inf):
        return "a number too large for a float"
    return shorten(repr(value))
