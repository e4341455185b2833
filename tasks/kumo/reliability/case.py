"""An instance whose outcomes are reported: what a reasoner knows of it, and what is reported."""

from collections.abc import Sequence
from dataclasses import dataclass

from perennial.schemas.kumo.things import Instance, Step


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
    """What is reported in place of the outcomes: `told` is the instance with what is reported of it."""

    told: Instance
    case: Case


def states_seen(actions: Sequence[str], steps: Sequence[Step]) -> dict[int, int]:
    """Return the states that these steps were shown, by the number of the action."""
    taken = [step for step in steps if step.kind == "action"]
    return {actions.index(step.move): step.state for step in taken if step.move and step.state is not None}
