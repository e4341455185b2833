"""The graph of each domain as a matrix: truths by community, and the actions they share (figure 6d)."""

from functools import lru_cache

import altair as alt

from perennial.tasks.kumo.report.extras import DomainGraph
from perennial.tasks.report.content import Drawing, Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.figures.chart import (
    INK,
    ROWS,
    Spec,
    compile_chart,
    make_drawing,
    series_colours,
    tips,
)
from perennial.tasks.report.wording import clean, decimals

_KEY = "communities"
_TITLE = "Domain graphs"
_SIDE = 320
_MOST_DRAWN = 12


@figure(_KEY, _TITLE, is_computed=True)
def domain_graphs(data: ReportData) -> Section:
    """Return the section of domain graphs; beyond a dozen domains the others are in its table alone."""
    table = data.tables[_KEY]
    graphs: tuple[DomainGraph, ...] = data.drawing_data
    if not graphs:
        return omit_section(_KEY, _TITLE, [table], "This edition has no configuration.")
    drawings = tuple(map(_draw, graphs[:_MOST_DRAWN]))
    beyond = len(graphs) - len(drawings)
    caption = (
        "Each row and column is a truth, on the diagonal in the colour of its community (Louvain). A field "
        "is the stronger the more actions can rule out both of its truths, empty where none can. A community "
        "that is set apart is a strong triangle under its part of the diagonal; modularity near 0 means that "
        "they hardly are. The graph describes the configuration and is no estimate, so that it has no "
        "interval; n is the number of truths."
    )
    if beyond:
        caption += f" The first {_MOST_DRAWN} domains by name are drawn, {beyond} more are in the table."
    return Section(_KEY, _TITLE, caption, (table,), drawings)


def _draw(graph: DomainGraph) -> Drawing:
    n, found = len(graph.truths), len(graph.communities)
    heading = (
        f"{graph.domain}: n = {n}, {len(graph.links):,} links, {found} "
        f"{'community' if found == 1 else 'communities'}, modularity {decimals(graph.modularity, 2)}"
    )
    order = [truth for members in graph.communities for truth in members]
    place = {truth: number for number, truth in enumerate(order)}
    names = [clean(graph.truths[truth]) for truth in order]
    community = [f"{number}" for number, members in enumerate(graph.communities, 1) for _ in members]
    most = max((weight for _, _, weight in graph.links), default=1)
    rows: list[Record] = [
        {"x": at, "y": at, "series": community[at], "truth": names[at], "ink": 1} for at in range(n)
    ]
    for one, other, weight in graph.links:
        x, y = sorted((place[one], place[other]))
        ink = round(0.1 + 0.9 * weight / most, 2)
        rows.append({"x": x, "y": y, "truth": names[x], "other": names[y], "actions": weight, "ink": ink})
    return make_drawing(heading, f"{_TITLE}: {graph.domain}", _compile(found), rows)


@lru_cache(maxsize=32)
def _compile(n_communities: int) -> Spec:
    """Return the chart of links, under the diagonal of truths."""
    sides = {"x": alt.X("x:O", axis=None), "y": alt.Y("y:O", axis=None)}
    colours = series_colours([f"{number}" for number in range(1, 1 + n_communities)], legend=None)
    links = alt.Chart().mark_rect(color=INK).transform_filter("isValid(datum.other)")
    truths = alt.Chart().mark_rect().transform_filter("!isValid(datum.other)")
    chart = alt.layer(
        links.encode(
            **sides,
            opacity=alt.Opacity("ink:Q", scale=None, legend=None),
            tooltip=tips(truth="truth", other="and", actions="shared actions"),
        ),
        truths.encode(**sides, color=colours, tooltip=tips(truth="truth", series="community")),
        data=ROWS,
    )
    return compile_chart(chart.properties(width=_SIDE, height=_SIDE))
