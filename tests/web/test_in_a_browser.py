"""The explorer in headless Chromium, through the real server: pages, links, a download, hostile input.

SQL that would run for minutes ends with its page, and others are served meanwhile.
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import psutil
import pytest
from playwright.sync_api import Page, sync_playwright

from perennial.flows.web.explorer import pages_of
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.a2rbench import made_edition
from tests.flows.chromium import CHROMIUM, FLAGS
from tests.flows.prefect_harness import is_running, wait_until
from tests.warehouse.test_confined_sql import SLOW
from tests.warehouse.tiny_edition import INSTANCE_ID
from tests.web.explored_root import digests, publish_explored
from tests.web.test_server import served

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: no page is opened"),
]
PHONE, DESKTOP = 390, 1300
PATIENCE_MS = 300_000  # a machine may be many times slower than this one
Server = tuple[subprocess.Popen[str], str]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("browsed") / "data"
    publish_explored(root)
    made_edition.publish(root, made_edition.rows(), [])
    return root


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Server]:
    """The server's process and its URL."""
    with served("--root", str(root)) as started:
        yield started


@pytest.fixture(scope="module")
def explored(root: Path, server: Server) -> Iterator[tuple[Path, str, Page, list[str]]]:
    """The data root, the server's URL, a page of the browser, and what it asked for elsewhere."""
    before, (_, url) = digests(root), server
    foreign: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": DESKTOP, "height": 800})
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        inside = (url, "blob:", "data:", url.replace("http", "ws"))
        page.on("request", lambda asked: None if asked.url.startswith(inside) else foreign.append(asked.url))
        yield root, url, page, foreign
        browser.close()
    assert digests(root) == before
    assert foreign == []


def _open(page: Page, address: str, text: str) -> None:
    page.goto(address)
    page.get_by_text(text, exact=False).first.wait_for()


def test_all_pages_open_by_links_and_fit_a_phone(explored: tuple[Path, str, Page, list[str]]) -> None:
    root, url, page, _ = explored
    page.set_viewport_size({"width": PHONE, "height": 800})
    _open(page, f"{url}/?edition=new", "Manifest")
    for one in pages_of(str(root)):
        if page.get_by_test_id("stExpandSidebarButton").is_visible():
            page.get_by_test_id("stExpandSidebarButton").click()
        page.get_by_test_id("stSidebar").get_by_role("link", name=one.title, exact=True).click()
        page.get_by_role("heading", name=one.title, exact=True).first.wait_for()
        # The state goes along: the edition is in the URL of the next page.
        assert parse_qs(urlsplit(page.url).query)["edition"] == ["new"]
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        assert page.get_by_text("This page failed").count() == 0
    page.set_viewport_size({"width": DESKTOP, "height": 800})


def test_a_table_is_downloaded_whole(explored: tuple[Path, str, Page, list[str]]) -> None:
    root, url, page, _ = explored
    _open(page, f"{url}/episodes?edition=new", "episodes.csv")
    with page.expect_download() as saved:
        page.get_by_role("button", name="episodes.csv").click()
    lines = saved.value.path().read_text(encoding="utf-8").splitlines()
    _, rows = open_catalog(Store(str(root))).query("SELECT count(*) FROM episodes WHERE edition = 'new'")
    assert len(lines) == 1 + rows[0][0]
    assert rows[0][0] > 50


def test_the_report_links_back_to_the_explorer(explored: tuple[Path, str, Page, list[str]]) -> None:
    _, url, page, _ = explored
    _open(page, f"{url}/?edition=hostile", "Report (HTML)")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Report (HTML)").click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert f'<a href="{url}/leaderboard?edition=hostile">' in text


def test_a_hostile_reply_is_text(explored: tuple[Path, str, Page, list[str]]) -> None:
    root, url, page, foreign = explored
    _, rows = open_catalog(Store(str(root))).query(
        "SELECT episode_id FROM episodes WHERE edition = 'hostile' AND player = 'random'"
    )
    _open(page, f"{url}/instances?edition=hostile&instance={INSTANCE_ID}", "private")
    _open(page, f"{url}/episodes?edition=hostile&episode={rows[0][0]}", "<script>document.title")
    assert page.title() != "owned"
    assert page.locator("img[src*='127.0.0.1:9'], [href^='javascript']").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP
    _open(
        page,
        f"{url}/leaderboard?edition={quote('![x](http://127.0.0.1:9/z.png)')}",
        "of the link is not here",
    )
    assert page.locator("img[src*='127.0.0.1:9']").count() == 0
    assert foreign == []


def test_values_of_an_item_of_a2rbench_are_drawn_on_a_phone(
    explored: tuple[Path, str, Page, list[str]],
) -> None:
    _, url, page, _ = explored
    (copy, *_) = [item for item in made_edition.items() if item.is_remapped and item.dimension == 3]
    # Five examples and the query, of the copy and of its original; the chosen answer and the right one.
    values = 2 * 6 * 2 + 2
    page.set_viewport_size({"width": PHONE, "height": 800})
    page.goto(f"{url}/instances?edition=a1&instance={copy.instance_id}")
    page.get_by_role("heading", name="Episodes", exact=True).last.wait_for()
    page.wait_for_function(
        "n => document.querySelectorAll('[data-testid=stVegaLiteChart] canvas, "
        "[data-testid=stVegaLiteChart] svg.marks').length >= n",
        arg=values,
    )
    assert page.get_by_text("TypeError").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    page.set_viewport_size({"width": DESKTOP, "height": 800})


def test_a_page_is_shown_while_a_query_runs_and_the_query_ends_with_its_page(
    server: Server, explored: tuple[Path, str, Page, list[str]]
) -> None:
    _, url, board, _ = explored
    page = _run(board.context.new_page(), url, SLOW)
    wait_until(lambda: len(_busy(server[0].pid)) == 1)
    # It still runs for the server, and takes no time from the page.
    for pid in (running := _busy(server[0].pid)):
        os.kill(pid, signal.SIGSTOP)
    _open(board, f"{url}/leaderboard?edition=new", "leaderboard.csv")
    page.close()
    wait_until(lambda: not any(map(is_running, running)))
    _run(board, url, "SELECT 40 + 2 AS answer").get_by_text("query.csv").wait_for()


def _run(page: Page, url: str, sql: str) -> Page:
    page.goto(f"{url}/sql?sql={quote(sql)}")
    page.get_by_role("button", name="Run", exact=True).click()
    return page


def _busy(server: int) -> list[int]:
    """Return the processes of the server that have computed for a second."""
    children = psutil.Process(server).children()
    return [child.pid for child in children if child.cpu_times().user > 1]
