"""Moves of disks between pegs as the answer: a list of [disk, from, to]."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.lines import find_last_lines, flatten_tables

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
class MovesForm:
    """Moves of disks, one per line. Careless: without the last move."""

    disks: int
    pegs: str
    notation: int
    container: str = "answer"
    is_scalar: bool = False

    def write(self, answer: Answer) -> str:
        """Return a line for each move, in the notation that the prompt asks for."""
        notation = NOTATIONS[self.notation]
        lines = (notation.format(disk=disk, source=source, target=target) for disk, source, target in answer)
        return "\n" + "\n".join(lines) + "\n"

    def read(self, text: str) -> Answer | None:
        """Return the moves of a text that has a move on each line, in the notation asked for."""
        exact = _exact(self.notation, self.pegs)
        found = [exact.fullmatch(line.strip()) for line in text.strip().splitlines()]
        if not found or not all(found):
            return None
        return [[int(move[1]), move[2], move[3]] for move in found if move]

    def read_loosely(self, text: str) -> Answer | None:
        """Return the moves of a text that holds moves, in any notation, and nothing else but separators."""
        text = _plain(flatten_tables(text))
        label = _LABEL.match(text)
        moves, end = [], label.end() if label else 0
        for found in _loose(self.pegs).finditer(text):
            if not _BETWEEN.fullmatch(text, end, found.start()):
                return None
            moves.append(_move(found))
            end = found.end()
        return moves if moves and _BETWEEN.fullmatch(text, end) else None

    def find_last(self, text: str) -> Answer | None:
        """Return the moves of the last lines that hold moves and nothing else; empty lines may part them."""
        return find_last_lines(flatten_tables(text), self.read_loosely)

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield sequences with a move dropped, doubled, swapped or changed."""
        yield "nothing", []
        yield "last dropped", answer[:-1]
        yield "first dropped", answer[1:]
        yield "first half", answer[: len(answer) // 2]
        yield "reversed", answer[::-1]
        yield "twice", answer + answer
        for place in rng.sample(range(len(answer)), min(5, len(answer))):
            disk, source, target = answer[place]
            before, after = answer[:place], answer[place + 1 :]
            spare = next(peg for peg in self.pegs if peg not in (source, target))
            yield f"move {place + 1} dropped", before + after
            yield f"move {place + 1} doubled", [*before, answer[place], *answer[place:]]
            yield f"move {place + 1} to the other peg", [*before, [disk, source, spare], *after]
            yield f"move {place + 1} turned round", [*before, [disk, target, source], *after]
            other = [disk % self.disks + 1, source, target]
            yield f"move {place + 1} with another disk", [*before, other, *after]
            if place + 1 < len(answer):
                swapped = [answer[place + 1], answer[place], *answer[place + 2 :]]
                yield f"moves {place + 1} and {place + 2} swapped", before + swapped

    def careless(self, answer: Answer) -> Answer:
        """Return the moves without the last one."""
        return answer[:-1]


@cache
def _exact(notation: int, pegs: str) -> re.Pattern[str]:
    peg = f"([{pegs}])"
    return re.compile(NOTATIONS[notation].format(disk=_DISK, source=peg, target=peg))


@cache
def _loose(pegs: str) -> re.Pattern[str]:
    """Return a pattern of one move in any notation; white space must be single blanks and line ends."""
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
