"""Graph coloring: numbers of colors by three engines, the families, the grader's codes, the reader."""

import math
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.forms.mappings import ColoringForm
from perennial.tasks.beyondbench.hard.graph_coloring import (
    FAMILIES,
    NOT_GREEDY,
    TASK,
    GraphParams,
    color_greedily,
    color_with_fewest,
    has_coloring,
    is_connected,
    neighbors,
    smaller_parts,
    sort_edges,
)
from perennial.tasks.beyondbench.parse import parse_reply
from perennial.tasks.beyondbench.problem import draw_problem

CELLS = [(family, size) for family, (_, sizes) in FAMILIES.items() for size in sizes]
SQUARES = GraphParams(8, ((0, 1), (0, 3), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)), 2)
TWO = {str(vertex): "red" if vertex in (0, 2, 4, 6) else "blue" for vertex in range(8)}
FORM = ColoringForm(8)


def draw(family, size, seed):
    return draw_problem(TASK, family, size, seed, 0)[0].params


def brute_force(vertices, edges):
    """Return the chromatic number by trying all colorings, color by color."""
    beside = [[low for low, high in edges if high == vertex] for vertex in range(vertices)]

    def extend(colors, limit):
        if len(colors) == vertices:
            return True
        return any(
            extend([*colors, color], limit)
            for color in range(min(limit, len(set(colors)) + 1))
            if all(colors[other] != color for other in beside[len(colors)])
        )

    return next(limit for limit in range(1, vertices + 1) if extend([], limit))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(6, 8), st.integers(0, 2**36 - 1), st.integers(0, 2**36 - 1))
def test_three_engines_agree_on_any_graph(vertices, mask, other):
    pairs = list(combinations(range(vertices), 2))
    chosen = mask | other if other % 2 else mask & other
    edges = tuple(pair for place, pair in enumerate(pairs) if chosen >> place & 1)
    fewest = brute_force(vertices, edges)
    assert len(set(color_with_fewest(neighbors(vertices, edges), 1))) == fewest
    if edges:
        assert has_coloring(vertices, edges, fewest)
        assert fewest == 1 or not has_coloring(vertices, edges, fewest - 1)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(CELLS), st.integers(0, 9_999))
def test_the_number_of_colors_is_proved_by_a_solver_and_the_graph_is_of_its_family(cell, seed):
    family, size = cell
    params = draw(family, size, seed)
    graph = nx.Graph(params.edges)
    assert sorted(graph) == list(range(size))
    assert nx.is_connected(graph)
    assert has_coloring(size, params.edges, params.colors)
    assert not has_coloring(size, params.edges, params.colors - 1)
    degrees = sorted(degree for _, degree in graph.degree)
    rules = {
        "complete": lambda: degrees[0] >= size - 2 and params.colors == size - degrees.count(size - 2) // 2,
        "cycle": lambda: degrees == [2] * size and params.colors == 2,
        "tree": lambda: nx.is_tree(graph) and params.colors == 2,
        "bipartite": lambda: nx.is_bipartite(graph),
        "planar": lambda: nx.check_planarity(graph)[0] and params.colors <= 4,
        "wheel": lambda: degrees[-1] == size - 1 and params.colors == 3,
        "grid": lambda: degrees[0] == 2 and degrees[-1] <= 4 and nx.is_bipartite(graph),
        "dense_random": lambda: graph.size() > 0.3 * math.comb(size, 2),
        "petersen_variant": lambda: degrees == [3] * size and params.colors in (2, 3),
        "ramsey": lambda: len(set(degrees)) == 1 and params.colors > 2,
    }
    assert rules[family]()
    # Drawn again; complete graphs without a matching are all colored greedily.
    assert (max(color_greedily(params)) < params.colors) == (family == "complete")


def test_the_petersen_graph_is_among_its_variants():
    assert any(
        nx.is_isomorphic(nx.Graph(draw("petersen_variant", 10, seed).edges), nx.petersen_graph())
        for seed in range(20)
    )


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(CELLS), st.integers(0, 999), st.data())
def test_grader_and_checker_agree_on_any_coloring(cell, seed, data):
    params = draw(*cell, seed)
    colors = TASK.solve(params).reference
    assert TASK.verify(params, colors) == ""
    for _ in range(4):
        changed = {
            **colors,
            data.draw(st.sampled_from(sorted(colors))): data.draw(st.sampled_from(["C1", "C2", "X"])),
        }
        assert (TASK.verify(params, changed) == "") == TASK.check(params, changed)


def test_the_checker_refuses_a_problem_that_asks_for_too_many_colors():
    loose = GraphParams(8, SQUARES.edges, 3)
    assert not TASK.check(loose, TWO)
    assert not TASK.check(loose, {**TWO, "7": "green"})


def test_a_problem_that_asks_for_too_few_colors_has_no_solution():
    triangle = GraphParams(8, ((0, 1), (0, 2), (1, 2)), 2)
    assert TASK.solve(triangle).count == 0


