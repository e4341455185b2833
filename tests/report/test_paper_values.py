"""Hollow marks: what a benchmark's paper prints of exactly the same model, beside ours."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from perennial.flows.editions.report import report_data
from perennial.tasks.report.content import Drawing, ReportData, ReportTable, Section
from perennial.tasks.report.figures.interval_rows import success_rows
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.a2rbench import made_edition as a2rbench
from tests.beyondbench import made_edition as beyondbench
from tests.knowlogic.figures import made_edition as knowlogic
from tests.report import sample_report

LEGEND, OTHERWISE = "○ the paper's value: ", "◌ the paper's value: "


def hollow_marks(drawing: Drawing) -> int:
    """Return how many hollow points the drawing has, as it is drawn."""
    svg = sample_report.draw_svg(drawing)
    marks = re.findall(r"<path aria-label=\"paper: [^>]*; the paper's value: [^>]*>", svg)
    return sum('fill="' not in mark for mark in marks)


def printed_in(drawing: Drawing) -> dict[str, float]:
    return {row["player"]: row["paper"] for row in drawing.rows if row["paper"] is not None}


def section_of(data: ReportData, key: str) -> Section:
    return next(figure for figure in data.additions.figures if figure.key == key)(data)


def of_beyondbench(root: Path) -> Store:
    models = {"Org/Qwen2.5-7B-Instruct": (5, 4, 3), "qwen2.5-7b": (4, 3, 2)}
    return beyondbench.publish(root, beyondbench.rows(models))


def of_knowlogic(root: Path) -> Store:
    models = {"GPT-4o": knowlogic.MODELS["m-large"], "gpt-4o-2024-08-06": knowlogic.MODELS["m-small"]}
    return knowlogic.publish(root, knowlogic.rows(models))


def of_a2rbench(root: Path) -> Store:
    made = a2rbench.rows({"gpt-5": "RRRWRRN", "gpt-5-high": "RQWNRX"})
    return a2rbench.publish(root, made, a2rbench.statistics(made))


@pytest.mark.parametrize(
    ("publish", "key", "player", "values", "place"),
    [
        (
            of_beyondbench,
            "leaderboard",
            "Org/Qwen2.5-7B-Instruct",
            {"easy": 0.6136, "medium": 0.3007, "hard": 0.1665, "overall": 0.3603},
            "table 3, where problems, prompts, settings differ",
        ),
        (
            of_knowlogic,
            "leaderboard",
            "GPT-4o",
            {"average over the paper's nine columns": 0.4481},
            "table 5, where prompts, questions differ",
        ),
        (of_a2rbench, "a2rbench_paper", "gpt-5", {"total": 0.39}, "table 1, where items, prompts differ"),
    ],
)
@pytest.mark.slow
def test_a_model_of_the_paper_has_its_value_beside_ours(
    tmp_path: Path,
    publish: Callable[[Path], Store],
    key: str,
    player: str,
    values: dict[str, float],
    place: str,
) -> None:
    data = report_data(publish(tmp_path))
    section = section_of(data, key)
    drawn = {drawing.heading.split(",")[0]: drawing for drawing in section.drawings}
    # A name that only begins like the model's is another model, or may be.
    assert {part: printed_in(drawing) for part, drawing in drawn.items()} == {
        part: {player: pytest.approx(value)} for part, value in values.items()
    }
    for drawing in drawn.values():
        assert drawing.heading.endswith(OTHERWISE + place)
        assert hollow_marks(drawing) == 1
        assert len(drawing.rows) > 2
    assert "a model of exactly this name" in section.caption
    assert section.tables[-1].name == "paper_scores"
    # Without such a model nothing is added.
    printed = replace(data.tables["paper_scores"], rows=())
    alone = section_of(replace(data, tables={**data.tables, "paper_scores": printed}), key)
    assert alone.drawings == ()
    assert "a model of exactly this name" not in alone.caption


def test_success_rates_have_the_papers_rate_of_the_same_setting() -> None:
    data = sample_report.report_data(("deepseek-r1", "deepseek-v3"))
    setting = data.settings[0]
    columns = ("player", "figure", "setting", "domain", "value", "place", "printed_as", "settings", "differs")
    rows = (
        ("deepseek-v3", "success_rate", setting, "all", 0.86, "figure 2", "deepseek-v3", "", None),
        ("deepseek-v3", "success_rate", setting, "MedicalEnv", 0.5, "figure 3", "deepseek-v3", "", None),
        ("deepseek-r1", "success_rate", setting, "all", 0.7, "figure 3", "r1", "", "domains, prompts"),
        ("deepseek-r1", "tokens", setting, "all", 0.2, "figure 6b", "deepseek-r1", "", None),
    )
    printed = ReportTable("paper_scores", columns, rows, "SELECT 1")
    first, *others = success_rows(replace(data, tables={**data.tables, "paper_scores": printed})).drawings
    assert printed_in(first) == {"deepseek-v3": 0.86, "deepseek-r1": 0.7}
    dotted = f"; {OTHERWISE}figure 3, where domains, prompts differ"
    assert first.heading.endswith(f"; {LEGEND}figure 2{dotted}")
    assert hollow_marks(first) == 2
    assert {hollow_marks(other) for other in others} <= {0}
    assert success_rows(data).drawings[0].heading == first.heading.removesuffix(f"; {LEGEND}figure 2{dotted}")


@pytest.mark.slow
def test_the_view_names_the_table_and_gives_shares(tmp_path: Path) -> None:
    catalog = open_catalog(of_beyondbench(tmp_path))
    rows = catalog.query(
        "SELECT player, printed_as, settings, setting, value FROM paper_scores "
        "WHERE source = 'paper' AND figure = 'accuracy' AND place = 'table 3' ORDER BY setting"
    )[1]
    assert rows[0] == ("Org/Qwen2.5-7B-Instruct", "Qwen2.5 (7B)", "Qwen2.5, 7B", "all", pytest.approx(0.3603))
    assert len(rows) == 4
    (tokens,) = catalog.query(
        "SELECT DISTINCT value FROM paper_scores "
        "WHERE figure = 'tokens' AND setting = 'hard' AND source = 'paper'"
    )[1]
    assert tokens == (938.58,)
