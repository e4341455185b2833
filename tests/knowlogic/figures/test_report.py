"""KnowLogic's sections of the report, of usual and of odd editions, and its pages of the explorer."""

from html import unescape
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.editions.report import report_data
from perennial.flows.editions.report_files import write_page
from perennial.tasks.knowlogic.report import types
from perennial.tasks.report.content import ReportData, ReportTable, Section
from perennial.tasks.report.page import sections
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import commands_on
from tests.knowlogic.figures import made_edition
from tests.web.visiting import errors_of, visit

OWN = (
    *("leaderboard", "model_means", "level_means", "difficulty", "level_classes", "scenarios", "types"),
    *("reply_tokens", "levels", "languages", "errors", "knowlogic_failures"),
)


def own_sections(data: ReportData) -> dict[str, Section]:
    return {section.key: section for section in sections(data) if section.key in OWN}


@pytest.fixture(scope="module")
def data(root: Path) -> ReportData:
    return report_data(Store(str(root)))


@pytest.fixture(scope="module")
def found(data: ReportData) -> dict[str, Section]:
    return own_sections(data)


@pytest.mark.slow
def test_the_leaderboard_marks_the_best_models_of_each_column(
    data: ReportData, found: dict[str, Section], tmp_path: Path
) -> None:
    assert data.settings == ("easy", "medium", "hard")
    assert list(found) == list(OWN)
    assert [key for key in found if found[key].missing] == []
    grid = found["leaderboard"].grid
    assert grid is not None
    assert grid.groups == (("", 1), *((name.capitalize(), 2) for name in made_edition.DOMAINS), ("All", 2))
    assert [row[0] for row in grid.rows] == ["m-large", "m-small", "other", "exact", "single"]
    assert grid.rows[3][1] == "100.0 [71.2,\xa0100.0]"
    # No program is marked; `other` has no answer in domain mix, and no average.
    assert {row for row, _ in grid.best | grid.second} == {0, 1, 2}
    assert [place for place in grid.best if place[1] == 11] == [(0, 11)]
    assert [place for place in grid.second if place[1] == 11] == [(1, 11)]
    assert grid.rows[2][9:12] == ("", "", "")
    page = unescape(write_page(data, tmp_path / "out").read_text(encoding="utf-8"))
    assert page.count('class="number best"') == len(grid.best)


@pytest.mark.slow
def test_drawings_are_of_all_domains_and_of_each(found: dict[str, Section]) -> None:
    for key in ("difficulty", "reply_tokens", "languages", "errors"):
        assert [drawing.heading.split(",")[0] for drawing in found[key].drawings] == [
            "all domains",
            *made_edition.DOMAINS,
        ]
    assert [drawing.heading.split(",")[0] for drawing in found["scenarios"].drawings] == list(
        made_edition.DOMAINS
    )
    assert [drawing.heading.split(",")[0] for drawing in found["types"].drawings] == [
        "question type",
        "precision",
        "number of right letters",
        "number of slots in space",
        "number of slots and precision in space",
    ]
    assert [drawing.heading.split(",")[0] for drawing in found["levels"].drawings] == list(
        made_edition.DOMAINS
    )
    grid = found["model_means"].grid
    assert grid is not None
    assert grid.rows[0][:2] == ("all", "both")
    assert len(grid.rows) == 3 * (1 + len(made_edition.DOMAINS))
    assert found["difficulty"].drawings[0].heading == "all domains, n = 16 to 60 per point"
    # Bars of a player stand end to end, and leave its accuracy free.
    bars = [row for row in found["errors"].drawings[0].rows if row["player"] == "m-small"]
    assert [row["start"] for row in bars[1:]] == [row["end"] for row in bars[:-1]]
    assert bars[-1]["end"] == pytest.approx(1 - bars[-1]["total"])
    rows = found["languages"].drawings[0].rows
    assert next(row["more"] for row in rows if row["player"] == "m-large") == ", p = 0.003"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chosen", "other"),
    [("level", ("model_means", "difficulty")), ("effort", ("level_means", "level_classes"))],
)
def test_figures_by_one_kind_of_classes_stand_without_the_other(
    data: ReportData, found: dict[str, Section], chosen: str, other: tuple[str, str]
) -> None:
    assert data.additions.difficulties == ["effort", "level"]
    reduced = data.by_difficulty(chosen)
    assert set(found) - set(own_sections(reduced)) == set(other) == {*data.tables} - {*reduced.tables}


