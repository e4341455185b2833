"""Graph coloring: a proper coloring with the fewest colors."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from math import comb, factorial, gcd, log10
from operator import lt
from typing import Any

import numpy as np

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.mappings import ColoringForm
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation

# A graph to be colored, and its chromatic number by a compiled search and by python-sat.

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
    """The edges with the lower vertex first, in order, each once."""
    return tuple(sorted({(low, high) if low < high else (high, low) for low, high in pairs}))


def neighbors(vertices: int, edges: Sequence[Edge]) -> list[int]:
    """A bit mask of neighbors for each vertex."""
    masks = [0] * vertices
    for low, high in edges:
        masks[low] |= 1 << high
        masks[high] |= 1 << low
    return masks


def is_connected(vertices: int, edges: Sequence[Edge]) -> bool:
    """Whether each vertex can be reached from the first."""
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
    """The size of a largest clique."""
    # Imported here and below: the kernel loads numba.
    from perennial.tasks.beyondbench.hard.kernels import graph_coloring as kernel

    return int(kernel.clique_number(np.array(masks, np.int64)))


def color_with_fewest(masks: Sequence[int], lower: int, max_steps: int = MAX_STEPS) -> list[int] | None:
    """A color for each vertex, numbers from 0, the fewest possible; None where the steps do not do.

    Fewer than `lower` colors are known not to be enough.
    """
    from perennial.tasks.beyondbench.hard.kernels import graph_coloring as kernel

    coloring = np.zeros(len(masks), np.int64)
    is_colored = kernel.color_with_fewest(np.array(masks, np.int64), lower, max_steps, coloring)
    return coloring.tolist() if is_colored else None


@lru_cache(maxsize=64)
def has_coloring(vertices: int, edges: tuple[Edge, ...], colors: int) -> bool:
    """Whether so many colors are enough, by python-sat, without symmetric colorings.

    The vertices of a clique have the first colors, each its own. Two bounds come first, as solvers do not
    count well: the clique, and how many vertices may share a color.
    """
    from networkx import Graph, complement, max_weight_clique
    from pysat.solvers import Solver

    graph = Graph(edges)
    graph.add_nodes_from(range(vertices))
    clique, _ = max_weight_clique(graph, weight=None)
    together, _ = max_weight_clique(complement(graph), weight=None)
    if len(clique) > colors or len(together) * colors < vertices:
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


# Graphs of ten families with their chromatic numbers (sections K.3.2 and K.3.3 of the paper).
#
# All are connected. Complete graphs lack a matching, as one graph per size would be one problem per size;
# petersen graphs are generalized ones; ramsey graphs are circulants. Numbers of colors that follow from the
# family are taken from it; the others are computed exactly.
#
# Graphs that greedy coloring colors with the fewest colors are drawn again, and sizes at which it colors all
# graphs of a family are left out. It colors all complete graphs without a matching: these are kept.

DENSITY = 0.6
_GRID = 1_000  # points of plane drawings have coordinates below it
_RAMSEY_STEPS = 2_000  # of the search for a coloring
_SIZES = (8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28)
_ALL_GREEDY = "complete"

# Edges on vertices 0 to n - 1, and the number of colors, 0 where it is to be computed.
Graph = tuple[list[Edge], int]


def _complete(n: int, rng: random.Random) -> Graph | None:
    """A complete graph without a matching: the ends of each edge that is missing share a color.

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
    """A uniform tree, by its Prüfer sequence."""
    # Imported here, as below: few processes draw trees.
    from networkx import from_prufer_sequence

    return list(from_prufer_sequence([rng.randrange(n) for _ in range(n - 2)]).edges), 2


