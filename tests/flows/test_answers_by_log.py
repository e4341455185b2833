"""What a log claims is marked wherever its players are listed, as a column and beside the name."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from perennial.flows.cli.app import app
from perennial.flows.editions.report import profile_data, report_data
from perennial.flows.refresh.evaluation import prepare_evaluation
from perennial.schemas.plan import REPLIES
from perennial.schemas.settings.refresh import load_settings
from perennial.tasks.report.page import sections
from perennial.tasks.report.profiles import profile_sections
from perennial.warehouse.store.store import Store
from tests.flows.made_units import make_edition, make_unit
from tests.flows.one_shot import query_rows
from tests.web.drawn_charts import charts_of
from tests.web.visiting import errors_of, visit

pytestmark = pytest.mark.slow
CELLS = {"domains": ["mineral_identification"], "settings": ["4x5"], "instances": 4}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An edition that two programs played, one of them also by log, and a third by log alone."""
    folder = tmp_path_factory.mktemp("root")
    make_edition(folder, "e", **CELLS, players=["algorithm-3", "random"], runs=1)
    settings = load_settings(
        {"edition": "e", "root": str(folder), "players": ["random", "greedy"], "runs": 1}
    )
    plan = prepare_evaluation(settings, Store(str(folder)), "logged")
    make_unit(settings, replace(plan, imported_from=f"{REPLIES}abc"))
    return folder


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    ran("site", str(folder), "--root", str(root))
    return folder


def ran(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.stdout


def test_tables_have_a_column_of_it(root: Path) -> None:
    def read(sql: str) -> list[tuple[object, ...]]:
        return query_rows(root, sql)

    wanted = [("algorithm-3", "played"), ("greedy", "by log"), ("random", "partly by log")]
    assert read("SELECT player, answers FROM player_answers ORDER BY ALL") == wanted
    assert read("SELECT player, answers FROM leaderboard ORDER BY ALL") == wanted
    logged = [("logged", "by log")]
    assert read("SELECT evaluation, answers FROM evaluations WHERE answers <> 'played'") == logged


def test_saved_questions_and_lists_say_it(root: Path) -> None:
    rows = json.loads(ran("ask", "slow_players", "--root", str(root), "--json"))
    assert {row["player"]: row["answers"] for row in rows} == {
        "algorithm-3": "played",
        "greedy": "by log",
        "random": "partly by log",
    }
    assert "answers" not in json.loads(ran("ask", "odd_instances", "--root", str(root), "--json") or "[{}]")
    assert "random, greedy (by log)" in ran("editions", "list", "--root", str(root))


def test_boards_and_pages_mark_the_players(root: Path, site: Path, tmp_path: Path) -> None:
    ran("report", "e", "--root", str(root), "--out", str(tmp_path / "report"))
    report = "".join(path.read_text() for path in (tmp_path / "report").rglob("*.html"))
    edition = next(path.read_text() for path in site.rglob("*.html") if "1 by log" in path.read_text())
    for text in (report, edition):
        assert "greedy (by log)" in text
        assert "random (partly by log)" in text
        assert re.search(r"algorithm-3 \(", text) is None
    scores = json.loads((site / "scores.json").read_text())["scores"]
    assert {score["answers"] for score in scores} == {"played", "by log", "partly by log"}


def _texts_of(value: object) -> Iterator[str]:
    """Yield each text, line by line, of charts, rows and grids."""
    if isinstance(value, str):
        yield from value.split("\n")
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts_of(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts_of(part)


def test_no_chart_and_no_table_forgets_it(root: Path, site: Path) -> None:
    store = Store(str(root))
    drawn = sections(report_data(store, "e")) + profile_sections(profile_data(store))
    texts = {
        section.key: {
            *_texts_of([(drawing.source.lite, drawing.rows) for drawing in section.drawings]),
            *(
                part
                for text in _texts_of(section.grid.rows if section.grid else ())
                for part in text.split(", ")
            ),
            *(section.grid.headings if section.grid else ()),
        }
        for section in drawn
    }
    assert [key for key, lines in texts.items() if {"greedy", "random"} & lines] == []
    marked = {key for key, lines in texts.items() if "greedy (by log)" in lines}
    captions = [part for part in drawn if re.search(r"\bgreedy\b(?! \()", f"{part.caption} {part.missing}")]
    assert [part.key for part in captions] == []
    assert {"headline", "success_rate", "domains", "player_pairs", "profiles", "scores"} <= marked
    said = {f"{before}{name}" for before in ("", "Won by ", "Lost by ") for name in ("greedy", "random")}
    for page in site.rglob("*.html"):
        cells = [unescape(cell).strip() for cell in re.findall(r">([^<>]+)<", page.read_text())]
        assert not said & set(cells), page


def test_pages_of_the_explorer_say_it_beside_pairs_and_drift(root: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(root, tmp_path / "root"))
    make_edition(folder, "f", **CELLS, players=["greedy", "random"], runs=1)
    for page, more in (("pairs", {"player": "greedy", "setting": "4x5"}), ("drift", {"other": "f"})):
        shown = visit(folder, page, edition="e", **more)
        assert errors_of(shown) == []
        rows = [chart.tables["rows"] for chart in charts_of(shown)]
        assert any("greedy (by log)" in line for line in _texts_of(rows))
        assert "greedy" not in _texts_of(rows)
