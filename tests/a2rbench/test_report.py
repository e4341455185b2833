"""A2RBench's sections of the report, of an edition with statistics and of one without."""

from pathlib import Path

import pytest

from perennial.flows.editions.report import report_data
from perennial.flows.editions.report_files import write_page
from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.a2rbench.measures import measure_code
from perennial.tasks.report.content import ReportData, Section
from perennial.tasks.report.page import sections
from perennial.warehouse.store.store import Store
from tests.a2rbench import made_edition

OWN = ("a2rbench_leaderboard", "a2rbench_curve", "a2rbench_failures", "a2rbench_measures")


def own_sections(data: ReportData) -> dict[str, Section]:
    return {section.key: section for section in sections(data) if section.key in OWN}


@pytest.mark.slow
def test_the_leaderboard_and_the_curve_are_drawn(analysed: Store, tmp_path: Path) -> None:
    data = report_data(analysed)
    assert data.settings == ("seed", "augmented", "remapped")
    sections = own_sections(data)
    assert list(sections) == list(OWN)
    assert [key for key in sections if sections[key].missing] == []
    grid = sections["a2rbench_leaderboard"].grid
    assert grid is not None
    rows = {row[0]: row for row in grid.rows}
    assert list(rows)[: len(made_edition.MODELS)] == sorted(
        made_edition.MODELS, key=lambda player: -float(rows[player][1].split()[0])
    )
    assert rows["search"][1].startswith("100.0 [")
    # No rule of this edition is on a grid.
    assert {row[grid.headings.index("2D")] for row in grid.rows} == {""}
    drawings = sections["a2rbench_curve"].drawings
    assert [drawing.heading for drawing in drawings] == [
        "accuracy",
        "compression ratio",
        "entropy of wrong answers, bits",
    ]
    assert [len(drawing.rows) for drawing in drawings] == [30, 5, 5]
    assert {row["player"] for row in drawings[1].rows} == {"all"}
    outcomes = {
        outcome: [
            sum(
                (row["player"], row["success"]) == (player, success)
                for row in made_edition.rows()["episodes"]
            )
            for player in made_edition.MODELS
        ]
        for outcome, success in (("wrong", False), ("right", True))
    }
    failures = sections["a2rbench_failures"]
    assert [drawing.heading for drawing in failures.drawings] == [
        f"{outcome} answers, as {analyst} says, n = {min(sizes)} to {max(sizes)} per player"
        for analyst in ("x", "y")
        for outcome, sizes in outcomes.items()
    ]
    for drawing in failures.drawings:
        ends = {row["player"]: row["end"] for row in drawing.rows}
        assert ends == pytest.approx(dict.fromkeys(made_edition.MODELS, 1))
    assert "alpha between analysts" in failures.caption
    measures = sections["a2rbench_measures"].grid
    assert measures is not None
    assert [row[:4] for row in measures.rows] == [
        ("catalogue", "1D", "semantic", "1"),
        ("catalogue", "1D", "symbolic", "1"),
        ("catalogue", "3D", "symbolic", "2"),
    ]
    codes = [RULES[name].code for name in made_edition.NAMES if name.startswith("cube")]
    depth = sum(measure_code(code).max_loop_depth for code in codes) / 2
    assert measures.rows[2][measures.headings.index("loop depth")] == f"{depth:.2f}"
    page = write_page(data, tmp_path / "out").read_text(encoding="utf-8")
    assert "From V0 to V9" in page


@pytest.mark.slow
def test_without_statistics_the_sections_say_what_computes_them(unfigured: Store) -> None:
    sections = own_sections(report_data(unfigured))
    assert ["perennial analyse" in sections[key].missing for key in OWN] == [True, True, False, False]
    assert "--analysts" in sections["a2rbench_failures"].missing
