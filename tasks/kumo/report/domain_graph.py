"""The truths of each domain, linked by the actions they share, coloured by community (figure 6d)."""

from typing import TYPE_CHECKING, Any

from tasks.kumo.report.extras import DomainGraph
from tasks.report.content import Drawing, ReportData, Section, omit_section
from tasks.report.figures.canvas import BACK, INK, MARKERS, SERIES, WIDTH, canvas, plot, sheet, to_svg
from tasks.report.wording import clean, decimals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_KEY = "communities"
_TITLE = "Domain graphs"
_HEIGHT = 270
_MOST_DRAWN = 12
_RING, _RING_A_TRUTH, _GAP = 0.3, 0.055, 0.5


def domain_graphs(data: ReportData) -> Section:
    """Return the section of domain graphs; beyond a dozen domains the others are in its table alone."""
    table = data.tables[_KEY]
    graphs: tuple[DomainGraph, ...] = data.drawing_data
    if not graphs:
        return omit_section(_KEY, _TITLE, [table], "This edition has no configuration.")
    drawings = [
        Drawing(_heading(graph), _draw(f"{_KEY}-{number}", f"{_TITLE}: {graph.domain}", graph))
        for number, graph in enumerate(graphs[:_MOST_DRAWN])
    ]
    beyond = len(graphs) - len(drawings)
    caption = (
        "Each mark is a truth; a line joins two truths where one action can rule out both of them, and is "
        "stronger where more actions can. Marks of one colour and shape are one community (Louvain), each "
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


def _draw(key: str, title: str, graph: DomainGraph) -> str:
    places = _places(graph)
    with sheet():
        figure = canvas(_HEIGHT)
        axes = plot(figure, 6, 6, WIDTH - 12, _HEIGHT - 12)
        axes.set_axis_off()
        _join(axes, graph, places)
        for number, members in enumerate(graph.communities):
            _mark(axes, places[list(members)], number)
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.06)
        axes.autoscale_view()
        return to_svg(figure, key, title)


def _join(axes: "Axes", graph: DomainGraph, places: "NDArray[Any]") -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    most = max((weight for _, _, weight in graph.links), default=0)
    for third, strength in enumerate((0.35, 0.8, 2.0)):
        ends = [
            places[node]
            for one, other, weight in graph.links
            if min(2, 3 * weight // (most + 1)) == third
            for node in (one, other)
        ]
        if ends:
            # Fainter the more links there are: about as much ink whatever their number.
            alpha = max(0.05, min(0.6, strength * 60 / len(graph.links)))
            lines = Path(ends, [Path.MOVETO, Path.LINETO] * (len(ends) // 2))
            axes.add_patch(
                PathPatch(lines, facecolor="none", edgecolor=INK, linewidth=0.5 + 0.4 * third, alpha=alpha)
            )


def _mark(axes: "Axes", places: "NDArray[Any]", number: int) -> None:
    axes.plot(
        places[:, 0],
        places[:, 1],
        linestyle="none",
        marker=MARKERS[number % len(MARKERS)],
        color=SERIES[number % len(SERIES)],
        markersize=6.5,
        markeredgecolor=BACK,
        markeredgewidth=0.7,
    )


def _places(graph: DomainGraph) -> "NDArray[Any]":
    """Return a place for each truth: each community on a ring, the rings around the middle by size."""
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
    return places
