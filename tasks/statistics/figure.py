"""One computed figure, as table `statistics` keeps it."""

from dataclasses import dataclass
from typing import Literal

Counting = Literal["perennial", "kumo-2025", "any"]
EXTRA_ACTIONS: dict[Counting, int] = {"perennial": 1, "kumo-2025": 2}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with what it is of, what it rests on, and how it was computed.

    `n` counts what `method` says; None stands for undefined, in `value`, interval and p-values alike.
    """

    statistic: str
    setting: str
    domain: str
    player: str
    n: int
    value: float | None
    method: str
    convention: Counting = "any"
    other: str = ""
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
