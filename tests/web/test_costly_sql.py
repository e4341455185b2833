"""SQL that would run for minutes, in a browser: others are served, and it ends with visitor or server."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.flows.chromium import CHROMIUM
from tests.warehouse.test_confined_sql import SLOW, is_gone, wait_until
from tests.web.explored_root import publish_explored
from tests.web.test_server import served

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: no page is opened"),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("costly") / "data"
    publish_explored(root)
    return root


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def run(browser: Browser, url: str, sql: str) -> Page:
    page = browser.new_page()
    page.goto(f"{url}/sql?sql={quote(sql)}")
    page.get_by_role("button", name="Run", exact=True).click(timeout=60_000)
    return page


def busy(server: int) -> list[int]:
    """Return the processes of the server that have computed for a second."""
    children = psutil.Process(server).children()
    return [one.pid for one in children if one.cpu_times().user > 1]


def wait_for_busy(server: int, number: int) -> list[int]:
    wait_until(lambda: len(busy(server)) == number)
    return busy(server)


def test_a_page_is_shown_while_a_query_runs_and_the_query_ends_with_its_page(
    root: Path, browser: Browser
) -> None:
    with served("--root", str(root)) as (server, url):
        page = run(browser, url, SLOW)
        running = wait_for_busy(server.pid, 1)
        board = browser.new_page()
        board.goto(f"{url}/leaderboard?edition=new")
        board.get_by_text("leaderboard.csv").wait_for(timeout=60_000)
        page.close()
        wait_until(lambda: all(map(is_gone, running)))
        again = run(browser, url, "SELECT 40 + 2 AS answer")
        again.get_by_text("query.csv").wait_for(timeout=60_000)
        again.close()
        board.close()
