"""A graph to be colored, and its chromatic number by a compiled search and by python-sat."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import lt

import numpy as np

Edge = tuple[int, int]
MIN_VERTICES, MAX_VERTICES = 8, 28
MAX_STEPS = 1_000_000


@dataclass(frozen=True, slots=True)
class GraphParams:
    """Vertices 0 to n - 1, edges (lower, higher) in order, and the fewest colors."""

    vertices: int
    edges: tuple[Edge, ...]
    colors: int

    def __post_init__(self) -> None:
        if not (MIN_VERTICES <= self.vertices <= MAX_VERTICES and 1 < self.colors <= self.vertices):
            raise ValueError(f"{self.vertices} vertices in {self.colors} colors: not 8 to 28 in at least 2")
        if not all(0 <= low < high < self.vertices for low, high in self.edges):
            raise ValueError(f"an edge of {self.edges} is none of a graph of {self.vertices} vertices")
        if not self.edges or not all(map(lt, self.edges, self.edges[1:])):
            raise ValueError(f"edges {self.edges} are not in order, or not different")


def sort_edges(pairs: Sequence[Edge]) -> tuple[Edge, ...]:
    """Return the edges with the lower vertex first, in order, each once."""
    return tuple(sorted({(low, high) if low < high else (high, low) for low, high in pairs}))


def neighbors(vertices: int, edges: Sequence[Edge]) -> list[int]:
    """Return a bit mask of neighbors for each vertex."""
    masks = [0] * vertices
    for low, high in edges:
        masks[low] |= 1 << high
        masks[high] |= 1 << low
    return masks


def is_connected(vertices: int, edges: Sequence[Edge]) -> bool:
    """Return whether each vertex can be reached from the first."""
    masks = neighbors(vertices, edges)
    reached, added = 1, 1
    while added:
        beside = 0
        for vertex in range(vertices):
            if added >> vertex & 1:
                beside |= masks[vertex]
        added = beside & ~reached
        reached |= added
    return reached == (1 << vertices) - 1


def clique_number(masks: Sequence[int]) -> int:
    """Return the size of a largest clique."""
    # Imported here and below: the kernel loads numba.
    from perennial.tasks.beyondbench.hard.graph_coloring import kernel

    return int(kernel.clique_number(np.array(masks, np.int64)))


def color_with_fewest(masks: Sequence[int], lower: int, max_steps: int = MAX_STEPS) -> list[int] | None:
    """Return a color for each vertex, numbers from 0, the fewest possible; None where the steps do not do.

    Fewer than `lower` colors are known not to be enough.
    """
    from perennial.tasks.beyondbench.hard.graph_coloring import kernel

    coloring = np.zeros(len(masks), np.int64)
    found = kernel.color_with_fewest(np.array(masks, np.int64), lower, max_steps, coloring)
    return coloring.tolist() if found else None


@lru_cache(maxsize=64)
def has_coloring(vertices: int, edges: tuple[Edge, ...], colors: int) -> bool:
    """Return whether so many colors are enough, by python-sat, without symmetric colorings.

    The vertices of a clique have the first colors, each its own. Two bounds come first, as solvers do not
    count well: the clique, and how many vertices may share a color.
    """
    from networkx import Graph, complement, max_weight_clique
    from pysat.solvers import Solver

    clique = _grow_clique(neighbors(vertices, edges))
    if len(clique) > colors:
        return False
    graph = Graph(edges)
    graph.add_nodes_from(range(vertices))
    together, _ = max_weight_clique(complement(graph), weight=None)
    if len(together) * colors < vertices:
        return False

    def is_colored(vertex: int, color: int) -> int:
        return vertex * colors + color + 1

    with Solver("cadical153") as solver:
        for vertex in range(vertices):
            solver.add_clause([is_colored(vertex, color) for color in range(colors)])
        for low, high in edges:
            for color in range(colors):
                solver.add_clause([-is_colored(low, color), -is_colored(high, color)])
        for color, vertex in enumerate(clique):
            solver.add_clause([is_colored(vertex, color)])
        return bool(solver.solve())


def _grow_clique(masks: list[int]) -> list[int]:
    """Return the largest of the cliques that grow from each vertex by that with most common neighbors."""
    largest: list[int] = []
    for start, rest in enumerate(masks):
        clique = [start]
        while rest:
            inside = [vertex for vertex in range(len(masks)) if rest >> vertex & 1]
            best = max(inside, key=lambda vertex: (rest & masks[vertex]).bit_count())
            clique.append(best)
            rest &= masks[best]
        largest = max(largest, clique, key=len)
    return largest
