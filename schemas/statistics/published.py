"""A number that somebody has published about a benchmark: in a paper, on a leaderboard."""

from typing import NamedTuple


class PublishedScore(NamedTuple):
    """One printed number: a row of table `published_scores`, whose columns say what each field is."""

    source: str
    place: str
    player: str
    figure: str
    value: float
    unit: str
    settings: str = ""
    setting: str = "all"
    domain: str = "all"
    deviation: float | None = None
    model: str | None = None
