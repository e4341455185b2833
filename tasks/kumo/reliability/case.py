"""An instance whose outcomes are reported: what a reasoner knows of it, and what is reported."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.kumo.things import Instance, Step
from tasks.kumo.encoding import EncodedInstance


@dataclass(frozen=True, slots=True)
class Case:
    """An instance as a reasoner knows it: rules, reliability of reports, and which prior its sampler has."""

    board: EncodedInstance
    reliability: float
    is_balanced: bool

    @property
    def states(self) -> tuple[int, ...]:
        """The number of states of each action."""
        return tuple(map(len, self.board.masks))


@dataclass(frozen=True, slots=True)
class Reports:
    """What is reported in place of the outcomes: `told` is the instance with what is reported of it."""

    told: Instance
    case: Case

    def seen(self, steps: Sequence[Step]) -> dict[int, int]:
        """Return the states that were reported in these steps, by action."""
        places = {name: place for place, name in enumerate(self.told.actions)}
        taken = [step for step in steps if step.kind == "action"]
        return {places[step.move]: step.state for step in taken if step.move and step.state is not None}
