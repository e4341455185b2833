"""What the paper of KnowLogic prints: numbers, without sentences."""

from collections.abc import Iterator

from perennial.schemas.statistics import PublishedScore
from perennial.warehouse.catalog.scores import read_long, read_wide

# The printed numbers of KnowLogic's paper: tables 5 and 8, and its text.

_PACKAGE, _SOURCE = "perennial.warehouse.knowlogic.published", "paper"
_UNITS = {
    "accuracy": "percent",
    "average": "percent",
    "unextracted_rate": "share",
    "models": "models",
    "questions": "questions",
}


def published_scores() -> Iterator[PublishedScore]:
    """All printed numbers; `setting` is the language and `domain` the domain, as in table 5."""
    for number in (5, 8):
        yield from read_wide(_PACKAGE, f"table_{number}.csv", _SOURCE, f"table {number}", _UNITS)
    yield from read_long(_PACKAGE, "text.csv", _SOURCE, _UNITS)
