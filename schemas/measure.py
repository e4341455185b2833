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

    @property
    def column(self) -> str:
        """Its column on leaderboards, which names the convention where there are several."""
        named = "" if self.convention == "any" else f"_{self.convention.replace('-', '_')}"
        return f"{self.statistic}{named}"
