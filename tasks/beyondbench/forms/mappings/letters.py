"""A digit for each of some letters as the answer."""

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.lines import flatten_tables

MAX_TEXT = 2_000
_EXACT = re.compile(r'\{\s*"[A-Z]": ?\d(?:, ?\s*"[A-Z]": ?\d)*\s*\}')
_EXACT_PAIR = re.compile(r'"([A-Z])": ?(\d)')
# A letter and a digit: "A": 1, 'A'=1, A -> 1, A is 1.
_PAIR = re.compile(
    r"""["']?\b([A-Za-z])\b["']?\s{0,9}(?::|=>?|-+>|→|↦|\bis\b|\\to\b)\s{0,9}["']?(-?\d+)\b["']?"""
)
_NOTHING = re.compile(r"[\s,;{}()\[\].*\-•|&\\]*(?:and[\s,]*)?")
_BRACES = re.compile(r"\{[^{}]{1,1000}\}")


@dataclass(frozen=True, slots=True)
class LettersForm:
    """A mapping of letters to digits. Careless: the digits of the first two letters are swapped."""

    letters: tuple[str, ...]
    container: str = "answer"
    is_scalar: bool = False

    def write(self, answer: Answer) -> str:
        """Return the mapping as JSON."""
        return "{" + ", ".join(f'"{letter}": {digit}' for letter, digit in answer.items()) + "}"

    def read(self, text: str) -> Answer | None:
        """Return the mapping that the text is as JSON, each letter once."""
        if len(text) > MAX_TEXT or not _EXACT.fullmatch(text):
            return None
        return _collect(_EXACT_PAIR.findall(text))

    def read_loosely(self, text: str) -> Answer | None:
        """Return the mapping of a text of pairs in any notation, and of nothing else."""
        if len(text) > MAX_TEXT:
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
        """Return the last mapping in braces, else the last pairs, one for each letter, anywhere."""
        for braced in reversed(_BRACES.findall(text)):
            if (answer := self.read_loosely(braced)) is not None:
                return answer
        found: dict[str, int] = {}
        for letter, digits in _PAIR.findall(flatten_tables(text)):
            if letter in self.letters and len(digits) == 1:
                found[letter] = int(digits)
        return {letter: found[letter] for letter in self.letters} if len(found) == len(self.letters) else None

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield mappings with digits swapped, changed, repeated or of another type, and of other letters."""
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
        """Return the mapping with the digits of its first two letters swapped."""
        first, second, *_ = answer
        return answer | {first: answer[second], second: answer[first]}


def _collect(pairs: Iterable[Iterable[str | None]]) -> Answer | None:
    """Return pairs as a mapping; None where there is none, or a letter has two digits."""
    found: dict[str, int] = {}
    for letter, digits in pairs:
        key, number = str(letter).upper(), int(str(digits)[:5])
        if found.setdefault(key, number) != number:
            return None
    return found or None
