"""How a setting is written down: one field with its default, its limits and its description."""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic.fields import FieldInfo

from perennial.schemas.errors import InvalidOption, UnreadableInput, join_choices, shorten
from perennial.schemas.rows import JsonObject, ReadJson

AUTHORS = "Models as authors (key: PERENNIAL_API_KEY or OPENAI_API_KEY)"
PLAYERS = "Models as players"
CALLS = "Calls and their limits"
OPERATION = "Operation"
STANDARD = "standard"  # the size of an edition whose size is not given
PANELS = ("", AUTHORS, PLAYERS, CALLS, OPERATION)


def split_names(value: Any) -> Any:
    """The names of a text `a,b`, or of a list, without blank ones; leave anything else as it is."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        return value
    return [part.strip() for part in parts if part.strip()]


Sizes = Mapping[str, Mapping[str, object]]  # what each size sets, but for what is given beside it
Names = Annotated[list[str], BeforeValidator(split_names, json_schema_input_type=list[str] | str)]


def setting(default: Any, description: str, panel: str = "", example: Any = None, **limits: Any) -> Any:
    """The field of a setting; `panel` is the group of options that `--help` shows it in.

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
    """The field of the setting `size`, described by what each size means: instances, calls, minutes."""
    text = " ".join(f"{name}: {meaning}." for name, meaning in meanings.items())
    return setting(
        STANDARD,
        f"How much to make. {text} Calls are those of each model, minutes those of two cores and replies of "
        "5 s; other flags override what a size sets.",
    )


def describe_setting(field: FieldInfo) -> str:
    """The setting's description, followed by its default if it has one."""
    default = None if field.default_factory else field.default
    if default in (None, "", [], {}) or default is False:
        return str(field.description)
    text = ",".join(default) if isinstance(default, list) else default
    if isinstance(default, int | float):
        text = "yes" if default is True else f"{default:g}"
    return f"{field.description} Default: {text}."


def panel_of(field: FieldInfo) -> str:
    """The setting's panel in `--help`, "" for the main one."""
    extra = field.json_schema_extra
    return str(extra["panel"]) if isinstance(extra, dict) else ""


# What is wrong with a value, in words: the same for flags, variables and perennial.toml.

WIDTH = 200
EDITION_PATTERN = r"^$|^[A-Za-z][A-Za-z0-9._-]{0,99}$"
NAME_WORDS = "up to 100 letters, digits, dots, dashes and underscores, the first a letter or digit"
EDITION_WORDS = NAME_WORDS.removesuffix(" or digit") + " (else other programs read it as a number or a day)"
_PATTERNS = {EDITION_PATTERN: EDITION_WORDS}
# DuckDB reads these as days where a root has no other edition.
_DAYS = ("inf", "infinity", "epoch")
_WORDS: dict[str, Callable[[ReadJson], str]] = {
    "greater_than_equal": lambda limits: f"at least {limits['ge']:g}",
    "greater_than": lambda limits: f"more than {limits['gt']:g}",
    "less_than_equal": lambda limits: f"at most {_number(limits['le'])}",
    "less_than": lambda limits: f"less than {_number(limits['lt'])}",
    "finite_number": lambda _: "a finite number",
    "string_pattern_mismatch": lambda limits: _PATTERNS.get(limits["pattern"], "a text of another form"),
}
_KINDS = {"int": "a whole number", "float": "a number", "bool": "true or false", "string": "a text"}
_KINDS |= {"list": "a list of names"}


def check_edition_name(name: str) -> str:
    """Return the name; raise ValueError if no edition may be called so."""
    if name.lower() in _DAYS:
        raise ValueError("expected another name: DuckDB may read this one as a day")
    if not re.fullmatch(EDITION_PATTERN, name):
        raise ValueError(f"expected {EDITION_WORDS}")
    return name


def require_edition_name(name: str) -> None:
    """Raise InvalidOption, as of --edition, for no name and for one that no edition may have."""
    try:
        check_edition_name(name or "-")
    except ValueError as error:
        raise InvalidOption(f"--edition {name!r}: {error}") from None


def describe_expectation(problem: ReadJson) -> str:
    """What was expected in place of a value, from an error of pydantic's."""
    kind, message = problem["type"], problem["msg"].removeprefix("Value error, ")
    if kind in _WORDS:
        return f"expected {_WORDS[kind](problem.get('ctx', {}))}"
    if kind.partition("_")[0] in _KINDS:
        return f"expected {_KINDS[kind.partition('_')[0]]}"
    if " is not one of " in message:  # a choice of typer's
        choices = re.findall("'([^']*)'", message.partition(" is not one of ")[2])
        return f"expected {join_choices(choices)}"
    return shorten(message.replace("Input should be ", "expected ", 1), WIDTH)


def redact(value: object) -> str:
    """The value as it was given, but for what a URL may hold of secrets: its user and its query."""
    try:
        text = repr(value)
    except ValueError:
        text = "a number of thousands of digits"
    return shorten(re.sub(r"\?[^'\s]*", "?***", re.sub(r"//[^/@\s]*@", "//***@", text)), WIDTH)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


# Read TOML, of settings and of studies and domains, with an error that says what is wrong with it.

# Whole numbers of settings fit into a float. A key of many parts takes tomllib the square of their number.
_MAX_BITS, _DIGITS = 1_000, re.compile("[0-9A-Fa-f_]{250}")
_LONG_KEY = re.compile(
    r"""(?:^|[\[{,])[ \t]*+(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""", re.MULTILINE
)


class UnreadableToml(UnreadableInput, InvalidOption):
    """A text that is no TOML: of a file of settings, or of other input."""


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Read one TOML document; raise UnreadableToml, which begins with `where`, for anything else."""
    try:
        if _LONG_KEY.search(text):
            raise RecursionError
        _refuse_long_integers(values := tomllib.loads(text))
        return values
    except tomllib.TOMLDecodeError as error:
        problem = f"not TOML: {shorten(str(error), 100)}; correct that line"
    except ValueError:
        where += f", line {len(_DIGITS.split(text, maxsplit=1)[0].splitlines())}"
        problem = "a whole number of over 300 digits; write a shorter one"
    except RecursionError:
        problem = "nested too deeply; expected keys with plain values"
    raise UnreadableToml(f"{where}: {problem}")


def _refuse_long_integers(value: object) -> None:
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise ValueError
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _refuse_long_integers(part)


def read_toml(path: Path) -> JsonObject | None:
    """The keys of the file, a byte order mark aside; None where there is no such file."""
    try:
        if path.is_file():
            return parse_toml(path.read_text(encoding="utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise InvalidOption(
            f"{path}: expected text in UTF-8, got the byte {error.object[error.start]:#04x} at position "
            f"{error.start:,}: save it as UTF-8"
        ) from None
    except OSError as error:
        raise InvalidOption(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    if os.path.lexists(path):
        raise InvalidOption(
            f"{path}: not a regular file; remove it, or write the settings to a file of this name"
        )
    return None
