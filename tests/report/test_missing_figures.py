"""Figures for which an edition has no data: one sentence each, and nothing that looks like a figure."""

from dataclasses import replace

import pytest

from perennial.tasks.kumo.report import REPORT, topology_rows
from perennial.tasks.kumo.report_books import authoring
from perennial.tasks.report.figures.headline import headline
from perennial.tasks.report.figures.interval_rows import player_pairs, status_rows, success_rows
from perennial.tasks.report.figures.scatter import settings_scatter
from perennial.tasks.report.page import SHARED
from tests.report.sample_report import FLOORS, MEASURED, SETTINGS, report_data

FIGURES = {figure.key: figure for figure in (*SHARED, *REPORT.figures)}


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("headline", "No player took part"),
        ("success_rate", "No episode of this edition is scored."),
        ("relative_action_counts", "perennial analyse"),
        ("domains", "perennial analyse"),
        ("player_pairs", "perennial analyse"),
        ("cheaper_models", "answered the same instances at costs that are known"),
        ("contamination", "has no private instances, or nobody has answered them"),
        ("variance_parts", "No model of this edition has answers"),
        ("success_and_cost", "no model played in it"),
        ("statuses", "perennial analyse"),
        ("other_benchmarks", "import scores"),
        ("models", "models.toml"),
        ("optimal_counts", "This edition has no instance."),
        ("references", "This edition has no instance."),
        ("steps_at_half", "perennial analyse"),
        ("draws", "Nothing says how these instances were drawn."),
        ("topology", "perennial analyse"),
        ("control_gaps", "as closed:MODEL or symbolic:MODEL"),
        ("training_curves", "No player of this edition is a training checkpoint"),
        ("book_versions", "No player was shown other books"),
        ("configurers", "No proposal was configured by two models"),
        ("revisions", "No model wrote books of this edition."),
        ("book_styles", "No player was shown a book that the template wrote."),
        ("authoring", "No model wrote domains or books"),
    ],
)
def test_a_figure_without_data_is_one_sentence(key: str, told: str) -> None:
    figure = FIGURES[key]
    table = "smallest_changes" if key == "variance_parts" else figure.table
    found = figure(report_data(("a", "b"), **{table: []}))
    assert told in found.missing
    assert (found.drawings, found.grid, found.caption) == ((), None, "")
    assert table in [behind.name for behind in found.tables]


def test_one_setting_has_no_other() -> None:
    found = settings_scatter(replace(report_data(("a", "b")), settings=("easy",)))
    assert found.missing == "This edition has one setting only."
    assert (found.drawings, found.caption) == ((), "")


def test_one_player_has_no_pairs() -> None:
    assert player_pairs(report_data(("a",))).missing == "This edition has one player only."


def test_an_edition_where_all_is_solved_says_so() -> None:
    rows = [(s, "a", "solved", 60, 1.0, 0.9, 1.0, "new domains") for s in SETTINGS]
    rows += [(s, "a", "wrong", 60, 0.0, 0.0, 0.1, "new domains") for s in SETTINGS]
    found = status_rows(report_data(("a",), statuses=rows))
    assert found.missing == "Every episode of this edition was solved."


def test_undefined_figures_are_dashes_and_no_bars() -> None:
    undefined = [None] * (7 + len(f"{MEASURED} {FLOORS}".split()))
    rows = [(s, 1, "models", None, "a", 1, 1, 0, *[None] * 4, 0, *undefined) for s in SETTINGS]
    data = report_data(("a",), headline=rows, topology=[("easy", "a", 1, *[None] * 16)])
    grid = headline(data).grid
    assert grid is not None
    one = ("", "–", "1", "–", "0", "", *["–"] * len(data.measures), "0 of 1")
    assert grid.rows == (("a", *one, *one),)
    assert success_rows(data).missing == "No episode of this edition is scored."
    assert topology_rows(data).missing.startswith("No trend is defined")


def test_costs_of_authors_add_up_by_domain_and_unknown_ones_stay_blank() -> None:
    grid = authoring(report_data(("a", "b"))).grid
    assert grid is not None
    assert [row[2:] for row in grid.rows] == [
        ("3.5", "1,150", "0.2500", "", "", "0.2500"),
        ("1.0", "15", "0.0500", "", "", "0.0500"),
        ("4.5", "1,165", "0.3000", "", "", "0.3000"),
    ]
    assert [row[0] for row in grid.rows][1:] == ["(none)", "all"]
