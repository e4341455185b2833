"""Read a seed configuration from the JSON text that somebody, or a model, wrote."""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any, NoReturn

from perennial.schemas.errors import UnreadableInput, in_one_line, shorten
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
    """Return the configuration that the text holds; `source` names it in errors.

    Only the form is checked here: what the configuration says is for `perennial.tasks.kumo.validation`.
    Raises UnreadableInput, listing the wrong places, where the text is not JSON of the expected form.
    """
    return read_config(parse_json(text, source), source)


def read_config(value: Any, source: str) -> SeedConfig:
    """Return the configuration that a JSON value is; raise UnreadableInput as `parse_config` does."""
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
    """Return the JSON value of the text; raise UnreadableInput with the place of the first defect.

    Refused beyond malformed JSON: NaN and infinities, an object with one key twice, half of a surrogate
    pair, a byte order mark, and a document over MAX_CHARACTERS.
    """
    try:
        if len(text) > MAX_CHARACTERS:
            raise ValueError(f"{len(text):,} characters, expected {MAX_CHARACTERS:,} at most")
        if text.startswith("\ufeff"):
            raise ValueError("it starts with a byte order mark; save it as UTF-8 without one")
        value = _STRICT_JSON.decode(text)
        if _HALF_CHARACTER.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise UnreadableInput(f"{source}: nested too deeply; expected five levels or so") from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise UnreadableInput(
            f"{source}: not usable JSON: a text holds {half} alone, half of a character; write the whole one"
        ) from None
    except json.JSONDecodeError as error:
        character = text[error.pos : error.pos + 1]
        got = f"got {character!r}" if character else "where the text ends, perhaps cut off"
        raise UnreadableInput(f"{source}: not JSON: {error}, {got}; give one whole document") from None
    except ValueError as error:
        raise UnreadableInput(f"{source}: not usable JSON: {in_one_line(error)}") from None
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number; write a finite one")


def _parse_whole_number(digits: str) -> int:
    most = sys.get_int_max_str_digits()  # Python converts no longer one
    if len(digits) > most:
        raise ValueError(f"a whole number of over {most:,} digits; write a shorter one")
    return int(digits)


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"key {_show(key)} occurs twice in one object; keep one of them")
    return value


_STRICT_JSON = json.JSONDecoder(
    object_pairs_hook=_refuse_repeats, parse_constant=_refuse_constant, parse_int=_parse_whole_number
)
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


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
    """Return a place such as `outcomes[0].states[1].label`; pydantic marks a key itself by `[key]`."""
    keys = (part for part in path if part != "[key]")
    parts = (f"[{part}]" if isinstance(part, int) else f".{_key_text(part)}" for part in keys)
    return "".join(parts).lstrip(".") or "the document"


def _key_text(key: str) -> str:
    return shorten(key) if key.isprintable() else _show(key)


def _show(value: Any) -> str:
    """Return a value on one line and shortened; what a list or an object holds is only counted."""
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
