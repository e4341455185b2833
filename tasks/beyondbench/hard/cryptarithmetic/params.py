"""What a cryptarithm is made of: three words and an operation."""

import string
from dataclasses import dataclass
from typing import Literal

Operation = Literal["addition", "subtraction", "multiplication", "division"]
SYMBOLS: dict[Operation, str] = {"addition": "+", "subtraction": "-", "multiplication": "*", "division": "/"}
# Words of at most 8 letters: a product of two fits 64 bits.
MAX_LENGTH = 8


@dataclass(frozen=True, slots=True)
class CryptarithmParams:
    """A cryptarithm: `first` (operation) `second` = `result`, each letter a digit of its own."""

    operation: Operation
    first: str
    second: str
    result: str

    def __post_init__(self) -> None:
        for word in self.words:
            if not 1 <= len(word) <= MAX_LENGTH or set(word) - set(string.ascii_uppercase):
                raise ValueError(f"word {word[:20]!r} is not made of 1 to {MAX_LENGTH} capital letters")
        if len(self.letters) > 10:
            raise ValueError(f"a cryptarithm has {len(self.letters)} letters: expected at most 10")

    @property
    def words(self) -> tuple[str, str, str]:
        """The three words."""
        return self.first, self.second, self.result

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters, in the order of the alphabet."""
        return tuple(sorted(set(self.first + self.second + self.result)))

    @property
    def leading(self) -> frozenset[str]:
        """The letters that cannot be 0."""
        return frozenset(word[0] for word in self.words)

    @property
    def forwards(self) -> tuple[str, str, str]:
        """The words of the same equation as a sum or a product: two operands, then what they make."""
        if self.operation in ("addition", "multiplication"):
            return self.words
        return self.second, self.result, self.first
