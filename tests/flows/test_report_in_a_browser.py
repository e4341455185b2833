"""The page of a report in headless Chromium: drawn, usable, as wide as a phone, in two schemes."""

import json
import re
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.editions.report import report_data
from perennial.flows.editions.report_files import write_page
from perennial.warehouse.store.store import Store
from tests.flows.chromium import CHROMIUM, open_page
from tests.flows.report_root import HOSTILE, MODEL, publish_two

PHONE = 390
DESKTOP = 1200
WAIT = """
const until = async (holds) => { while (!holds()) await new Promise((done) => setTimeout(done, 20)); };
const answer = (found) => {
  const told = document.createElement('p');
  told.id = 'found';
  told.textContent = JSON.stringify(found);
  document.body.replaceChildren(told);
};
const frame = document.querySelector('iframe');
frame.addEventListener('load', async () => {
  const page = frame.contentDocument;
  await until(() => !page.querySelector('.chart') || page.documentElement.dataset.drawn);
  answer(await ask(page, frame.contentWindow));
});
"""
MEASURE = """
const measure = async (page) => {
  const boxes = [...page.querySelectorAll('.chart svg')].map((svg) => svg.getBoundingClientRect());
  // What is folded away is to fit as well.
  page.querySelectorAll('details').forEach((part) => { part.open = true; });
  return {
    width: page.documentElement.scrollWidth,
    places: page.querySelectorAll('.chart').length,
    visible: boxes.filter((box) => box.width > 150 && box.height > 50).length,
    beyond: [...page.querySelectorAll('.chart svg')].filter((svg) =>
      svg.getBoundingClientRect().width > svg.closest('.scroll').clientWidth + 1).length,
  };
};
"""
USE = """
const use = async (page, window) => {
  const chart = page.querySelector('#success_rate .chart');
  const top = (text) => text.getBoundingClientRect().y;
  const names = () => [...chart.querySelectorAll('.role-axis-label text')].sort((a, b) => top(a) - top(b))
    .map((text) => text.textContent).filter((text) => isNaN(text));
  const rows = (id) => [...page.querySelectorAll(`#${id} .grid tbody tr`)].filter((row) => !row.hidden)
    .map((row) => row.cells[0].textContent);
  const change = async (id, value) => {
    page.getElementById(id).value = value;
    page.getElementById(id).dispatchEvent(new window.Event('input', { bubbles: true }));
    await new Promise((done) => setTimeout(done, 300));
  };
  const found = { all: names(), height: chart.clientHeight };
  for (const svg of page.querySelectorAll('.chart svg')) {
    const mark = svg.querySelector('.mark-symbol path, .mark-rect path');
    const box = mark.getBoundingClientRect();
    const place = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
    mark.dispatchEvent(new window.PointerEvent('pointermove', place));
    mark.dispatchEvent(new window.MouseEvent('mousemove', place));
    const tip = page.getElementById('vg-tooltip-element');
    const key = svg.closest('section').id;
    found.tips = { ...found.tips, [key]: tip && tip.classList.contains('visible') ? tip.textContent : '' };
    mark.dispatchEvent(new window.PointerEvent('pointerout', place));
    mark.dispatchEvent(new window.MouseEvent('mouseout', place));
  }
  await change('order', 'name');
  found.by_name = names();
  await change('find', 'SCRIPT>, x');
  found.of_two = names();
  found.low = chart.clientHeight;
  found.table = rows('headline');
  await change('find', '.*');
  found.of_none = names();
  await change('find', '');
  const heading = [...page.querySelectorAll('#headline thead tr:last-child th')][2];
  heading.click();
  found.sorted = rows('headline');
  heading.click();
  found.turned = rows('headline');
  return found;
};
"""
COLOURS = """
const colours = async (page, window) => {
  const style = (selector, name) => window.getComputedStyle(page.querySelector(selector))[name];
  return {
    page: style('body', 'backgroundColor'),
    mark: style('#success_rate .mark-symbol path', 'fill'),
    text: style('#success_rate .role-axis-label text', 'fill'),
  };
};
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: the page is not rendered"),
]

QUESTIONS = f"""{MEASURE}{USE}{COLOURS}
const ask = async (page, window) => ({{
  html: page.documentElement.outerHTML,
  colours: await colours(page, window),
  measured: await measure(page),
  used: window.innerWidth > 600 ? await use(page, window) : null,
}});
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browsed")
    publish_two(folder / "data")
    return write_page(report_data(Store(str(folder / "data")), "new", "old"), folder)


