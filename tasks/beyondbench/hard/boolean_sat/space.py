"""Lower bounds of the number of formulas of each kind: those around one assignment, half of it true."""

from math import comb, log10

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.hard.boolean_sat.families import (
    HORN_WIDTHS,
    RATIOS,
    WIDTH,
    XOR_WIDTHS,
    mixed_widths,
    n_equations,
    n_facts,
)

_DOC = "sets of different clauses that one assignment satisfies, not all-true nor all-false; all can be drawn"


def count_formulas(family: str, n: int) -> Space:
    """Return a lower bound of the number of formulas that can be drawn."""
    lengths = {round(ratio * n) for ratio in RATIOS}
    if family == "horn":
        count = sum(_horn(n, m) for m in lengths)
    elif family == "xor":
        count = sum(_xor(n, equations) for equations in {n_equations(n, m / n) for m in lengths})
    else:
        widths = {"random_k": {WIDTH}, "mixed": mixed_widths(n), "graph_based": {2}}[family]
        count = sum(_clauses(n, m, widths) for m in lengths)
    return Space(log10(count), False, _DOC)


def _choices(m: int, total: int, false_at_true: int, false_at_false: int, false_at_both: int) -> int:
    """Return the ways to choose m of `total`, at least one false at all-true and one false at all-false."""
    both_kept = total - false_at_true - false_at_false + false_at_both
    kept = comb(total - false_at_true, m) + comb(total - false_at_false, m) - comb(both_kept, m)
    return comb(total, m) - kept


def _clauses(n: int, m: int, widths: set[int]) -> int:
    true = n // 2
    total = sum(comb(n, width) * (2**width - 1) for width in widths)
    negative = sum(comb(n, width) - comb(true, width) for width in widths)
    positive = sum(comb(n, width) - comb(n - true, width) for width in widths)
    return _choices(m, total, negative, positive, 0)


def _horn(n: int, m: int) -> int:
    """Return the ways to choose facts, and other clauses of which one is negative: all-true falsifies it."""
    true = n // 2
    negative = sum(comb(n, width) - comb(true, width) for width in HORN_WIDTHS)
    heads = sum(n * comb(n - 1, width - 1) - (n - true) * comb(true, width - 1) for width in HORN_WIDTHS)
    others = m - n_facts(n)
    return comb(true, n_facts(n)) * (comb(negative + heads, others) - comb(heads, others))


def _xor(n: int, equations: int) -> int:
    """Return the ways to choose sets of variables; the assignment gives each its parity."""
    true = n // 2
    counts = {
        (i, width - i): comb(true, i) * comb(n - true, width - i)
        for width in XOR_WIDTHS
        for i in range(width + 1)
    }
    # All-true has another parity than the assignment where an odd number of the variables are false in it.
    odd_false = sum(ways for (_, false), ways in counts.items() if false % 2)
    odd_true = sum(ways for (true_ones, _), ways in counts.items() if true_ones % 2)
    both = sum(ways for (true_ones, false), ways in counts.items() if true_ones % 2 and false % 2)
    return _choices(equations, sum(counts.values()), odd_false, odd_true, both)
