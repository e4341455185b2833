"""How many sudokus there are in a band of empty cells."""

import math

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.hard.sudoku.draw import band_of, split_name

# By number of empty cells: removals from all 288 and all 48 grids that leave one solution, counted.
EXACT = {
    "standard_4": (
        *(288, 4_608, 34_560, 161_280, 522_624, 1_239_552, 2_204_928, 2_958_336),
        *(2_961_024, 2_141_184, 1_041_408, 284_160, 25_728),
    ),
    "diagonal_4": (
        *(48, 768, 5_760, 26_880, 87_360, 209_664, 384_384, 549_120),
        *(617_472, 546_816, 376_320, 193_536, 66_432, 7_680),
    ),
}
# A sudoku with many empty cells for each rule: whatever is filled in, the solution stays the only one.
WITNESSES = {
    ("standard", 6): "000005004002000000056000000040020300",
    ("diagonal", 6): "000000000000005000000020030040100000",
    ("standard", 9): "000030051000000000074090006500000007800000000007800300000001060008000200043600700",
    ("diagonal", 9): "001000020000000000030807000000000002000300010300600000000000004000000090008020005",
}


def space(variation: str, size: int) -> Space:
    """Return the number of sudokus in a size's band of empty cells."""
    low, high = band_of(variation, size)
    if variation in EXACT:
        return Space(math.log10(sum(EXACT[variation][low : high + 1])), True, "all removals from all grids")
    kind, n = split_name(variation)
    # With boxes for regions, and with cages around its digits, the standard witness keeps one solution, too.
    empty = WITNESSES["diagonal" if kind == "diagonal" else "standard", n].count("0")
    removals = sum(math.comb(empty, removed) for removed in range(low, high + 1))
    log10 = math.log10(math.factorial(n)) + math.log10(removals)
    return Space(log10, False, f"removals from one grid with {empty} removable cells, digits renamed")
