"""Graph colouring: a proper colouring with the chromatic number of colours (section K.3 of the paper)."""

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Solutions
from perennial.tasks.beyondbench.forms.mappings.coloring import ColoringForm
from perennial.tasks.beyondbench.hard.graph_coloring.families import DENSITY, FAMILIES, draw_graph
from perennial.tasks.beyondbench.hard.graph_coloring.graph import (
    GraphParams,
    color_with_fewest,
    has_coloring,
    neighbors,
)
from perennial.tasks.beyondbench.hard.graph_coloring.space import count_graphs
from perennial.tasks.beyondbench.task import RIGHT, Task, Variation

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
    """Return the mapping with names in one case, None where the answer is no mapping from text to names."""
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


def _guess(params: GraphParams, rng: random.Random) -> Answer:
    return {str(vertex): f"C{rng.randint(1, params.colors)}" for vertex in range(params.vertices)}


def _mutate(params: GraphParams, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Yield colourings with an edge of one colour, with colours merged, and proper ones with more colours."""
    for low, high in rng.sample(params.edges, min(4, len(params.edges))):
        yield f"{low} and {high} alike", {**answer, str(low): answer[str(high)]}
    first, second = rng.sample(sorted(set(answer.values())), 2)
    merged = {vertex: first if color == second else color for vertex, color in answer.items()}
    yield f"{first} and {second} merged", merged
    renamed = {vertex: color.lower() for vertex, color in answer.items()}
    yield "names in lower case", renamed
    yield "numbers for names", {vertex: int(color[1:]) for vertex, color in answer.items()}


def _tokens(family: str, size: int) -> tuple[int, int]:
    """Return 150 + 4 |E| and 8 n (the paper has 30 + 2 |E|, less than our text); |E| is the family's mean."""
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
    template="beyondbench/hard/graph_coloring.md.j2",
    draw=draw_graph,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: ColoringForm(params.vertices),
    words=_words,
    read=_read,
    guess=_guess,
    tokens=_tokens,
    space=count_graphs,
    mutate=_mutate,
)
