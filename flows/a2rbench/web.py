"""What A2RBench adds to the explorer."""

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import altair as alt
import pandas as pd
import streamlit as st

from perennial.flows.web.figures import show_query, show_rows
from perennial.flows.web.page import Opened, Page, Visit, choose, choose_rows, plain, show_text
from perennial.schemas.a2rbench.things import DOMAINS, SETTINGS, VARIATIONS
from perennial.schemas.rows import Row
from perennial.tasks.a2rbench.values import layers_of
from perennial.warehouse.catalog.confinement import quote

# Values of items as colored cells: a list as a row, a grid, the layers of a cube side by side.
#
# Tokens may be written by a model. A chart draws them as text on a canvas, so that none is markup; what is no
# value of the expected form, too large to be drawn, or has a sign that steers how text is shown, is JSON
# text.

# Light colors, on which black text is readable in a light and in a dark page. The first is for tokens that
# nothing else on the page has.
_COLORS = (
    *("#e8e8e8", "#aecbfa", "#fbd1a2", "#b7e1cd", "#f6aea9", "#d7c3f2", "#fdf0a6", "#a8e6ef", "#f7c5e0"),
    *("#d5d0c7", "#cfe8a0", "#c5cae9", "#ffccbc"),
)
_LONGEST_TOKEN = 6
_MOST_CELLS = 600
# A phone has 390 pixels.
_WIDTH = 340
_GAP = 0.5
# Streamlit adds to each side.
_PADDING = dict.fromkeys(("left", "right", "top", "bottom"), 2)


class TokenCell(NamedTuple):
    """A token with the place of its upper left corner, in cells."""

    x: float
    y: float
    token: str


