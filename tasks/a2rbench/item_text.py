"""The form of an item's outputs, and how the same value is written otherwise without a second meaning.

Rows may be texts, digits whole numbers, and a value a text of JSON or of rows. A token that the item does not
show is the one shown token that looks the same. Brackets are never added or left out: they are structure,
which rules change.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import pyjson5

from perennial.prompts.render import render
from perennial.schemas.ids import canonical_json
from perennial.schemas.text import plain_text
from perennial.tasks.a2rbench.catalogue import DIMENSIONS, Dimension, Value
from perennial.tasks.a2rbench.inputs import Example
from perennial.tasks.a2rbench.values import has_texts, join_innermost, map_tokens, tokens_of

# Values at a place of a reply, as models write them: JSON5, curly quotes, tokens without quotes.
#
# pyjson5 reads JSON5 in C, in linear time, and refuses what it cannot read: nothing is repaired.

# Of a value in characters; a longer one is not read. An input has at most 400 tokens of 12 characters.
LONGEST = 20_000
_MOST_NESTED = 100

_COMMAND = r"\\(?:boxed|fbox|text|texttt|mathrm|mathtt) ?\{"
_BEFORE = re.compile(
    rf"(?:[\s*_`$]|\\\(|\\\[(?=\s|\\|\[)|```[a-zA-Z0-9]{{0,10}}\n|{_COMMAND}){{0,20}}",
)
_PIECE = re.compile(
    r'"(?:[^"\\]|\\.)*+"|'
    r"'(?:[^'\\]|\\.)*+'|\u201c[^\u201d]*+\u201d|[\[\]{}]|[^\[\]{}\"'\u201c]++",
    re.DOTALL,
)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"|\'((?:[^\'\\]|\\.)*+)\'|\u201c([^\u201d]*+)\u201d', re.DOTALL)
_NOTHING = re.compile(r"(?:null|None)\b")
_BARE = re.compile(r"\s*+([\[\],]|[^\[\],\s]++)")
_CURLY = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})
_BOX = re.compile(_COMMAND)
_IN_BOX = re.compile(r"([^{}\n]{1,2000}+)\}")
_MATRIX = re.compile(
    r"\s*+\\begin\{([a-z]{0,6}matrix|array)\}(?:\{[clr|]{1,40}\})?"
    r"((?:[^{}\\]|\\(?!end)){1,5000}+)\\end\{\1\}\s*+\}"
)
_QUOTES_JSON_VALUES = "\"'\u201c\u201d\u2018\u2019"


class FoundValue(NamedTuple):
    """A value and where it ends; `is_bare`: a text without brackets or quotes, in a box."""

    value: Any
    end: int
    is_bare: bool = False


def decode(text: str) -> Any | None:
    """Return the value that a text is as JSON5, or as lists of tokens without quotes; else None."""
    if not any(quote in text for quote in _QUOTES_JSON_VALUES) and text.startswith("["):
        return _read_bare(text)
    for written in (text, text.translate(_CURLY)):
        try:
            value = pyjson5.decode(written, maxdepth=_MOST_NESTED)
        except (pyjson5.Json5Exception, ValueError, OverflowError):
            continue
        return value if _is_json(value) else None
    return None


def read_value(text: str, start: int) -> FoundValue | None:
    """Return the value that begins at this place, behind blanks, emphasis, a fence or a box; else None."""
    before = _BEFORE.match(text, start)
    assert before is not None
    begun = before.end()
    sign = text[begun : begun + 1]
    if sign and sign in "[{":
        end = _find_end(text, begun)
        value = None if end is None else decode(text[begun:end])
        return None if value is None or end is None else FoundValue(value, end)
    if sign and sign in "\"'\u201c":
        match = _STRING.match(text, begun, begun + LONGEST)
        if match is None:
            return None
        value = decode(match[0])
        # A line break within quotes is no JSON5.
        raw = next(group for group in match.groups() if group is not None)
        return FoundValue(value if isinstance(value, str) else raw, match.end())
    if nothing := _NOTHING.match(text, begun):
        return FoundValue(None, nothing.end())
    if _BOX.search(before[0]) and (inside := _IN_BOX.match(text, begun)):
        return FoundValue(inside[1], inside.end(), True)
    return None


def read_matrix(text: str, begun: int) -> FoundValue | None:
    """Return the rows of a matrix of LaTeX that begins at this place, as lines; None for another text."""
    match = _MATRIX.match(text, begun)
    if match is None:
        return None
    rows = match[2].replace("\\\\", "\n").replace("&", " ")
    return FoundValue(rows, match.end(), True)


def _find_end(text: str, begun: int) -> int | None:
    """Return where the bracket at this place is closed; None where it is not, or a quotation is not."""
    depth, position, last = 0, begun, min(len(text), begun + LONGEST)
    while piece := _PIECE.match(text, position, last):
        position = piece.end()
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(piece[0], 0)
        if not depth:
            return position
        if depth > _MOST_NESTED:
            return None
    return None


def _read_bare(text: str) -> Any | None:
    """Return lists of tokens without quotes, with or without commas between them; None for another text."""
    root: list[Any] = []
    opened, position = [root], 0
    while piece := _BARE.match(text, position):
        position, token = piece.end(), piece[1]
        if token == "[":
            inner: list[Any] = []
            opened[-1].append(inner)
            opened.append(inner)
        elif token == "]":
            opened.pop()
            if not opened:
                return None
        elif token != ",":
            opened[-1].append(token)
        if len(opened) == 1 and text[position:].strip():
            return None
    return root[0] if len(opened) == 1 and len(root) == 1 else None


def _is_json(value: Any) -> bool:
    """Return whether the value is JSON: no infinity, no half of a character, no number without bound."""
    try:
        canonical_json(value).encode()
    except (ValueError, TypeError, RecursionError):
        return False
    return True


# The prompt of an item, and back: what a reader finds in it.

TEMPLATE = "a2rbench/solve.md.j2"
FORM_TEMPLATE = "a2rbench/item_form.md.j2"
# Where a value begins, and whether it is an output.
_PLACES = re.compile(r"^(Input|Output):\n", re.MULTILINE)
_DECODER = json.JSONDecoder()


def write_prompt(dimension: Dimension, examples: list[Example], query: Value) -> str:
    """Return the text that players are shown."""
    written = [(write_value(value, dimension), write_value(wanted, dimension)) for value, wanted in examples]
    values = [query, *(value for pair in examples for value in pair)]
    form = {"dimension": dimension, "has_texts": has_texts(values, dimension)}
    return render(TEMPLATE, **form, examples=written, query=write_value(query, dimension))


@lru_cache
def _write_form(dimension: Dimension, texts: bool) -> str:
    """The sentence that says what inputs look like; `texts` are those in place of innermost lists."""
    return render(FORM_TEMPLATE, dimension=dimension, has_texts=texts).strip()


def write_value(value: Value, dimension: int) -> str:
    """Return the value as JSON, a row on each line."""
    if dimension == 1 or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    rows = ",\n".join(write_value(part, dimension - 1) for part in value)
    return f"[{rows.replace(chr(10), chr(10) + ' ')}]"


def read_prompt(prompt: str) -> tuple[list[Example], Value]:
    """Return examples and query that a prompt shows; raise ValueError for a text that is none."""
    places = list(_PLACES.finditer(prompt))
    names = [match[1] for match in places]
    if not names or names != ["Input", "Output"] * (len(names) // 2) + ["Input"]:
        raise ValueError("the text is no prompt of A2RBench")
    values = [_DECODER.raw_decode(prompt, match.end())[0] for match in places]
    return list(zip(values[:-1:2], values[1::2], strict=True)), values[-1]


def read_dimension(prompt: str) -> Dimension:
    """Return the dimension that a prompt names; raise ValueError for a text that is none."""
    head = prompt.partition("\nInput:\n")[0]
    for dimension in DIMENSIONS:
        if any(_write_form(dimension, texts) in head for texts in (False, True)):
            return dimension
    raise ValueError("the text is no prompt of A2RBench")


_BETWEEN = re.compile(r"[\s,|]+")
_LABEL = re.compile(r"(?i)(?:layer|slice)[ #]{0,2}\d{1,3} ?:?")
_STRUCTURE = frozenset("[]{}()\"'`,| \n\t")
_QUOTES = "\"'`\u201c\u201d\u2018\u2019"
# Of a row without brackets, in characters.
LONGEST_ROW = 4_000
# Members of an object that is put in place of a value.
_NAMES = ("final_answer", "answer", "output", "result", "value", "grid")


@dataclass(frozen=True, slots=True)
class OutputForm:
    """What the outputs of an item look like, and all values and tokens that its prompt shows.

    `texts`: texts stand in place of innermost lists. `numbers`: tokens are whole numbers. `is_mixed`: the
    outputs have no one form, and no other is taken for it. `shown_values` holds them as canonical JSON.
    """

    dimension: int
    texts: bool
    numbers: bool
    is_mixed: bool
    tokens: frozenset[str]
    shown_values: frozenset[str]

    @property
    def single(self) -> bool:
        """Whether every token that is shown is one character, so that a text of them has one meaning."""
        return all(len(token) == 1 for token in self.tokens)

    def find_shown(self, written: str) -> str:
        """Return the token, or the text of tokens, with shown tokens for those that look like one alone."""
        if (written.isascii() and "&" not in written) or written in self.tokens:
            return written
        if self.texts:
            return "".join(map(self._alike, written))
        return self._alike(written)

    def _alike(self, token: str) -> str:
        if token in self.tokens:
            return token
        alike = [candidate for candidate in self.tokens if plain_text(candidate) == plain_text(token)]
        return alike[0] if len(alike) == 1 else token

    def is_shown(self, value: Value) -> bool:
        """Return whether the prompt shows the value, in any of its examples or as the query."""
        return canonical_json(value) in self.shown_values


class Fitted(NamedTuple):
    """A value in an item's form, and whether it was written in it."""

    value: Value
    is_exact: bool


