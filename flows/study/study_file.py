"""The file of a study: read, with errors that name the key, and begun from a commented one."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from perennial.flows.console.input_files import read_text_file, show_path
from perennial.schemas.errors import InvalidOption, quote, shorten, suggest
from perennial.schemas.people import Study
from perennial.schemas.settings.form import describe_expectation

_MAX_BYTES = 1_000_000
_WIDTH = 80


def read_study(path: Path) -> Study:
    """Return the study that the file describes.

    Raises UnreadableInput where it cannot be read, InvalidOption, in one line with the key, for a value that
    makes no sense.
    """
    shown = show_path(path)
    text = read_text_file(path, _MAX_BYTES).removeprefix("\ufeff")
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidOption(f"{shown}: not TOML: {error}; correct that line") from None
    except RecursionError:
        raise InvalidOption(f"{shown}: nested too deeply; expected keys with plain values") from None
    try:
        return Study(**values)
    except ValidationError as error:
        raise InvalidOption(f"{shown}: {_describe(error.errors()[0])}") from None


def _describe(problem: Any) -> str:
    key = shorten(".".join(str(part) for part in problem["loc"]), _WIDTH)
    message = describe_expectation(problem)
    match problem["type"]:
        case "missing":
            return f"{key} is missing: add it (`perennial study new FILE` writes a file with every key)"
        case "extra_forbidden":
            last = str(problem["loc"][-1])
            return f"{quote(key)[1:-1]}: there is no such key; remove it{suggest(last, Study.model_fields)}"
        case "value_error" if not key:
            return message
        case "too_long" | "too_short" | "string_too_long" | "string_too_short":
            message = f"expected {_size(problem)}"
    return f"{quote(key)[1:-1]}: {message}, got {quote(problem['input'])}; correct it"


def _size(problem: Any) -> str:
    limits = problem["ctx"]
    bound = (
        f"at most {limits['max_length']:,}"
        if "max_length" in limits
        else f"at least {limits['min_length']:,}"
    )
    return f"{bound} {'characters' if problem['type'].startswith('string') else 'names'}"
