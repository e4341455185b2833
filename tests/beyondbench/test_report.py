"""BeyondBench's sections of the report: the leaderboard's marks, sizes, and what is known of models."""

from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.editions.report import report_data
from perennial.flows.editions.report_files import write_page
from perennial.flows.refresh.models import state_facts
from perennial.schemas.beyondbench.settings import BeyondBenchSettings
from perennial.schemas.plan import way_of
from perennial.schemas.settings import load_settings
from perennial.tasks.beyondbench.report import overthinking
from perennial.tasks.report.content import ReportData, ReportTable, Section
from perennial.tasks.report.page import sections
from perennial.warehouse.catalog.scores import keep_scores
from perennial.warehouse.store.store import Store
from tests.beyondbench import made_edition
from tests.warehouse import tiny_edition

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
OWN = ("leaderboard", "best_answers", "sizes", "static", "scaling", "quantization", "violins")


def report_of(root: Path, facts: dict[str, Any], **changed: Any) -> ReportData:
    models = {name: (min(5, 1 + place // 2), 2, 1) for place, name in enumerate(facts)}
    made = made_edition.rows(models or made_edition.MODELS, **changed)
    return report_data(made_edition.publish(root, made, facts=facts))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    """The edition whose models nothing is known of."""
    return report_of(tmp_path_factory.mktemp("plain"), {})


@pytest.fixture(scope="module")
def plain_page(plain: ReportData, tmp_path_factory: pytest.TempPathFactory) -> str:
    return unescape(write_page(plain, tmp_path_factory.mktemp("page")).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    """The edition played by models of one family, one of them quantized."""
    return report_of(tmp_path_factory.mktemp("family"), FAMILY | QUANTISED)


def own_sections(data: ReportData) -> dict[str, Section]:
    return {section.key: section for section in sections(data) if section.key in OWN}


@pytest.mark.slow
def test_the_leaderboard_marks_the_best_models_with_all_cells(plain: ReportData, plain_page: str) -> None:
    assert plain.settings == ("easy", "medium", "hard")
    grid = own_sections(plain)["leaderboard"].grid
    assert grid is not None
    # m-small was not asked two problems: Common compares players on the others.
    assert grid.headings[1:5] == ("Acc", "Common", "Inst", "Tokens")
    assert grid.groups[1:] == (("Easy", 4), ("Medium", 4), ("Hard", 4), ("Overall", 4))
    assert [row[0] for row in grid.rows] == ["m-large", "m-small\xa0*", "other\xa0*", "exact", "random"]
    assert grid.rows[0][:5] == (
        "m-large",
        "100.0\xa0±\xa00.0 [81.9,\xa0100.0]",
        "100.0 [81.9,\xa0100.0]",
        grid.rows[0][3],
        "145\xa0±\xa00",
    )
    # Right are 0, 1, 2, 5, 6, 7 of the eight that all have of sudoku, and 12 of 20 of the Tower of Hanoi.
    assert grid.rows[0][10].startswith("67.5 [")
    # No program is marked, and `other`, better than m-small in the Hard suite, lacks a suite.
    assert grid.best == {(0, 2), (0, 6), (0, 10), (0, 14)}
    assert grid.second == {(1, 2), (1, 6), (1, 10), (1, 14)}
    assert plain_page.count('class="number best"') == plain_page.count('class="number second"') == 4


@pytest.mark.slow
def test_tasks_with_right_answers_that_are_not_the_best_show_both_shares(
    plain: ReportData, tmp_path: Path
) -> None:
    assert own_sections(plain)["best_answers"].missing
    made = made_edition.rows()
    sudoku = {row["instance_id"] for row in made["instances"] if row["domain"] == "sudoku"}
    episodes = {row["episode_id"]: row for row in made["episodes"] if row["instance_id"] in sudoku}
    for answer in made["beyondbench_answers"]:
        if answer["episode_id"] in episodes and answer["answer"] is not None:
            answer["is_best"] = episodes[answer["episode_id"]]["player"] == "exact"
    section = own_sections(report_data(made_edition.publish(tmp_path / "some", made)))["best_answers"]
    assert section.grid is not None
    assert section.grid.groups[1:] == (("sudoku", 2),)
    found = {row[0]: [cell.split(" [")[0] for cell in row[1:]] for row in section.grid.rows}
    assert found["exact"] == ["1.000", "1.000"]
    assert found["m-large"] == ["0.600", "0.000"]


@pytest.mark.slow
def test_the_page_says_what_was_not_asked(plain_page: str) -> None:
    assert "m-small was not asked 2 of hard, which its context does not hold." in plain_page


@pytest.mark.slow
def test_without_facts_of_models_sections_say_what_is_missing(plain: ReportData) -> None:
    sections = own_sections(plain)
    missing = [key for key in sections if sections[key].missing]
    assert missing == ["best_answers", "static", "scaling", "quantization", "violins"]
    for key in ("scaling", "quantization", "violins"):
        assert "models.toml" in sections[key].missing
    assert [drawing.heading for drawing in sections["sizes"].drawings] == [
        "sudoku, n = 4 to 5 per point",
        "tower of hanoi, n = 10 per point",
    ]


@pytest.mark.slow
def test_scores_of_fixed_benchmarks_are_set_against_the_hard_suite(tmp_path: Path) -> None:
    store = made_edition.publish(tmp_path, made_edition.rows())
    scores = {"m-large": 95.0, "m-small": 90.0, "other": 85.0, "absent": 99.0}
    rows = [
        {"benchmark": benchmark, "player": player, "score": score * factor, "source": "here"}
        for benchmark, factor in (
            (HOSTILE, 1),
            ("shares", 0.01),
            ("Elo", 10),
            ("beyondbench-2025 hard_acc", 1),
        )
        for player, score in scores.items()
    ]
    keep_scores(store, rows)
    data = report_data(store)
    found = {(row["other_benchmark"], row["player"]): row for row in data.tables["static"].records()}
    # Accuracy in the Hard suite: 3, 1 and 2 of 5, but m-small's over 8 problems of Sudoku.
    accuracy = {"m-large": 0.6, "m-small": (0.2 + 2 / 8) / 2, "other": 0.4}
    assert set(found) == {(name, player) for name in (HOSTILE, "shares", "Elo") for player in accuracy}
    for player, expected in accuracy.items():
        for name in (HOSTILE, "shares"):
            row = found[name, player]
            assert (row["hard_accuracy"], row["other_share"]) == pytest.approx(
                (expected, scores[player] / 100)
            )
            assert row["gap"] == pytest.approx(scores[player] / 100 - expected)
            assert row["hard_accuracy_low"] < expected < row["hard_accuracy_high"]
        assert found["Elo", player]["other_share"] is found["Elo", player]["gap"] is None
    drawings = own_sections(data)["static"].drawings
    gap = (0.95 + 0.9 + 0.85 - sum(accuracy.values())) / 3
    assert [drawing.heading for drawing in drawings] == [
        f"{name}: mean gap {100 * gap:.1f} percentage points; n = 3, too few for a correlation"
        for name in (HOSTILE, "shares")
    ]


@pytest.mark.slow
def test_an_edition_of_one_suite_has_no_overall_column_and_no_sizes(tmp_path: Path) -> None:
    sections = own_sections(report_of(tmp_path, FAMILY, suites=("easy",)))
    grid = sections["leaderboard"].grid
    assert grid is not None
    assert grid.headings[1:4] == ("Acc", "Inst", "Tokens")
    assert all(not any(row[4:]) for row in grid.rows)
    assert sections["sizes"].missing
    assert sections["scaling"].missing
    assert [drawing.heading.split(":")[0] for drawing in sections["violins"].drawings] == ["easy"]


@pytest.mark.slow
def test_models_with_facts_are_drawn_by_parameters_quantisation_and_tuning(
    family: ReportData, tmp_path: Path
) -> None:
    sections = own_sections(family)
    (line,) = family.tables["scaling"].records()
    # Accuracy in Easy is 1/5 to 5/5 from 1 to 16 billion: 0.2 a doubling, a third of it overall.
    assert (line["family"], line["models"], line["least_billion"], line["largest_billion"]) == (
        "F",
        10,
        1,
        16,
    )
    assert line["gain_per_doubling"] == pytest.approx(0.2 / 3)
    assert line["at_largest"] == pytest.approx((1 + 0.4 + 0.2) / 3)
    (rows,) = (drawing.rows for drawing in sections["quantization"].drawings)
    assert [(row["player"], row["first"], row["series"]) for row in rows] == [
        ("F 8B instruct", "f-8-instruct", "none"),
        ("F 8B instruct", "f-8-int4", "int4"),
    ]
    easy, *_, overall = sections["violins"].drawings
    assert easy.heading == f"easy: {HOSTILE} mean 60.0%, n = 5; instruct mean 66.7%, n = 6, gap 6.7"
    assert overall.heading.startswith("overall: ")
    page = write_page(family, tmp_path / "out").read_text(encoding="utf-8")
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
    players = ("m", "n", "exact")
    benchmark = find_benchmark("beyondbench")
    facts = state_facts(settings, benchmark, players)
    assert facts == {"m": {"family": "F", "parameters_billion": 8.0}}
    made = tiny_edition.plan("b1", benchmark="beyondbench")
    plan = replace(made.evaluation, facts=facts)
    assert plan.asked == replace(plan, facts={}).asked
    assert plan.batch_key("play") == replace(plan, facts={}).batch_key("play")
    protocol = benchmark.protocol(settings, Store(str(tmp_path)), made.growth)
    assert way_of(protocol, "m") == {"budgets": protocol["budgets"]["m"]}
    assert way_of(protocol, "n") == way_of({}, "n")


@pytest.mark.slow
def test_the_facts_that_an_evaluation_states_are_those_of_its_players(family: ReportData) -> None:
    rows = [row for row in family.tables["model_facts"].records() if row["suite"] == "overall"]
    assert {(row["player"], row["family"], row["parameters_billion"], row["tuning"]) for row in rows} == {
        (name, "F", facts["parameters_billion"], facts["tuning"])
        for name, facts in (FAMILY | QUANTISED).items()
    }


def test_long_replies_are_drawn_by_suite_and_beside_short_ones() -> None:
    columns = (
        "suite",
        "player",
        "replies",
        "share_above",
        "accuracy_above",
        "accuracy_below",
        "median_ratio",
    )
    rows = (("easy", "m", 40, 0.25, 0.5, 0.9, 7.0), ("hard", "m", 20, 0.0, None, 0.3, 2.0))
    tables = {
        "overthinking": ReportTable("overthinking", columns, rows, "-- How long?\nFROM x"),
        "headline": ReportTable(
            "headline", ("player", "setting", "player_group"), (("m", "easy", "models"),), ""
        ),
    }
    section = overthinking(ReportData("e", (), ("easy",), tables))
    shares, easy, hard = ([(row["x"], row["value"], row["n"]) for row in d.rows] for d in section.drawings)
    assert shares == [("easy", 0.25, "40"), ("hard", 0.0, "20")]
    assert easy == [("at most the bound", 0.9, "30"), ("above it", 0.5, "10")]
    assert hard == [("at most the bound", 0.3, "20")]
