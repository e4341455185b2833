"""What figures draw: whose rows, in which order, under which names; drawn as SVG without a browser."""

import re
from dataclasses import replace
from html import unescape

import pytest

from perennial.tasks.kumo.report_figures import optimal_histogram
from perennial.tasks.report.comparison import edition_difference
from perennial.tasks.report.content import Drawing
from perennial.tasks.report.figures.headline import headline
from perennial.tasks.report.figures.heat_map import contamination_gaps, heat_map, scale_over_editions
from perennial.tasks.report.figures.interval_rows import player_pairs, status_rows, success_rows
from perennial.tasks.report.figures.scatter import settings_scatter
from tests.report.sample_report import DOMAINS, NAMES, SETTINGS, compare, draw_svg, report_data

MANY = tuple(f"player {number:02}" for number in range(33))


def texts(drawing: Drawing, **signals: object) -> list[str]:
    """Return the texts of the drawing, from its top, after the page set these signals."""
    found = re.findall(r"<(?:text|tspan)\b[^>]*>([^<]+)</", draw_svg(drawing, **signals))
    return [unescape(text) for text in found]


@pytest.mark.slow
def test_every_player_has_a_row_and_the_settings_one_order() -> None:
    drawings = success_rows(report_data(MANY)).drawings
    assert [drawing.heading.split(",")[0] for drawing in drawings] == list(SETTINGS)
    for drawing in drawings:
        assert [text for text in texts(drawing) if text.startswith("player ")] == list(MANY)
    assert "0.900 [0.450,\xa00.950]" in texts(drawings[0])


def test_a_reader_finds_and_orders_players() -> None:
    rates = [
        ("easy", 1, "models", 1, p, 1, 1, 1, rate, 0.0, 1.0)
        for p, rate in (("b", 0.2), ("a", 0.1), ("c", 0.9))
    ]
    whole = report_data(("b", "a", "c"))
    filler = whole.tables["headline"].rows[0][11:]
    drawing = success_rows(
        report_data(("b", "a", "c"), headline=[(*row, *filler) for row in rates])
    ).drawings[0]
    shown = {
        order: [text for text in texts(drawing, order=order) if text in "abc"]
        for order in ("rank", "value", "name")
    }
    assert shown == {"rank": ["b", "a", "c"], "value": ["c", "b", "a"], "name": ["a", "b", "c"]}
    assert [text for text in texts(drawing, find="B|c") if text in "abc"] == ["b", "c"]


def test_narrow_figures_cut_names_and_write_values_alone() -> None:
    drawing = success_rows(report_data(("g" * 200,))).drawings[0]
    assert f"{'g' * 22}…{'g' * 11}" in texts(drawing)
    narrow = texts(drawing, narrow=True)
    assert f"{'g' * 16}…{'g' * 7}" in narrow
    assert "0.900" in narrow
    assert not any("[" in text for text in narrow)


def test_statuses_of_a_player_stand_in_one_row_with_a_legend() -> None:
    shown = texts(status_rows(report_data(("a", "b"))).drawings[0])
    assert (shown.count("a"), shown.count("parse error"), shown.count("API error")) == (1, 1, 1)
    rows = [(s, "a", "wrong", 60, 0.1, 0.0, 0.2, "new domains") for s in SETTINGS]
    assert "wrong answer" in texts(status_rows(report_data(("a",), statuses=rows)).drawings[0])


@pytest.mark.slow
def test_few_players_of_a_scatter_have_colours_and_of_many_some_have_names() -> None:
    few = settings_scatter(report_data(("a", "b"))).drawings[0]
    assert few.heading == f"n = {2 * len(DOMAINS)}, too few for a correlation"
    assert {"a", "b"} <= set(texts(few))
    drawing = settings_scatter(report_data(MANY)).drawings[0]
    assert drawing.heading.startswith("n = 33, r = 1.00")
    named = [text for text in texts(drawing) if text.startswith("player ")]
    assert {MANY[0], MANY[-1]} <= set(named), "the best and the last"
    assert len(named) <= 14
    hidden = next(name for name in MANY if name not in named)
    assert hidden in texts(drawing, find=hidden)
    assert MANY[0] not in texts(drawing, find=hidden)


@pytest.mark.slow
def test_domains_stand_from_easy_to_hard_and_players_of_few_of_them_apart() -> None:
    domains = [f"domain {number:02}" for number in range(20)]
    rows = [
        ("easy", d, "all", 20, (7 * n % 20) / 20, 0.1, 0.9, "these domains") for n, d in enumerate(domains)
    ]
    rows += [
        ("easy", d, "most", 20, (7 * n % 20) / 20, 0.1, 0.9, "these domains")
        for n, d in enumerate(domains[1:], 1)
    ]
    rows += [("easy", d, "few", 20, 0.5, 0.1, 0.9, "these domains") for d in domains[:5]]
    data = replace(report_data(("all", "few", "most"), domains=rows), settings=("easy",))
    large, small = heat_map(data).drawings
    assert large.heading == "easy: 2 players in 19 to 20 of 20 domains, n = 20 per field"
    assert small.heading == "easy: 1 player in 5 of 20 domains, n = 20 per field"
    by_difficulty = sorted(range(20), key=lambda n: -(7 * n % 20))
    assert [text for text in texts(large) if text.startswith("domain")] == [domains[n] for n in by_difficulty]
    assert [text for text in texts(large) if text in ("all", "few", "most")] == ["all", "most"]
    assert "success rate" in texts(large), "the legend of colours"
    assert large.rows[0]["text"] == "0.00 [0.10,\xa00.90]"
    assert (large.least_width > 340, small.least_width) == (True, 0)


