"""Which outcomes of a book can be said by reference to one above: 'the same as for ..., and ... as well'."""

from collections.abc import Sequence
from dataclasses import dataclass

MOST_CHANGES = 2
"""So many names may come to what the outcome above rules out, or be taken from it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An earlier outcome by its place, and the names by which what it rules out differs."""

    base: int
    added: frozenset[str]
    spared: frozenset[str]


def find_references(excluded: Sequence[frozenset[str]]) -> list[Reference | None]:
    """Return for each outcome, given what each rules out, a reference to an earlier one, or None.

    Of earlier ones the first with the fewest changes is chosen. An outcome that rules out nothing neither
    refers nor is referred to; one whose names are fewer than the changes is said in full.
    """
    return [_find(names, excluded[:place]) for place, names in enumerate(excluded)]


def _find(names: frozenset[str], earlier: Sequence[frozenset[str]]) -> Reference | None:
    found = [
        Reference(place, names - base, base - names)
        for place, base in enumerate(earlier)
        if base and (base <= names or names <= base) and len(base ^ names) <= MOST_CHANGES
    ]
    best = min(found, key=lambda each: len(each.added) + len(each.spared), default=None)
    changes = 0 if best is None else len(best.added) + len(best.spared)
    return best if changes < len(names) else None