def smaller_parts(n: int) -> range:
    """The sizes that the smaller part of a bipartite graph may have."""
    return range(n // 3, n // 2 + 1)


def _bipartite(n: int, rng: random.Random) -> Graph | None:
    part = rng.choice(smaller_parts(n))
    edges = [(a, b) for a in range(part) for b in range(part, n) if rng.random() < 0.5]
    return (edges, 2) if is_connected(n, edges) else None


def _planar(n: int, rng: random.Random) -> Graph | None:
    """The ends of straight segments between random points, none of which meet."""
    from perennial.tasks.beyondbench.hard.kernels import graph_coloring as kernel

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
    """The numbers of edges that a planar graph is drawn for."""
    return range(3 * n // 2, 5 * n // 2)


def grid_shapes(n: int) -> list[tuple[int, int]]:
    """The shapes of grids of n vertices, at least 2 wide, rows not above columns."""
    return [(rows, n // rows) for rows in range(2, n) if n % rows == 0 and rows <= n // rows]


def _grid(n: int, rng: random.Random) -> Graph | None:
    rows, columns = rng.choice(grid_shapes(n))
    across = [(v, v + 1) for v in range(n) if (v + 1) % columns]
    return across + [(v, v + columns) for v in range((rows - 1) * columns)], 2


def _dense_random(n: int, rng: random.Random) -> Graph | None:
    edges = [pair for pair in all_pairs(n) if rng.random() < DENSITY]
    return (edges, 0) if is_connected(n, edges) else None


def _petersen_variant(n: int, rng: random.Random) -> Graph | None:
    """An outer cycle, an inner one with steps of k, and the spokes between: GP(n/2, k)."""
    half = n // 2
    step = rng.randint(1, (half - 1) // 2)
    edges = []
    for i in range(half):
        edges += [(i, (i + 1) % half), (i, half + i), (half + i, half + (i + step) % half)]
    return edges, 0


def _ramsey(n: int, rng: random.Random) -> Graph | None:
    """A circulant graph: i is joined to i + s for each s of a random set, about half of all.

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
    _ALL_GREEDY: (_complete, _SIZES),
    "cycle": (_cycle, tuple(range(MIN_VERTICES, MAX_VERTICES + 1, 4))),
    "tree": (_tree, _SIZES),
    "bipartite": (_bipartite, _SIZES),
    "planar": (_planar, _SIZES),
    "wheel": (_wheel, (9, 13, 17, 21, 25)),
    "grid": (_grid, (12, 16, 20, 21, 24, 25, 28)),
    "dense_random": (_dense_random, _SIZES),
    "petersen_variant": (_petersen_variant, tuple(range(MIN_VERTICES, MAX_VERTICES + 1, 2))),
    "ramsey": (_ramsey, _SIZES),
}


@cache
def all_pairs(n: int) -> tuple[Edge, ...]:
    """All pairs of vertices, in order."""
    return tuple(combinations(range(n), 2))


@cache
def _pairs_array(n: int) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    return np.array(all_pairs(n), np.int64)


def draw_graph(family: str, n: int, rng: random.Random) -> GraphParams | None:
    """A graph of the family under random labels, None where the draw gave none."""
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
    params = GraphParams(n, edges, colors)
    return None if family != _ALL_GREEDY and max(color_greedily(params)) < colors else params


# How many graphs each family has, under all labels.

# GP(m, k) with more automorphisms than the rule says (Frucht, Graver and Watkins 1971).
_SYMMETRIC = {(4, 1): 48, (5, 2): 120, (8, 3): 96, (10, 2): 240, (10, 3): 240, (12, 5): 144}


# Of all graphs that are counted, at least this share is not colored greedily, at each size (measured by
# `tests/beyondbench/test_graph_coloring.py`), in the order of the families: complete graphs are all counted.
_SHARES = (1.0, 0.45, 0.15, 0.02, 0.1, 0.45, 0.15, 0.02, 0.2, 0.15)
NOT_GREEDY = dict(zip(FAMILIES, _SHARES, strict=True))


def count_graphs(family: str, n: int) -> Space:
    """The number of labelled graphs of a family that can be drawn."""
    count, doc = {
        _ALL_GREEDY: (_matchings(n), "matchings that are left out"),
        "cycle": (factorial(n - 1) // 2, "cyclic orders"),
        "wheel": (n * factorial(n - 2) // 2, "hubs, and cyclic orders of the others"),
        "tree": (n ** (n - 2), "Cayley's formula"),
        "bipartite": (_connected_bipartite(n), "connected bipartite graphs, parts as drawn, counted"),
        "planar": (_outerplanar(n), "triangulated polygons alone"),
        "grid": (_grids(n), "n! / automorphisms, for each shape"),
        "dense_random": (_count_connected(n), "connected graphs, counted"),
        "petersen_variant": (_petersen(n // 2), "n! / automorphisms, for each GP(n/2, k)"),
        "ramsey": (factorial(n - 1) // 2, "labels of the circulant of steps 1, 2 alone: n! / 2n"),
    }[family]
    share = NOT_GREEDY[family]
    rest = "" if share == 1 else f"; at least {share:g} of them are not colored greedily"
    return Space(log10(count) + log10(share), share == 1, doc + rest)


def _matchings(n: int) -> int:
    return sum(factorial(n) // (factorial(n - 2 * k) * factorial(k) * 2**k) for k in range(1, n // 2 + 1))


def _outerplanar(n: int) -> int:
    """The number of triangulated polygons: orders of the corners, times a Catalan number."""
    return factorial(n - 1) // 2 * (comb(2 * n - 4, n - 2) // (n - 1))


@cache
def _count_connected(n: int) -> int:
    """The number of connected graphs: all but those where vertex 0 reaches only k vertices."""
    apart = (comb(n - 1, k - 1) * (_count_connected(k) << comb(n - k, 2)) for k in range(1, n))
    return (1 << comb(n, 2)) - sum(apart)


@cache
def _connected_between(a: int, b: int) -> int:
    """The number of connected bipartite graphs with parts of a > 0 and b vertices."""
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
    """The labelled GP(m, k): k and l give the same graph where k = l, -l, or kl = 1, -1 modulo m."""
    total, seen = 0, set[int]()
    for k in range(1, (m - 1) // 2 + 1):
        if k in seen:
            continue
        seen |= {other for other in range(1, m) if k * other % m in (1, m - 1)} | {k}
        automorphisms = _SYMMETRIC.get((m, k), 4 * m if k * k % m in (1, m - 1) else 2 * m)
        total += factorial(2 * m) // automorphisms
    return total


# Graph colouring: a proper colouring with the chromatic number of colours (section K.3 of the paper).

# Families with few graphs at their smallest size.
_SMALL = {"complete", "cycle", "wheel", "grid", "petersen_variant", "ramsey"}


def _solve(params: GraphParams) -> Solutions:
    colors = color_with_fewest(neighbors(params.vertices, params.edges), params.colors)
    if colors is None or max(colors) >= params.colors:
        return Solutions((), 0, True)
    return Solutions(({str(vertex): f"C{color + 1}" for vertex, color in enumerate(colors)},), 1, False)


def _verify(params: GraphParams, answer: Answer) -> str:
    """Look at each vertex and each edge, and count the colours (Algorithm 14)."""
    colors = _names(answer)
    if colors is None:
        return "malformed"
    vertices = [str(vertex) for vertex in range(params.vertices)]
    if any(vertex not in colors for vertex in vertices):
        return "vertex_missing"
    if len(colors) > len(vertices):
        return "unknown_vertex"
    if any(colors[str(low)] == colors[str(high)] for low, high in params.edges):
        return "neighbours_share_color"
    return RIGHT if len(set(colors.values())) <= params.colors else "suboptimal"


def _check(params: GraphParams, answer: Answer) -> bool:
    """Split the vertices into classes of one colour, without edges; a solver proves the number of colours."""
    colors = _names(answer)
    if colors is None or set(colors) != {str(vertex) for vertex in range(params.vertices)}:
        return False
    masks = neighbors(params.vertices, params.edges)
    classes: dict[str, int] = {}
    for vertex, color in colors.items():
        classes[color] = classes.get(color, 0) | 1 << int(vertex)
    if any(masks[int(vertex)] & classes[color] for vertex, color in colors.items()):
        return False
    fewest_are_claimed = not has_coloring(params.vertices, params.edges, params.colors - 1)
    return len(classes) <= params.colors and fewest_are_claimed


def _names(answer: Answer) -> dict[str, str] | None:
    """The mapping with names in one case, None where the answer is no mapping from text to names."""
    if not isinstance(answer, dict):
        return None
    if not all(isinstance(part, str) and part.strip() for pair in answer.items() for part in pair):
        return None
    return {vertex: color.strip().casefold() for vertex, color in answer.items()}


_SIZE = re.compile(r"^A graph has (\d{1,2}) vertices", re.MULTILINE)
_COLORS = re.compile(r"^Colour the vertices with (\d{1,2}) colours", re.MULTILINE)
_EDGES = re.compile(r"^\d{1,2}-\d{1,2}(?:, \d{1,2}-\d{1,2})*$", re.MULTILINE)


def _read(prompt: str) -> GraphParams:
    size, colors, edges = _SIZE.search(prompt), _COLORS.search(prompt), _EDGES.search(prompt)
    if not (size and colors and edges):
        raise ValueError("the prompt holds no graph")
    pairs = [pair.split("-") for pair in edges[0].split(", ")]
    return GraphParams(int(size[1]), tuple((int(low), int(high)) for low, high in pairs), int(colors[1]))


def _words(params: GraphParams) -> Mapping[str, Any]:
    edges = ", ".join(f"{low}-{high}" for low, high in params.edges)
    return {"vertices": params.vertices, "edges": edges, "count": len(params.edges), "colors": params.colors}


def color_greedily(params: GraphParams) -> list[int]:
    """Give each vertex, those with most edges first, the lowest color that no neighbor has."""
    masks = neighbors(params.vertices, params.edges)
    colors = [-1] * params.vertices
    for vertex in sorted(range(params.vertices), key=lambda vertex: (-masks[vertex].bit_count(), vertex)):
        taken = {colors[other] for other in range(params.vertices) if masks[vertex] >> other & 1}
        colors[vertex] = next(color for color in range(params.vertices) if color not in taken)
    return colors


def _mutate(params: GraphParams, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Colourings with an edge of one colour, with colours merged, and proper ones with more colours."""
    for low, high in rng.sample(params.edges, min(4, len(params.edges))):
        yield f"{low} and {high} alike", {**answer, str(low): answer[str(high)]}
    first, second = rng.sample(sorted(set(answer.values())), 2)
    merged = {vertex: first if color == second else color for vertex, color in answer.items()}
    yield f"{first} and {second} merged", merged
    renamed = {vertex: color.lower() for vertex, color in answer.items()}
    yield "names in lower case", renamed
    yield "numbers for names", {vertex: int(color[1:]) for vertex, color in answer.items()}


def _tokens(family: str, size: int) -> tuple[int, int]:
    """150 + 4 |E| and 8 n (the paper has 30 + 2 |E|, less than our text); |E| is the family's mean."""
    edges = {
        "complete": size * (size - 1) / 2,
        "cycle": size,
        "tree": size,
        "bipartite": size * size / 8,
        "planar": 2 * size,
        "wheel": 2 * size,
        "grid": 2 * size,
        "dense_random": DENSITY * size * (size - 1) / 2,
        "petersen_variant": 1.5 * size,
        "ramsey": size * (size - 1) / 4,
    }[family]
    return round(150 + 4 * edges), 8 * size


TASK = Task(
    name="graph_coloring",
    suite="hard",
    title="a proper colouring of a graph with the fewest colours",
    params=GraphParams,
    variations=tuple(
        Variation(family, sizes, is_unique=False, reuse="when_exhausted" if family in _SMALL else "never")
        for family, (_, sizes) in FAMILIES.items()
    ),
    draw=draw_graph,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: ColoringForm(params.vertices),
    words=_words,
    read=_read,
    guess=lambda params, rng: {
        str(vertex): f"C{rng.randint(1, params.colors)}" for vertex in range(params.vertices)
    },
    tokens=_tokens,
    space=count_graphs,
    mutate=_mutate,
    heuristic=lambda params: {
        str(vertex): f"C{color + 1}" for vertex, color in enumerate(color_greedily(params))
    },
)
