"""SQL that would run for minutes, in a browser: others are served, and it ends with visitor or server."""

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.flows.chromium import CHROMIUM
from tests.warehouse.test_confined_sql import HUNGRY, SLOW, is_gone, wait_until
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


def test_two_run_a_third_waits_and_a_page_is_shown_meanwhile(root: Path, browser: Browser) -> None:
    with served("--root", str(root)) as (server, url):
        pages = [run(browser, url, SLOW) for _ in range(2)]
        running = wait_for_busy(server.pid, 2)
        pages.append(run(browser, url, SLOW))
        board = browser.new_page()
        board.goto(f"{url}/leaderboard?edition=new")
        board.get_by_text("leaderboard.csv").wait_for(timeout=60_000)
        # Where the first of them has run out of time, an idle process may stand by: it computes nothing.
        assert len(busy(server.pid)) <= 2
        # The browser leaves: the queries end, and none is left of the one that waited.
        for page in pages:
            page.close()
        wait_until(lambda: all(map(is_gone, running)))
        again = run(browser, url, "SELECT 40 + 2 AS answer")
        again.get_by_text("query.csv").wait_for(timeout=60_000)
        again.close()
        board.close()


def test_queries_end_with_the_server(root: Path, browser: Browser) -> None:
    with served("--root", str(root)) as (server, url):
        page = run(browser, url, SLOW)
        running = wait_for_busy(server.pid, 1)
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 130
        wait_until(lambda: all(map(is_gone, running)))
        page.close()


@pytest.mark.parametrize("sql", HUNGRY[:2])
def test_memory_of_the_explorer_stays_bounded(root: Path, browser: Browser, sql: str) -> None:
    with served("--root", str(root)) as (server, url):
        page = run(browser, url, sql)
        peak = watch_until(server.pid, lambda: page.get_by_text("more memory than allowed").count() > 0)
        page.close()
    assert peak < 2_300_000_000


def watch_until(server: int, holds: Callable[[], bool]) -> int:
    """Return the largest memory of a process of the server until it holds."""
    peak = 0
    for _ in range(3000):
        for one in psutil.Process(server).children():
            try:
                peak = max(peak, one.memory_info().rss)
            except psutil.Error:
                continue
        if holds():
            return peak
        time.sleep(0.01)
    raise AssertionError("it never held")