@lru_cache(maxsize=256)
def form_of(prompt: str) -> OutputForm | None:
    """Return the form of the outputs that a prompt asks for; None for a text that is no prompt."""
    try:
        dimension = read_dimension(prompt)
        examples, query = read_prompt(prompt)
    except ValueError:
        return None
    outputs = [wanted for _, wanted in examples]
    values = [query, *(value for pair in examples for value in pair)]
    texts = has_texts(outputs, dimension)
    kinds: set[object] = {type(token) for token in tokens_of(outputs)}
    numbers = kinds == {int}
    is_mixed = not all(_has_form(value, dimension, texts, numbers) for value in outputs)
    return OutputForm(
        dimension,
        texts,
        numbers,
        is_mixed,
        frozenset(
            token for value in values for leaf in tokens_of(value) for token in _tokens_of(leaf, texts)
        ),
        frozenset(map(canonical_json, values)),
    )


def fit(value: Any, form: OutputForm) -> Fitted | None:
    """Return the value in the item's form; None where it has another one, or more than one meaning."""
    if _has_form(value, form.dimension, form.texts, form.numbers):
        usual = value if form.numbers else map_tokens(value, form.find_shown)
        return Fitted(usual, usual == value)
    if form.is_mixed:
        return None
    lists = _as_lists(unwrap(value), form.dimension, form)
    if lists is None:
        return None
    if form.numbers:
        lists = map_tokens(lists, plain_text)
        if not all(re.fullmatch(r"-?[0-9]{1,18}", token) for token in tokens_of(lists)):
            return None
        lists = map_tokens(lists, int)
    else:
        lists = map_tokens(lists, form.find_shown)
    return Fitted(join_innermost(lists, form.dimension) if form.texts else lists, False)


