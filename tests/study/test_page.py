"""A study in headless Chromium: played to its published evaluation, and what happens to a page meanwhile."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, expect, sync_playwright

from perennial.flows.study.publish import publish_study
from perennial.flows.study.study_file import read_study
from perennial.schemas.people import person_name
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.study.ledger import StudyLedger, study_file
from tests.flows.chromium import CHROMIUM, FLAGS
from tests.study.site import StudySite, make_study
from tests.study.visits import Visit

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]
HOSTILE = """# The book of weather

<script>document.title = 'hit'</script> <img src="/hit.png" onerror="document.title='hit'">

![picture](https://example.org/hit.png) [link](https://example.org/hit) <https://example.org/hit>
[later]: https://example.org/hit

$$\\href{javascript:alert(1)}{x}$$ :material/home: :red[red] <iframe src="https://example.org"></iframe>

| what | rules out |
| --- | --- |
| grey | <style>* { display: none }</style> |
"""
MEASURE = "measure <img src=x onerror=\"document.title='hit'\">"
HOSTILE_NAMES = {"measure": MEASURE, "snow": "</button><b>snow</b>"}
Open = Callable[..., Visit]
_PATIENCE_MS = 60_000  # a shared machine is slow now and then


@pytest.fixture(scope="module")
def context() -> Iterator[BrowserContext]:
    """One browser for all visits, as on a shared computer: nothing of one reaches another."""
    expect.set_options(timeout=_PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context()
        context.set_default_timeout(_PATIENCE_MS)
        yield context
        browser.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudySite]:
    """A study that runs, of two tasks each and without a hurry, with a hostile book and hostile names."""
    folder = tmp_path_factory.mktemp("study")
    site = make_study(folder, book=HOSTILE, names=HOSTILE_NAMES, participants=9)
    site.start()
    yield site
    site.end()


@pytest.fixture(scope="module")
def participant(site: StudySite, context: BrowserContext) -> tuple[Visit, list[str]]:
    """The tab in which three tests play, after its tutorial began, and what it asked the network for."""
    tab, requests = Visit(context, site.url, site.codes.pop()), list[str]()
    tab.page.on("request", lambda request: requests.append(request.url))
    tab.introduce()
    tab.start()
    return tab, requests


@pytest.fixture(autouse=True)
def _close_tabs(context: BrowserContext) -> Iterator[None]:
    kept = {*context.pages}
    yield
    for page in {*context.pages} - kept:
        page.close()


@pytest.fixture
def visit(site: StudySite, context: BrowserContext) -> Open:
    """Open a tab of a participant who is new, or of the one with this code."""
    return lambda code="": Visit(context, site.url, code or site.codes.pop())


def moves(site: StudySite, code: str) -> list[tuple[str, int, str]]:
    """Return the participant's stored moves: task, turn and name."""
    ledger = StudyLedger(study_file(site.store, "weather"))
    try:
        found = ledger.find_participant(code.split("-")[0])
        assert found is not None
        events = ledger.events(found.number)
    finally:
        ledger.close()
    return [(event.task, event.turn, event.value) for event in events if event.kind == "move"]


def test_observations_are_shown_beside_the_book_and_hostile_text_is_not_run(
    participant: tuple[Visit, list[str]],
) -> None:
    tab, requests = participant
    book = tab.page.locator(".study-book")
    expect(book.locator("h1")).to_have_text("The book of weather")
    for text in ("<script>document.title", "![picture](https://example.org/hit.png)", "<iframe", ":red[red]"):
        expect(book).to_contain_text(text)
    assert book.locator("a, img, script, iframe, style").count() == 0
    expect(book.locator("td")).to_have_text(["grey", "<style>* { display: none }</style>"])
    tab.take(MEASURE)
    expect(tab.observations).to_have_text([f"{MEASURE}4.5"])
    expect(tab.choices("actions").get_by_text(MEASURE, exact=True)).to_be_disabled()
    expect(tab.choices("truths").get_by_text(HOSTILE_NAMES["snow"], exact=True)).to_be_visible()
    tab.choices("truths").get_by_text("sun", exact=True).click()
    tab.button("No").click()
    tab.take("look up")
    expect(tab.observations).to_have_text([f"{MEASURE}4.5", "look upgrey"])
    assert tab.page.locator(".panel").locator("img, b").count() == 0
    assert tab.page.title() == "Study"
    assert not [url for url in requests if "hit" in url]


def test_a_reload_asks_for_the_code_and_returns_to_the_same_task(
    site: StudySite, participant: tuple[Visit, list[str]]
) -> None:
    tab, _ = participant
    tab.name("rain")
    tab.start()
    tab.take(MEASURE)
    tab.page.reload()
    expect(tab.page.get_by_label("Your code")).to_be_visible()
    assert "measure" not in tab.page.content()
    assert tab.page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]
    assert tab.code not in json.dumps(tab.page.context.cookies()) + tab.page.url
    tab.enter(f" {tab.code.upper().replace('-', ' ')} ")
    expect(tab.title).to_have_text("A study of <b>weather</b>: Task 1 of 2")
    expect(tab.observations).to_have_text([f"{MEASURE}4.5"])
    assert moves(site, tab.code)[-1] == ("1", 1, MEASURE)


