"""Mappings as answers."""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, groupby
from typing import ClassVar

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.form import Form

# Find an answer in the lines of a text: the last lines in a row that read as one, rows of tables.

_RULE_OF_TABLE = re.compile(r"[|:\-+\s]*")


def flatten_tables(text: str) -> str:
    """The text with Markdown tables without their heads, and rows of two cells as `first: second`."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.count("|") < 2:
            lines.append(line)
        elif "-" in line[line.index("|") :] and _RULE_OF_TABLE.fullmatch(line):
            if lines and "|" in lines[-1]:
                lines.pop()
        else:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            lines.append(": ".join(cells) if len(cells) == 2 else line)
    return "\n".join(lines)


def find_last_lines(text: str, read: Callable[[str], Answer | None]) -> Answer | None:
    """What the last lines read together, each of which is accepted; empty lines do not part them."""
    lines = (line for line in text.splitlines() if line.strip())
    runs = [list(run) for is_read, run in groupby(lines, lambda line: read(line) is not None) if is_read]
    return read("\n".join(runs[-1])) if runs else None


# Mappings from numbers to values.

MAX_PAIRS_TEXT = 20_000
_GROUP = re.compile(r"\{([^{}]{1,20000})\}")
_KEY = r"[\"']?(?:vertex|node|variable|var|v|x)?[ _]?(\d{1,4})[\"']?"
_ESCAPED_BRACE = re.compile(r"\\([{}])")
_INDEX = re.compile(r"_ ?\{ ?(\d{1,4}) ?\}")


class _PairsForm(Form):
    """A value for each number; `exact` and `loose` are patterns of values: as asked for, in any notation."""

    exact: ClassVar[str]
    loose: ClassVar[str]

    def read(self, text: str) -> Answer | None:
        if len(text) > MAX_PAIRS_TEXT or text[:1] != "{" or text[-1:] != "}":
            return None
        return self._read_pieces(text[1:-1].split(","), _exact(self.exact))

    def read_loosely(self, text: str) -> Answer | None:
        """The pairs of a text that holds nothing else: JSON, Python, equations, a line each."""
        text = _INDEX.sub(r"\1", _ESCAPED_BRACE.sub(r"\1", flatten_tables(text))).strip()
        if text[:1] in ("{", "[", "(") and text[-1:] in ("}", "]", ")"):
            text = text[1:-1]
        if len(text) > MAX_PAIRS_TEXT:
            return None
        pieces = (" ".join(piece.split()) for piece in re.split(r"[,;\n]", text))
        return self._read_pieces([piece for piece in pieces if piece], _loose(self.loose))

    def find_last(self, text: str) -> Answer | None:
        """The pairs of the last braces that hold pairs, else of the last lines that do."""
        for group in reversed(_GROUP.findall(_ESCAPED_BRACE.sub(r"\1", text))):
            if (pairs := self.read_loosely(group)) is not None:
                return pairs
        return find_last_lines(flatten_tables(text), self.read_loosely)

    def _read_pieces(self, pieces: list[str], pattern: re.Pattern[str]) -> Answer | None:
        """The pairs, None where a piece is none or a number has two values."""
        texts: dict[str, str] = {}
        for piece in pieces:
            match = pattern.fullmatch(piece)
            if not match or texts.setdefault(str(int(match[1])), match[2]) != match[2]:
                return None
        return {number: self._read_value(value) for number, value in texts.items()} or None

    def _read_value(self, value: str) -> Answer:
        return value


@cache
def _exact(value: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(\d{{1,4}}): *{value}\s*")


@cache
def _loose(value: str) -> re.Pattern[str]:
    quoted = value.replace('"', "[\"']?")
    return re.compile(rf"(?:[-*•] )?{_KEY} ?(?::|=|->|→|=>|is) ?[\"']?{quoted}[\"']?\.?", re.IGNORECASE)


# A truth value for each variable as the answer: {variable: value}, variables as text, counted from 1.


@dataclass(frozen=True, slots=True)
class AssignmentForm(_PairsForm):
    """A truth value for each variable. Careless: all True."""

    exact = "(True|False)"
    loose = "(true|false|t|f|1|0)"
    variables: int

    def write(self, answer: Answer) -> str:
        return f"{{{', '.join(f'{variable}: {value}' for variable, value in answer.items())}}}"

    def _read_value(self, value: str) -> Answer:
        return value.lower() in ("true", "t", "1")

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        yield "nothing", {}
        yield "all true", dict.fromkeys(answer, True)
        yield "all false", dict.fromkeys(answer, False)
        yield "all negated", {variable: not value for variable, value in answer.items()}
        yield "counted from 0", {str(int(variable) - 1): value for variable, value in answer.items()}
        yield "a variable too many", {**answer, str(self.variables + 1): True}
        for variable, value in answer.items():
            yield f"{variable} flipped", {**answer, variable: not value}
            yield f"{variable} missing", {name: answer[name] for name in answer if name != variable}
            yield f"{variable} as a number", {**answer, variable: int(value)}
        pairs = list(combinations(answer, 2))
        for first, second in rng.sample(pairs, min(6, len(pairs))):
            yield (
                f"{first} and {second} flipped",
                {**answer, first: not answer[first], second: not answer[second]},
            )

    def careless(self, answer: Answer) -> Answer:
        return dict.fromkeys(answer, True)


# A value in each category for each person as the answer.

MAX_TEXT = 5_000
_WORD = r"[A-Za-z0-9]{1,20}"
_TRIPLE = re.compile(rf"({_WORD}): ({_WORD}): ({_WORD})")
_EXACT = re.compile(rf"{_TRIPLE.pattern}(?:,\s+{_TRIPLE.pattern})*")
# What may stand between names and values without changing what they say.
_FILLERS = (
    "is|has|the|and|a|person|name|answer|final|solution|textbf|text|hline|an|in|as|at|on|to|of|for|with|who|whose"
    "|their|his|her|are|lives|works|owns|likes|loves|drinks|drives|plays|eats|wears|keeps|prefers|gets|goes"
    "|favorite|favourite|while|so|thus|therefore"
)
Table = dict[str, dict[str, str]]


@dataclass(frozen=True)
class AssignmentTableForm(Form):
    """A table of people and categories; all names and values are known.

    Careless: the first two people swap their values of the first category.
    """

    people: tuple[str, ...]
    categories: tuple[tuple[str, tuple[str, ...]], ...]
    container = "boxed"

    def write(self, answer: Answer) -> str:
        return ", ".join(
            f"{person}: {category}: {value}"
            for person, row in answer.items()
            for category, value in row.items()
        )

    def read(self, text: str) -> Answer | None:
        if len(text) > MAX_TEXT or not _EXACT.fullmatch(text):
            return None
        categories = {category for category, _ in self.categories}
        table: Table = {}
        for person, category, value in _TRIPLE.findall(text):
            if person not in self.people or category not in categories:
                return None
            if table.setdefault(person, {}).setdefault(category, value) != value:
                return None
        return table

    def read_loosely(self, text: str) -> Answer | None:
        """The table of a text of names, values and punctuation: JSON, lists, tables, sentences."""
        return self._scan(text) if len(text) <= MAX_TEXT else None

    def find_last(self, text: str) -> Answer | None:
        """The last complete table on lines that follow each other."""
        last_table = None
        for is_table, lines in groupby(text.splitlines(), self._holds_names_alone):
            if is_table and (table := self._scan("\n".join(lines)[-MAX_TEXT:])) is not None:
                is_complete = len(table) == len(self.people)
                if is_complete and all(len(row) == len(self.categories) for row in table.values()):
                    last_table = table
        return last_table

    def _holds_names_alone(self, line: str) -> bool:
        return len(line) <= MAX_TEXT and self._tokens(line) is not None

    @cached_property
    def _names(self) -> Mapping[str, tuple[str, str, str]]:
        """What each word is, in small letters: (person, category or value; the word; its category)."""
        names = {person.lower(): ("person", person, "") for person in self.people}
        for category, values in self.categories:
            names[category.lower()] = ("category", category, category)
            names |= {value.lower(): ("value", value, category) for value in values}
        return names

    @cached_property
    def _token(self) -> re.Pattern[str]:
        names = "|".join(map(re.escape, sorted(self._names, key=len, reverse=True)))
        pattern = rf"\b({names})(?:'s)?\b|\b(?:{_FILLERS})\b|[^\w\n]|_|(\n)|(\w{{1,30}})"
        return re.compile(pattern, re.IGNORECASE | re.ASCII)

    def _tokens(self, text: str) -> list[str] | None:
        """Names, values and line ends; None where there is any other word."""
        tokens = []
        for match in self._token.finditer(text):
            if match[3]:
                return None
            if match[1] or match[2]:
                tokens.append((match[1] or match[2]).lower())
        return tokens

    def _scan(self, text: str) -> Answer | None:
        """The table that names and values make in their order: values follow their person."""
        table: Table = {}
        person = category = None
        for token in self._tokens(text) or ():
            kind, word, own_category = self._names.get(token, ("line", "", ""))
            if kind == "person":
                person, category = word, None
            elif kind == "category":
                category = word
            elif kind == "line":
                category = None
            elif person is None:
                return None
            else:
                row = table.setdefault(person, {})
                if row.setdefault(category or own_category, word) != word:
                    return None
                category = None
        return table or None

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        people, categories = list(answer), [category for category, _ in self.categories]
        for k, first in enumerate(people):
            for other in people[k + 1 :]:
                yield "people swapped", answer | {first: answer[other], other: answer[first]}
                for category in categories:
                    yield (
                        "values swapped",
                        answer
                        | {
                            first: answer[first] | {category: answer[other][category]},
                            other: answer[other] | {category: answer[first][category]},
                        },
                    )
            neighbour = answer[people[k - 1]]
            for category in categories:
                yield "value repeated", answer | {first: answer[first] | {category: neighbour[category]}}
            yield "person dropped", {name: row for name, row in answer.items() if name != first}
        first, category = rng.choice(people), rng.choice(categories)
        row = answer[first]
        yield "cell dropped", answer | {first: {key: row[key] for key in row if key != category}}
        yield "value unknown", answer | {first: row | {category: "nothing"}}
        yield "value in capitals", answer | {first: row | {category: row[category].upper() + "."}}
        yield "value no text", answer | {first: row | {category: 0}}
        yield "category added", answer | {first: row | {"nothing": row[category]}}
        yield "person added", answer | {"Nobody": row}
        yield "values as a list", {name: list(cells.values()) for name, cells in answer.items()}

    def careless(self, answer: Answer) -> Answer:
        (first, row), (other, other_row), *_ = answer.items()
        category = self.categories[0][0]
        return answer | {
            first: row | {category: other_row[category]},
            other: other_row | {category: row[category]},
        }


# A color for each vertex as the answer: {vertex: name}, vertices as text.


@dataclass(frozen=True, slots=True)
class ColoringForm(_PairsForm):
    """A color's name for each vertex. Careless: the first vertex's color for all."""

    exact = loose = '"([A-Za-z0-9][A-Za-z0-9 _-]{0,39})"'
    vertices: int

    def write(self, answer: Answer) -> str:
        pairs = (f'{vertex}: "{color}"' for vertex, color in answer.items())
        return f"{{{', '.join(pairs)}}}"

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        last = str(self.vertices - 1)
        yield "nothing", {}
        yield "one color", self.careless(answer)
        yield "a vertex too many", {**answer, str(self.vertices): answer["0"]}
        yield "a vertex below 0", {**answer, "-1": answer["0"]}
        yield "counted from 1", {str(int(vertex) + 1): color for vertex, color in answer.items()}
        yield "shifted by 1", {str((int(vertex) + 1) % self.vertices): answer[vertex] for vertex in answer}
        yield "another color each", {vertex: f"C{int(vertex) + 1}" for vertex in answer}
        yield "without the last", {vertex: answer[vertex] for vertex in answer if vertex != last}
        for vertex in rng.sample(sorted(answer), min(6, len(answer))):
            other = rng.choice([name for name in answer if name != vertex])
            yield f"vertex {vertex} missing", {name: answer[name] for name in answer if name != vertex}
            yield f"vertex {vertex} has no color", {**answer, vertex: ""}
            yield f"vertex {vertex} has one more color", {**answer, vertex: "one more"}
            yield f"vertex {vertex} like {other}", {**answer, vertex: answer[other]}
            yield f"{vertex} and {other} exchanged", {**answer, vertex: answer[other], other: answer[vertex]}

    def careless(self, answer: Answer) -> Answer:
        first = next(iter(answer.values()))
        return dict.fromkeys(answer, first)


# A digit for each of some letters as the answer.

MAX_LETTERS_TEXT = 2_000
_EXACT_LETTERS = re.compile(r'\{\s*"[A-Z]": ?\d(?:, ?\s*"[A-Z]": ?\d)*\s*\}')
_EXACT_PAIR = re.compile(r'"([A-Z])": ?(\d)')
# A letter and a digit: "A": 1, 'A'=1, A -> 1, A is 1.
_PAIR = re.compile(
    r"""["']?\b([A-Za-z])\b["']?\s{0,9}(?::|=>?|-+>|→|↦|\bis\b|\\to\b)\s{0,9}["']?(-?\d+)\b["']?"""
)
_NOTHING = re.compile(r"[\s,;{}()\[\].*\-•|&\\]*(?:and[\s,]*)?")
_BRACES = re.compile(r"\{[^{}]{1,1000}\}")