@pytest.fixture(scope="module")
def asked(page: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Any]:
    """What the page answers in the dark on a phone, and in the light on a desktop, by width."""
    folder = tmp_path_factory.mktemp("asked")
    return {
        width: ask_page(page, width, folder, QUESTIONS, f"--blink-settings=preferredColorScheme={number}")
        for number, width in enumerate((PHONE, DESKTOP))
    }


def console(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def ask_page(page: Path, width: int, folder: Path, question: str, *flags: str) -> Any:
    """Return what the script's `ask` says of the page, in a frame of that width, when all is drawn."""
    wrapper = folder / "wrapper.html"
    wrapper.write_text(
        f'<!DOCTYPE html><iframe src="{page.as_uri()}" style="width: {width}px; height: 900px; border: 0">'
        f"</iframe><script>{question}{WAIT}</script>"
    )
    done = open_page(
        *(
            wrapper.as_uri(),
            folder / "profile",
            "--allow-file-access-from-files",
            "--virtual-time-budget=60000",
            *flags,
        )
    )
    assert console(done) == []
    told = re.search(r'<p id="found">(.*?)</p>', done.stdout)
    assert told is not None, done.stdout[:500]
    return json.loads(unescape(told[1]))


def test_the_page_is_drawn_and_nothing_of_its_data_is_markup(page: Path, asked: dict[int, Any]) -> None:
    html = asked[DESKTOP]["html"]
    for key in ("headline", "edition_comparison", "success_rate", "domains", "two_settings"):
        assert f'<section id="{key}"' in html
    written = page.read_text(encoding="utf-8")
    shown = html.rpartition("<script>")[0]
    assert shown.count("<svg") == written.count('class="chart"') >= 20
    assert "could not be drawn" not in shown
    assert HOSTILE not in html
    assert HOSTILE in unescape(html)


def test_a_word_on_the_console_would_be_seen(tmp_path: Path) -> None:
    noisy = tmp_path / "noisy.html"
    noisy.write_text("<!DOCTYPE html><script>console.error('a word')</script>")
    assert any("a word" in line for line in console(open_page(noisy.as_uri(), tmp_path / "profile")))


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_page_never_scrolls_sideways(asked: dict[int, Any], width: int) -> None:
    found = asked[width]["measured"]
    assert found["width"] <= width
    assert found["visible"] == found["places"] >= 20
    assert found["beyond"] == 0


def test_a_page_that_is_too_wide_would_be_seen(tmp_path: Path) -> None:
    wide = tmp_path / "wide.html"
    wide.write_text('<!DOCTYPE html><body style="margin: 0"><div style="width: 700px">wide</div>')
    assert ask_page(wide, PHONE, tmp_path, f"{MEASURE}const ask = measure;")["width"] == 700


def test_figures_and_tables_answer_their_reader(asked: dict[int, Any]) -> None:
    found = asked[DESKTOP]["used"]
    short = f"{MODEL[:22]}…{MODEL[-11:]}"
    assert found["all"] == [short, "x", HOSTILE, "algorithm-3"], "models stand above programs"
    assert found["by_name"] == [HOSTILE, "algorithm-3", short, "x"]
    assert found["of_two"] == [HOSTILE, "x"], "still by name"
    assert found["low"] < found["height"]
    assert found["table"] == ["x", HOSTILE]
    assert found["of_none"] == [], "what is looked for is a text, not a pattern"
    assert found["sorted"][0] == "algorithm-3"
    assert found["turned"] == found["sorted"][::-1]
    assert "value [95%]" in found["tips"]["success_rate"]
    assert "0.800 [" in found["tips"]["success_rate"]
    assert "success rate [95%]" in found["tips"]["domains"]
    assert all(found["tips"].values()), found["tips"]


def test_figures_have_the_colours_of_a_dark_and_a_light_page(asked: dict[int, Any]) -> None:
    dark, light = (asked[width]["colours"] for width in (PHONE, DESKTOP))
    assert dark == {"page": "rgb(20, 24, 28)", "mark": "rgb(74, 168, 224)", "text": "rgb(163, 172, 182)"}
    assert light == {"page": "rgb(255, 255, 255)", "mark": "rgb(0, 114, 178)", "text": "rgb(87, 96, 106)"}
