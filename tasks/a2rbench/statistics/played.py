"""What figures are computed from: the items of an edition, and what each player made of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers


@dataclass(frozen=True, slots=True)
class Items:
    """The items of an edition, an element each. `original` is the place of an item's original, -1 for none.

    `rule` holds numbers of rules, `truth` right answers as texts.
    """

    rule: "Column"
    type: "Column"
    dimension: "Column"
    variation: "Column"
    author: "Column"
    original: "Column"
    gzip: "Numbers"
    truth: list[str]

    def __len__(self) -> int:
        return len(self.rule)


class Played(NamedTuple):
    """What a player did: counts (`COUNTS`), one element per item, and its wrong answers by item's place."""

    player: str
    counts: "Mapping[str, Column]"
    wrong: Mapping[int, list[str]]
