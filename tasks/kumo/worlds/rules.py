"""Draw the hidden table of a world's attributes, and what each outcome state rules out by it.

Each truth has a level in three hidden traits. An attribute follows one of them, loosely, or none: so
attributes agree as often as in real domains, but no two can be distinguished. A truth's cell of an
attribute is empty (nothing rules it out), or the values that are possible of it: some of the labels, or an
interval of numbers; a state rules out the truths of whose values it is none.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perennial.prompts.kumo.world_kinds import LabelTest, NumberTest
from perennial.schemas.kumo.things import OutcomeState

_TRAITS = 3
# What a state rules out, as a share of the truths: less says little, and more would nearly give the answer.
_LEAST_SHARE, _LARGEST_SHARE = 0.12, 0.62
_SILENT = (0.28, 0.44)  # share of empty cells of an attribute
_MORE = (0.05, 0.3)  # how often a label beside the first is possible, too
_FOLLOWS = 0.45  # how often a cell of an attribute goes by its trait
_STATES = (3, 4, 4, 5)

Kept = tuple[frozenset[int], ...]
"""For each truth the numbers of the states that leave it possible."""


@dataclass(frozen=True, slots=True)
class Traits:
    """The level, from 0 to 1, of each truth in each hidden trait."""

    levels: tuple[tuple[float, ...], ...]

    @classmethod
    def draw(cls, n_truths: int, rng: random.Random) -> "Traits":
        """Return levels of so many truths."""
        return cls(tuple(tuple(rng.random() for _ in range(n_truths)) for _ in range(_TRAITS)))


def draw_label_states(
    test: LabelTest, truths: Sequence[str], traits: Traits, rng: random.Random
) -> tuple[OutcomeState, ...]:
    """Return the outcome states of a test whose results are words."""
    number = min(rng.choice(_STATES), len(test.values))
    labels = rng.sample(test.values, number)
    kept = _draw_fit(lambda: _label_cells(number, traits, rng), number)
    return tuple(
        OutcomeState(label, None, None, _ruled_out(state, kept, truths)) for state, label in enumerate(labels)
    )


def draw_range_states(
    test: NumberTest, truths: Sequence[str], traits: Traits, rng: random.Random
) -> tuple[OutcomeState, ...]:
    """Return the outcome states of a test whose results are numbers: ranges without a gap."""
    number = rng.choice(_STATES)
    bounds = _draw_bounds(test.range, number, rng)
    kept = _draw_fit(lambda: _range_cells(bounds, traits, rng), number)
    return tuple(
        OutcomeState(None, bounds[state], bounds[state + 1], _ruled_out(state, kept, truths))
        for state in range(number)
    )


def _draw_bounds(whole: tuple[float, float], number: int, rng: random.Random) -> tuple[float, ...]:
    """Return ascending bounds of so many ranges, in round numbers, over a part of the whole range."""
    low, high = whole
    step = 10.0 ** math.floor(math.log10((high - low) / 25))
    start = low + rng.uniform(0, 0.15) * (high - low)
    span = rng.uniform(0.6, 0.85) * (high - low)
    widths = [rng.uniform(0.7, 1.3) for _ in range(number)]
    digits = max(0, -round(math.log10(step)))
    total = sum(widths)
    places = [start + span * sum(widths[:cut]) / total for cut in range(number + 1)]
    return tuple(round(round(place / step) * step, digits) for place in places)


def _draw_fit(draw: Callable[[], Kept], number: int) -> Kept:
    """Return the first cells drawn of which every state rules out neither few nor most of the truths."""
    while True:
        kept = draw()
        shares = (
            sum(bool(cell) and state not in cell for cell in kept) / len(kept) for state in range(number)
        )
        if all(_LEAST_SHARE <= share <= _LARGEST_SHARE for share in shares):
            return kept


def _label_cells(number: int, traits: Traits, rng: random.Random) -> Kept:
    positions = _positions(traits, rng)
    order = rng.sample(range(number), number)
    more = rng.uniform(*_MORE)
    cells = []
    for position in positions:
        if position is None:
            cells.append(frozenset[int]())
            continue
        first = order[min(int(position * number), number - 1)]
        others = [state for state in range(number) if state != first and rng.random() < more]
        cells.append(frozenset([first, *others[: number - 2]]))
    return tuple(cells)


def _range_cells(bounds: Sequence[float], traits: Traits, rng: random.Random) -> Kept:
    low, span = bounds[0], bounds[-1] - bounds[0]
    width = rng.uniform(0.1, 0.3) * span
    cells = []
    for position in _positions(traits, rng):
        if position is None:
            cells.append(frozenset[int]())
            continue
        least = low + position * span - rng.random() * width
        most = least + width
        cells.append(
            frozenset(
                state
                for state in range(len(bounds) - 1)
                if least < bounds[state + 1] and most > bounds[state]
            )
        )
    return tuple(cells)


def _positions(traits: Traits, rng: random.Random) -> list[float | None]:
    """Return where each truth lies on an attribute's scale, from 0 to 1; None where its cell is empty."""
    levels = rng.choice((*traits.levels, None))
    silent = rng.uniform(*_SILENT)
    positions: list[float | None] = []
    for truth in range(len(traits.levels[0])):
        follows = levels is not None and rng.random() < _FOLLOWS
        position = levels[truth] if follows and levels is not None else rng.random()
        positions.append(None if rng.random() < silent else position)
    return positions


def _ruled_out(state: int, kept: Kept, truths: Sequence[str]) -> tuple[str, ...]:
    return tuple(truth for truth, cell in zip(truths, kept, strict=True) if cell and state not in cell)
