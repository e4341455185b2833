"""The page of profiles in headless Chromium: drawn offline, as wide as a phone, names are no markup."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from perennial.flows.editions.report import profile_data
from perennial.flows.editions.report_files import write_profiles
from perennial.warehouse.store.store import Store
from tests.beyondbench import made_edition
from tests.flows.chromium import CHROMIUM, FLAGS
from tests.flows.report_root import HOSTILE, publish_two

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: no page is opened")
PHONE, DESKTOP = 390, 1280


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two editions of one benchmark, one of them hostile, and an edition of another."""
    folder = tmp_path_factory.mktemp("browsed")
    publish_two(folder / "data")
    made_edition.publish(folder / "data", made_edition.rows())
    data = replace(profile_data(Store(str(folder / "data"))), explorer="http://127.0.0.1:9")
    (written,) = write_profiles(data, folder)
    return written


@pytest.mark.slow
def test_names_of_players_are_text_and_the_newest_edition_is_shown(page_file: Path) -> None:
    page = page_file.read_text("utf-8")
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "edition new, 2026-01-03" in page
    assert "edition old" not in page


@pytest.mark.slow
def test_all_figures_are_drawn_offline_at_each_width(page_file: Path) -> None:
    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
        page.on("request", lambda asked: None if asked.url.startswith("file:") else wrong.append(asked.url))
        for width in (PHONE, DESKTOP):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(page_file.as_uri())
            page.wait_for_function("document.documentElement.dataset.drawn", timeout=60_000)
            # Two settings of one benchmark and three of the other, and two matrices.
            assert page.locator(".chart svg").count() == 5 + 2
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        matrix = page.locator("#correlations .chart").first
        assert matrix.locator("text=beyondbench, medium").count() >= 2
        page.locator("#find").fill("m-large")
        rows = page.locator("#profiles .grid tbody tr:visible")
        assert rows.count() == 1
        assert rows.first.locator("td").nth(0).inner_text() == "m-large"
        browser.close()
    assert wrong == []
