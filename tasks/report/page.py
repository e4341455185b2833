"""The page of a report: all sections, in order, in one HTML text that needs nothing else."""

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tasks.report.content import ReportData, ReportTable, Section
from tasks.report.edition_comparison import comparison_table, link_table
from tasks.report.figures.difference_bars import difference_bars
from tasks.report.figures.edition_link import edition_link
from tasks.report.figures.headline import headline
from tasks.report.figures.heat_map import heat_map
from tasks.report.figures.player_pairs import player_pairs
from tasks.report.figures.status_bars import status_bars
from tasks.report.figures.success_bars import success_bars
from tasks.report.figures.success_scatter import benchmarks_scatter, settings_scatter, tokens_scatter
from tasks.report.figures.token_bars import token_bars
from tasks.report.wording import cell, clean

if TYPE_CHECKING:
    from jinja2 import Template

MOST_ROWS = 300
"""Of a longer table the page shows this many rows; the others are in the exported files."""

_RATES = (headline, success_bars)
_COMPARISONS = (
    heat_map,
    player_pairs,
    settings_scatter,
    tokens_scatter,
    benchmarks_scatter,
    token_bars,
    status_bars,
)


def sections(data: ReportData) -> list[Section]:
    """Return the sections of the page: the shared ones, and between and after them the benchmark's own.

    The comparison with another edition follows the headline.
    """
    figures = (*_RATES, *data.own.after_rates, *_COMPARISONS, *data.own.at_end)
    found = [figure(data) for figure in figures]
    if data.comparison is not None:
        found[1:1] = [section(data, data.comparison) for section in (difference_bars, edition_link)]
    n_players, n_drawn = len(data.players()), len(data.drawn_players())
    if n_drawn < n_players:
        told = f" Named: the {n_drawn} of {n_players} players with most scored episodes; the table has all."
        found = [_with_note(section, told) for section in found]
    return found


def all_tables(data: ReportData) -> list[ReportTable]:
    """Return every table that stands behind the page, each once, by name."""
    found = list(data.tables.values())
    if data.comparison is not None:
        other = data.comparison
        found += [other.headline, other.domains, other.answers, other.own_answers]
        found += [comparison_table(data, other), link_table(data, other)]
    return sorted(found, key=lambda table: table.name)


def render_page(data: ReportData) -> str:
    """Return the whole HTML page: equal data give equal text, and nothing of the data is markup."""
    return _template().render(
        edition=clean(data.edition),
        facts=[(name, clean(value)) for name, value in data.facts],
        sections=sections(data),
        most_rows=MOST_ROWS,
    )


def _with_note(section: Section, note: str) -> Section:
    is_told = section.names_players and section.drawings
    return replace(section, caption=section.caption + note) if is_told else section


@lru_cache(maxsize=1)
def _template() -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tasks.report", "."),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(clean=clean, cell=cell, shown_rows=_select_rows)
    return environment.get_template("page.html.j2")


def _select_rows(table: ReportTable) -> list[tuple[str, ...]]:
    return [tuple(cell(value) for value in row) for row in table.rows[:MOST_ROWS]]
