"""Lists and sets as answers."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.form import Form
from perennial.tasks.beyondbench.forms.mappings import find_last_lines, flatten_tables

# A set of ids, chosen from those from 1 to some number.

# Longer texts are no answer: nothing that is chosen from is so large.
_MAX_LENGTH = 2_000
_EXACT_CHOSEN_IDS = re.compile(r"\[\s*(?:\d{1,9}\s*(?:,\s*\d{1,9}\s*)*)?\]")
_FOUND = re.compile(r"\[[\d,\s]{1,2000}\]|\\?\{[\d,\s]{1,2000}\\?\}")
_NAMED = re.compile(
    r"\b(?:projects?|items?)\s?#?\d{1,9}(?:(?:\s?,\s?(?:and\s)?|\s(?:and|&)\s)(?:(?:project|item)\s?#?)?\d{1,9})*\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r",\s*and\b|\band\b|[,;&\n]", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*•]\s*)?(?:(?:projects?|items?|ids?|p|#)\s*)?(\d{1,9})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ChosenIdsForm(Form):
    """A list of chosen ids, such as [1, 3], in any order. Careless: the first of them alone."""

    count: int

    def write(self, answer: Answer) -> str:
        return f"[{', '.join(map(str, answer))}]"

    def read(self, text: str) -> Answer | None:
        if len(text) > _MAX_LENGTH or not _EXACT_CHOSEN_IDS.fullmatch(text):
            return None
        return [int(number) for number in re.findall(r"\d+", text)]

    def read_loosely(self, text: str) -> Answer | None:
        """The ids that the text lists: `{1, 3}`, "Project 1 and Project 3", `{"projects": ["1"]}`."""
        if len(text) > _MAX_LENGTH:
            return None
        listed = re.split(r"[:=]", text)[-1].strip("[](){}\\ \n")
        items = [
            _ITEM.fullmatch(item.strip(" \t\"'"))
            for item in _SEPARATOR.split(listed)
            if item.strip() or not listed
        ]
        return [int(item[1]) for item in items if item] if items and all(items) else None

    def find_last(self, text: str) -> Answer | None:
        """The last list of ids in brackets or braces, else the last of "Project 1, Project 2"."""
        if matches := _FOUND.findall(text):
            return self.read_loosely(matches[-1])
        *_, last = (None, *_NAMED.finditer(text))
        return None if last is None else [int(number) for number in re.findall(r"\d+", last[0])]

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        ids = list(answer)
        others = [number for number in range(1, self.count + 1) if number not in ids]
        for index, number in enumerate(ids):
            rest = ids[:index] + ids[index + 1 :]
            yield "one less", rest
            yield "repeated", [*ids, number]
            yield from (("exchanged", [*rest, other]) for other in others)
        yield from (("one more", [*ids, other]) for other in others)
        yield "the others", others
        yield "all", ids + others
        yield "none", []
        yield from (("unknown", [*ids, number]) for number in (0, -1, self.count + 1, 10**9))
        yield "counted from 0", [number - 1 for number in ids]
        yield "as text", [str(number) for number in ids]
        yield "as floats", [float(number) for number in ids]
        yield "as flags", [number in ids for number in range(1, self.count + 1)]
        yield "permuted", rng.sample(ids, len(ids))

    def careless(self, answer: Answer) -> Answer:
        return [min(answer)]


# A list of integers as the answer.

_NUMBER = r"[-+]?[0-9]{1,40}"
_ITEMS = rf"{_NUMBER}(?:\s?,\s?{_NUMBER})*+"
_EXACT_INTEGER_LIST = re.compile(rf"\[\s?{_ITEMS}\s?\]")
_JOINED = re.compile(rf"{_NUMBER}(?:(?:\s*+(?:,|;|<|≤|&|\\leq?\b|\band\b)\s*+|\s++){_NUMBER})*+,?")
_ONE = re.compile(_NUMBER)
# Without brackets a list begins after no comma: each start is tried once, in linear time.
_LISTS = re.compile(
    rf"[\[({{]\s?{_ITEMS}\s?[\])}}]|(?<![\w.,])(?<!,\s){_NUMBER}(?:,\s?{_NUMBER})++(?!\w|\.[0-9]|\s?/)"
)
_OPEN, _CLOSE = "[({", "])}"


def read_integers(text: str) -> list[int] | None:
    """The integers that the whole text lists, in any brackets or none, None where it is no list."""
    text = text.rpartition("=")[2].strip()
    if text and text[0] in _OPEN and text[-1] == _CLOSE[_OPEN.index(text[0])]:
        text = text[1:-1].strip()
    return [int(item) for item in _ONE.findall(text)] if _JOINED.fullmatch(text) else None


def find_integers(text: str) -> list[int] | None:
    """The last list within a text: bracketed, or at least two integers with commas between."""
    *_, last = (None, *_LISTS.finditer(text))
    return None if last is None else [int(item) for item in _ONE.findall(last[0])]


@dataclass(frozen=True, slots=True)
class IntegerListForm(Form):
    """A list of integers in square brackets. Careless: the first and the last swapped."""

    container = "boxed"

    def write(self, answer: Answer) -> str:
        return str(list(answer))

    def read(self, text: str) -> Answer | None:
        return read_integers(text) if _EXACT_INTEGER_LIST.fullmatch(text) else None

    def read_loosely(self, text: str) -> Answer | None:
        """The list that the text is in other brackets or none, or with other separators."""
        numbers = read_integers(text)
        return numbers if numbers and (len(numbers) > 1 or text.rstrip().endswith("]")) else None

    def find_last(self, text: str) -> Answer | None:
        """The last list within the text."""
        return find_integers(text)

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        items, size = list(answer), len(answer)
        places = rng.sample(range(size), min(size, 8))
        for index in places:
            before, item, after = items[:index], items[index], items[index + 1 :]
            yield "dropped", before + after
            yield "repeated", [*before, item, item, *after]
            yield "off by 1", [*before, item + 1, *after]
            yield "negated", [*before, -item, *after] if item else [*before, *after, 1]
            if after:
                yield "swapped with the next", [*before, after[0], item, *after[1:]]
        yield "reversed", items[::-1]
        yield "rotated", items[1:] + items[:1]
        yield "truncated", items[: size // 2]
        yield "one more", [*items, max(items, default=0) + 1]
        yield "empty", []

    def careless(self, answer: Answer) -> Answer:
        first, *middle, last = answer if len(answer) > 1 else (*answer, 0)
        return [last, *middle, first]


# A set of integers as the answer: in any order, each once.

_EXACT_INTEGER_SET = re.compile(r"[-+]?[0-9]{1,40}(?:\s?,\s?[-+]?[0-9]{1,40})*+")
_LAST = re.compile(r"(?<![\w.,])[-+]?[0-9]{1,40}+(?:\s(?:and|&)\s[-+]?[0-9]{1,40}+)?(?![\w]|[.,][0-9])")


@dataclass(frozen=True, slots=True)
class IntegerSetForm(Form):
    """Integers separated by commas. Careless: with one more of them."""

    container = "boxed"

    def write(self, answer: Answer) -> str:
        return ", ".join(map(str, answer))

    def read(self, text: str) -> Answer | None:
        return read_integers(text) if _EXACT_INTEGER_SET.fullmatch(text) else None

    def read_loosely(self, text: str) -> Answer | None:
        """The integers that the text is, in brackets or with other separators."""
        return read_integers(text)

    def find_last(self, text: str) -> Answer | None:
        """The last integers within the text: a list, "a and b", or one."""
        if numbers := find_integers(text):
            return numbers
        *_, last = (None, *_LAST.finditer(text))
        return None if last is None else [int(item) for item in re.findall(r"[-+]?[0-9]+", last[0])]

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        items = list(answer)
        yield "reversed", items[::-1]
        yield "empty", []
        yield "repeated", items + items[:1]
        for index, item in enumerate(items):
            yield "dropped", items[:index] + items[index + 1 :]
            for step in (1, -1, 10, -10, 100):
                yield f"off by {step}", [*items[:index], item + step, *items[index + 1 :]]
        for step in (1, 2, 5, 10, 50, -1, -2, -5, -10, -50):
            yield "one more", [*items, items[-1] + step] if items[-1] + step not in items else [*items, 9_999]
        for _ in range(6):
            yield "another", [rng.randint(-1_000, 1_000)]
        yield "negated", [-item for item in items]

    def careless(self, answer: Answer) -> Answer:
        return [*answer, max(answer) + 1]


# Moves of disks between pegs as the answer: a list of [disk, from, to].

# How a prompt may ask for a move, the four notations of App. M.
NOTATIONS = (
    "Move disk {disk} from peg {source} to peg {target}",
    "Move {disk} from {source} to {target}",
    "{disk}: {source} -> {target}",
    "Transfer disk {disk} from {source} to {target}",
)
_DISK = r"(\d{1,2})"
_ARROW = r"(?:--?>|=>|→|⟶|➔|to|\\to|\\rightarrow)"
# Between moves: separators, brackets, quotes, bullets, and the numbers of steps.
_BETWEEN = re.compile(
    r"(?:[\s,;\[\]()\"'*•.\-–|]|\d{1,4} ?[.):]|(?:step|move) ?#?\d{1,4} ?[.:)]?)*", re.IGNORECASE
)

# What may stand before all moves: moves = [..], {"moves": [..]}.
_LABEL = re.compile(r"\s{0,3}[\"']?(?:moves|solution|answer)[\"']? ?[:=]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MovesForm(Form):
    """Moves of disks, one per line. Careless: without the last move."""

    disks: int
    pegs: str
    notation: int

    def write(self, answer: Answer) -> str:
        notation = NOTATIONS[self.notation]
        lines = (notation.format(disk=disk, source=source, target=target) for disk, source, target in answer)
        return "\n" + "\n".join(lines) + "\n"

    def read(self, text: str) -> Answer | None:
        exact = _exact(self.notation, self.pegs)
        matches = [exact.fullmatch(line.strip()) for line in text.strip().splitlines()]
        if not matches or not all(matches):
            return None
        return [[int(move[1]), move[2], move[3]] for move in matches if move]

    def read_loosely(self, text: str) -> Answer | None:
        """The moves of a text that holds moves, in any notation, and nothing else but separators."""
        text = _plain(flatten_tables(text))
        label = _LABEL.match(text)
        moves, end = [], label.end() if label else 0
        for match in _loose(self.pegs).finditer(text):
            if not _BETWEEN.fullmatch(text, end, match.start()):
                return None
            moves.append(_move(match))
            end = match.end()
        return moves if moves and _BETWEEN.fullmatch(text, end) else None

    def find_last(self, text: str) -> Answer | None:
        """The moves of the last lines that hold moves and nothing else; empty lines may part them."""
        return find_last_lines(flatten_tables(text), self.read_loosely)

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        yield "nothing", []
        yield "last dropped", answer[:-1]
        yield "first dropped", answer[1:]
        yield "first half", answer[: len(answer) // 2]
        yield "reversed", answer[::-1]
        yield "twice", answer + answer
        for index in rng.sample(range(len(answer)), min(5, len(answer))):
            disk, source, target = answer[index]
            before, after = answer[:index], answer[index + 1 :]
            spare = next(peg for peg in self.pegs if peg not in (source, target))
            yield f"move {index + 1} dropped", before + after
            yield f"move {index + 1} doubled", [*before, answer[index], *answer[index:]]
            yield f"move {index + 1} to the other peg", [*before, [disk, source, spare], *after]
            yield f"move {index + 1} turned round", [*before, [disk, target, source], *after]
            other = [disk % self.disks + 1, source, target]
            yield f"move {index + 1} with another disk", [*before, other, *after]
            if index + 1 < len(answer):
                swapped = [answer[index + 1], answer[index], *answer[index + 2 :]]
                yield f"moves {index + 1} and {index + 2} swapped", before + swapped

    def careless(self, answer: Answer) -> Answer:
        return answer[:-1]


@cache
def _exact(notation: int, pegs: str) -> re.Pattern[str]:
    peg = f"([{pegs}])"
    return re.compile(NOTATIONS[notation].format(disk=_DISK, source=peg, target=peg))


@cache
def _loose(pegs: str) -> re.Pattern[str]:
    """A pattern of one move in any notation; white space must be single blanks and line ends."""
    name = f"[\"']?([{pegs}])[\"']?"
    peg = rf"(?:the )?(?:(?:peg|rod|tower|pole) ?)?{name}"
    disk = rf"(?:(?:disk|disc) ?#?)?{_DISK}"
    verb = r"(?:(?:move|transfer|shift|take) (?:the )?)?"
    key, comma = r"[\"']?{}[\"']? ?: ?", r" ?,\s{0,3}"
    return re.compile(
        rf"(?<!\w){verb}{disk} ?[:,]? ?from {peg} ?(?:to|onto|{_ARROW}) ?{peg}(?!\w)"
        rf"|(?<!\w){verb}{disk} ?[:,]? ?{peg} ?{_ARROW} ?{peg}(?!\w)"
        rf"|[\[(] ?[\"']?{_DISK}[\"']? ?, ?{name} ?, ?{name} ?[\])]"
        rf"|\| ?(?:\d{{1,4}} ?\| ?)?{_DISK} ?\| ?{name} ?\| ?{name} ?(?=\|)"
        rf"|{key.format('disk')}{_DISK}{comma}{key.format('from')}{name}{comma}{key.format('to')}{name}",
        re.IGNORECASE,
    )


def _plain(text: str) -> str:
    return re.sub(r"\n+", "\n", re.sub(r"(?:[^\S\n]|[{}])+", " ", text))


def _move(match: re.Match[str]) -> list[int | str]:
    disk, source, target = (group for group in match.groups() if group is not None)
    return [int(disk), source.upper(), target.upper()]


# A list of small integers, one for each place, as the answer: where things stand.

_NUMBERS = r"\d{1,6}(?:\s*,\s*\d{1,6})*"
_EXACT = re.compile(rf"\[\s*({_NUMBERS})\s*\]")
_GROUP = re.compile(r"[\[({]([\d,;\s]{1,5000})[\])}]")
_LABEL_POSITIONS = re.compile(r"[A-Za-z ]{1,40}[:=]\s*")
# Row 0: column 3; (0, 3).
_PLACE = re.compile(
    r"(?:row ?(\d{1,6}) ?(?::|,|=|->|→|–|-)? ?(?:in )?(?:column|col)|\((\d{1,6}) ?,) ?(\d{1,6})\)?",
    re.IGNORECASE,
)
_BETWEEN_POSITIONS = re.compile(r"[\s,;.\[\]{}*•\-]*")
_LOOSE = re.compile(r"\d{1,6}(?:[\s,;]+\d{1,6})+")


@dataclass(frozen=True, slots=True)
class PositionsForm(Form):
    """So many integers from 0 to below a limit. Careless: all like the first."""

    length: int
    limit: int

    def write(self, answer: Answer) -> str:
        return f"[{', '.join(map(str, answer))}]"

    def read(self, text: str) -> Answer | None:
        match = _EXACT.fullmatch(text)
        return [int(number) for number in match[1].split(",")] if match else None

    def read_loosely(self, text: str) -> Answer | None:
        """The integers of a text that is a list: with or without brackets, commas, a label before."""
        text = text.strip()
        if (columns := self._read_places(text)) is not None:
            return columns
        if label := _LABEL_POSITIONS.match(text):
            text = text[label.end() :].strip()
        if text[:1] in ("[", "(", "{") and text[-1:] in ("]", ")", "}"):
            text = text[1:-1].strip()
        if len(text) > 5_000 or not _LOOSE.fullmatch(text):
            return None
        return [int(number) for number in re.findall(r"\d+", text)]

    def _read_places(self, text: str) -> list[int] | None:
        """The columns of a text that gives the rows in their order, each with its column."""
        places = _PLACE.findall(text) if len(text) <= 5_000 else []
        rows = [int(row or pair) for row, pair, _ in places]
        if (
            not places
            or rows != list(range(self.length))
            or not _BETWEEN_POSITIONS.fullmatch(_PLACE.sub("", text))
        ):
            return None
        return [int(column) for *_, column in places]

    def find_last(self, text: str) -> Answer | None:
        """The integers of the last brackets that hold nothing else, or the last rows' columns."""
        places = list(_PLACE.finditer(text))[-self.length :]
        columns = self._read_places(text[places[0].start() : places[-1].end()]) if places else None
        after = text if columns is None else text[places[-1].end() :]
        for group in reversed(_GROUP.findall(after)):
            if (answer := self.read_loosely(group)) is not None:
                return answer
        return columns

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        yield "nothing", []
        yield "last dropped", answer[:-1]
        yield "first dropped", answer[1:]
        yield "one more", [*answer, rng.randrange(self.limit)]
        yield "reversed", answer[::-1]
        yield "sorted", sorted(answer)
        yield "counted from 1", [value + 1 for value in answer]
        yield "shifted by 1", [*answer[1:], answer[0]]
        yield "all the same", [answer[0]] * len(answer)
        for index in range(len(answer)):
            value = answer[index]
            for other in ((value + 1) % self.limit, (value - 1) % self.limit, rng.randrange(self.limit), -1):
                if other != value:
                    yield f"place {index} is {other}", [*answer[:index], other, *answer[index + 1 :]]
            if index:
                pair = [value, answer[index - 1]]
                yield (
                    f"places {index - 1} and {index} swapped",
                    answer[: index - 1] + pair + answer[index + 1 :],
                )

    def careless(self, answer: Answer) -> Answer:
        return [answer[0]] * len(answer)
