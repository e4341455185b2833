"""What is wrong with a value, in words: the same for flags, variables and perennial.toml."""

import re
from collections.abc import Callable

from perennial.schemas.errors import join_choices, shorten
from perennial.schemas.rows import ReadJson

WIDTH = 200
EDITION_PATTERN = r"^$|^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
NAME_WORDS = "up to 100 letters, digits, dots, dashes and underscores, the first a letter or digit"
_PATTERNS = {EDITION_PATTERN: NAME_WORDS}
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


def describe_expectation(problem: ReadJson) -> str:
    """Return what was expected in place of a value, from an error of pydantic's."""
    kind, message = problem["type"], problem["msg"].removeprefix("Value error, ")
    if kind in _WORDS:
        return f"expected {_WORDS[kind](problem.get('ctx', {}))}"
    if kind.partition("_")[0] in _KINDS:
        return f"expected {_KINDS[kind.partition('_')[0]]}"
    if " is not one of " in message:  # a choice of typer's
        choices = re.findall("'([^']*)'", message.partition(" is not one of ")[2])
        return f"expected {join_choices(choices)}"
    return shorten(message, WIDTH)


def redact(value: object) -> str:
    """Return the value as it was given, but for what a URL may hold of secrets: its user and its query."""
    try:
        text = repr(value)
    except ValueError:
        text = "a number of thousands of digits"
    return shorten(re.sub(r"\?[^'\s]*", "?***", re.sub(r"//[^/@\s]*@", "//***@", text)), WIDTH)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
