"""How many domains of each category a proposer may propose.

Some categories have a number of their own; the others share the rest evenly: each may have its whole share,
and as many of them one more as the division leaves over, whichever come first.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from perennial.schemas.kumo.categories import Quota
from perennial.tasks.kumo.validation.names import fold_name


@dataclass(frozen=True, slots=True)
class Quotas:
    """Of `wanted` domains, how many each category may have; without categories any may have all."""

    wanted: int
    categories: tuple[Quota, ...]

    def match(self, category: str) -> str | None:
        """Return the category as it was asked for, in whatever case it is written; None where it was not."""
        if not self.categories:
            return category
        return next((asked for asked, _ in self.categories if fold_name(asked) == fold_name(category)), None)

    def room(self, accepted: Iterable[str]) -> Mapping[str, int]:
        """Return how many more domains each category may have beside those of `accepted`, in order."""
        counts = Counter(accepted)
        sharing = [name for name, number in self.categories if number is None]
        rest = self.wanted - sum(number for _, number in self.categories if number is not None)
        share, left_over = divmod(rest, len(sharing)) if sharing else (0, 0)
        left_over -= sum(max(0, counts[name] - share) for name in sharing)
        return {
            name: max(0, share - counts[name]) + (left_over > 0 and counts[name] <= share)
            if number is None
            else max(0, number - counts[name])
            for name, number in self.categories
        }