def place_cells(value: object, dimension: int) -> list[TokenCell] | None:
    """Return the cells of a value of this dimension, None where it is none or cannot be drawn.

    A row may be a text of one-letter tokens, as in the authors' release. What is wider than a phone continues
    below.
    """
    layers = layers_of(value, dimension)
    if layers is None or sum(len(row) for layer in layers for row in layer) > _MOST_CELLS:
        return None
    tokens = [token for layer in layers for row in layer for token in row]
    if not tokens or max(map(len, tokens)) > _LONGEST_TOKEN or not all(map(str.isprintable, tokens)):
        return None
    most = int(_WIDTH / _side(tokens))
    if dimension == 1:
        (line,) = layers[0]
        return [TokenCell(position % most, position // most, token) for position, token in enumerate(line)]
    cells: list[TokenCell] = []
    left, top, lowest = 0.0, 0.0, 0.0
    for layer in layers:
        width = max(map(len, layer), default=0)
        if left and left + width > most:
            left, top = 0.0, lowest + _GAP
        cells += [
            TokenCell(left + x, top + y, token) for y, row in enumerate(layer) for x, token in enumerate(row)
        ]
        left, lowest = left + width + _GAP, max(lowest, top + len(layer))
    return cells


def color_tokens(tokens: Iterable[str], phi: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a color for each token; with `phi`, the token that stands for another has the other's."""
    back = {new: old for old, new in (phi or {}).items()}
    names = {token: back.get(token, token) for token in tokens}
    order = {name: index for index, name in enumerate(sorted(set(names.values())))}
    return {token: _COLORS[1 + order[name] % (len(_COLORS) - 1)] for token, name in names.items()}


def tokens_of(value: object) -> set[str]:
    """Return the texts inside a value, and the letters of those: either may be its tokens."""
    if isinstance(value, str):
        return {value, *value}
    return set().union(*map(tokens_of, value)) if isinstance(value, list) else set()


def show_value(value: object, dimension: int, colors: Mapping[str, str]) -> None:
    """Draw a value, or show it as JSON text."""
    cells = place_cells(value, dimension)
    if cells is None:
        show_text(json.dumps(value, ensure_ascii=False))
        return
    side = _side([cell.token for cell in cells])
    rows = [cell._asdict() | {"color": colors.get(cell.token, _COLORS[0])} for cell in cells]
    width, height = (max(getattr(cell, axis) for cell in cells) + 1 for axis in "xy")
    base = alt.Chart(pd.DataFrame(rows)).transform_calculate(
        right="datum.x + 1", below="datum.y + 1", middle="datum.x + 0.5", centre="datum.y + 0.5"
    )
    across, down = alt.Scale(domain=[0, width], nice=False), alt.Scale(domain=[height, 0], nice=False)
    squares = base.mark_rect(stroke="white", strokeWidth=1.5).encode(
        x=alt.X("x:Q", scale=across, axis=None),
        x2="right:Q",
        y=alt.Y("y:Q", scale=down, axis=None),
        y2="below:Q",
        color=alt.Color("color:N", scale=None),
    )
    texts = base.mark_text(color="#1a1a1a", fontSize=13, font="monospace").encode(
        x=alt.X("middle:Q", scale=across, axis=None),
        y=alt.Y("centre:Q", scale=down, axis=None),
        text="token:N",
    )
    chart = alt.layer(squares, texts).properties(width=width * side, height=height * 26, padding=_PADDING)
    st.altair_chart(chart.configure_view(stroke=None), width="content")


def _side(tokens: list[str]) -> int:
    """Return the width of a cell in pixels."""
    longest = max(map(len, tokens))
    return 26 if longest < 3 else 10 + 8 * longest


# One item: its examples and query beside its copy in other tokens, its rule, and what players answered.

_FACTS = ("rule", "author", "type", "dimension", "variation", "is_remapped", "seed_item", "of")
_CHECKS = ("fits", "fits_other", "commutes", "rejected_draws", "gzip", "deflate")
_MEASURES = (
    *("max_loop_depth", "total_ifs", "max_if_depth", "max_complexity", "mutability"),
    "return_complexity",
)


def show_item(edition: Opened, instance_id: str) -> None:
    """Show the item beside its copy or original, its rule, and the answers to both."""
    row = edition.require("a2rbench_items", "instance_id", instance_id)
    facts = ([name for name in names if row[name] is not None] for names in (_FACTS, _CHECKS, _MEASURES))
    st.text("\n".join(", ".join(f"{name} {_text(row[name])}" for name in names) for names in facts))
    versions = [row, *_counterparts(edition, row)]
    versions.sort(key=lambda version: bool(version["is_remapped"]))
    for column, version in zip(st.columns(len(versions)), versions, strict=True):
        with column:
            if len(versions) > 1:
                st.header("Copy in other tokens (P1)" if version["is_remapped"] else "Original (P0)")
            _show_values(version)
    _show_phi(versions[-1])
    st.header("Rule")
    _show_rule(row)
    _show_answers(edition, row, versions)


def show_solution(edition: Opened, instance_id: str) -> None:
    """Show the query of the item, the right answer, and the rule."""
    row = edition.require("a2rbench_items", "instance_id", instance_id)
    colors = _colors_of(row)
    for name in ("query", "answer"):
        st.caption(name)
        show_value(json.loads(row[name]), row["dimension"], colors)
    _show_rule(row)


def _counterparts(edition: Opened, row: Row) -> list[Row]:
    """Return the copy of an original or the original of a copy, where the edition has one."""
    same = (
        f"instance_id = {quote(row['of'])}"
        if row["is_remapped"]
        else f"of = {quote(row['instance_id'])} AND is_remapped"
    )
    return edition.query(f"FROM a2rbench_items WHERE {same} ORDER BY instance_id LIMIT 1").records()


def _show_values(row: Row) -> None:
    colors, dimension = _colors_of(row), row["dimension"]
    for number, (start, wanted) in enumerate(json.loads(row["examples"]), start=1):
        _show_pair(f"Example {number}", start, wanted, dimension, colors)
    _show_pair(
        "Query and right answer", json.loads(row["query"]), json.loads(row["answer"]), dimension, colors
    )
    with st.expander("The prompt as players see it"):
        show_text(row["prompt"])


def _show_pair(label: str, start: object, wanted: object, dimension: int, colors: Mapping[str, str]) -> None:
    st.caption(label)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show_value(start, dimension, colors)
        st.text("→", width="content")
        show_value(wanted, dimension, colors)


def _colors_of(row: Row) -> dict[str, str]:
    values = [json.loads(row[name]) for name in ("examples", "query", "answer")]
    return color_tokens(tokens_of(values), json.loads(row["phi"]) if row["phi"] else None)


def _show_phi(row: Row) -> None:
    if row["phi"]:
        st.caption("φ, the token that stands for each")
        pairs = sorted(json.loads(row["phi"]).items())
        show_text("   ".join(f"{old} → {new}" for old, new in pairs))
    elif row["commutes"] is False:
        st.text("It has no copy in other tokens: the rule gives other outputs for renamed inputs.")


def _show_rule(row: Row) -> None:
    for label, name in (
        ("the rule", "description"),
        ("its inverse", "inverse_description"),
        ("code", "code"),
    ):
        st.caption(label)
        show_text(row[name])


def _show_answers(edition: Opened, row: Row, versions: list[Row]) -> None:
    """List the answers to these items, and show the one that is chosen beside the right one."""
    st.header("Answers")
    ids = ", ".join(quote(version["instance_id"]) for version in versions)
    rows = edition.query(
        "SELECT e.player, e.run, if(i.is_remapped, 'P1', 'P0') AS item, e.success AS right, e.status, "
        "a.rule, a.answer, a.parse, a.collapsed, e.episode_id, e.instance_id FROM a2rbench_answers "
        "AS a JOIN episodes AS e USING (episode_id) JOIN a2rbench_items AS i USING (instance_id) "
        f"WHERE e.instance_id IN ({ids}) ORDER BY e.player, e.run, item, e.episode_id"
    )
    show_rows("answers", rows)
    plays = [play for play in rows.records() if play["instance_id"] == row["instance_id"]]
    if not plays:
        return
    named = {f"{play['player']}, run {play['run']} ({play['episode_id']})": play for play in plays}
    answer = named[choose("Answer", named, "answer")]
    st.text(f"{'right' if answer['right'] else 'wrong'}, status {answer['status']}")
    left, right = st.columns(2)
    with left:
        st.caption(plain(f"answer of {answer['player']}"))
        _show_answer(answer["answer"], row)
    with right:
        st.caption("right answer")
        show_value(json.loads(row["answer"]), row["dimension"], _colors_of(row))
    st.caption("the rule in the player's words")
    show_text(answer["rule"])


def _show_answer(text: str | None, row: Row) -> None:
    if text is None:
        st.text("none was read from the reply")
        return
    try:
        value = json.loads(text)
    except RecursionError:
        value = None
    if place_cells(value, row["dimension"]) is None:
        show_text(text)
    else:
        show_value(value, row["dimension"], _colors_of(row))


def _text(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


# What A2RBench adds to the explorer: its items.


def show_items(visit: Visit) -> None:
    """List the items of the edition."""
    first, *columns = st.columns(4)
    edition = visit.choose_edition("a2rbench", column=first)
    filters = (
        ("Cell", "domain", "i.domain", DOMAINS),
        ("Variation", "variation", "'V' || a.variation", [f"V{number}" for number in range(VARIATIONS)]),
        ("Setting", "setting", "i.setting", SETTINGS),
    )
    where = choose_rows(columns, filters)
    show_query(
        "items",
        edition.snapshot,
        "SELECT i.instance_id, i.domain, i.setting, a.variation, a.rule, a.author, a.fits, a.gzip, "
        "p.instance_id IS NOT NULL AS private, s.value AS share_solved, s.n AS players, a.query, a.answer "
        "FROM instances AS i JOIN a2rbench_items AS a USING (edition, instance_id) "
        "LEFT JOIN private_instances AS p USING (edition, instance_id) "
        "LEFT JOIN statistics AS s ON s.other = i.instance_id AND s.statistic = 'item_share_solved' "
        f"WHERE {where} ORDER BY i.domain, a.rule, a.seed_item, a.variation, a.is_remapped, i.instance_id",
        lambda row: visit.go("instances", edition=edition.name, instance=row["instance_id"]),
    )


ITEMS = Page("a2rbench-items", "A2RBench: items", show_items)