@dataclass(frozen=True, slots=True)
class LettersForm(Form):
    """A mapping of letters to digits. Careless: the digits of the first two letters are swapped."""

    letters: tuple[str, ...]

    def write(self, answer: Answer) -> str:
        return "{" + ", ".join(f'"{letter}": {digit}' for letter, digit in answer.items()) + "}"

    def read(self, text: str) -> Answer | None:
        if len(text) > MAX_LETTERS_TEXT or not _EXACT_LETTERS.fullmatch(text):
            return None
        return _collect(_EXACT_PAIR.findall(text))

    def read_loosely(self, text: str) -> Answer | None:
        """The mapping of a text of pairs in any notation, and of nothing else."""
        if len(text) > MAX_LETTERS_TEXT:
            return None
        text = flatten_tables(text)
        end = 0
        pairs = list(_PAIR.finditer(text))
        for pair in pairs:
            if not _NOTHING.fullmatch(text, end, pair.start()):
                return None
            end = pair.end()
        return _collect(pair.groups() for pair in pairs) if _NOTHING.fullmatch(text, end) else None

    def find_last(self, text: str) -> Answer | None:
        """The last mapping in braces, else the last pairs, one for each letter, anywhere."""
        for braced in reversed(_BRACES.findall(text)):
            if (answer := self.read_loosely(braced)) is not None:
                return answer
        table: dict[str, int] = {}
        for letter, digits in _PAIR.findall(flatten_tables(text)):
            if letter in self.letters and len(digits) == 1:
                table[letter] = int(digits)
        return {letter: table[letter] for letter in self.letters} if len(table) == len(self.letters) else None

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        letters = list(answer)
        for k, letter in enumerate(letters):
            for other in letters[k + 1 :]:
                yield "digits swapped", answer | {letter: answer[other], other: answer[letter]}
            for step in rng.sample(range(1, 10), 2):
                yield "digit changed", answer | {letter: (answer[letter] + step) % 10}
        letter = rng.choice(letters)
        digits = [answer[letter] for letter in letters]
        shifted = digits[1:] + digits[:1]
        yield "digits shifted", dict(zip(letters, shifted, strict=True))
        yield "digits reversed", dict(zip(letters, digits[::-1], strict=True))
        yield "digits complemented", {letter: 9 - digit for letter, digit in answer.items()}
        yield "letter dropped", {other: digit for other, digit in answer.items() if other != letter}
        yield "letter added", answer | {"@": 0}
        yield "text for a digit", answer | {letter: str(answer[letter])}
        yield "digit too large", answer | {letter: 10}
        yield "digit negative", answer | {letter: -1}
        yield "fraction for a digit", answer | {letter: answer[letter] + 0.5}
        yield "no letters", {}
        yield "list of digits", digits

    def careless(self, answer: Answer) -> Answer:
        first, second, *_ = answer
        return answer | {first: answer[second], second: answer[first]}


def _collect(pairs: Iterable[Iterable[str | None]]) -> Answer | None:
    """Pairs as a mapping; None where there is none, or a letter has two digits."""
    numbers_by_key: dict[str, int] = {}
    for letter, digits in pairs:
        key, number = str(letter).upper(), int(str(digits)[:5])
        if numbers_by_key.setdefault(key, number) != number:
            return None
    return numbers_by_key or None
