"""Which draw a figure speaks of: what would vary if the measurement were made again."""

from collections.abc import Iterable
from typing import Literal

Population = Literal["these domains", "new domains"]
THESE_DOMAINS: Population = "these domains"
"""Instances vary: others are drawn in the same domains."""
NEW_DOMAINS: Population = "new domains"
"""Domains vary too: what the next edition will show."""

MEANINGS: dict[Population, str] = {
    THESE_DOMAINS: "other instances of these domains",
    NEW_DOMAINS: "new domains, which is what the next edition will show",
}


def describe_populations(populations: Iterable[str | None]) -> str:
    """Return what 95% intervals of these populations are for, such as `other instances of these domains`."""
    names = {name for name in populations if name}
    return " or ".join(meaning for name, meaning in MEANINGS.items() if name in names) or "no population"
