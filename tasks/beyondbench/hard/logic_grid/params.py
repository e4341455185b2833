"""What a logic grid puzzle is made of: people, categories of values, typed clues (App. K.10.2)."""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["direct", "negative", "comparison", "conditional", "chain"]
Item = tuple[int, int]  # category and value; category 0 are the people
N_ITEMS: dict[Kind, int] = {"direct": 2, "negative": 2, "comparison": 2, "conditional": 2, "chain": 4}
SIZES = (3, 4, 5)
MAX_CLUES = 60
_WORD = re.compile(r"[A-Za-z]{1,20}|\d{1,4}")


@dataclass(frozen=True, slots=True)
class Category:
    """A category and its values, one for each person; those of the last category are numbers, ascending."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clue:
    """A clue. Its items are, by kind:

    - direct, negative: a person; the value that the person has, or does not have (eq. 255, 256).
    - comparison: two items; the first one's person has the lower number (257).
    - conditional: two values; who has the first has the second, too (258).
    - chain: three items whose people's numbers rise; a value that the second one's person has (259).
    """

    kind: Kind
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class LogicGridParams:
    """A logic grid puzzle."""

    people: tuple[str, ...]
    categories: tuple[Category, ...]
    clues: tuple[Clue, ...]

    def __post_init__(self) -> None:
        n = len(self.people)
        if n not in SIZES or not 1 <= len(self.categories) <= max(SIZES) or len(self.clues) > MAX_CLUES:
            raise ValueError(
                f"{n} people, {len(self.categories)} categories and {len(self.clues)} clues are no logic grid"
            )
        words = [*self.people, *(category.name for category in self.categories)]
        for category in self.categories:
            if len(category.values) != n:
                raise ValueError(
                    f"category {category.name[:20]!r} has {len(category.values)} values, not {n}"
                )
            words += category.values
        if len({word.lower() for word in words}) < len(words) or not all(map(_WORD.fullmatch, words)):
            raise ValueError("names and values of a logic grid are not different single words")
        numbers = self.categories[-1].values
        if not all(number.isdecimal() for number in numbers) or sorted(numbers, key=int) != list(numbers):
            raise ValueError("values of the last category of a logic grid are not ascending numbers")
        for clue in self.clues:
            if len(clue.items) != N_ITEMS[clue.kind]:
                raise ValueError(f"a clue of kind {clue.kind} has {len(clue.items)} items")
            if any(not (0 <= c <= len(self.categories) and 0 <= v < n) for c, v in clue.items):
                raise ValueError("a clue of a logic grid is about an unknown value")

    @property
    def n(self) -> int:
        """The number of people."""
        return len(self.people)

    def text_of(self, item: Item) -> str:
        """Return the person's name, or the value."""
        category, value = item
        return self.categories[category - 1].values[value] if category else self.people[value]
