"""The colors of figures by the names of the page's CSS variables: a light and a dark set.

Series have Okabe and Ito's colors, distinguishable to color-blind readers.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

_NAMES = ("ink", "soft", "grid", "back", "box", "link")
_VARIABLE = re.compile(r"var\(--(\w+)\)")


def _name_colors(page: str, series: str) -> Mapping[str, str]:
    own = dict(zip(_NAMES, page.split(), strict=True))
    return own | {f"s{number}": color for number, color in enumerate(series.split())}


LIGHT = _name_colors(
    "#1b1f24 #57606a #d5dae0 #ffffff #f4f6f8 #0b5cad",
    "#0072b2 #d55e00 #009e73 #b8508f #c98500 #3f9ad1 #7a6a00 #6b7280",
)
DARK = _name_colors(
    "#e6e9ec #a3acb6 #3a424b #14181c #1d2329 #7cbcff",
    "#4aa8e0 #ff8a4c #2cc79a #e394c6 #f2b53d #8fd0f5 #ddd05a #b4bcc6",
)


def define_colors(colors: Mapping[str, str], indent: str) -> str:
    """Return the definitions of the CSS variables: a line of the page's colors, and one of the series'."""
    defined = [f"--{name}: {color};" for name, color in colors.items()]
    return f"\n{indent}".join(" ".join(part) for part in (defined[: len(_NAMES)], defined[len(_NAMES) :]))


def apply_colors(chart: Mapping[str, Any], colors: Mapping[str, str]) -> dict[str, Any]:
    """Return the chart with these colors in place of CSS variables, for a page that has none."""
    text = _VARIABLE.sub(lambda found: colors[found[1]], json.dumps(chart))
    return dict(json.loads(text))
