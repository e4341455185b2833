"""One computed figure, as table `statistics` keeps it."""

from typing import NamedTuple

from perennial.schemas.statistics.populations import Population


class Figure(NamedTuple):
    """A figure with what it is of, what it rests on, and how it was computed.

    `n` counts what `method` says; None means undefined, in `value`, interval and p-values alike. `population`
    is what the interval is of, `no_interval` why an estimate has none; `family` the tests of its setting over
    which `p_adjusted` is corrected.
    """

    statistic: str
    setting: str
    domain: str
    player: str
    n: int
    value: float | None
    method: str
    convention: str = "any"
    other: str = ""
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    family: str | None = None
    population: Population | None = None
    no_interval: str | None = None
