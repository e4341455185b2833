"""The page of a report: whole, self-contained, the same each time, and nothing of its data is markup."""

import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import pytest

from perennial.flows.kumo.benchmark import BENCHMARK
from perennial.tasks.kumo.report import reference_table
from perennial.tasks.report.comparison import edition_difference
from perennial.tasks.report.content import Chart, Drawing, Grid, Report, Section
from perennial.tasks.report.figures.headline import headline
from perennial.tasks.report.page import MOST_ROWS, render_page, sections
from tests.report.sample_report import HOSTILE, NAMES, SETTINGS, compare, report_data

VOID = {"meta", "br", "link", "img", "input", "hr"}
DRAWN = (
    "success_rate",
    "relative_action_counts",
    "domains",
    "two_settings",
    "success_and_cost",
    "variance_parts",
    "scale",
    "other_benchmarks",
    "models",
    "statuses",
    "authoring",
    "optimal_counts",
    "communities",
    "topology",
)


class Reader(HTMLParser):
    """Reads a page: its elements by section, its text, and whether every element is closed in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, str, dict[str, str | None]]] = []
        self.section = ""
        self.text: dict[str, str] = {}
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "section":
            self.section = found["id"] or ""
        self.elements.append((self.section, tag, found))
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((self.section, tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif self.open and self.open[-1] != "style":
            self.text[self.section] = self.text.get(self.section, "") + data

    def count(self, section: str, tag: str) -> int:
        return sum(1 for where, name, _ in self.elements if (where, name) == (section, tag))

    def charts(self) -> list[dict[str, Any]]:
        """Return what each figure is drawn from."""
        return [json.loads(text) for text in self.scripts if text.startswith("{")]


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def page() -> str:
    return render_page(report_data())


@pytest.fixture(scope="module")
def reader(page: str) -> Reader:
    return read(page)


@pytest.mark.slow
def test_every_figure_is_drawn_with_caption_and_sql(reader: Reader) -> None:
    for key in DRAWN:
        assert reader.count(key, "script") >= 1, key
        assert reader.count(key, "figcaption") == 1, key
        assert reader.count(key, "details") >= 1, key
        assert reader.count(key, "pre") == reader.count(key, "details"), key
        assert "SELECT '" in reader.text[key], key
    for key in ("headline", "player_pairs"):
        assert reader.count(key, "table") >= 2, key


def test_every_caption_tells_n_and_the_kind_of_interval() -> None:
    for section in sections(report_data()):
        assert section.missing == ""
        assert re.search(r"\bn\b|episodes", section.caption), section.key
        assert re.search(r"95%|no interval|simple\s+interval", section.caption), section.key


def test_every_drawing_has_a_name_of_its_own(reader: Reader) -> None:
    names = [found["chart"]["description"] for found in reader.charts()]
    assert len(set(names)) == len(names) >= 15
    regions = [attributes.get("aria-label") for _, _, attributes in reader.elements]
    assert set(names) <= set(regions)


def test_ids_are_unique_and_what_is_referred_to_is_there(page: str, reader: Reader) -> None:
    ids = [attributes["id"] for _, _, attributes in reader.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    referred = {name for _, _, attributes in reader.elements for name in _references(attributes)}
    assert len(referred) > 10
    assert referred <= set(ids)


def _references(attributes: dict[str, str | None]) -> set[str]:
    found = {href[1:] for href in (attributes.get("href"),) if href}
    return found | set((attributes.get("aria-labelledby") or "").split())


def test_the_page_refers_to_nothing_outside(page: str, reader: Reader) -> None:
    written = page
    for script in reader.scripts:
        written = written.replace(script, "")
    assert not re.findall(r"https?:|@import|@font-face|url\(|//cdn|data:", written)
    assert "https:" not in json.dumps(reader.charts())
    for _, tag, attributes in reader.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert not any(name.startswith("on") or name in {"src", "srcset", "action"} for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")


def test_only_the_page_s_own_script_may_run(page: str, reader: Reader) -> None:
    """The policy names its digest, and it is there once, whatever the number of figures."""
    running = [attributes.get("type") for _, tag, attributes in reader.elements if tag == "script"].count(
        None
    )
    (script,) = [text for text in reader.scripts if not text.startswith("{")]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert running == 1
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'\"" in page
    assert "\r" not in script


def test_names_are_text_and_never_markup(page: str, reader: Reader) -> None:
    assert HOSTILE not in page
    for key in ("headline", "success_rate", "domains", "two_settings", "success_and_cost", "topology"):
        assert HOSTILE in reader.text[key], key
    assert "{{ 7 * 7 }}" in reader.text["headline"]
    columns = [column for found in reader.charts() for column in found["columns"].values()]
    drawn = [column if isinstance(column, list) else column["of"] for column in columns]
    for name in (NAMES[1], NAMES[2], HOSTILE):
        assert any(name in texts for texts in drawn), name
    assert "Knots <b>" in reader.text["domains"]
    assert 'AS "<headline>"' in reader.text["headline"]
    tags = {tag for _, tag, _ in reader.elements}
    assert not tags & {"b", "i", "u"}


def test_characters_that_steer_a_reader_are_replaced(page: str) -> None:
    page.encode("utf-8")
    assert not set(page) & set("\x1b\u202e\x00\ud83d")
    assert "e\ufffd[31m\ufffdf\ufffd" in page


def test_a_page_has_a_light_and_a_dark_set_of_every_colour(page: str) -> None:
    light, dark = re.findall(r":root \{(.*?)\n *\}", page, re.DOTALL)[:2]
    assert "@media screen and (prefers-color-scheme: dark)" in page, "print has the light set"
    used = set(re.findall(r"var\(--(\w+)\)", page))
    for colours in (light, dark):
        assert used <= set(re.findall(r"--(\w+): #", colours))


def test_equal_data_give_equal_bytes(page: str) -> None:
    assert render_page(report_data()) == page


@pytest.mark.slow
def test_a_section_without_a_figure_has_its_sentence_and_its_sql_on_the_page() -> None:
    reader = read(render_page(report_data(("a",), cost_frontier=[])))
    assert reader.count("success_and_cost", "script") == reader.count("success_and_cost", "figcaption") == 0
    assert "no model played in it" in reader.text["absent"]
    assert "Numbers and SQL: cost_frontier" in reader.text["absent"]
    assert reader.count("absent", "pre") >= 1


def test_settings_and_players_stand_from_small_and_good_to_large_and_bad(reader: Reader) -> None:
    data = report_data()
    assert data.players() == list(NAMES)


def test_a_long_table_is_cut_and_says_where_the_rest_is() -> None:
    rows = [("Weather", 4, 3, 0.2, number, 1, ["a"]) for number in range(400)]
    reader = read(render_page(report_data(("a",), communities=rows)))
    assert f"400 rows, of which the first {MOST_ROWS} are shown here" in reader.text["communities"]
    assert reader.text["communities"].count("Weather") == MOST_ROWS


@pytest.mark.slow
def test_a_comparison_stands_after_the_headline_with_both_rates() -> None:
    data = report_data(("a", "b"))
    half = report_data(("b", "c"))
    compared = compare(data, half, "<old>", anchors=("b",))
    reader = read(render_page(replace(data, comparison=compared)))
    keys = [attributes["id"] for _, tag, attributes in reader.elements if tag == "section"]
    assert keys[:3] == ["headline", "edition_comparison", "edition_link"]
    text = reader.text["edition_comparison"]
    assert "Compared with edition <old>" in text
    assert reader.count("edition_comparison", "script") == len(SETTINGS)
    assert "0.450 [0.225,\xa00.725]" in text
    # Of each ten b solves the last six here and the last nine there: in Easy 0.3 less, and in Hard too.
    assert "−0.300 [" in text
    assert "drift of the edition" in reader.text["edition_link"]


def test_own_sections_stand_after_the_rates_and_at_the_end_and_may_be_missing() -> None:
    shared = [
        *("headline", "success_rate", "domains", "player_pairs", "cheaper_models", "contamination"),
        *("variance_parts", "scale"),
        *("two_settings", "success_and_cost"),
        *("other_benchmarks", "models", "statuses"),
    ]
    kumo = report_data(("a", "b"))
    assert [section.key for section in sections(kumo)] == [
        *shared[:2],
        "relative_action_counts",
        *("references", "steps_at_half"),
        "control_gaps",
        *shared[2:],
        "training_curves",
        "book_styles",
        "book_versions",
        "revisions",
        "configurers",
        "authoring",
        "optimal_counts",
        "draws",
        "communities",
        "topology",
    ]
    plain = replace(kumo, additions=Report(), measures=())
    assert [section.key for section in sections(plain)] == shared
    assert headline(kumo).grid.headings[-4:-1] == tuple(measure.heading for measure in kumo.measures)
    assert headline(plain).grid.headings == ("player", *("rank", "success rate", "episodes") * 2)
    assert "action" not in headline(plain).caption


@pytest.mark.slow
def test_the_floor_is_a_line_and_players_that_never_test_are_marked() -> None:
    data = replace(report_data(("a", "guesser", "model")), floor=BENCHMARK.floor)
    table = data.tables["headline"]
    columns = (*table.columns, "mean_tests")
    floors = (0.25, None, None, 0.5, 0.375, 0.625)
    rows = tuple((*row[: -len(floors)], *floors, 2.5 if row[4] == "a" else 0.0) for row in table.rows)
    data = replace(data, tables={**data.tables, "headline": replace(table, columns=columns, rows=rows)})
    names = [row[0] for row in headline(data).grid.rows]
    assert names == ["a", "guesser (never tests)", "model (never tests)"]
    assert "Floors: easy 0.250, hard 0.250." in headline(data).caption
    assert headline(data).grid.rows[0][3] == "0.500 [0.375,\xa00.625]"
    rates = next(section for section in sections(data) if section.key == "success_rate")
    assert "The dashed line is the floor." in rates.caption
    for drawing in rates.drawings:
        assert "floor: 0.250" in json.dumps(drawing.chart)
        assert ["(never tests)" in row["text"] for row in drawing.rows] == [False, True, True]
    # A heuristic has a line of its own.
    data = replace(data, floor=replace(BENCHMARK.floor, heuristic="a"))
    rates = next(section for section in sections(data) if section.key == "success_rate")
    assert all('"a: 0.900"' in json.dumps(drawing.chart) for drawing in rates.drawings)
    assert "The second line is the success rate of a." in rates.caption
    # Where it is not known there is no line.
    others = replace(report_data(("a", "b")), floor=BENCHMARK.floor)
    rates = next(section for section in sections(others) if section.key == "success_rate")
    assert "floor: " not in json.dumps([drawing.chart for drawing in rates.drawings])
    assert "dashed" not in rates.caption


def test_both_references_are_shown_and_what_below_zero_means() -> None:
    found = reference_table(report_data(("a",), references=[("4x6v2", 30, 0, 1.9, None, None, 1.8, None)]))
    assert found.grid.rows == (("4x6v2", "30", "0", "1.900", "–", "–", "1.800", "–"),)
    assert "its relative count can be negative" in found.caption
    assert "can score below 0" in headline(report_data(("a",))).caption


def test_nobody_in_both_editions_is_one_sentence() -> None:
    data, other = report_data(("a",)), report_data(("z",))
    found = edition_difference(data, compare(data, other))
    assert found.missing == "No player has a rate in both editions."


def test_a_report_links_to_an_explorer_where_one_is_named() -> None:
    data = report_data()
    assert "leaderboard?edition=" not in render_page(data)
    linked = render_page(replace(data, explorer="http://127.0.0.1:8501/"))
    assert f'<a href="http://127.0.0.1:8501/leaderboard?{urlencode({"edition": data.edition})}">' in linked


def test_only_players_are_renamed_not_texts_that_equal_their_names() -> None:
    """A player that is called as a domain, a heading, an author or a field is."""
    cells = (("art", "art", "art"), ("art", "other", "art, x"))
    grid = Grid(("domain", "player", "rivals"), cells, players=("player", "rivals"))
    styles = Grid(("art", "n", "art"), (("art", "1", "art"),), first_player=2)
    lite = {"encoding": {"color": {"scale": {"domain": ["art"]}}, "x": {"field": "art"}}}
    rows = ({"player": "art\nx", "series": "art", "domain": "art"},)
    drawn = [Drawing("h", "t", Chart(lite), rows, players=names) for names in (("player",), ("series",))]
    sections = [Section("k", "t", "c", (), tuple(drawn), shown) for shown in (grid, styles)]
    first, other = (section.rename({"art": "art (by log)"}) for section in sections)
    assert first.grid is not None
    assert first.grid.rows == (("art", "art (by log)", "art (by log)"), ("art", "other", "art (by log), x"))
    assert (other.grid.headings, other.grid.rows) == (("art", "n", "art (by log)"), styles.rows)
    status, by_player = first.drawings
    assert status.rows == ({"player": "art (by log)\nx", "series": "art", "domain": "art"},)
    assert status.source.lite == lite
    assert by_player.rows == ({"player": "art\nx", "series": "art (by log)", "domain": "art"},)
    assert by_player.source.lite["encoding"]["color"] == {"scale": {"domain": ["art (by log)"]}}
    assert by_player.source.lite["encoding"]["x"] == {"field": "art"}
