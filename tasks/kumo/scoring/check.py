"""One line of a domain's score."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["good", "look", "bad"]


@dataclass(frozen=True, slots=True)
class Check:
    """A figure of a domain, what it means, its verdict, and what to do where that is not `good`."""

    name: str
    value: float
    text: str
    verdict: Verdict
    remedy: str = ""


def judge(value: float, look: float, bad: float) -> Verdict:
    """Return the verdict on a value that is the worse the larger it is: from where it is to be looked at."""
    return "bad" if value >= bad else "look" if value >= look else "good"