def test_who_withdraws_is_deleted_and_other_tabs_are_shut(
    site: StudySite, participant: tuple[Visit, list[str]], visit: Open
) -> None:
    tab, _ = participant
    other = visit(tab.code)
    other.enter()
    other.choices("actions").first.wait_for()
    tab.page.bring_to_front()
    tab.take("look up")
    assert moves(site, tab.code) != []
    tab.button("Withdraw from the study").click()
    tab.button("Withdraw, and delete my data").click()
    expect(tab.page.get_by_text("what you did has been deleted")).to_be_visible()
    assert moves(site, tab.code) == []
    other.choices("actions").get_by_text("look up", exact=True).click()
    expect(other.page.get_by_label("Your code")).to_be_visible()
    other.enter()
    expect(other.page.get_by_role("alert")).to_contain_text("withdrawn")


def test_the_page_shows_nothing_but_the_study(site: StudySite, context: BrowserContext, visit: Open) -> None:
    requests: list[str] = []
    tab = visit()
    tab.page.on("request", lambda request: requests.append(request.url))
    tab.page.reload()
    tab.page.get_by_label("Your code").wait_for()
    for shown in ("stSidebar", "stToolbar", "stHeader", "stMainMenu", "stAppDeployButton"):
        expect(tab.page.get_by_test_id(shown).locator("visible=true")).to_have_count(0)
    tab.page.goto(f"{site.url}/?page=sql&edition=played&study_code={tab.code}")
    expect(tab.page.get_by_label("Your code")).to_have_value("")
    assert {url.split("/")[2] for url in requests if url.startswith("http")} == {site.url.split("/")[2]}


@pytest.mark.parametrize(
    "path",
    [
        *(
            "explorer",
            "sql",
            "leaderboard",
            "flows/study/page/visit.py",
            "data/editions",
            "app/static/weather.toml",
        ),
        *(
            "_stcore/metrics",
            "_stcore/agent/openapi.json",
            "_stcore/agent/interact",
            "_stcore/upload_file/a/b",
        ),
    ],
)
def test_no_other_path_gives_anything(site: StudySite, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404") as refused:
        urllib.request.urlopen(f"{site.url}/{path}", timeout=10)
    assert refused.value.read() == b"Not found"


def test_two_participants_play_from_codes_to_a_published_evaluation(site: StudySite, visit: Open) -> None:
    """The last test: it closes the study."""
    first, second = visit(), visit()
    first.introduce()
    second.introduce()
    first.play("rain", "look up")
    expect(first.page.get_by_text("That was right.")).to_be_visible()
    second.play("sun")
    expect(second.page.get_by_text("That was not right")).to_be_visible()
    first.play("rain", "look up", MEASURE)
    second.play("sun", MEASURE)
    expect(second.page.get_by_text("Your answer is stored.")).to_be_visible()
    first.play("rain", MEASURE)
    second.play("rain")
    # 25 + 15 x 2/2 - 0.1 x 3, and 25 + 15 x 1/2 - 0.1 x 1: the tutorial counts for neither.
    expect(first.page.locator(".study-earnings")).to_have_text("You earned 39.70 EUR")
    expect(second.page.locator(".study-earnings")).to_have_text("You earned 32.40 EUR")
    assert moves(site, first.code) == [
        ("tutorial", 1, "look up"),
        ("tutorial", 2, "rain"),
        ("1", 1, "look up"),
        ("1", 2, MEASURE),
        ("1", 3, "rain"),
        ("2", 1, MEASURE),
        ("2", 2, "rain"),
    ]
    publish_study(read_study(site.file), site.store, site.file, str, close=True)
    catalog = open_catalog(site.store)
    people = tuple(person_name(tab.code.split("-")[0]) for tab in (first, second))
    sql = "SELECT count(*), count(*) FILTER (success) FROM episodes WHERE player = '{}'"
    assert [catalog.query(sql.format(name))[1] for name in people] == [[(2, 2)], [(2, 1)]]
    assert catalog.query("SELECT DISTINCT player FROM leaderboard")[1] == [("human",)]