def fit_text(text: str, form: OutputForm) -> Fitted | None:
    """Return tokens in rows, without brackets, as a value; None unless the item shows all of these tokens."""
    if form.is_mixed or form.numbers or not _begins_with_tokens(text, form):
        return None
    lists = _split(text, form.dimension, form)
    if lists is None or not set(tokens_of(lists)) <= form.tokens:
        return None
    return Fitted(join_innermost(lists, form.dimension) if form.texts else lists, False)


def unwrap(value: Any) -> Any:
    """Return what an object with one member, or with one that is named as an answer, holds."""
    for _ in range(3):
        if not isinstance(value, dict):
            break
        named = [name for name in value if name in _NAMES]
        if len(value) != 1 and len(named) != 1:
            break
        value = value[named[0]] if len(named) == 1 else next(iter(value.values()))
    return value


def _has_form(value: Any, depth: int, texts: bool, numbers: bool) -> bool:
    if depth == (1 if texts else 0):
        return type(value) is (int if numbers else str)
    return isinstance(value, list) and all(_has_form(part, depth - 1, texts, numbers) for part in value)


def _as_lists(value: Any, depth: int, form: OutputForm) -> Value | None:
    """Return the value as lists of tokens as deep as this; None where it is no such value."""
    if depth == 0:
        return value if isinstance(value, str) else str(value) if type(value) is int else None
    if isinstance(value, str):
        inner = decode(value.strip()) if value.strip().startswith("[") else None
        return _split(value, depth, form) if inner is None else _as_lists(inner, depth, form)
    if not isinstance(value, list):
        return None
    parts = [_as_lists(part, depth - 1, form) for part in value]
    return None if any(part is None for part in parts) else parts


def _split(text: str, depth: int, form: OutputForm) -> Value | None:
    """Return rows of tokens without brackets as lists; None where tokens could be others."""
    if any(_STRUCTURE & set(token) for token in form.tokens):
        return None
    if depth == 1:
        return _split_row(text, form)
    lines = [line.strip() for line in text.strip().splitlines()]
    if depth == 2:
        rows = []
        for line in lines:
            row = _split_row(line, form) if line else []
            if row is None:
                return None
            if row:
                rows.append(row)
        return rows or None
    blocks: list[list[str]] = [[]]
    for line in lines:
        if not line or _LABEL.fullmatch(line):
            blocks.append([])
        else:
            blocks[-1].append(line)
    layers = [_split("\n".join(block), 2, form) for block in blocks if block]
    return None if not layers or None in layers else layers


def _begins_with_tokens(text: str, form: OutputForm) -> bool:
    """Return whether the first row holds tokens that the item shows: most texts end here."""
    for line in text.lstrip()[:LONGEST_ROW].splitlines()[:2]:
        if not _LABEL.fullmatch(line.strip()):
            row = _split_row(line, form)
            return row is not None and set(row) <= form.tokens
    return False


def _split_row(row: str, form: OutputForm) -> list[str] | None:
    parts = [part.strip(_QUOTES) for part in _BETWEEN.split(row.strip(" \t\n|")) if part]
    if form.single and len(parts) == 1:
        parts = list(parts[0])
    if not parts or any(not part or _STRUCTURE & set(part) for part in parts):
        return None
    if form.single:
        return parts if all(len(part) == 1 for part in parts) else None
    return parts if len(parts) > 1 or parts[0] in form.tokens else None


def _tokens_of(leaf: Any, texts: bool) -> Iterator[str]:
    yield from (leaf if texts and isinstance(leaf, str) else [str(leaf)])