@pytest.mark.slow
def test_the_report_takes_the_name_of_classes(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = commands_on(Store(str(root)), monkeypatch, capsys)
    command = ("report", "--format", "csv", "--out", str(tmp_path), "--difficulty")
    assert run(*command, "level").code == 0
    assert (tmp_path / "k1/level_means.csv").is_file()
    assert not (tmp_path / "k1/model_means.csv").exists()
    refused = run(*command, "levl")
    assert (refused.code, refused.err.splitlines()[-1].split(": ", 2)[2]) == (
        2,
        "--difficulty 'levl': expected effort or level; did you mean level?",
    )


@pytest.mark.parametrize(
    ("changed", "missing", "absent"),
    [
        (
            {"models": {}, "pairs": 3},
            {"reply_tokens", "levels", "model_means", "level_means", "knowlogic_failures"},
            {"reply_tokens"},
        ),
        (
            {"models": {"mute": ("N", "N")}, "pairs": 1, "domains": ("mix",)},
            {"knowlogic_failures"},
            {"tokens_level_pearson", "tokens_level_spearman"},
        ),
    ],
)
@pytest.mark.slow
def test_odd_editions_have_what_they_can_have_and_say_what_is_missing(
    tmp_path: Path, changed: dict[str, Any], missing: set[str], absent: set[str]
) -> None:
    store = made_edition.publish(tmp_path, made_edition.rows(**changed))
    sections = own_sections(report_data(store))
    assert {key for key in sections if sections[key].missing} == missing
    catalog = open_catalog(store)
    columns = "statistic, setting, domain, player, other"
    figures = {
        tuple(key): value for *key, value in catalog.query(f"SELECT {columns}, value FROM statistics")[1]
    }
    statistics = {key[0] for key in figures}
    assert {"accuracy", "unextracted_rate", "average", "error_subset"} <= statistics
    assert not statistics & absent
    assert figures["accuracy", "all", "all", "exact", ""] == 1
    if "mute" in changed["models"]:
        shares = {name: figures[name, "all", "all", "mute", ""] for name in ("accuracy", "unextracted_rate")}
        assert shares == {"accuracy": 0, "unextracted_rate": 1}
        assert figures["error_subset", "all", "all", "mute", ""] == 0
        assert ("reply_tokens", "all", "all", "mute", "all/right") not in figures
        assert ("reply_tokens", "all", "all", "mute", "all/wrong") in figures


@pytest.mark.slow
def test_an_imported_edition_of_one_language_says_what_is_missing(tmp_path: Path) -> None:
    store = made_edition.publish(tmp_path, made_edition.rows(languages=("en",), imported=True, pairs=3))
    data = report_data(store)
    sections = own_sections(data)
    assert {key for key in sections if sections[key].missing} == {
        *("scenarios", "levels", "level_classes", "level_means", "languages")
    }
    assert write_page(data, tmp_path / "out").stat().st_size > 100_000
    catalog = open_catalog(store)
    columns = "average, space_en_accuracy, space_zh_accuracy"
    board = f"SELECT {columns} FROM knowlogic_leaderboard WHERE player = 'exact'"
    assert catalog.query(board)[1] == [(1, 1, None)]
    for name in ("scenarios", "properties", "languages"):
        assert catalog.query(f"FROM knowlogic_{name}")[1] == []
    assert catalog.query("SELECT DISTINCT label FROM knowlogic_types")[1] == [("right_letters",)]
    assert catalog.query("SELECT DISTINCT pearson FROM knowlogic_tokens")[1] == [(None,)]


@pytest.mark.slow
def test_the_pages_show_figures_and_a_question_in_both_languages(root: Path) -> None:
    for name in ("knowlogic_tokens", "knowlogic_levels", "knowlogic_properties"):
        shown = visit(root, "figures", edition="k1", figure=name)
        assert errors_of(shown) == []
        assert "m-large" in set(shown.dataframe[0].value["player"])
    listed = visit(root, "knowlogic-questions", edition="k1", domain="mix", language="en")
    assert errors_of(listed) == []
    assert set(listed.dataframe[0].value["domain"]) == {"mix"}
    _, ((instance, pair),) = open_catalog(Store(str(root))).query(
        "SELECT instance_id, pair FROM knowlogic_questions WHERE domain = 'space' AND language = 'en' LIMIT 1"
    )
    shown = visit(root, "instances", edition="k1", instance=instance)
    assert errors_of(shown) == []
    assert [header.value for header in shown.header] == [
        "Chinese",
        "English",
        "Answers in each language",
        "Episodes",
    ]
    texts = [block.value for block in shown.code]
    assert texts[0].startswith("问题 space")
    assert texts[2].startswith("question space")
    assert "<b>one</b> $x$ statement" in texts[2]
    assert pair in shown.text[1].value
    answers = shown.dataframe[0].value
    assert list(answers.columns[:4]) == ["language", "player", "run", "letters"]
    assert set(answers["language"]) == {"zh", "en"}
    _, ((episode,),) = open_catalog(Store(str(root))).query(
        f"SELECT episode_id FROM episodes WHERE instance_id = '{instance}' AND player = 'm-large'"
    )
    assert errors_of(visit(root, "episodes", edition="k1", episode=episode)) == []


def test_kinds_of_questions_are_drawn_whatever_their_number_of_slots() -> None:
    columns = ("label", "value", "player", "questions", "accuracy", "accuracy_low", "accuracy_high")
    values = [
        ("slots", "6"),
        ("slots", "3"),
        ("slots_precision", "3 vague"),
        ("type", "vague_slot"),
        ("type", "precise_slot"),
    ]
    rows = tuple((*value, "m", 9, 0.5, 0.2, 0.8) for value in values)
    headline = ReportTable("headline", ("player", "setting", "player_group"), (("m", "easy", "models"),), "")
    data = ReportData(
        "e", (), ("easy",), {"types": ReportTable("types", columns, rows, ""), "headline": headline}
    )
    kinds, slots, both = ([row["of"] for row in drawing.rows] for drawing in types(data).drawings)
    assert (set(kinds), set(slots), both) == ({"vague slot", "precise slot"}, {"3", "6"}, ["3 vague"])
