"""The website in headless Chromium: opened from disk, accessible, fit for phone and print, in two schemes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from perennial.flows.stages.compute_statistics import compute_scale
from perennial.flows.website.build import build_site
from perennial.warehouse.store.store import Store
from tests.flows.chromium import CHROMIUM, FLAGS
from tests.flows.report_root import publish_floor, publish_two

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: no page is opened"),
]
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the extra `test` brings axe")
CUT = "[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth)"
DESKTOP, PHONE, SHEET = 1280, 390, 794  # a sheet is A4 at 96 dots per inch


@pytest.fixture(scope="module")
def browser(hostile: Path, private_site: Path) -> Iterator[Browser]:
    """A browser, started after the websites are built: its event loop would be in the way."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The website of three editions with hostile names, on one scale."""
    folder = tmp_path_factory.mktemp("hostile")
    publish_two(folder / "data")
    publish_floor(folder / "data")
    compute_scale(Store(str(folder / "data")))
    build_site(Store(str(folder / "data")), folder / "site")
    return folder / "site"


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Path:
    found: Path = request.getfixturevalue(request.param)
    return found


def visit(page: Page, site: Path) -> Iterator[str]:
    """Open every page of the website, one after the other; yield its name."""
    for path in sorted(site.rglob("*.html")):
        page.goto(path.as_uri())
        yield path.relative_to(site).as_posix()


def visit_kinds(page: Page, site: Path) -> Iterator[str]:
    """Open the longest page of each folder, as one template makes all; yield their names."""
    longest = {
        path.parent: path for path in sorted(site.rglob("*.html"), key=lambda path: path.stat().st_size)
    }
    for path in sorted({*longest.values(), site / "index.html"}):
        page.goto(path.as_uri())
        yield path.relative_to(site).as_posix()


def require_access(page: Page, name: str) -> None:
    """Fail with what axe finds on the open page."""
    found = axe.Axe().run(page).response["violations"]
    assert not [(one["id"], one["help"], one["nodes"][0]["html"][:200]) for one in found], name


@pytest.mark.parametrize(
    ("site", "width", "scheme"),
    [("hostile", DESKTOP, "light"), ("private_site", PHONE, "dark")],
    indirect=["site"],
)
def test_axe_finds_no_violation(browser: Browser, site: Path, width: int, scheme: str) -> None:
    with browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    ) as context:
        page = context.new_page()
        for name in visit_kinds(page, site):
            page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
            require_access(page, name)


@pytest.mark.parametrize(
    ("site", "width", "scheme"),
    [("hostile", PHONE, "light"), ("private_site", DESKTOP, "dark")],
    indirect=["site"],
)
def test_pages_fit_and_ask_nothing_of_the_network(
    browser: Browser, site: Path, width: int, scheme: str
) -> None:
    wrong: list[str] = []
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "console", lambda line: wrong.append(line.text) if line.type in ("error", "warning") else None
        )
        page.on(
            "request", lambda asked: None if asked.url.startswith(site.as_uri()) else wrong.append(asked.url)
        )
        backs = set()
        for name in visit(page, site):
            page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            if site.parent.name.startswith("hostile"):
                assert page.evaluate(f"{CUT}.length") == 0, name
            backs.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert not wrong
        assert backs == {"rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 24, 28)"}


@pytest.mark.parametrize("site", ["private_site"], indirect=True)
def test_all_of_a_page_is_printed_on_white(browser: Browser, site: Path) -> None:
    with browser.new_context(
        viewport={"width": SHEET, "height": 1123}, color_scheme="dark", bypass_csp=True
    ) as context:
        page = context.new_page()
        closed = 0
        for name in visit_kinds(page, site):
            page.emulate_media(media="print")
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
            heights = page.evaluate(
                "[...document.querySelectorAll('details:not([open]) > :not(summary)')]"
                ".map((part) => part.getBoundingClientRect().height)"
            )
            assert all(height > 0 for height in heights), name
            closed += len(heights)
            assert page.evaluate("document.documentElement.scrollWidth") <= SHEET, name
            require_access(page, name)
            page.emulate_media(media="screen")
        assert closed, "no page has a closed part"


@pytest.mark.parametrize("site", ["hostile"], indirect=True)
def test_charts_and_bars_are_drawn(browser: Browser, site: Path) -> None:
    with browser.new_context(viewport={"width": DESKTOP, "height": 900}) as context:
        page = context.new_page()
        page.goto((site / "benchmarks/kumo.html").as_uri())
        boxes = [one.bounding_box() for one in page.locator("svg.chart").all()]
        assert len(boxes) == 2
        assert all(box and box["width"] > 400 and box["height"] > 200 for box in boxes)
        page.goto((site / "editions/floor.html").as_uri())
        floor = page.locator("tr", has_text="guesser").locator("svg.bar .floor").first.bounding_box()
        mark = page.locator("tr", has_text="guesser").locator("svg.bar circle").first.bounding_box()
        assert floor
        assert mark
        # The guesser's own rate is the floor.
        assert abs(floor["x"] - (mark["x"] + mark["width"] / 2)) < 1.5


@pytest.mark.parametrize("site", ["hostile"], indirect=True)
def test_a_leaderboard_is_sorted_by_a_click(browser: Browser, site: Path) -> None:
    with browser.new_context(viewport={"width": PHONE, "height": 900}) as context:
        page = context.new_page()
        page.goto((site / "index.html").as_uri())
        names = page.locator("table.sortable tbody tr:not(.group) th a")
        before = names.all_inner_texts()
        page.locator("table.sortable thead button", has_text="model").click()
        assert names.all_inner_texts() == sorted(before, key=str.casefold)
        page.locator("table.sortable thead button", has_text="model").click()
        assert names.all_inner_texts() == sorted(before, key=str.casefold, reverse=True)
        assert before


@pytest.mark.parametrize("site", ["hostile"], indirect=True)
def test_without_a_script_leaderboards_are_whole(browser: Browser, site: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((site / "index.html").as_uri())
        rows = page.locator("table.sortable tbody tr:not(.group)")
        assert rows.count()
        assert all(row.locator("th").inner_text() for row in rows.all())
        assert page.locator("table.sortable thead button").count() == 0
