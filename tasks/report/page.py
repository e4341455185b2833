"""The page of a report: all sections, in order, in one HTML text that needs nothing else."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from perennial.schemas.errors import add_extra
from perennial.schemas.variables import cache_folder
from perennial.tasks.report.comparison import comparison_table, edition_difference, edition_link, link_table
from perennial.tasks.report.content import Figure, Record, ReportData, ReportTable, Section
from perennial.tasks.report.figures.costs import cheaper_models
from perennial.tasks.report.figures.headline import headline
from perennial.tasks.report.figures.heat_map import (
    contamination_gaps,
    heat_map,
    scale_over_editions,
    variance_rows,
)
from perennial.tasks.report.figures.interval_rows import player_pairs, status_rows, success_rows
from perennial.tasks.report.figures.scatter import (
    benchmarks_scatter,
    cost_scatter,
    model_groups,
    settings_scatter,
)
from perennial.tasks.report.wording import cell, clean

# The script of a report's page: Vega-Embed with its libraries, and the page's own code.
#
# Bundling takes two seconds of CPU, so that the bundle is kept in the user's cache, if there is one.
# Without the extra `figures` nothing compiles charts or has Vega: pages are written without drawings.


def explain_missing_figures() -> str:
    """Why pages have no figures; empty where they have."""
    if find_spec("vl_convert"):
        return ""
    remedy = add_extra("figures")
    return f"the page has tables and no figures, which need a package that is not installed: {remedy}"


def load_script() -> str:
    """The script as text of one script element."""
    text = (files("perennial.tasks.report") / "page.js").read_text(encoding="utf-8")
    if not explain_missing_figures():
        text = _load_bundle(text)
    # Nothing of it may end the element, and a browser would turn CR into LF, which changes the digest.
    text = text.replace("\r\n", "\n")
    return text.replace("</script", r"<\/script").replace("<!--", r"<\!--")


def _load_bundle(source: str) -> str:
    digest = sha256(source.encode()).hexdigest()[:16]
    # RuntimeError: the user has no home folder, as in some containers.
    with suppress(OSError, RuntimeError):
        kept = cache_folder() / f"report-{version('vl-convert-python')}-{digest}.js"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            # Other processes find it whole or not at all.
            with TemporaryDirectory(dir=kept.parent) as folder:
                draft = Path(folder) / kept.name
                draft.write_bytes(_bundle(source).encode())
                draft.replace(kept)
        return kept.read_bytes().decode()
    return _bundle(source)


@lru_cache(maxsize=1)
def _bundle(source: str) -> str:
    from vl_convert import javascript_bundle

    return javascript_bundle(source)


# The colors of figures by the names of the page's CSS variables: a light and a dark set.
#
# Series have Okabe and Ito's colors, distinguishable to color-blind readers.

_NAMES = ("ink", "soft", "grid", "back", "box", "link")
_VARIABLE = re.compile(r"var\(--(\w+)\)")


def _name_colors(page: str, series: str) -> Mapping[str, str]:
    page_colors = dict(zip(_NAMES, page.split(), strict=True))
    return page_colors | {f"s{number}": color for number, color in enumerate(series.split())}


LIGHT = _name_colors(
    "#1b1f24 #57606a #d5dae0 #ffffff #f4f6f8 #0b5cad",
    "#0072b2 #d55e00 #009e73 #b8508f #c98500 #3f9ad1 #7a6a00 #6b7280",
)
DARK = _name_colors(
    "#e6e9ec #a3acb6 #3a424b #14181c #1d2329 #7cbcff",
    "#4aa8e0 #ff8a4c #2cc79a #e394c6 #f2b53d #8fd0f5 #ddd05a #b4bcc6",
)


def define_colors(colors: Mapping[str, str], indent: str) -> str:
    """The definitions of the CSS variables: a line of the page's colors, and one of the series'."""
    defined = [f"--{name}: {color};" for name, color in colors.items()]
    return f"\n{indent}".join(" ".join(part) for part in (defined[: len(_NAMES)], defined[len(_NAMES) :]))


def apply_colors(chart: Mapping[str, Any], colors: Mapping[str, str]) -> dict[str, Any]:
    """The chart with these colors in place of CSS variables, for a page that has none."""
    text = _VARIABLE.sub(lambda match: colors[match[1]], json.dumps(chart))
    return dict(json.loads(text))


MOST_ROWS = 300
"""Of a longer table the page shows this many rows; the others are in the exported files."""

_EXPLORED = (
    ("editions", "edition"),
    ("leaderboard", "leaderboard"),
    ("domains", "players and domains"),
    ("figures", "figures"),
    ("instances", "instances"),
    ("episodes", "episodes"),
    ("pairs", "pairs"),
    ("drift", "drift"),
    ("scale", "common scale"),
    ("profiles", "profiles"),
)
_RATES = (headline, success_rows)
_COMPARISONS: tuple[Figure, ...] = (
    heat_map,
    player_pairs,
    cheaper_models,
    contamination_gaps,
    variance_rows,
    scale_over_editions,
    settings_scatter,
    cost_scatter,
    benchmarks_scatter,
    model_groups,
    status_rows,
)
SHARED = (*_RATES, *_COMPARISONS)
"""The figures that the report of every benchmark has."""


def sections(data: ReportData) -> list[Section]:
    """The sections of the page: the shared ones, and between and after them the benchmark's own.

    The comparison with another edition follows the headline.
    """
    figures = (*_RATES, *data.additions.after_rates, *_COMPARISONS, *data.additions.at_end)
    parts = [figure(data) for figure in figures]
    if data.comparison is not None:
        compared = (section(data, data.comparison) for section in (edition_difference, edition_link))
        parts[1:1] = [section.rename(data.claimed) for section in compared]
    return parts


def all_tables(data: ReportData) -> list[ReportTable]:
    """Every table that stands behind the page, each once, by name."""
    tables = list(data.tables.values())
    if data.comparison is not None:
        other = data.comparison
        tables += [other.headline, other.domains, other.answers, other.own_answers]
        tables += [comparison_table(data, other), link_table(data, other)]
    return sorted(tables, key=lambda table: table.name)


def render_page(data: ReportData) -> str:
    """The whole HTML page: equal data give equal text, and nothing of the data is markup."""
    links = explorer_links(data.explorer, data.edition)
    links += [("Data Docs of the audit", data.data_docs)] * bool(data.data_docs)
    command = f"perennial report {clean(data.edition)}"
    return render_sections(f"Edition {clean(data.edition)}", command, data.facts, links, sections(data))


def render_sections(
    title: str,
    command: str,
    facts: Iterable[tuple[str, str]],
    links: Iterable[tuple[str, str]],
    sections: Iterable[Section],
) -> str:
    """The HTML page of these sections, those without data as lines at its end.

    `command` writes their tables as files, with `--format`.
    """
    script, missing = load_script(), explain_missing_figures()
    listed = [replace(section, drawings=()) if missing else section for section in sections]
    return _template().render(
        title=title,
        command=command,
        explorer=list(links),
        facts=[(clean(name), clean(value)) for name, value in facts],
        sections=[section for section in listed if not section.missing],
        absent=[section for section in listed if section.missing],
        most_rows=MOST_ROWS,
        light=define_colors(LIGHT, "  "),
        dark=define_colors(DARK, "    "),
        missing_figures=missing,
        script=script,
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
    )


def explorer_links(explorer: str, edition: str) -> list[tuple[str, str]]:
    """Title and URL of each page of the explorer that shows the edition; none without an explorer."""
    if not explorer:
        return []
    query = urlencode({"edition": edition})
    return [(title, f"{explorer.rstrip('/')}/{page}?{query}") for page, title in _EXPLORED]


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("perennial.tasks.report", "."),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(clean=clean, cell=cell, shown_rows=_select_rows, columns=_columns)
    return environment.get_template("page.html.j2")


def _select_rows(table: ReportTable) -> list[tuple[str, ...]]:
    return [tuple(cell(value) for value in row) for row in table.rows[:MOST_ROWS]]


def _columns(rows: Iterable[Record]) -> dict[str, Any]:
    """The rows as lists by column, numbers to six digits.

    A column whose values repeat is {"of": its different values, "at": the index of each row's}.
    """
    listed = list(rows)
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for row in listed for name in row):
        values = [_round(row.get(name)) for row in listed]
        texts = list(dict.fromkeys(values))
        repeats = 2 * len(texts) <= len(values)
        index = {text: number for number, text in enumerate(texts)}
        columns[name] = {"of": texts, "at": [index[value] for value in values]} if repeats else values
    return columns


def _round(value: Any) -> Any:
    """The value as JSON has it: a float to six digits, and none that is infinite or no number."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.6g}") if isfinite(value) else None
