"""How many boards of queens there are. Measured by `python -m tests.benchmarks.queens_space`."""

import math

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.hard.n_queens.params import placed_range
from perennial.tasks.beyondbench.hard.shares import least_share

# Boards that may be drawn, counted over all solutions of the empty board.
COUNTED: dict[tuple[str, int], int] = {
    ("queens_4", 4): 29,
    ("queens_5", 5): 226,
    ("queens_6", 6): 165,
    ("queens_8", 8): 5_149,
    ("large", 7): 1_970,
    ("large", 9): 18_624,
    ("large", 10): 43_320,
    ("large", 11): 105_832,
    ("large", 12): 2_425_342,
    ("diagonal", 7): 1_730,
    ("diagonal", 8): 3_369,
    ("diagonal", 9): 15_344,
    ("diagonal", 10): 39_460,
    ("diagonal", 11): 99_176,
    ("diagonal", 12): 2_182_490,
    ("toroidal", 7): 1_618,
    ("toroidal", 11): 19_360,
    ("toroidal", 13): 2_227_082,
}
# Of so many random placements of queens, those that may be drawn.
TRIES = 200_000
DRAWN: dict[tuple[str, int], int] = {
    ("large", 13): 98_903,
    ("large", 14): 61_850,
    ("large", 15): 73_869,
    ("large", 16): 47_934,
    ("diagonal", 13): 97_528,
    ("diagonal", 14): 57_750,
    ("diagonal", 15): 73_281,
    ("diagonal", 16): 46_826,
}


def space(variation: str, size: int) -> Space:
    """Return the number of boards: counted, or a lower bound by random placements."""
    if (variation, size) in COUNTED:
        doc = "boards of placed queens that can be completed, counted"
        return Space(math.log10(COUNTED[variation, size]), True, doc)
    placements = sum(math.comb(size, count) * math.perm(size, count) for count in placed_range(size))
    drawn = DRAWN[variation, size]
    doc = f"{drawn:,} of {TRIES:,} placements can be completed; 1 - 1e-6 lower bound"
    return Space(math.log10(placements * least_share(drawn, TRIES)), False, doc)