@pytest.mark.parametrize(
    ("family", "size", "count"),
    [
        ("complete", 8, 763),
        ("cycle", 8, 2_520),
        ("wheel", 9, 22_680),
        ("tree", 8, 262_144),
        ("grid", 12, math.factorial(12) // 2),
        ("dense_random", 8, 251_548_592),
        ("ramsey", 8, 2_520),
    ],
)
def test_small_spaces_are_counted(family, size, count):
    assert count_all(family, size) == pytest.approx(count, rel=1e-9)


def count_all(family, size):
    """Return how many graphs are counted, those that are colored greedily too."""
    return 10 ** TASK.space(family, size).log10 / NOT_GREEDY[family]


def triangulated_polygon(n, rng):
    """Return a triangulated polygon: each side of a first triangle is one too."""
    edges = [(i, (i + 1) % n) for i in range(n)]

    def split(low, high):
        ways = [math.comb(2 * (k - low - 1), k - low - 1) // (k - low) for k in range(low + 1, high)]
        (corner,) = rng.choices(
            range(low + 1, high), [a * b for a, b in zip(ways, reversed(ways), strict=True)]
        )
        for side in ((low, corner), (corner, high)):
            if side[1] - side[0] > 1:
                edges.append(side)
                split(*side)

    split(0, n - 1)
    return edges, 3


def any_connected_graph(n, rng):
    edges = [pair for pair in combinations(range(n), 2) if rng.random() < 0.5]
    return (edges, 0) if is_connected(n, edges) else any_connected_graph(n, rng)


# Those of which a part is counted, or of which not all are drawn equally often.
COUNTED = {
    "planar": triangulated_polygon,
    "dense_random": any_connected_graph,
    "ramsey": lambda n, _: ([(i, (i + step) % n) for i in range(n) for step in (1, 2)], 4 - (n % 3 == 0)),
}


# The sizes at which the share is smallest.
@pytest.mark.parametrize(
    ("family", "size"),
    [
        *(("cycle", 8), ("wheel", 9), ("tree", 8), ("bipartite", 9), ("planar", 8), ("grid", 12)),
        *(("dense_random", 8), ("petersen_variant", 10), ("ramsey", 13)),
    ],
)
def test_as_many_graphs_as_are_counted_are_not_colored_greedily(family, size):
    rng, make = derive_rng(0, f"not greedy {family}", 0), COUNTED.get(family, FAMILIES[family][0])
    left = drawn = 0
    while drawn < 300:
        if (graph := make(size, rng)) is None:
            continue
        labels = rng.sample(range(size), size)
        edges = sort_edges([(labels[a], labels[b]) for a, b in graph[0]])
        colors = graph[1] or 1 + max(color_with_fewest(neighbors(size, edges), 1))
        left += max(color_greedily(GraphParams(size, edges, colors))) >= colors
        drawn += 1
    assert left / drawn > NOT_GREEDY[family]


def test_all_complete_graphs_without_a_matching_are_drawn():
    drawn = {TASK.draw("complete", 8, derive_rng(seed, "complete", 0)).edges for seed in range(300)}
    assert all(24 <= len(edges) < 28 for edges in drawn)
    assert len(drawn) > 150


def test_connected_bipartite_graphs_are_counted():
    total = 0
    for part in smaller_parts(8):
        pairs = [(a, b) for a in range(part) for b in range(part, 8)]
        masks = range(1 << len(pairs)) if len(pairs) < 16 else ()
        found = sum(
            is_connected(8, [pair for i, pair in enumerate(pairs) if mask >> i & 1]) for mask in masks
        )
        total += math.comb(8, part) * found
    # 4 + 4 vertices have 65,536 graphs, too many for a test: the same loop finds 36,317, each in both orders.
    total += math.comb(8, 4) * 36_317 // 2
    assert count_all("bipartite", 8) == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("half", range(4, 9))
def test_generalized_petersen_graphs_are_counted_by_their_automorphisms(half):
    different = []
    for step in range(1, (half - 1) // 2 + 1):
        edges = [(i, (i + 1) % half) for i in range(half)] + [(i, half + i) for i in range(half)]
        graph = nx.Graph(edges + [(half + i, half + (i + step) % half) for i in range(half)])
        if not any(nx.is_isomorphic(graph, other) for other in different):
            different.append(graph)
    sizes = [sum(1 for _ in nx.isomorphism.GraphMatcher(g, g).isomorphisms_iter()) for g in different]
    count = sum(math.factorial(2 * half) // size for size in sizes)
    assert count_all("petersen_variant", 2 * half) == pytest.approx(count, rel=1e-9)


def test_colors_may_be_numbers_and_a_vertex_has_one():
    assert parse_reply("<answer>{0: 1, 1: 2}</answer>", FORM).answer == {"0": "1", "1": "2"}
    assert parse_reply('<answer>{0: "red", 0: "blue"}</answer>', FORM).answer is None
