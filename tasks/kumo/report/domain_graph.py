"""The truths of each domain, linked by the actions they share, coloured by community (figure 6d)."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import altair as alt

from tasks.kumo.report.extras import DomainGraph
from tasks.report.content import Drawing, Record, ReportData, Section, omit_section
from tasks.report.figures.chart import BACK, ROWS, Spec, compile_chart, make_drawing, series_colours, tips
from tasks.report.wording import clean, decimals

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KEY = "communities"
_TITLE = "Domain graphs"
_SIDE = 300
_MOST_DRAWN = 12
_RING, _RING_A_TRUTH, _GAP, _EDGE = 0.3, 0.055, 0.5, 0.2


def domain_graphs(data: ReportData) -> Section:
    """Return the section of domain graphs; beyond a dozen domains the others are in its table alone."""
    table = data.tables[_KEY]
    graphs: tuple[DomainGraph, ...] = data.drawing_data
    if not graphs:
        return omit_section(_KEY, _TITLE, [table], "This edition has no configuration.")
    drawings = [_draw(f"{_TITLE}: {graph.domain}", graph) for graph in graphs[:_MOST_DRAWN]]
    beyond = len(graphs) - len(drawings)
    caption = (
        "Each mark is a truth; a line joins two truths where one action can rule out both of them, and is "
        "stronger where more actions can. Marks of one colour are one community (Louvain), each "
        "drawn as a ring of its own; modularity near 0 means that communities are hardly set apart. The "
        "graph describes the configuration and is no estimate, so that it has no interval; n is the "
        "number of truths."
        + (
            f" The first {_MOST_DRAWN} domains by name are drawn, {beyond} more are in the table."
            if beyond
            else ""
        )
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings))


def _heading(graph: DomainGraph) -> str:
    n, found = len(graph.truths), len(graph.communities)
    return (
        f"{clean(graph.domain)}: n = {n}, {len(graph.links):,} links, {found} "
        f"{'community' if found == 1 else 'communities'}, modularity {decimals(graph.modularity, 2)}"
    )


def _draw(title: str, graph: DomainGraph) -> Drawing:
    places = [[round(float(along), 4) for along in place] for place in _places(graph)]
    names = [clean(truth) for truth in graph.truths]
    most = max((weight for _, _, weight in graph.links), default=1)
    # Fainter the more links there are: about as much ink whatever their number.
    ink = min(1.0, 60 / max(1, len(graph.links)))
    links: list[Record] = [
        dict(zip(("x", "y", "x2", "y2"), (*places[one], *places[other]), strict=True))
        | {"ink": round(max(0.06, ink * weight / most), 3)}
        for one, other, weight in graph.links
    ]
    truths: list[Record] = [
        dict(zip(("x", "y"), places[member], strict=True))
        | {"truth": names[member], "community": f"{number}", "series": f"{number}"}
        for number, members in enumerate(graph.communities, start=1)
        for member in members
    ]
    return make_drawing(_heading(graph), title, _compile(len(graph.communities)), [*links, *truths])


@lru_cache(maxsize=32)
def _compile(n_communities: int) -> Spec:
    scale = alt.Scale(domain=[0, 1])
    x, y = alt.X("x:Q", scale=scale, axis=None), alt.Y("y:Q", scale=scale, axis=None)
    lines = alt.Chart().mark_rule().transform_filter("isValid(datum.x2)")
    marks = alt.Chart().mark_point(size=60, stroke=BACK, strokeWidth=0.7)
    colour = series_colours([f"{number}" for number in range(1, 1 + n_communities)], legend=None)
    chart = alt.layer(
        lines.encode(x=x, y=y, x2="x2:Q", y2="y2:Q", opacity=alt.Opacity("ink:Q", scale=None, legend=None)),
        marks.transform_filter("!isValid(datum.x2)").encode(
            x=x, y=y, color=colour, tooltip=tips(truth="truth", community="community")
        ),
        data=ROWS,
    )
    return compile_chart(chart.properties(width=_SIDE, height=_SIDE))


def _places(graph: DomainGraph) -> "NDArray[Any]":
    """Return a place for each truth in a square of side 1: a ring a community, the rings around by size."""
    import numpy as np

    places = np.zeros((len(graph.truths), 2))
    radii = [_RING + _RING_A_TRUTH * len(members) for members in graph.communities]
    whole = sum(radii)
    # As far from the middle as neighbours need, whose middles are pi (r + s) / whole apart in angle.
    neighbours = zip(radii, radii[1:] + radii[:1], strict=True) if len(radii) > 1 else ()
    around = max(((r + s + _GAP) / 2 / np.sin(np.pi * (r + s) / 2 / whole) for r, s in neighbours), default=0)
    start = 0.0
    for members, radius in zip(graph.communities, radii, strict=True):
        angle = 2 * np.pi * (start + radius / 2) / whole
        start += radius
        middle = np.array([np.cos(angle), np.sin(angle)]) * around
        turns = 2 * np.pi * np.arange(len(members)) / len(members)
        ring = 0.0 if len(members) == 1 else radius
        places[list(members)] = middle + ring * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    low, high = places.min(axis=0), places.max(axis=0)
    places -= (low + high) / 2
    places /= (high - low).max() + 2 * _EDGE
    places += 0.5
    return places
