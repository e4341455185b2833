"""BeyondBench's sections of the report: the leaderboard's marks, sizes, and what is known of models."""

from html import unescape
from pathlib import Path
from typing import Any

import pytest

from flows.beyondbench.prepare import protocol_of
from flows.editions.report import report_data
from flows.editions.report_files import write_page
from schemas.beyondbench.settings import BeyondBenchSettings
from schemas.plan import way_of
from schemas.settings import load_settings
from tasks.report.content import ReportData, Section
from tasks.report.page import sections
from tests.beyondbench import made_edition

HOSTILE = "<b>'m'\\\"</b>"
FAMILY = {
    f"f-{size}-{tuning}": {
        "family": "F",
        "parameters_billion": size,
        "tuning": tuning,
        "quantization": "none",
    }
    for size in (1, 2, 4, 8, 16)
    for tuning in ("instruct", HOSTILE)
}
QUANTISED = {"f-8-int4": {**FAMILY["f-8-instruct"], "quantization": "int4"}}
OWN = ("leaderboard", "sizes", "scaling", "quantization", "violins")


def report_of(root: Path, facts: dict[str, Any], **changed: Any) -> ReportData:
    models = {name: (min(5, 1 + place // 2), 2, 1) for place, name in enumerate(facts)}
    made = made_edition.rows(models or made_edition.MODELS, **changed)
    return report_data(made_edition.publish(root, made, facts=facts))


def own_sections(data: ReportData) -> dict[str, Section]:
    return {section.key: section for section in sections(data) if section.key in OWN}


def test_the_leaderboard_marks_the_best_models_with_all_cells(tmp_path: Path) -> None:
    data = report_of(tmp_path, {})
    assert data.settings == ("easy", "medium", "hard")
    grid = own_sections(data)["leaderboard"].grid
    assert grid is not None
    assert grid.groups[1:] == (("Easy", 3), ("Medium", 3), ("Hard", 3), ("Overall", 3))
    assert [row[0] for row in grid.rows] == ["exact", "m-large", "m-small\xa0*", "random", "other\xa0*"]
    assert grid.rows[1][:4] == (
        "m-large",
        "100.0\xa0±\xa00.0 [83.2,\xa0100.0]",
        grid.rows[1][2],
        "145\xa0±\xa00",
    )
    # No program is marked, and `other`, better than m-small in the Hard suite, lacks a suite.
    assert grid.best == {(1, 1), (1, 4), (1, 7), (1, 10)}
    assert grid.second == {(2, 1), (2, 4), (2, 7), (2, 10)}
    page = unescape(write_page(data, tmp_path / "out").read_text(encoding="utf-8"))
    assert page.count('class="number best"') == page.count('class="number second"') == 4


def test_without_facts_of_models_sections_say_what_is_missing(tmp_path: Path) -> None:
    found = own_sections(report_of(tmp_path, {}))
    assert [key for key in found if found[key].missing] == ["scaling", "quantization", "violins"]
    for key in ("scaling", "quantization", "violins"):
        assert "models.toml" in found[key].missing
    assert [drawing.heading for drawing in found["sizes"].drawings] == [
        "sudoku, n = 4 to 5 a point",
        "tower of hanoi, n = 10 a point",
    ]


def test_an_edition_of_one_suite_has_no_overall_column_and_no_sizes(tmp_path: Path) -> None:
    found = own_sections(report_of(tmp_path, FAMILY, suites=("easy",)))
    grid = found["leaderboard"].grid
    assert grid is not None
    assert all(not any(row[4:]) for row in grid.rows)
    assert found["sizes"].missing
    assert found["scaling"].missing
    assert [drawing.heading.split(":")[0] for drawing in found["violins"].drawings] == ["easy"]


def test_models_with_facts_are_drawn_by_parameters_quantisation_and_tuning(tmp_path: Path) -> None:
    data = report_of(tmp_path, FAMILY | QUANTISED)
    found = own_sections(data)
    (line,) = data.tables["scaling"].records()
    # Accuracy in Easy is 1/5 to 5/5 from 1 to 16 billion: 0.2 a doubling, a third of it overall.
    assert (line["family"], line["models"], line["least_billion"], line["largest_billion"]) == (
        "F",
        10,
        1,
        16,
    )
    assert line["gain_per_doubling"] == pytest.approx(0.2 / 3)
    assert line["at_largest"] == pytest.approx((1 + 0.4 + 0.2) / 3)
    (rows,) = (drawing.rows for drawing in found["quantization"].drawings)
    assert [(row["player"], row["first"], row["series"]) for row in rows] == [
        ("F 8B instruct", "f-8-instruct", "none"),
        ("F 8B instruct", "f-8-int4", "int4"),
    ]
    easy, *_, overall = found["violins"].drawings
    assert easy.heading == f"easy: {HOSTILE} mean 60.0%, n = 5; instruct mean 66.7%, n = 6, gap 6.7"
    assert overall.heading.startswith("overall: ")
    page = write_page(data, tmp_path / "out").read_text(encoding="utf-8")
    assert HOSTILE not in page.rpartition("<script>")[0]


def test_what_models_toml_says_of_models_is_published_with_the_evaluation_and_decides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models.toml").write_text(
        '[m]\nfamily = "F"\nparameters_billion = 8\ncontext = 900\n[n]\n[o]\ntuning = "math"\n'
    )
    settings = load_settings({"benchmark": "beyondbench", "players": ["m", "n", "exact"]})
    assert isinstance(settings, BeyondBenchSettings)
    protocol = protocol_of(settings, None, None)  # type: ignore[arg-type]
    assert protocol["facts"] == {"m": {"family": "F", "parameters_billion": 8.0}}
    assert way_of(protocol, "m") == {"budgets": protocol["budgets"]["m"]}
    assert way_of({"budgets": protocol["budgets"]}, "m") == way_of(protocol, "m")
    assert way_of(protocol, "n") == way_of({}, "n")


def test_the_facts_that_an_evaluation_states_are_those_of_its_players(tmp_path: Path) -> None:
    data = report_of(tmp_path, FAMILY)
    rows = [row for row in data.tables["model_facts"].records() if row["suite"] == "overall"]
    assert {(row["player"], row["family"], row["parameters_billion"], row["tuning"]) for row in rows} == {
        (name, "F", facts["parameters_billion"], facts["tuning"]) for name, facts in FAMILY.items()
    }
