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


# What reports of outcomes make probable, and the best play: exact, by dynamic programming.
#
# The prior is that of the sampler (docs/kumo.md): a weight for each truth and each choice of one state per
# action that leaves this truth alone. A report of an action is its state with probability r, else one of its
# k - 1 other states, evenly. Summing the true states out, one action after the other, gives for each truth t
# and each set of reports x (of each action a state, or no report) the probability B[t, x] of both.
#
# The best play minimises the expected count that players are told of: tests for a right answer, all actions
# for a wrong one. With T(x) reports of m actions, a player that names the likeliest truth at x has the cost
#
#     T(x) * max_t B[t, x] + m * (sum_t B[t, x] - max_t B[t, x])
#
# and one that tests action a has the sum of V over the reports that a can add to x. V(x) is the least of
# these. Each action is taken at most once, since a second test gives the same report. Import this module
# lazily: it loads numpy.


# Draw what is reported of an instance: each outcome is the true one with a known probability.
#
# Import this module lazily: it loads numpy and numba.


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
