"""A value in each category for each person as the answer."""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from perennial.schemas.beyondbench.things import Answer

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
class AssignmentTableForm:
    """A table of people and categories; all names and values are known.

    Careless: the first two people swap their values of the first category.
    """

    people: tuple[str, ...]
    categories: tuple[tuple[str, tuple[str, ...]], ...]
    container: str = "boxed"
    is_scalar: bool = False

    def write(self, answer: Answer) -> str:
        """Return `person: category: value` for each cell, separated by commas."""
        return ", ".join(
            f"{person}: {category}: {value}"
            for person, row in answer.items()
            for category, value in row.items()
        )

    def read(self, text: str) -> Answer | None:
        """Return the table of a text that is `person: category: value, ..` with known names."""
        if len(text) > MAX_TEXT or not _EXACT.fullmatch(text):
            return None
        known = {category for category, _ in self.categories}
        table: Table = {}
        for person, category, value in _TRIPLE.findall(text):
            if person not in self.people or category not in known:
                return None
            if table.setdefault(person, {}).setdefault(category, value) != value:
                return None
        return table

    def read_loosely(self, text: str) -> Answer | None:
        """Return the table of a text of names, values and punctuation: JSON, lists, tables, sentences."""
        return self._scan(text) if len(text) <= MAX_TEXT else None

    def find_last(self, text: str) -> Answer | None:
        """Return the last complete table on lines that follow each other."""
        found = None
        lines: list[str] = []
        for line in [*text.splitlines(), "end of the text"]:
            if len(line) <= MAX_TEXT and self._tokens(line) is not None:
                lines.append(line)
                continue
            if lines and (table := self._scan("\n".join(lines)[-MAX_TEXT:])) is not None:
                is_complete = len(table) == len(self.people)
                if is_complete and all(len(row) == len(self.categories) for row in table.values()):
                    found = table
            lines = []
        return found

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
        known = "|".join(map(re.escape, sorted(self._names, key=len, reverse=True)))
        pattern = rf"\b({known})(?:'s)?\b|\b(?:{_FILLERS})\b|[^\w\n]|_|(\n)|(\w{{1,30}})"
        return re.compile(pattern, re.IGNORECASE | re.ASCII)

    def _tokens(self, text: str) -> list[str] | None:
        """Return names, values and line ends; None where there is any other word."""
        tokens = []
        for found in self._token.finditer(text):
            if found[3]:
                return None
            if found[1] or found[2]:
                tokens.append((found[1] or found[2]).lower())
        return tokens

    def _scan(self, text: str) -> Answer | None:
        """Return the table that names and values make in their order: values follow their person."""
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
        """Yield tables with values swapped, repeated, dropped or unknown, and answers of another shape."""
        people, categories = list(answer), [category for category, _ in self.categories]
        for k, one in enumerate(people):
            for other in people[k + 1 :]:
                yield "people swapped", answer | {one: answer[other], other: answer[one]}
                for category in categories:
                    yield (
                        "values swapped",
                        answer
                        | {
                            one: answer[one] | {category: answer[other][category]},
                            other: answer[other] | {category: answer[one][category]},
                        },
                    )
            neighbour = answer[people[k - 1]]
            for category in categories:
                yield "value repeated", answer | {one: answer[one] | {category: neighbour[category]}}
            yield "person dropped", {name: row for name, row in answer.items() if name != one}
        one, category = rng.choice(people), rng.choice(categories)
        row = answer[one]
        yield "cell dropped", answer | {one: {key: row[key] for key in row if key != category}}
        yield "value unknown", answer | {one: row | {category: "nothing"}}
        yield "value in capitals", answer | {one: row | {category: row[category].upper() + "."}}
        yield "value no text", answer | {one: row | {category: 0}}
        yield "category added", answer | {one: row | {"nothing": row[category]}}
        yield "person added", answer | {"Nobody": row}
        yield "values as a list", {name: list(cells.values()) for name, cells in answer.items()}

    def careless(self, answer: Answer) -> Answer:
        """Return the table after the first two people swapped their values of the first category."""
        (one, row), (other, other_row), *_ = answer.items()
        category = self.categories[0][0]
        return answer | {
            one: row | {category: other_row[category]},
            other: other_row | {category: row[category]},
        }
