"""Who is older than whom, as far as it is known: a partial order as bit masks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Persons: the first is older than the second.
Older = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Ages:
    """`younger[x]` has a bit for everybody who is known to be younger than x."""

    younger: tuple[int, ...]

    def knows(self, older: Older) -> bool:
        """Return whether the comparison follows."""
        return bool(self.younger[older[0]] >> older[1] & 1)

    def verdict(self, comparisons: Iterable[Older]) -> bool | None:
        """Return whether all comparisons hold in every order of births (True), in none (False), in some."""
        wanted = [older for older in comparisons if not self.knows(older)]
        if not wanted:
            return True
        return None if compare_ages(self.younger, wanted) else False


def compare_ages(younger: Sequence[int], comparisons: Iterable[Older]) -> Ages | None:
    """Return what follows from known ages and these comparisons; None where they contradict each other."""
    masks = list(younger)
    for old, young in comparisons:
        if old == young or masks[young] >> old & 1:
            return None
        if masks[old] >> young & 1:
            continue
        gained = masks[young] | 1 << young
        for x in range(len(masks)):
            if x == old or masks[x] >> old & 1:
                masks[x] |= gained
    return Ages(tuple(masks))
