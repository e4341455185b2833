"""A benchmark's own figure on leaderboards."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of `statistics` that leaderboards show beside the success rate, and how it is counted.

    `note` says so in a few words, `doc` in a whole sentence.
    """

    statistic: str
    convention: str
    heading: str
    note: str
    doc: str
