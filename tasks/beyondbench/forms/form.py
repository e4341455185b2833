"""A form of answers: how one is written, read strictly and loosely, changed for the gate, and got wrong."""

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Answer


class Form(ABC):
    """How answers of one kind are written and read.

    `container` is what the answer must be inside: `boxed` for \\boxed{..}, `answer` for <answer>..</answer>.
    `is_scalar`: the last number of a reply may be read as the answer (level 4).
    Each text to read is at most as long as a reply; reading takes linear time and raises nothing.
    """

    container = "answer"
    is_scalar = False

    @abstractmethod
    def write(self, answer: Answer) -> str:
        """The answer's text as the prompt asks for it, without its container."""

    @abstractmethod
    def read(self, text: str) -> Answer | None:
        """The answer that the whole text is in exactly the required format, else None."""

    @abstractmethod
    def read_loosely(self, text: str) -> Answer | None:
        """The answer that the whole text is in any notation (JSON, Python, LaTeX), else None."""

    def find_last(self, text: str) -> Answer | None:
        """The last answer within a text, else None; the last number is what level 4 reads."""
        return None

    @abstractmethod
    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """(kind of change, changed answer): off by one, swapped, truncated and so on, at least 20."""

    @abstractmethod
    def careless(self, answer: Answer) -> Answer:
        """Another answer of the same form, by a rule that the class states."""


# A square grid of numbers as the answer: rows of numbers.

MAX_ROWS = 20
MAX_LINE = 400
# Separators of cells: blanks, commas, bars, LaTeX's & and \\, and boxes drawn with lines.
_ROW = re.compile(r"[\d\s,;|&\\│┃║]+")
_LABEL = re.compile(r"^[ \t*•-]{0,5}row ?\d{1,2}\**[:.)] ?\**", re.IGNORECASE | re.MULTILINE)
_RULE = re.compile(r"[\s,;|&\\+=:_.\-│┃║─━═┼┌┐└┘├┤┬┴╋╔╗╚╝╠╣╦╩╬]*")
Rows = list[list[int]]


@dataclass(frozen=True, slots=True)
class GridForm(Form):
    """So many rows of as many numbers. Careless: the first two numbers of the first row are swapped."""

    n: int

    def write(self, answer: Answer) -> str:
        return "\n" + "\n".join(" ".join(map(str, row)) for row in answer) + "\n"

    def read(self, text: str) -> Answer | None:
        lines = text.splitlines() if len(text) <= MAX_ROWS * MAX_LINE else []
        line_form = re.compile(rf"\d{{1,2}}(?: \d{{1,2}}){{{self.n - 1}}}")
        if len(lines) != self.n or not all(line_form.fullmatch(line.strip()) for line in lines):
            return None
        return [[int(number) for number in line.split()] for line in lines]

    def read_loosely(self, text: str) -> Answer | None:
        """The rows of a list of lists, a table or lines of digits, of whatever shape."""
        if len(text) > MAX_ROWS * MAX_LINE:
            return None
        rows = list(self._rows(text))
        if not rows or len(rows) > MAX_ROWS or any(row is None for row in rows):
            return None
        return rows if len(rows) > 1 else None

    def find_last(self, text: str) -> Answer | None:
        """The last n rows of n numbers that follow each other."""
        last_run: Rows | None = None
        run: Rows = []
        for row in self._rows(text):
            run = [*run[-self.n + 1 :], row] if row is not None and len(row) == self.n else []
            if len(run) == self.n:
                last_run = run
        return last_run

    def _rows(self, text: str) -> Iterator[list[int] | None]:
        """A row for each line or list of numbers, None for other text; skip blank lines and rules."""
        for line in _LABEL.sub("", re.sub(r"[\[\](){}]", "\n", text)).splitlines():
            if len(line) > MAX_LINE:
                yield None
            elif _RULE.fullmatch(line):
                continue
            elif not _ROW.fullmatch(line):
                yield None
            else:
                numbers = re.findall(r"\d+", line)
                if len(numbers) == 1 and len(numbers[0]) == self.n:
                    numbers = list(numbers[0])
                yield [int(number) for number in numbers] if max(map(len, numbers)) <= 2 else None

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        n = len(answer)
        rows = [list(row) for row in answer]
        yield "transposed", [list(column) for column in zip(*rows, strict=True)]
        yield "rows reversed", rows[::-1]
        yield "columns reversed", [row[::-1] for row in rows]
        yield "last row dropped", rows[:-1]
        yield "row repeated", [*rows, rows[-1]]
        yield "last column dropped", [row[:-1] for row in rows]
        yield "flattened", [number for row in rows for number in row]
        yield "texts for numbers", [[str(number) for number in row] for row in rows]
        yield "no rows", []
        for i in range(n - 1):
            yield "rows swapped", [*rows[:i], rows[i + 1], rows[i], *rows[i + 2 :]]
            yield "columns swapped", [[*row[:i], row[i + 1], row[i], *row[i + 2 :]] for row in rows]
            swap = {i + 1: i + 2, i + 2: i + 1}
            yield "numbers swapped", [[swap.get(number, number) for number in row] for row in rows]
        for _ in range(2 * n):
            row, column = rng.randrange(n), rng.randrange(n)
            for kind, number in (
                ("emptied", 0),
                ("too large", n + 1),
                ("changed", rows[row][column] % n + 1),
            ):
                changed = [list(line) for line in rows]
                changed[row][column] = number
                yield f"cell {kind}", changed

    def careless(self, answer: Answer) -> Answer:
        (first, second, *rest), *rows = answer
        return [[second, first, *rest], *rows]
