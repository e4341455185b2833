"""How many graphs each family has, under all labels."""

from functools import cache
from math import comb, factorial, log10

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.hard.graph_coloring.families import grid_shapes, smaller_parts

# GP(m, k) with more automorphisms than the rule says (Frucht, Graver and Watkins 1971).
_SYMMETRIC = {(4, 1): 48, (5, 2): 120, (8, 3): 96, (10, 2): 240, (10, 3): 240, (12, 5): 144}


def count_graphs(family: str, n: int) -> Space:
    """Return the number of labelled graphs of a family that can be drawn."""
    count, is_exact, doc = {
        "complete": (_matchings(n), True, "matchings that are left out"),
        "cycle": (factorial(n - 1) // 2, True, "cyclic orders"),
        "wheel": (n * factorial(n - 2) // 2, True, "hubs, and cyclic orders of the others"),
        "tree": (n ** (n - 2), True, "Cayley's formula"),
        "bipartite": (_connected_bipartite(n), True, "connected bipartite graphs, parts as drawn, counted"),
        "planar": (_outerplanar(n), False, "triangulated polygons alone, all of which can be drawn"),
        "grid": (_grids(n), True, "n! / automorphisms, for each shape"),
        "dense_random": (_count_connected(n), True, "connected graphs, all of which can be drawn, counted"),
        "petersen_variant": (_petersen(n // 2), True, "n! / automorphisms, for each GP(n/2, k)"),
        "ramsey": (factorial(n - 1) // 2, False, "labels of the circulant of steps 1, 2 alone: n! / 2n"),
    }[family]
    return Space(log10(count), is_exact, doc)


def _matchings(n: int) -> int:
    return sum(factorial(n) // (factorial(n - 2 * k) * factorial(k) * 2**k) for k in range(1, n // 2 + 1))


def _outerplanar(n: int) -> int:
    """Return the number of triangulated polygons: orders of the corners, times a Catalan number."""
    return factorial(n - 1) // 2 * (comb(2 * n - 4, n - 2) // (n - 1))


@cache
def _count_connected(n: int) -> int:
    """Return the number of connected graphs: all but those where vertex 0 reaches only k vertices."""
    apart = (comb(n - 1, k - 1) * (_count_connected(k) << comb(n - k, 2)) for k in range(1, n))
    return (1 << comb(n, 2)) - sum(apart)


@cache
def _connected_between(a: int, b: int) -> int:
    """Return the number of connected bipartite graphs with parts of a > 0 and b vertices."""
    apart = (
        comb(a - 1, i - 1) * comb(b, j) * (_connected_between(i, j) << (a - i) * (b - j))
        for i in range(1, a + 1)
        for j in range(b + 1)
        if (i, j) != (a, b)
    )
    return (1 << a * b) - sum(apart)


def _connected_bipartite(n: int) -> int:
    total = 0
    for part in smaller_parts(n):
        ways = comb(n, part) * _connected_between(part, n - part)
        total += ways // 2 if 2 * part == n else ways
    return total


def _grids(n: int) -> int:
    return sum(factorial(n) // (8 if rows == columns else 4) for rows, columns in grid_shapes(n))


def _petersen(m: int) -> int:
    """Return the labelled GP(m, k): k and l give the same graph where k = l, -l, or kl = 1, -1 modulo m."""
    total, seen = 0, set[int]()
    for k in range(1, (m - 1) // 2 + 1):
        if k in seen:
            continue
        seen |= {other for other in range(1, m) if k * other % m in (1, m - 1)} | {k}
        automorphisms = _SYMMETRIC.get((m, k), 4 * m if k * k % m in (1, m - 1) else 2 * m)
        total += factorial(2 * m) // automorphisms
    return total
