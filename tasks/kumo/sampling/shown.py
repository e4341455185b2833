"""Which number of a range an outcome shows: one of its precision that is true of the valid truth.

An outcome without a precision (`step` or `digits` of `perennial.schemas.kumo.things.Outcome`) shows any
number of the range, as the paper does. Otherwise a number is drawn in three steps:

1. The span: where the valid truth's cell lies in the range. Of a truth without a cell (nothing is known of
   it, or nothing rules it out) it is the span of another truth of the domain that the range does not rule
   out, drawn uniformly; where there is none, the whole range. With several valid truths it is what their
   cells share.
2. The grid: multiples of `step`; or numbers of `digits` significant digits, counted at the end of the span
   that is further from 0. Where no number of the grid lies in the span, digits are added until one does.
3. One number of the grid, uniformly. So it is read back as the state drawn, by `Outcome.state_of`.

A range belongs to its state without the upper end, unless no other range starts there. Import this module
lazily: it loads numpy.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import nan, nextafter

import numpy as np

from perennial.schemas.kumo.things import Outcome, OutcomeState
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.construct import Array

# Which outcome states can be observed, and where in a range an observation of each may lie.
#
# A state that no observation is read back as (a repeated label, an inverted or infinite range, a range that
# earlier ones cover) is never drawn. Of a range that earlier ones overlap only the free pieces are drawn
# from, so that `Outcome.state_of` gives the drawn state back in every configuration, sound or not.


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
    """The states that can be observed, by action and state: the flat numbering of sampling."""
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


_MOST_DIGITS_ADDED = 16


class ShownNumbers:
    """The spans and grids of one configuration, by observable state and truth."""

    def __init__(self, encoded: EncodedConfig, states: Sequence[ObservableState]) -> None:
        outcomes = [encoded.outcomes[state.action] for state in states]
        self.has_precision = np.array(
            [
                len(state.pieces) == 1 and (outcome.step is not None or outcome.digits is not None)
                for state, outcome in zip(states, outcomes, strict=True)
            ],
            np.bool_,
        )
        whole = [
            _whole_span(outcome, state) if precise else (0.0, 0.0)
            for state, outcome, precise in zip(states, outcomes, self.has_precision, strict=True)
        ]
        self._low, self._high = np.array(whole, np.float64).reshape(-1, 2).T
        steps = [_split_step(outcome.step) for outcome in outcomes]
        self._factor = np.array([factor for factor, _ in steps], np.float64)
        self._decimals = np.array([decimals for _, decimals in steps], np.int64)
        self._digits = np.array([outcome.digits or 0 for outcome in outcomes], np.int64)
        self._span_low, self._span_high = self._spans(encoded, states, outcomes)
        self._donors, self._donor_count = _donors(self._span_low)

    def _spans(
        self, encoded: EncodedConfig, states: Sequence[ObservableState], outcomes: Sequence[Outcome]
    ) -> tuple[Array, Array]:
        """The spans of the truths with a cell by state and truth, NaN where there is none."""
        low = np.full((len(states), len(encoded.truths)), nan)
        high = low.copy()
        for row in np.flatnonzero(self.has_precision).tolist():
            for truth, least, most in outcomes[row].cells:
                place = encoded.truth_index.get(truth)
                if place is None or states[row].mask >> place & 1:
                    continue
                span = max(least, self._low[row]), min(most, self._high[row])
                if span[0] <= span[1]:
                    low[row, place], high[row, place] = span
        return low, high

    def draw(self, states: Array, valid: Array, uniforms: Array) -> tuple[Array, Array]:
        """A number of each state, and whether it is a whole number by its precision.

        `states` and `uniforms` have a row for each instance, `valid` the indices of its valid truths. What is
        returned for a state without a precision has no meaning.
        """
        low, high, uniforms = self._choose_spans(states, valid, uniforms)
        factor, decimals = self._factor[states], self._decimals[states]
        digits = self._digits[states]
        by_digits = digits > 0
        reach = np.maximum(np.abs(low), np.abs(high))
        reach = np.where(reach > 0, reach, 1.0)
        decimals = np.where(by_digits, digits - 1 - np.floor(np.log10(reach)).astype(np.int64), decimals)
        first, last = _grid_ends(low, high, factor, decimals)
        for _ in range(_MOST_DIGITS_ADDED):
            empty = first > last
            if not empty.any():
                break
            decimals = decimals + empty
            # A grid finer than the step has no multiples of it: each number of so many decimals.
            factor = np.where(empty, 1.0, factor)
            first, last = _grid_ends(low, high, factor, decimals)
        count = last - first + 1.0
        # A share just below 1 times the count may round up to the count.
        place = np.minimum(first + np.floor(uniforms * count), last)
        numbers = np.where(count >= 1.0, _grid_number(place, factor, decimals), low)
        return numbers, (decimals <= 0) & (count >= 1.0)

    def _choose_spans(self, states: Array, valid: Array, uniforms: Array) -> tuple[Array, Array, Array]:
        """The span of each number, and a uniform share that is left to place the number in it."""
        lows = self._span_low[states[:, :, None], valid[:, None, :]]
        highs = self._span_high[states[:, :, None], valid[:, None, :]]
        # fmax and fmin pass over NaN, which a truth without a cell has; max and min would spread it.
        low, high = np.fmax.reduce(lows, axis=2), np.fmin.reduce(highs, axis=2)
        if valid.shape[1] > 1:  # cells that share nothing: the first valid truth that has one
            first = np.argmin(np.isnan(lows), axis=2, keepdims=True)
            apart = low > high
            low = np.where(apart, np.take_along_axis(lows, first, axis=2)[:, :, 0], low)
            high = np.where(apart, np.take_along_axis(highs, first, axis=2)[:, :, 0], high)
        count = self._donor_count[states]
        # One share serves twice: its whole part chooses the donor, what is left of it the number.
        place = uniforms * count
        number = np.minimum(place.astype(np.int64), np.maximum(count - 1, 0))
        donor = self._donors[states, number]
        silent, lent = np.isnan(low), np.isnan(low) & (count > 0)
        low = np.where(lent, self._span_low[states, donor], np.where(silent, self._low[states], low))
        high = np.where(lent, self._span_high[states, donor], np.where(silent, self._high[states], high))
        return low, high, np.where(lent, place - number, uniforms)


def _whole_span(outcome: Outcome, state: ObservableState) -> tuple[float, float]:
    """The least and the greatest float of a range that is read back as its state."""
    ((low, high),) = state.pieces
    return low, high if outcome.state_of(high) == state.state else nextafter(high, low)


def _split_step(step: float | None) -> tuple[int, int]:
    """A step as a whole number and the decimals that it is divided by: 0.5 is 5 by one decimal."""
    if step is None:
        return 1, 0
    _, digits, exponent = Decimal(repr(step)).normalize().as_tuple()
    return int("".join(map(str, digits))), -int(exponent)


def _donors(span_low: Array) -> tuple[Array, Array]:
    """For each state the truths that have a span in it, filled up with 0, and their number."""
    known = ~np.isnan(span_low)
    count = known.sum(axis=1)
    return np.argsort(~known, axis=1, kind="stable"), count


def _grid_number(place: Array, factor: Array, decimals: Array) -> Array:
    """The floats next to place * factor / 10**decimals; 0.0 in place of -0.0."""
    whole = place * factor
    # Divided, as 10.0 ** -n is not exact: 3 * 0.1 is not 0.3.
    divided = whole / 10.0 ** np.maximum(decimals, 0)
    number: Array = np.where(decimals > 0, divided, whole * 10.0 ** np.maximum(-decimals, 0)) + 0.0
    return number


def _grid_ends(low: Array, high: Array, factor: Array, decimals: Array) -> tuple[Array, Array]:
    """The places of the grid's first and last number from low to high, both included."""
    up, down = 10.0 ** np.maximum(decimals, 0), 10.0 ** np.maximum(-decimals, 0)
    first = np.ceil(low * up / down / factor - 0.5)
    last = np.floor(high * up / down / factor + 0.5)
    # Within one of the end by now: decided on the numbers that are shown, which rounding cannot contradict.
    first += _grid_number(first, factor, decimals) < low
    last -= _grid_number(last, factor, decimals) > high
    return first, last
