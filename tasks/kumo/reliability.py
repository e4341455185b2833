"""Outcomes that are reported with a known reliability: reports, what they make probable, the best play."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perennial.schemas.kumo.things import Instance, Step

# An instance whose outcomes are reported: what a reasoner knows of it, and what is reported.


@dataclass(frozen=True, slots=True)
class Case:
    """An instance as a reasoner knows it: rules, reliability of reports, and which prior its sampler has.

    `masks[j]` are the masks of the truths that each state of action j rules out. Nothing that is to be found
    out is in it.
    """

    n_truths: int
    masks: tuple[tuple[int, ...], ...]
    reliability: float
    is_balanced: bool

    @property
    def states(self) -> tuple[int, ...]:
        """The number of states of each action."""
        return tuple(map(len, self.masks))


@dataclass(frozen=True, slots=True)
class Reports:
    """What is reported in place of the outcomes: `reported` is the instance with what is reported of it."""

    reported: Instance
    case: Case


def states_seen(actions: Sequence[str], steps: Sequence[Step]) -> dict[int, int]:
    """The states that these steps were shown, by the number of the action."""
    taken = [step for step in steps if step.kind == "action"]
    return {actions.index(step.move): step.state for step in taken if step.move and step.state is not None}


# The probability that a player states with its answer, between <PROBABILITY> tags.


_TAGGED = re.compile(r"<PROBABILITY>\s*([0-9.,]{1,20})\s*(%?)\s*</PROBABILITY>", re.IGNORECASE | re.ASCII)


def read_probability(reply: str) -> float | None:
    """The probability that the reply states last, such as 0.8 or 80%; None for none from 0 to 1."""
    *_, match = (None, *_TAGGED.finditer(reply))
    if match is None:
        return None
    try:
        number = float(match[1].replace(",", ".")) / (100 if match[2] else 1)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def state_probability(probability: float) -> str:
    """The text that states a probability."""
    return f" <PROBABILITY>{min(probability, 1.0):.6f}</PROBABILITY>"
