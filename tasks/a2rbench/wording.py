"""The prompt of an item, and back: what a reader finds in it."""

import json
import re

from perennial.prompts.render import render, template_hash
from perennial.tasks.a2rbench.catalogue.rule import DIMENSIONS, Dimension, Value
from perennial.tasks.a2rbench.fits import Example
from perennial.tasks.a2rbench.values import has_texts

TEMPLATE = "a2rbench/solve.md.j2"
_FORMS = (
    "Each input is a list of tokens.",
    "Each input is a grid of tokens, written as a list of rows.",
    "Each input is a cube of tokens, written as a list of layers, each of them a list of rows.",
)
# Of published items in which texts stand in place of innermost lists.
_TEXT_FORMS = (
    "Each input is a text, whose tokens are its characters.",
    "Each input is a grid of tokens, written as a list of rows: texts, whose tokens are their characters.",
    "Each input is a cube of tokens, written as a list of layers, each of them a list of rows: texts, whose "
    "tokens are their characters.",
)
# Where a value begins, and whether it is an output.
_PLACES = re.compile(r"^(Input|Output):\n", re.MULTILINE)
_DECODER = json.JSONDecoder()


def write_prompt(dimension: Dimension, examples: list[Example], query: Value) -> str:
    """Return the text that players are shown."""
    written = [(write_value(given, dimension), write_value(wanted, dimension)) for given, wanted in examples]
    values = [query, *(value for pair in examples for value in pair)]
    forms = _TEXT_FORMS if has_texts(values, dimension) else _FORMS
    return render(TEMPLATE, form=forms[dimension - 1], examples=written, query=write_value(query, dimension))


def prompt_hash() -> str:
    """Return the hash of the template of prompts."""
    return template_hash(TEMPLATE)


def write_value(value: Value, dimension: int) -> str:
    """Return the value as JSON, a row on each line."""
    if dimension == 1 or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    rows = ",\n".join(write_value(part, dimension - 1) for part in value)
    return f"[{rows.replace(chr(10), chr(10) + ' ')}]"


def read_prompt(prompt: str) -> tuple[list[Example], Value]:
    """Return examples and query that a prompt shows; raise ValueError for a text that is none."""
    places = list(_PLACES.finditer(prompt))
    names = [place[1] for place in places]
    if not names or names != ["Input", "Output"] * (len(names) // 2) + ["Input"]:
        raise ValueError("the text is no prompt of A2RBench")
    values = [_DECODER.raw_decode(prompt, place.end())[0] for place in places]
    return list(zip(values[:-1:2], values[1::2], strict=True)), values[-1]


def read_dimension(prompt: str) -> Dimension:
    """Return the dimension that a prompt names; raise ValueError for a text that is none."""
    head = prompt.partition("\nInput:\n")[0]
    for dimension in DIMENSIONS:
        if _FORMS[dimension - 1] in head or _TEXT_FORMS[dimension - 1] in head:
            return dimension
    raise ValueError("the text is no prompt of A2RBench")