def test_pairs_are_neighbours_in_rank_and_those_that_do_not_differ() -> None:
    players = ("a", "b", "c", "d")
    alike, other = ((0.2, 0.1, 0.3, -0.1, 0.5), 0.5), ((-0.3, -0.4, -0.1, -0.5, -0.05), 0.01)
    rows = [
        (s, *pair, 30, *figures, "new domains", p / 5, p, "models", "0.2", 9, 0.001)
        for s in SETTINGS
        for pair, (figures, p) in (
            *((pair, alike) for pair in ("ab", "ac", "bc", "ad", "bd")),
            # c and d differ, and are given the other way round.
            ("dc", other),
        )
    ]
    found = player_pairs(report_data(players, player_pairs=rows))
    assert [(row["first"], row["other"]) for row in found.drawings[0].rows] == [
        ("a", "b"),
        ("b", "c"),
        ("c", "d"),
    ]
    last = found.drawings[0].rows[-1]
    assert (last["value"], last["low"], last["high"]) == (0.3, 0.1, 0.4)
    assert {"c", "minus d", "0.300 [0.100,\xa00.400], p = 0.002"} <= set(texts(found.drawings[0]))
    assert found.grid is not None
    assert [row[4] for row in found.grid.rows[:4]] == [
        *["[\N{MINUS SIGN}0.100,\xa00.500]"] * 2,
        "[0.050,\xa00.500]",
        "",
    ]
    told = {row[1]: row[-1] for row in found.grid.rows if row[0] == "easy"}
    assert told == {"a": "b, c, d", "b": "a, c, d", "c": "a, b", "d": "a, b"}


def test_a_comparison_says_what_is_subtracted_and_has_a_line_at_zero() -> None:
    data = report_data(("a", "b"))
    drawing = edition_difference(data, compare(data, data)).drawings[0]
    assert drawing.heading == "easy: e<1> minus old, n = 3 shared domains"
    shown = texts(drawing)
    assert "e<1> minus old" in shown
    (zero,) = [mark for mark in drawing.chart["marks"] if mark["from"]["data"] not in _of_rows(drawing)]
    assert (zero["type"], zero["encode"]["update"]["x"]) == ("rule", {"scale": "x", "value": 0})


def _of_rows(drawing: Drawing) -> set[str]:
    """Return the names of data that derive from the rows."""
    names = {"rows"}
    for data in drawing.chart["data"]:
        if data.get("source") in names:
            names.add(data["name"])
    return names


@pytest.mark.parametrize(("common", "is_wide"), [(30, False), (20, True), (None, False)])
def test_rates_that_adjust_are_shown_where_players_have_other_instances(
    common: int | None, is_wide: bool
) -> None:
    data = report_data(("a",))
    table = data.tables["headline"]
    place = table.columns.index("common_instances")
    rows = tuple((*row[:place], common, *row[place + 1 :]) for row in table.rows)
    found = headline(replace(data, tables={**data.tables, "headline": replace(table, rows=rows)}))
    assert found.grid is not None
    assert ("common rate" in found.grid.headings) == ("Rasch" in found.caption) == is_wide
    assert found.grid.groups[1:] == tuple(
        (setting, (len(found.grid.headings) - 1) // 2) for setting in SETTINGS
    )
    assert {len(row) for row in found.grid.rows} == {len(found.grid.headings)}


def test_a_histogram_has_a_bar_a_count_and_gaps_between() -> None:
    rows = [(s, count, 10, 20, 3.0, 2.8, 3.2, 0.5, 0.3, 0.7) for s in SETTINGS for count in (2, 5)]
    shown = texts(optimal_histogram(report_data(("a",), optimal_counts=rows)).drawings[0])
    assert [text for text in shown if text.isdigit()] == ["2", "3", "4", "5"]
    assert "share of instances" in shown


def test_hostile_names_are_texts_of_a_drawing() -> None:
    shown = texts(success_rows(report_data()).drawings[0])
    assert NAMES[0] in shown
    assert NAMES[2] in shown


def test_the_gap_of_each_player_stands_with_what_would_have_been_found() -> None:
    section = contamination_gaps(report_data())
    assert section.grid is not None
    assert len(section.grid.rows) == len(section.drawings[0].rows) == len(NAMES)
    assert [row[2:5] for row in section.grid.rows][:2] == [
        ("< 0.001", "\N{EN DASH}", "yes"),
        ("0.004", "0.200", "no"),
    ]
    assert "n = 100 per player" in section.drawings[0].heading
    assert "published 2026-01-20" in section.caption


def test_a_player_with_an_unequal_slope_is_marked_in_the_common_scale() -> None:
    section = scale_over_editions(report_data())
    assert section.grid is not None
    place = section.grid.headings.index("discrimination")
    marks = [(row[place].endswith(" *"), row[place + 1]) for row in section.grid.rows]
    assert {is_marked for is_marked, _ in marks} == {True, False}
    assert all(is_marked == (float(p) < 0.05) for is_marked, p in marks)
    assert "marked *" in section.caption
