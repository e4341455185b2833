"""Lines of the authors' release: JSON Lines, an object per item, each with its own code and data.

Each has question_id, author_model, task_type, dimensionality, rule_description, inverse_rule_description,
python_code and puzzle_data with examples, question_plaintext and answer_ciphertext. Nothing is run here.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from perennial.schemas.a2rbench.authoring import CATALOGUE
from perennial.schemas.errors import UnreadableInput, join_choices, quote
from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.catalogue.rule import DIMENSIONS, Dimension, RuleType, Value
from perennial.tasks.a2rbench.coded_rule import AuthoredRule

MAX_LINES = 10_000
_MAX_CHARACTERS = 1_000_000
_MAX_EXAMPLES = 200
_TYPES: dict[str, RuleType] = {"SymbolicRule": "symbolic", "SemanticRule": "semantic"}
_TEXTS = ("question_id", "author_model", "rule_description", "inverse_rule_description", "python_code")
_DATA = ("examples", "question_plaintext", "answer_ciphertext")
_FIELDS = (*_TEXTS, "task_type", "dimensionality", "puzzle_data")
_LONGEST_NAME = 100
# An expanded item is named by its seed and its variation.
_VARIATION = re.compile(r"(.+)_V(\d)")


@dataclass(frozen=True, slots=True)
class PublishedLine:
    """A line as it was read: its own text, its rule, and the data that it says the rule gives."""

    question_id: str
    text: str
    rule: AuthoredRule
    variation: int
    examples: tuple[tuple[Value, Value], ...]
    query: Value
    answer: Value


def read_lines(text: str, place: str) -> list[PublishedLine]:
    """Return the items of a file's text, by question_id.

    Raises UnreadableInput, naming `place`, line and field, for the first line that is not as expected, for
    an id that stands twice, and for more lines than are read.
    """
    found: dict[str, PublishedLine] = {}
    for number, raw in enumerate(text.split("\n"), start=1):
        if not raw.strip():
            continue
        if len(found) == MAX_LINES:
            raise UnreadableInput(f"{place}: more than {MAX_LINES:,} items; give a smaller file")
        where = f"{place}, line {number}"
        line = _read_line(raw.strip(), where)
        if found.setdefault(line.question_id, line) is not line:
            raise UnreadableInput(f"{where}, field question_id: {quote(line.question_id)} stands twice")
    if not found:
        raise UnreadableInput(f"{place}: it holds no item; expected JSON Lines of A2RBench's release")
    return [found[id_] for id_ in sorted(found)]


def _read_line(raw: str, where: str) -> PublishedLine:
    value = _parse(raw, where)
    _require(value, _FIELDS, where)
    for name in _TEXTS:
        if not isinstance(value[name], str) or not value[name].strip():
            raise UnreadableInput(f"{where}, field {name}: {quote(value[name])}, expected a text")
    for name in ("question_id", "author_model"):
        if len(value[name]) > _LONGEST_NAME or not value[name].isprintable() or value[name] == CATALOGUE:
            expected = f"expected at most {_LONGEST_NAME} printable characters, and not {CATALOGUE}"
            raise UnreadableInput(f"{where}, field {name}: {quote(value[name])}, {expected}")
    type_ = value["task_type"]
    if not isinstance(type_, str) or type_ not in _TYPES:
        raise UnreadableInput(f"{where}, field task_type: {quote(type_)}, expected {join_choices(_TYPES)}")
    data = value["puzzle_data"]
    _require(data, _DATA, f"{where}, field puzzle_data")
    id_, variation = value["question_id"], _VARIATION.fullmatch(value["question_id"])
    rule = AuthoredRule(
        name=variation[1] if variation else id_,
        author=value["author_model"],
        dimension=_dimension(value["dimensionality"], where),
        type=_TYPES[type_],
        description=value["rule_description"],
        inverse_description=value["inverse_rule_description"],
        code=value["python_code"],
    )
    examples = _examples(data["examples"], f"{where}, field examples")
    query, answer = data["question_plaintext"], data["answer_ciphertext"]
    return PublishedLine(
        question_id=id_,
        text=raw,
        rule=rule,
        variation=int(variation[2]) if variation else 0,
        examples=examples,
        query=query,
        answer=answer,
    )


def _parse(raw: str, where: str) -> Any:
    if len(raw) > _MAX_CHARACTERS:
        raise UnreadableInput(f"{where}: {len(raw):,} characters, expected at most {_MAX_CHARACTERS:,}")
    try:
        value = json.loads(raw, parse_constant=_refuse)
        # Half of a surrogate pair is no text.
        canonical_json(value).encode()
    except RecursionError:
        raise UnreadableInput(f"{where}: nested too deeply for an item") from None
    except ValueError as error:
        raise UnreadableInput(f"{where}: no JSON ({error})") from None
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is none")


def _require(value: Any, fields: tuple[str, ...], where: str) -> None:
    if not isinstance(value, dict):
        raise UnreadableInput(f"{where}: {quote(value)}, expected an object with {', '.join(fields)}")
    for name in fields:
        if name not in value:
            raise UnreadableInput(f"{where}: the field {name} is missing")


def _dimension(value: Any, where: str) -> Dimension:
    for dimension in DIMENSIONS:
        if type(value) is int and value == dimension:
            return dimension
    raise UnreadableInput(f"{where}, field dimensionality: {quote(value)}, expected 1, 2 or 3")


def _examples(value: Any, where: str) -> tuple[tuple[Value, Value], ...]:
    if not isinstance(value, list) or not 0 < len(value) <= _MAX_EXAMPLES:
        raise UnreadableInput(f"{where}: {quote(value)}, expected a list of 1 to {_MAX_EXAMPLES} examples")
    for number, example in enumerate(value, start=1):
        _require(example, ("input", "output"), f"{where}, example {number}")
    return tuple((example["input"], example["output"]) for example in value)
