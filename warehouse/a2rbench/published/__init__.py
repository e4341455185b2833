"""What the paper of A2RBench prints: numbers, without sentences."""

from collections.abc import Iterator

from perennial.schemas.statistics import PublishedScore
from perennial.warehouse.catalog.scores import read_long, read_wide

# The printed numbers of A2RBench's paper: tables 1, 4 to 7 and two of table 8, figure 4, and its counts.

_PACKAGE, _SOURCE = "perennial.warehouse.a2rbench.published", "paper"
_UNITS = {
    "accuracy": "percent",
    "remapping_gap": "percentage points",
    "collapse_rate": "percent",
    "max_loop_depth": "loops",
    "total_ifs": "conditions",
    "max_if_depth": "conditions",
    "max_complexity": "decisions plus one",
    "mutability": "changes in place",
    "return_complexity": "decisions plus one",
    "compression": "ratio",
    "distinct_errors": "answers",
    "failure_entropy": "bits",
    "edit_distance": "characters",
    "items": "items",
}


def published_scores() -> Iterator[PublishedScore]:
    """All printed numbers; `setting` is a part of the items, such as symbolic, seed or line (1D)."""
    for number in (1, 4, 5, 6, 7):
        yield from read_wide(_PACKAGE, f"table_{number}.csv", _SOURCE, f"table {number}", _UNITS)
    yield from read_long(_PACKAGE, "text.csv", _SOURCE, _UNITS)
