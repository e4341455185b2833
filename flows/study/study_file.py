"""The file of a study: read, with errors that name the key, and begun from a commented one."""

import json
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from pydantic import ValidationError

from perennial.flows.console.input_files import read_text_file, show_path
from perennial.schemas.errors import InvalidOption, quote, shorten, suggest
from perennial.schemas.people import Study
from perennial.schemas.settings.form import describe_expectation, parse_toml

_TASKS = 10


def write_starter(name: str, edition: str, settings: list[str], domains: list[str], seed: int) -> str:
    """Return the commented text of a study's file for an edition with these settings and domains."""
    tasks = max(_TASKS // len(settings), 1) * len(settings)
    text = (files(__package__) / "starter.toml").read_text(encoding="utf-8")
    return Template(text).substitute(
        name=name, edition=edition, settings=_list(settings), domains=_list(domains), tasks=tasks, seed=seed
    )


def _list(names: list[str]) -> str:
    return ", ".join(json.dumps(name, ensure_ascii=False) for name in names)


_MAX_BYTES = 1_000_000
_WIDTH = 80


def read_study(path: Path) -> Study:
    """Return the study that the file describes.

    Raises UnreadableInput where it cannot be read, InvalidOption, in one line with the key, for a value that
    makes no sense.
    """
    printed_path = show_path(path)
    text = read_text_file(path, _MAX_BYTES).removeprefix("\ufeff")
    try:
        return Study(**parse_toml(text, printed_path))
    except ValidationError as error:
        raise InvalidOption(f"{printed_path}: {_describe(error.errors()[0])}") from None


def _describe(problem: Any) -> str:
    """One of pydantic's errors in a line: the key, what was expected, what it got, what to do."""
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
