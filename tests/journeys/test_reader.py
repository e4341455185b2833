"""A reader opens the website: which model is best at what, how sure, and what does a question look like."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.flows.chromium import CHROMIUM, FLAGS
from tests.flows.prefect_harness import Harness
from tests.journeys.named_models import NAMES
from tests.journeys.walking import SIX_MODELS, Walk
from tests.server.running import running_server

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: no page is opened"),
]
playwright_api = pytest.importorskip("playwright.sync_api", reason="the extra `test` brings playwright")
DESKTOP, PHONE = 1280, 390
# The rows of all tables as texts of their cells, and cells whose text is wider than what is seen of it.
READ_TABLES = "[...document.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.innerText.trim()))"
FIND_CUT_CELLS = """[...document.querySelectorAll('td, th')].filter(cell =>
    cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).overflowX !== 'visible'
).map(cell => cell.innerText)"""


@pytest.fixture(scope="module")
def walk(terminal: Harness, tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """A folder with three editions of six models, the newest of two questions, and one of `try`."""
    walk = Walk(tmp_path_factory.mktemp("operator"), terminal)
    (walk.folder / "warehouse/data").mkdir(parents=True)
    with running_server(SIX_MODELS) as server:
        grow = f"perennial refresh --runs 1 --base-url {server.url} --players {','.join(NAMES)}"
        cases = "--domains chemical_analysis,mineral_identification --settings easy --instances 5"
        walk.type(f"{grow},optimum,guesser {cases} --edition cases")
        sums = f"{grow},exact,guesser --benchmark beyondbench --tasks addition/standard"
        walk.type(f"{sums} --instances 100 --edition sums")
        walk.type(f"{sums} --instances 2 --edition newer-and-tiny")
        walk.type(f"perennial try corvid-mini --base-url {server.url}")
    walk.type("perennial site public")
    return walk


@pytest.fixture(scope="module")
def page(walk: Walk) -> Iterator["Page"]:
    """A page of a browser."""
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser.new_page(viewport={"width": PHONE, "height": 900})
        browser.close()


def test_a_reader_sees_every_model_with_a_number(page: "Page", walk: Walk) -> None:
    page.goto((walk.folder / "public/index.html").as_uri())
    rows = page.evaluate(READ_TABLES)
    for name in NAMES:
        results = [row for row in rows if any(name in cell for cell in row)]
        assert len(results) >= 2, f"{name} is not on the leaderboards of both benchmarks"
        assert all(re.search(r"\d\.\d|\d+ ?%", " ".join(row)) for row in results), results
    # The edition of two questions, though newer, hides nothing of the one with a hundred.
    text = page.inner_text("body")
    assert "cases" in text
    assert "sums" in text
    # A first score by `try` is no published result.
    ((trial,),) = walk.rows("SELECT edition FROM editions WHERE is_trial")
    assert not any(trial in path.read_text("utf-8") for path in (walk.folder / "public").rglob("*.html"))


def test_a_reader_finds_no_empty_row_and_no_cut_cell_on_any_page(page: "Page", walk: Walk) -> None:
    for path in sorted((walk.folder / "public").rglob("*.html")):
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        for width in (DESKTOP, PHONE):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
            assert not page.evaluate(FIND_CUT_CELLS), path.name
        assert not [row for row in page.evaluate(READ_TABLES) if not any(row[1:] or row)], path.name


def test_a_reader_opens_a_model_and_sees_why_it_lost(page: "Page", walk: Walk) -> None:
    page.goto((walk.folder / "public/index.html").as_uri())
    page.goto(page.evaluate("[...document.links].find(a => a.innerText.includes('corvid-mini')).href"))
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    text = page.inner_text("body")
    assert "corvid-mini" in text
    assert "sums" in text
    assert "cases" in text
    assert "I cannot say." in text
    # Programs are lines of reference: they have no page.
    assert not list((walk.folder / "public/players").glob("optimum*"))
