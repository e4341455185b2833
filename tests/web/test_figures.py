"""Figures of the explorer are those of the report: the same section of the same declaration."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from perennial.flows.benchmark import find_installed
from perennial.flows.editions.report import own_report, report_data
from perennial.flows.web.figures import chart_of, own_figures, read_edition
from perennial.flows.web.page import Opened, Visit, read_snapshot
from perennial.tasks.report.content import Section
from perennial.tasks.report.page import SHARED, sections
from perennial.warehouse.store.store import Store
from tests.a2rbench import made_edition as a2rbench
from tests.beyondbench import made_edition as beyondbench
from tests.beyondbench.test_report import FAMILY, QUANTISED
from tests.flows.report_root import publish_two
from tests.knowlogic.figures import made_edition as knowlogic
from tests.web.drawn_charts import charts_of
from tests.web.visiting import errors_of, visit


def _publish_beyondbench(root: Path) -> None:
    facts = {**FAMILY, **QUANTISED}
    models = {name: (min(5, 1 + place // 2), 2, 1) for place, name in enumerate(facts)}
    beyondbench.publish(root, beyondbench.rows(models), facts=facts)


def _publish_a2rbench(root: Path) -> None:
    made = a2rbench.rows()
    a2rbench.publish(root, made, a2rbench.statistics(made))


MADE: dict[str, Callable[[Path], object]] = {
    "kumo": publish_two,
    "beyondbench": _publish_beyondbench,
    "knowlogic": lambda root: knowlogic.publish(root, knowlogic.rows()),
    "a2rbench": _publish_a2rbench,
}


@pytest.fixture(scope="module", params=MADE)
def root(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("drawn") / "data"
    MADE[request.param](root)
    return root


@pytest.fixture(scope="module")
def reported(root: Path) -> dict[str, Section]:
    """The sections of the report of the newest edition, in order, by key."""
    return {section.key: section for section in sections(report_data(Store(str(root))))}


@pytest.fixture(scope="module")
def edition(root: Path) -> Opened:
    """The newest edition, opened for all tests of it."""
    seen = Visit(read_snapshot(str(root)), {})
    return seen.open_edition(seen.list_editions()[0]["edition"])


def _texts(drawn: list[Section]) -> Iterator[tuple[object, ...]]:
    for section in drawn:
        yield section.key, section.title, section.caption, section.missing, section.grid, section.tables
        for drawing in section.drawings:
            yield drawing.heading, drawing.title, drawing.rows, drawing.source.lite


@pytest.mark.slow
def test_each_figure_is_the_reports_of_the_queries_that_it_declares(
    edition: Opened, reported: dict[str, Section]
) -> None:
    figures = [*SHARED, *own_report(find_installed(edition.benchmark_name)).figures]
    assert {one.key for one in figures} == set(reported)
    assert {one.key: one.title for one in figures} == {key: one.title for key, one in reported.items()}
    for one in figures:
        drawn = one(read_edition(edition, [one]))
        assert list(_texts([drawn])) == list(_texts([reported[one.key]])), one.key
        for drawing in drawn.drawings:
            assert chart_of(drawing)["datasets"]["rows"] == list(drawing.rows)


@pytest.mark.slow
def test_the_page_shows_any_figure_under_its_title(
    root: Path, edition: Opened, reported: dict[str, Section]
) -> None:
    listed = own_figures(edition)
    first, last = listed[0], listed[-1]
    with_drawings = next(one for one in listed if one.key in reported and reported[one.key].drawings)
    for one in {first.key: first, with_drawings.key: with_drawings, last.key: last}.values():
        shown = visit(root, "figures", edition=edition.name, figure=one.key)
        assert errors_of(shown) == []
        assert [header.value.replace("\\", "") for header in shown.header] == [one.title]
        drawings = reported[one.key].drawings if one.key in reported else ()
        assert len(charts_of(shown)) == len(drawings)


@pytest.mark.slow
def test_what_the_explorer_alone_shows_has_rows_and_a_question(edition: Opened) -> None:
    for one in own_report(find_installed(edition.benchmark_name)).explored:
        (table,) = one(read_edition(edition, [one])).tables
        assert table.rows, one.key
        assert table.question.endswith("?")


@pytest.mark.slow
def test_the_best_cells_of_a_table_are_bold_and_the_second_shaded(
    root: Path, edition: Opened, reported: dict[str, Section]
) -> None:
    keys = {one.key for one in own_figures(edition)}
    marked = [one for one in reported.values() if one.key in keys and one.grid is not None and one.grid.best]
    if not marked:
        pytest.skip("no figure of this benchmark marks the best cells of a table")
    section = marked[0]
    assert section.grid is not None
    shown = visit(root, "figures", edition=edition.name, figure=section.key)
    styles = shown.dataframe[0].proto.arrow_data.styler.styles
    for row, cells in enumerate(section.grid.rows):
        for column in range(len(cells)):
            cell = f"row{row}_col{column} "
            assert ((row, column) in section.grid.best) == _is_styled(styles, cell, "font-weight: bold")
            assert ((row, column) in section.grid.second) == _is_styled(styles, cell, "background-color")
    assert any("gray background" in one.value for one in shown.caption) == bool(section.grid.second)


def _is_styled(styles: str, cell: str, rule: str) -> bool:
    """Return whether a block of the style sheet sets the rule for this cell."""
    return any(
        rule in block and cell in block.split("{")[0].replace(",", " ") + " " for block in styles.split("}")
    )
