"""Read a seed configuration from the JSON text that somebody, or a model, wrote."""

import json
from typing import Any

from schemas.errors import UnreadableInput
from schemas.kumo import SeedConfig

MAX_CHARACTERS = 10_000_000
_SHOWN_PROBLEMS = 20


def parse_config(text: str, source: str) -> SeedConfig:
    """Return the configuration that the text holds; `source` names it in errors.

    Only the form is checked here: what the configuration says is for `tasks.kumo.validation`. Raises
    UnreadableInput, listing every wrong place, where the text is not JSON of the expected form.
    """
    from pydantic import ValidationError

    from schemas.config_form import SeedConfigForm

    value = parse_json(text, source)
    if not isinstance(value, dict):
        raise UnreadableInput(
            f"{source}: expected a JSON object with name, truths, actions and outcomes, got {_kind(value)}"
        )
    try:
        return SeedConfigForm.model_validate(value).config()
    except ValidationError as error:
        raise UnreadableInput(_describe(error.errors(), source)) from None
    except OverflowError:
        raise UnreadableInput(
            f"{source}: a range has a number too large for a float; use finite bounds"
        ) from None


def parse_json(text: str, source: str) -> Any:
    """Return the JSON value of the text; raise UnreadableInput with the place of the first defect."""
    if len(text) > MAX_CHARACTERS:
        raise UnreadableInput(
            f"{source}: {len(text):,} characters, but a JSON document here has {MAX_CHARACTERS:,} at most"
        )
    try:
        return json.loads(text, object_pairs_hook=_object_without_repeats)
    except RecursionError:
        raise UnreadableInput(f"{source}: nested too deeply; a configuration has five levels") from None
    except json.JSONDecodeError as error:
        raise UnreadableInput(
            f"{source}: not JSON, line {error.lineno} column {error.colno}: {error.msg}"
        ) from None
    except ValueError as error:
        raise UnreadableInput(f"{source}: not usable JSON: {error}") from None


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {repeated!r} occurs twice in one object; keep one of them")
    return value


def _describe(problems: Any, source: str) -> str:
    lines = []
    for problem in problems[:_SHOWN_PROBLEMS]:
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"])
        lines.append(
            f"{place.lstrip('.') or 'document'}: {problem['msg']}, got {_shortened(problem['input'])}"
        )
    more = len(problems) - len(lines)
    if more > 0:
        lines.append(f"and {more} more")
    return f"{source}: not a seed configuration: " + "; ".join(lines)


def _shortened(value: Any, width: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= width else text[: width - 3] + "..."


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
