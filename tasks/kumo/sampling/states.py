"""Which outcome states can be observed, and where in a range an observation of each may lie.

A state that no observation is read back as (a repeated label, an inverted or infinite range, a range that
earlier ones cover) is never drawn. Of a range that earlier ones overlap only the free pieces are drawn
from, so that `Outcome.state_of` gives the drawn state back in every configuration, sound or not.
"""

import math
from dataclasses import dataclass

from perennial.schemas.kumo.things import Outcome, OutcomeState
from perennial.tasks.kumo.encoding import EncodedConfig

Piece = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ObservableState:
    """State `state` of action `action`; `pieces` are half-open intervals, none for a label."""

    action: int
    state: int
    mask: int
    label: str | None
    pieces: tuple[Piece, ...]


def observable_states(encoded: EncodedConfig) -> tuple[ObservableState, ...]:
    """Return the states that can be observed, by action and state: the flat numbering of sampling."""
    return tuple(
        ObservableState(a, s, encoded.masks[a][s], state.label, pieces)
        for a, outcome in enumerate(encoded.outcomes)
        for s, state in enumerate(outcome.states)
        for pieces in (_pieces(outcome, s),)
        if pieces or _is_first_label(outcome, s, state)
    )


def _is_first_label(outcome: Outcome, position: int, state: OutcomeState) -> bool:
    return state.label is not None and outcome.state_of(state.label) == position


def _pieces(outcome: Outcome, position: int) -> tuple[Piece, ...]:
    state = outcome.states[position]
    if state.low is None or state.high is None or not -math.inf < state.low < state.high < math.inf:
        return ()
    pieces = [(state.low, state.high)]
    for earlier in outcome.states[:position]:
        if earlier.low is not None and earlier.high is not None and earlier.low < earlier.high:
            taken = (earlier.low, earlier.high)
            pieces = [rest for piece in pieces for rest in _without(piece, taken)]
    return tuple(pieces)


def _without(piece: Piece, taken: Piece) -> list[Piece]:
    if taken[1] <= piece[0] or piece[1] <= taken[0]:
        return [piece]
    rests = [(piece[0], taken[0]), (taken[1], piece[1])]
    return [rest for rest in rests if rest[0] < rest[1]]
