"""The page of a report in headless Chromium: it renders, logs nothing, fits a phone, has two schemes."""

import json
import re
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from flows.editions.report import report_data
from flows.editions.report_files import write_page
from tests.flows.chromium import CHROMIUM, open_page
from tests.flows.report_root import HOSTILE, publish_two
from warehouse.store.store import Store

PHONE = 390
DESKTOP = 1200
MEASURE = """
const frame = document.querySelector('iframe');
frame.addEventListener('load', () => {
  const page = frame.contentDocument;
  const drawn = [...page.querySelectorAll('svg.drawing')].map(svg => svg.getBoundingClientRect());
  // What is folded away is to fit as well.
  page.querySelectorAll('details').forEach(part => { part.open = true; });
  const found = {
    width: page.documentElement.scrollWidth,
    drawings: drawn.length,
    visible: drawn.filter(box => box.width > 200 && box.height > 50).length,
  };
  const told = document.createElement('p');
  told.id = 'found';
  told.textContent = JSON.stringify(found);
  document.body.replaceChildren(told);
});
"""
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: the page is not rendered")

Browse = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browsed")
    publish_two(folder / "data")
    return write_page(report_data(Store(str(folder / "data")), "new", "old"), folder)


@pytest.fixture
def browse(tmp_path: Path) -> Browse:
    """Open a page and return what Chromium printed: its DOM, and its log."""

    def open_report(path: Path, *flags: str) -> subprocess.CompletedProcess[str]:
        return open_page(path.as_uri(), tmp_path / "profile", *flags)

    return open_report


def console(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def measure_page(browse: Browse, page: Path, width: int, folder: Path) -> dict[str, int]:
    """Return the page's scroll width and drawings in a frame of that width."""
    wrapper = folder / "wrapper.html"
    wrapper.write_text(
        f'<!DOCTYPE html><iframe src="{page.as_uri()}" style="width: {width}px; height: 900px; border: 0">'
        f"</iframe><script>{MEASURE}</script>"
    )
    done = browse(wrapper, "--allow-file-access-from-files", "--virtual-time-budget=5000")
    told = re.search(r'<p id="found">(.*?)</p>', done.stdout)
    assert told is not None, done.stdout[:500]
    found: dict[str, int] = json.loads(unescape(told[1]))
    return found


def test_the_page_renders_without_a_word_on_the_console(page: Path, browse: Browse) -> None:
    done = browse(page)
    assert console(done) == []
    for key in ("headline", "edition_comparison", "success_rate", "domains", "two_settings", "topology"):
        assert f'<section id="{key}"' in done.stdout
    written = page.read_text(encoding="utf-8")
    assert done.stdout.count("<svg") == written.count("<svg") >= 20
    assert "<script" not in done.stdout
    assert HOSTILE in unescape(done.stdout)


def test_a_word_on_the_console_would_be_seen(tmp_path: Path, browse: Browse) -> None:
    noisy = tmp_path / "noisy.html"
    noisy.write_text("<!DOCTYPE html><script>console.error('a word')</script>")
    assert any("a word" in line for line in console(browse(noisy)))


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_page_never_scrolls_sideways(page: Path, browse: Browse, tmp_path: Path, width: int) -> None:
    found = measure_page(browse, page, width, tmp_path)
    assert found["width"] <= width
    assert found["visible"] == found["drawings"] >= 20


def test_a_page_that_is_too_wide_would_be_seen(browse: Browse, tmp_path: Path) -> None:
    wide = tmp_path / "wide.html"
    wide.write_text('<!DOCTYPE html><body style="margin: 0"><div style="width: 700px">wide</div>')
    assert measure_page(browse, wide, PHONE, tmp_path)["width"] == 700


def test_a_dark_scheme_gives_another_picture(page: Path, browse: Browse, tmp_path: Path) -> None:
    from matplotlib.image import imread

    brightness = {}
    for scheme, number in (("dark", 0), ("light", 1)):
        picture = tmp_path / f"{scheme}.png"
        browse(
            page,
            f"--screenshot={picture}",
            f"--window-size={DESKTOP},900",
            f"--blink-settings=preferredColorScheme={number}",
        )
        brightness[scheme] = float(imread(picture)[..., :3].mean())
    assert brightness["dark"] < 0.3
    assert brightness["light"] > 0.85
