"""The sheet that every figure is drawn on, and how it becomes an SVG that is part of a page.

A figure is measured in CSS pixels of a phone (340 across); the page enlarges it where there is room.
Its colours are place-holders that become CSS variables, so that one drawing serves a light and a dark
page. Text stays text (svg.fonttype none): it can be searched and read aloud, any script of the world
that the reader's fonts have is shown, and the page stays small; DejaVu Sans, with which matplotlib
measures, runs wider than the system fonts that the page uses.
"""

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from tasks.report.wording import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 340
TEXT = 11
SMALL = 9.5

INK = "#010200"
SOFT = "#010201"
GRID = "#010202"
BACK = "#010203"
SERIES_COUNT = 8
SERIES = tuple(f"#0102{16 + number:02x}" for number in range(SERIES_COUNT))
"""Okabe and Ito's colours, distinguishable to colour-blind readers; the page has a light and a dark set."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")

VARIABLES = {INK: "ink", SOFT: "soft", GRID: "grid", BACK: "back"} | {
    colour: f"s{number}" for number, colour in enumerate(SERIES)
}
_PLACE_HOLDER = re.compile("|".join(VARIABLES))
_FONT_FAMILY = re.compile(r"font-family:[^;]*;?\s*")
_REFERENCE = re.compile(r"#([A-Za-z][\w.-]*)")
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "perennial",
    "text.parse_math": False,  # a name may hold dollar signs
    "font.family": ["DejaVu Sans"],
    "font.size": TEXT,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": SOFT,
    "axes.labelsize": SMALL,
    "axes.unicode_minus": True,
    "axes.linewidth": 1.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": SOFT,
    "ytick.labelcolor": SOFT,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "lines.solid_capstyle": "butt",
}


@contextmanager
def sheet() -> Iterator[None]:
    """Draw inside this: matplotlib's defaults and our own style, whatever the user's matplotlibrc says."""
    from matplotlib import style

    with style.context(["default", _STYLE]), warnings.catch_warnings():
        # Measured with DejaVu Sans, shown with the reader's fonts, which may know more letters.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from")
        yield


def canvas(height: float, width: float = WIDTH) -> "Figure":
    """Return an empty figure of that size in CSS pixels."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72), dpi=72)
    FigureCanvasSVG(figure)
    figure.patch.set_visible(False)
    return figure


def plot(figure: "Figure", left: float, top: float, width: float, height: float) -> "Axes":
    """Return axes at that place, in CSS pixels from the figure's upper left corner."""
    across, down = figure.get_size_inches() * 72
    axes = figure.add_axes(
        (left / across, 1 - (top + height) / down, width / across, height / down), facecolor="none"
    )
    axes.patch.set_visible(False)
    return axes


def to_svg(figure: "Figure", key: str, title: str) -> str:
    """Return the figure as an SVG element for an HTML page: named `title`, its ids begin with `key`."""
    sink = io.StringIO()
    figure.savefig(sink, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = ElementTree.fromstring(sink.getvalue().encode())
    for parent in list(root.iter()):
        for child in list(parent):
            # Its style sheet would speak to the whole page.
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    _own_ids(root, key)
    for element in root.iter():
        if "style" in element.attrib:
            element.set("style", _apply_theme(element.attrib["style"]))
    width, _ = figure.get_size_inches() * 72
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("class", "drawing")
    root.set("role", "img")
    root.set("aria-label", clean(title))
    root.set("style", f"min-width: {width:.0f}px; max-width: {width * 1.6:.0f}px")
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _apply_theme(style: str) -> str:
    kept = _FONT_FAMILY.sub("", style)
    return _PLACE_HOLDER.sub(lambda found: f"var(--{VARIABLES[found[0]]})", kept)


def _own_ids(root: ElementTree.Element, key: str) -> None:
    """Drop the ids that nothing refers to; set `key` before the others, as a page has many drawings."""
    used = {
        name
        for element in root.iter()
        for attribute, value in element.attrib.items()
        if attribute not in ("style", "id") or "url(" in value
        for name in _REFERENCE.findall(value)
    }
    for element in root.iter():
        if element.attrib.get("id") in used:
            element.set("id", f"{key}-{element.attrib['id']}")
        else:
            element.attrib.pop("id", None)
        for attribute, value in element.attrib.items():
            if attribute == f"{{{_XLINK}}}href" or "url(#" in value:
                element.set(attribute, value.replace("#", f"#{key}-", 1))
