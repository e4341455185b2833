"""Values of items as colored cells: a list as a row, a grid, the layers of a cube side by side.

Tokens may be written by a model. A chart draws them as text on a canvas, so that none is markup; what is no
value of the expected form, too large to be drawn, or has a sign that steers how text is shown, is JSON text.
"""

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import altair as alt
import pandas as pd
import streamlit as st

from perennial.flows.web.plain_text import show_text
from perennial.tasks.a2rbench.values import layers_of

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


class Cell(NamedTuple):
    """A token with the place of its upper left corner, in cells."""

    x: float
    y: float
    token: str


def place_cells(value: object, dimension: int) -> list[Cell] | None:
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
        return [Cell(place % most, place // most, token) for place, token in enumerate(line)]
    cells: list[Cell] = []
    left, top, lowest = 0.0, 0.0, 0.0
    for layer in layers:
        width = max(map(len, layer), default=0)
        if left and left + width > most:
            left, top = 0.0, lowest + _GAP
        cells += [
            Cell(left + x, top + y, token) for y, row in enumerate(layer) for x, token in enumerate(row)
        ]
        left, lowest = left + width + _GAP, max(lowest, top + len(layer))
    return cells


def color_tokens(tokens: Iterable[str], phi: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a color for each token; with `phi`, the token that stands for another has the other's."""
    back = {new: old for old, new in (phi or {}).items()}
    names = {token: back.get(token, token) for token in tokens}
    order = {name: place for place, name in enumerate(sorted(set(names.values())))}
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
