"""Graphs of ten families with their chromatic numbers (sections K.3.2 and K.3.3 of the paper).

All are connected. Complete graphs lack a matching, as one graph per size would be one problem per size;
petersen graphs are generalized ones; ramsey graphs are circulants. Numbers of colors that follow from the
family are taken from it; the others are computed exactly.
"""

import random
from collections.abc import Callable
from functools import cache
from itertools import combinations
from math import gcd

import numpy as np

from perennial.tasks.beyondbench.hard.graph_coloring.graph import (
    MAX_VERTICES,
    MIN_VERTICES,
    Edge,
    GraphParams,
    clique_number,
    color_with_fewest,
    is_connected,
    neighbors,
    sort_edges,
)

DENSITY = 0.6
_GRID = 1_000  # points of plane drawings have coordinates below it
_RAMSEY_STEPS = 2_000  # of the search for a coloring
_SIZES = (8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28)

# Edges on vertices 0 to n - 1, and the number of colors, 0 where it is to be computed.
Graph = tuple[list[Edge], int]


def _complete(n: int, rng: random.Random) -> Graph | None:
    """Return a complete graph without a matching: the ends of each edge that is missing share a color.

    At least one is missing, as a color for each vertex would be right whatever the edges are.
    """
    missing = rng.randint(1, n // 2)
    pairs = {(2 * pair, 2 * pair + 1) for pair in range(missing)}
    return [edge for edge in all_pairs(n) if edge not in pairs], n - missing


def _cycle(n: int, _rng: random.Random) -> Graph | None:
    return [(i, (i + 1) % n) for i in range(n)], 2 + n % 2


def _wheel(n: int, _rng: random.Random) -> Graph | None:
    rim = n - 1
    return [(i, (i + 1) % rim) for i in range(rim)] + [(i, rim) for i in range(rim)], 3 + rim % 2


def _tree(n: int, rng: random.Random) -> Graph | None:
    """Return a uniform tree, by its Prüfer sequence."""
    sequence = [rng.randrange(n) for _ in range(n - 2)]
    degree = [1 + sequence.count(vertex) for vertex in range(n)]
    edges = []
    for vertex in sequence:
        leaf = degree.index(1)
        edges.append((leaf, vertex))
        degree[leaf] = 0
        degree[vertex] -= 1
    first = degree.index(1)
    return [*edges, (first, degree.index(1, first + 1))], 2


def smaller_parts(n: int) -> range:
    """Return the sizes that the smaller part of a bipartite graph may have."""
    return range(n // 3, n // 2 + 1)


def _bipartite(n: int, rng: random.Random) -> Graph | None:
    part = rng.choice(smaller_parts(n))
    edges = [(a, b) for a in range(part) for b in range(part, n) if rng.random() < 0.5]
    return (edges, 2) if is_connected(n, edges) else None


def _planar(n: int, rng: random.Random) -> Graph | None:
    """Return the ends of straight segments between random points, none of which meet."""
    from perennial.tasks.beyondbench.hard.graph_coloring import kernel

    points = [(rng.randrange(_GRID), rng.randrange(_GRID)) for _ in range(n)]
    if len(set(points)) < n:
        return None
    x, y = np.array(points, np.int64).T.copy()
    pairs = _pairs_array(n)
    order = np.argsort(np.array([rng.random() for _ in range(len(pairs))]), kind="stable")
    chosen = np.zeros((3 * n, 2), np.int64)
    count = kernel.choose_segments(x, y, pairs[order], rng.choice(planar_edges(n)), chosen)
    edges = [(a, b) for a, b in chosen[:count].tolist()]
    return (edges, 0) if is_connected(n, edges) else None


def planar_edges(n: int) -> range:
    """Return the numbers of edges that a planar graph is drawn for."""
    return range(3 * n // 2, 5 * n // 2)


def grid_shapes(n: int) -> list[tuple[int, int]]:
    """Return the shapes of grids of n vertices, at least 2 wide, rows not above columns."""
    return [(rows, n // rows) for rows in range(2, n) if n % rows == 0 and rows <= n // rows]


def _grid(n: int, rng: random.Random) -> Graph | None:
    rows, columns = rng.choice(grid_shapes(n))
    across = [(v, v + 1) for v in range(n) if (v + 1) % columns]
    return across + [(v, v + columns) for v in range((rows - 1) * columns)], 2


def _dense_random(n: int, rng: random.Random) -> Graph | None:
    edges = [pair for pair in all_pairs(n) if rng.random() < DENSITY]
    return (edges, 0) if is_connected(n, edges) else None


def _petersen_variant(n: int, rng: random.Random) -> Graph | None:
    """Return an outer cycle, an inner one with steps of k, and the spokes between: GP(n/2, k)."""
    half = n // 2
    step = rng.randint(1, (half - 1) // 2)
    edges = []
    for i in range(half):
        edges += [(i, (i + 1) % half), (i, half + i), (half + i, half + (i + step) % half)]
    return edges, 0


def _ramsey(n: int, rng: random.Random) -> Graph | None:
    """Return a circulant graph: i is joined to i + s for each s of a random set, about half of all.

    Only those whose number of colors is that of a largest clique or, if larger, n over that of the vertices
    that may share a color: other proofs take minutes.
    """
    steps = [step for step in range(1, n // 2 + 1) if rng.random() < 0.5]
    # A connected circulant graph has two colors where n is even and all steps are odd.
    if gcd(n, *steps) != 1 or (n % 2 == 0 and all(step % 2 for step in steps)):
        return None
    edges = sort_edges([(i, (i + step) % n) for i in range(n) for step in steps])
    masks = neighbors(n, edges)
    others = [~mask & ((1 << n) - 1) & ~(1 << vertex) for vertex, mask in enumerate(masks)]
    bound = max(clique_number(masks), -(-n // clique_number(others)))
    coloring = color_with_fewest(masks, bound, _RAMSEY_STEPS)
    return (list(edges), bound) if coloring and max(coloring) < bound else None


FAMILIES: dict[str, tuple[Callable[[int, random.Random], Graph | None], tuple[int, ...]]] = {
    "complete": (_complete, _SIZES),
    "cycle": (_cycle, _SIZES),
    "tree": (_tree, _SIZES),
    "bipartite": (_bipartite, _SIZES),
    "planar": (_planar, _SIZES),
    "wheel": (_wheel, _SIZES),
    "grid": (_grid, (8, 9, 12, 15, 16, 20, 21, 24, 25, 28)),
    "dense_random": (_dense_random, _SIZES),
    "petersen_variant": (_petersen_variant, tuple(range(MIN_VERTICES, MAX_VERTICES + 1, 2))),
    "ramsey": (_ramsey, _SIZES),
}


@cache
def all_pairs(n: int) -> tuple[Edge, ...]:
    """Return all pairs of vertices, in order."""
    return tuple(combinations(range(n), 2))


@cache
def _pairs_array(n: int) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    return np.array(all_pairs(n), np.int64)


def draw_graph(family: str, n: int, rng: random.Random) -> GraphParams | None:
    """Return a graph of the family under random labels, None where the draw gave none."""
    draw, _ = FAMILIES[family]
    graph = draw(n, rng)
    if graph is None:
        return None
    pairs, colors = graph
    labels = rng.sample(range(n), n)
    edges = sort_edges([(labels[a], labels[b]) for a, b in pairs])
    if not colors:
        masks = neighbors(n, edges)
        coloring = color_with_fewest(masks, clique_number(masks))
        if coloring is None:
            return None
        colors = 1 + max(coloring)
    return GraphParams(n, edges, colors)
