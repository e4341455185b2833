"""Read a seed configuration from the JSON text that somebody, or a model, wrote."""

import json
import math
import re
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from schemas.errors import UnreadableInput, shorten
from schemas.kumo.things import SeedConfig

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
    "too_short": "two numbers [low, high]",
    "too_long": "two numbers [low, high]",
    "dict_type": "an object",
    "model_type": "an object",
}
_BOM = "\ufeff"
_CUT_OFF = "the text ends in the middle: it was cut off, give the whole document"


class _BadConstant(ValueError):
    """NaN or an infinity, which Python's reader takes and JSON does not have."""


class _BadKeys(ValueError):
    """An object with one key twice."""


def parse_config(text: str, source: str) -> SeedConfig:
    """Return the configuration that the text holds; `source` names it in errors.

    Only the form is checked here: what the configuration says is for `tasks.kumo.validation`. Raises
    UnreadableInput, listing the wrong places, where the text is not JSON of the expected form.
    """
    from pydantic import ValidationError

    from schemas.kumo.config_form import SeedConfigForm

    value = parse_json(text, source)
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
    _refuse_text(text, source)
    try:
        value = json.loads(text, object_pairs_hook=_object_without_repeats, parse_constant=_refuse_constant)
        _refuse_half_characters(text, value)
    except RecursionError:
        raise UnreadableInput(f"{source}: nested too deeply; expected five levels or so") from None
    except json.JSONDecodeError as error:
        problem = _syntax_problem(error)
        raise UnreadableInput(f"{source}: not JSON{_place(text, error.pos)}: {problem}") from None
    except _BadConstant as error:
        place = _place(text, _outside_strings(r"NaN|-?Infinity", text))
        raise UnreadableInput(f"{source}: not JSON{place}: {error}") from None
    except _BadKeys as error:
        raise UnreadableInput(f"{source}: not usable JSON: {error}") from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise UnreadableInput(
            f"{source}: not usable JSON: a text holds {half} alone, half of a character; write the whole one"
        ) from None
    except ValueError:
        digits = sys.get_int_max_str_digits()  # 4,300: Python converts no longer whole number
        place = _place(text, _outside_strings(rf"\d{{{digits + 1},}}", text))
        raise UnreadableInput(
            f"{source}: not usable JSON{place}: a whole number of over {digits:,} digits; write a shorter one"
        ) from None
    return value


def _refuse_text(text: str, source: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise UnreadableInput(
            f"{source}: {len(text):,} characters, but a JSON document here has {MAX_CHARACTERS:,} at most"
        )
    if text.startswith(_BOM):
        raise UnreadableInput(f"{source}: starts with a byte order mark; save it as UTF-8 without one")
    if not text.strip():
        raise UnreadableInput(f"{source}: empty, expected a JSON document")


def _refuse_constant(name: str) -> NoReturn:
    raise _BadConstant(f"{name} is not a JSON number; write a finite one")


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    seen: set[str] = set()
    repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    first, first_value = pairs[0]
    raise _BadKeys(
        f"key {_show(repeated)} occurs twice in the object that begins with "
        f"{_show(first)}: {_show(first_value)}; keep one of them"
    )


def _refuse_half_characters(text: str, value: Any) -> None:
    """Raise UnicodeEncodeError where a text of the value holds a lone surrogate."""
    if re.search(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]", text):
        json.dumps(value, ensure_ascii=False).encode()


def _syntax_problem(error: json.JSONDecodeError) -> str:
    text, position = error.doc, error.pos
    if error.msg.startswith("Unterminated string") or position >= len(text.rstrip()):
        return _CUT_OFF
    found = _show(text[position])
    if error.msg == "Expecting value":
        return f"expected a value (text in quotes, number, list or object), got {found}"
    if error.msg == "Extra data":
        return f"expected the end of the document, got {found}; give one JSON value and nothing else"
    if error.msg.startswith("Expecting property name"):
        return f"expected a key in double quotes, got {found}"
    if error.msg.startswith("Invalid control character"):
        return f"expected text on one line, got {found} inside of it; write line breaks as \\n"
    if error.msg.startswith("Invalid \\"):
        return "a backslash that begins no JSON escape; write \\\\ for a backslash"
    if error.msg.startswith("Expecting "):
        return f"expected {error.msg.removeprefix('Expecting ')}, got {found}"
    return f"{error.msg[0].lower()}{error.msg[1:]}, got {found}"


def _place(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f", line {line} column {column}"


def _outside_strings(pattern: str, text: str) -> int:
    """Return where the pattern first matches outside of JSON strings, or 0."""
    matches = re.finditer(rf'"(?:[^"\\]|\\.)*"|({pattern})', text, re.DOTALL)
    return next((match.start(1) for match in matches if match[1] is not None), 0)


def _problem_text(problem: Mapping[str, Any]) -> str:
    place: tuple[int | str, ...] = problem["loc"]
    if problem["type"] == "missing":
        return f"{_path(place[:-1])} lacks the key {_show(place[-1])}"
    if problem["type"] == "extra_forbidden":
        return f"{_path(place[:-1])} has the unknown key {_show(place[-1])} (known: {_list_known(place)})"
    if problem["type"] == "value_error":
        return f"{_path(place)}: {problem['ctx']['error']}"
    expected = _EXPECTED.get(problem["type"])
    wanted = f"expected {expected}" if expected is not None else problem["msg"]
    return f"{_path(place)}: {wanted}, got {_show(problem['input'])}"


def _list_known(place: tuple[int | str, ...]) -> str:
    from schemas.kumo.config_form import known_keys

    return ", ".join(known_keys(place))


def _path(place: tuple[int | str, ...]) -> str:
    """Return a place such as `outcomes[0].states[1].label`; pydantic marks a key itself by `[key]`."""
    keys = (part for part in place if part != "[key]")
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
