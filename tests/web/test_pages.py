"""The explorer's pages: all of them show, write nothing, and say in one line what is wrong."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.benchmark import Benchmark
from perennial.flows.editions.diagnosis import find_problems
from perennial.flows.kumo.implementation import Kumo
from perennial.flows.web.explorer import all_pages
from perennial.flows.web.page import Rows, as_csv, plain
from perennial.flows.web.shared_pages import sql
from perennial.flows.web.shared_pages import sql as web_sql
from perennial.schemas.benchmark import benchmarks
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.catalog.withdrawals import withdraw
from perennial.warehouse.store.store import Store
from tests.flows.hostile_sql import REFUSED
from tests.flows.report_root import publish_floor, publish_printed
from tests.warehouse.tiny_edition import INSTANCE_ID
from tests.web.drawn_charts import charts_of
from tests.web.explored_root import digests, publish_explored
from tests.web.visiting import errors_of, run_sql, visit


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("explored") / "data"
    publish_explored(root)
    return root


@pytest.fixture
def root(published: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    copy = tmp_path / "data"
    shutil.copytree(published, copy)
    return copy


@pytest.mark.slow
def test_every_page_shows_and_nothing_is_written(published: Path) -> None:
    before = digests(published)
    for page in all_pages():
        shown = visit(published, page.name, edition="new")
        assert shown.title[0].value == page.title
        # The published editions are of KUMO: pages of other benchmarks have none to show.
        owner = page.name.partition("-")[0]
        is_of_another = owner in benchmarks() and owner != "kumo"
        expected = [f"no edition of {owner}"] if is_of_another else []
        assert [text.replace("\\", "").partition(" is ")[0] for text in errors_of(shown)] == expected
    assert digests(published) == before


def test_only_pages_of_benchmarks_that_the_root_holds_are_listed(published: Path) -> None:
    shown = visit(published, "editions")
    listed = [link.proto.label for link in shown.sidebar.get("page_link")]
    assert [label for label in listed if ":" in label] == ["KUMO: instances"]
    rows = shown.dataframe[0].value
    assert list(rows["created_at"][rows["instances"].notna()]) == sorted(
        rows["created_at"][rows["instances"].notna()], reverse=True
    )
    editions = int(rows["instances"].notna().sum())
    assert shown.text[0].value.startswith(f"This data root holds {editions} editions of kumo: ")
    config = json.loads(shown.dataframe[0].proto.columns)
    assert (config["created_at"]["label"], config["created_at"]["help"]) == ("created at", "created_at")


@pytest.mark.slow
def test_the_editions_are_listed_with_what_was_withdrawn(root: Path) -> None:
    withdraw(Store(str(root)), "old", "two books are wrong", "2026-01-05T00:00:00Z", "me@here")
    shown = visit(root, "editions", edition="hostile")
    assert errors_of(shown) == []
    rows = shown.dataframe[0].value.set_index("edition")
    assert rows.loc["old", "status"] == "withdrawn"
    assert rows.loc["old", "why"] == "two books are wrong"
    assert rows.loc["new", "status"] == rows.loc["new@1", "status"] == "published"
    facts = shown.dataframe[1].value.set_index("fact")["value"]
    assert facts["private instances"] == "100% of the instances, in no export"
    assert len(facts["seed commitment"]) == 64


@pytest.mark.slow
def test_lineage_is_drawn_with_a_link_for_each_stage_and_table(published: Path) -> None:
    shown = visit(published, "lineage", edition="new", table="kumo_books")
    assert errors_of(shown) == []
    drawing = shown.get("graphviz_chart")[0].proto.spec
    for wanted in ("edition=new&stage=new%2Fbooks", "edition=new&stage=new%401%2Fepisodes", "table=episodes"):
        assert f'{wanted}"' in drawing
    assert '"kumo_books" -> "stage new@1/episodes"' in drawing
    assert '"stage new/books" -> "kumo_books"' in drawing
    assert "kumo_seed_configs.config" in set(shown.dataframe[0].value["from"])
    stage = visit(published, "lineage", edition="new", stage="new/sample")
    assert errors_of(stage) == []
    assert "SAT solver" in stage.text[0].value


@pytest.mark.slow
def test_lineage_of_a_figure_ends_at_the_statistics_and_counts_what_is_behind_it(published: Path) -> None:
    chosen = {"figure": "success_rate", "player": "algorithm-3", "setting": "hard"}
    shown = visit(published, "lineage", edition="new", **chosen)
    assert errors_of(shown) == []
    drawing = shown.get("graphviz_chart")[0].proto.spec
    assert "figure=success_rate&player=algorithm-3&setting=hard&table=statistics" in drawing
    assert "table=audits" not in drawing
    catalog = open_catalog(Store(str(published)))
    sql = (
        "SELECT value FROM statistics WHERE edition = 'new' AND statistic = 'success_rate' AND domain = 'all'"
    )
    (row,) = catalog.query(f"{sql} AND player = 'algorithm-3' AND setting = 'hard'")[1]
    assert shown.dataframe[0].value["value"][0] == pytest.approx(row[0])
    episodes = "FROM episodes JOIN instances USING (edition, instance_id) WHERE setting = 'hard'"
    behind = catalog.count(f"{episodes} AND edition = 'new' AND player = 'algorithm-3'")
    assert shown.dataframe[1].value["episodes"].sum() == behind > 0


@pytest.mark.parametrize(
    "chosen", [{"table": "kumo_nothing"}, {"stage": "new/nothing"}, {"figure": "nothing"}]
)
def test_a_link_to_what_is_not_in_the_lineage_says_so(published: Path, chosen: dict[str, str]) -> None:
    (error,) = errors_of(visit(published, "lineage", edition="new", **chosen))
    assert "of the link is not" in error


@pytest.mark.slow
@pytest.mark.parametrize("basis", ["each player's own instances", "instances that all shown players have"])
def test_the_leaderboard_shows_what_the_views_say(published: Path, basis: str) -> None:
    shown = visit(published, "leaderboard", edition="new", setting="hard", kinds="models", basis=basis)
    assert errors_of(shown) == []
    rows = shown.dataframe[0].value.set_index("player")
    assert "algorithm-3" not in rows.index
    _, expected = open_catalog(Store(str(published))).query(
        "SELECT player, success_rate, success_rate_low, success_rate_high FROM leaderboard "
        "WHERE edition = 'new' AND setting = 'hard' AND player <> 'algorithm-3'"
    )
    assert len(expected) == len(rows) == 3
    for player, rate, low, high in expected:
        # Every player has every instance here, so that both ways give one rate and nearly one interval.
        assert rows.loc[player, "success_rate"] == pytest.approx(rate)
        assert rows.loc[player, "success_rate_low"] == pytest.approx(low, abs=0.03)
        assert rows.loc[player, "success_rate_high"] == pytest.approx(high, abs=0.03)
    labels = [link.proto.label for link in shown.get("page_link")]
    for problem in find_problems(open_catalog(Store(str(published))), "new"):
        assert any(plain(f"{problem.player}: {problem.share:.0%}") in label for label in labels)


@pytest.mark.slow
@pytest.mark.parametrize(
    "more", [{}, {"domain": "Knots"}, {"basis": "instances that all shown players have"}]
)
def test_models_stand_above_programs_on_every_leaderboard(published: Path, more: dict[str, str]) -> None:
    shown = visit(published, "leaderboard", edition="new", setting="hard", **more)
    rows, config = shown.dataframe[0].value, json.loads(shown.dataframe[0].proto.columns)
    assert config["player"]["width"] > 7 * max(map(len, rows["player"])), "names are whole"
    assert list(rows["player_group"]) == ["models"] * 3 + ["reference"]
    models = rows["success_rate"][:3]
    assert list(models) == sorted(models, reverse=True)
    assert rows["player"].iloc[3] == "algorithm-3"


@pytest.mark.slow
def test_the_leaderboard_marks_players_that_never_test_and_draws_the_floor(tmp_path: Path) -> None:
    publish_floor(tmp_path / "data")
    for more in ({}, {"domain": "Knots"}, {"basis": "instances that all shown players have"}):
        shown = visit(tmp_path / "data", "leaderboard", edition="floor", **more)
        assert errors_of(shown) == []
        assert list(shown.dataframe[0].value["player"]) == ["algorithm-3", "guesser (never tests)"]
        assert list(shown.dataframe[0].value["player_group"]) == ["reference", "floor"]
        (chart,) = charts_of(shown)
        (line, label) = chart.fixed_layers()
        rate = shown.dataframe[0].value.set_index("player").loc["guesser (never tests)", "success_rate"]
        assert (line["mark"]["type"], label["mark"]["text"]) == ("rule", f"floor: {rate:.3f}")
        assert [layer["encoding"]["x"]["datum"] for layer in (line, label)] == pytest.approx([rate, rate])


@pytest.mark.slow
def test_the_leaderboard_shows_what_the_paper_prints_of_the_same_model(tmp_path: Path) -> None:
    publish_printed(tmp_path / "data")
    (chart,) = charts_of(visit(tmp_path / "data", "leaderboard", edition="printed"))
    assert {row["player"]: row["paper"] for row in chart.tables["rows"]} == {
        "algorithm-3": None,
        "DeepSeek-R1": 0.83,
    }
    # The paper prints it over all domains, and of its own questions.
    for more in ({"domain": "Knots"}, {"basis": "instances that all shown players have"}):
        (chart,) = charts_of(visit(tmp_path / "data", "leaderboard", edition="printed", **more))
        assert {row["paper"] for row in chart.tables["rows"]} == {None}


@pytest.mark.slow
def test_pairs_and_relative_counts_have_a_line_at_zero(published: Path) -> None:
    for page, more in (
        ("pairs", {"setting": "hard"}),
        ("pairs", {"setting": "hard", "player": "x"}),
        ("drift", {"edition": "new", "other": "old"}),
        ("figures", {"figure": "relative_action_counts"}),
    ):
        charts = charts_of(visit(published, page, **{"edition": "new", **more}))
        assert charts
        for chart in charts:
            (line,) = chart.fixed_layers()
            assert (line["mark"]["type"], line["encoding"]["x"]) == ("rule", {"datum": 0})


@pytest.mark.slow
def test_a_private_instance_says_so_and_shows_its_book_graph_and_moves(published: Path) -> None:
    shown = visit(published, "instances", edition="hostile", instance=INSTANCE_ID)
    assert errors_of(shown) == []
    assert "private" in shown.warning[0].value
    assert "the book" in [block.value for block in shown.code]
    graph = next(f.value for f in shown.dataframe if "ruled_out" in f.value.columns)
    assert graph.groupby("ruled_out").size().sum() == 6
    other = visit(published, "instances", edition="new", instance="ki_new_Knots_easy_0")
    assert not other.warning


@pytest.mark.parametrize(
    ("page", "parameters", "named"),
    [
        ("leaderboard", {"edition": "![x](http://e/y)"}, "edition '![x](http://e/y)'"),
        ("leaderboard", {"edition": "new", "setting": "no"}, "setting 'no'"),
        ("instances", {"edition": "new", "instance": "ki_no"}, "instance_id 'ki_no' is not in edition new"),
        ("episodes", {"edition": "new", "episode": "ep_no"}, "episode_id 'ep_no' is not in edition new"),
        ("instances", {"edition": "new", "instance": "' OR 1=1 --"}, "is not in edition new"),
    ],
)
def test_an_unknown_id_in_a_link_is_one_line(
    published: Path, page: str, parameters: dict[str, str], named: str
) -> None:
    (error,) = errors_of(visit(published, page, **parameters))
    assert named in error.replace("\\", "")
    assert "\n" not in error
    assert "![" not in error


def test_the_first_page_opens_no_catalog_per_edition(
    published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str, ...]] = []

    def open_and_note(store: Store, units: tuple[str, ...], settings: Any) -> Any:
        opened.append(units)
        return open_catalog(store, units, settings)

    monkeypatch.setattr("perennial.flows.web.page.open_catalog", open_and_note)
    shown = visit(published, "editions")
    editions = [name for name in shown.dataframe[0].value["edition"] if "@" not in name]
    # One of them all, and one of the edition that is shown.
    assert len(opened) == 2 < len(editions)
    assert [len(units) for units in opened][1] < len(opened[0])


def test_an_empty_root_says_what_to_do(tmp_path: Path) -> None:
    shown = visit(tmp_path / "none", "editions")
    assert "perennial refresh" in shown.info[0].value
    (error,) = errors_of(visit(tmp_path / "none", "leaderboard"))
    assert "no edition is published" in error
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_a_damaged_edition_does_not_hide_the_others(root: Path) -> None:
    (root / row_file("old")).write_bytes(b"PAR1 no more")
    shown = visit(root, "editions")
    rows = shown.dataframe[0].value.set_index("edition")
    assert rows.loc["old", "status"] == "damaged"
    assert rows.loc["new", "status"] == "published"
    assert ["old" in error for error in errors_of(shown)] == [True]
    assert errors_of(visit(root, "leaderboard", edition="new")) == []


@pytest.mark.slow
def test_a_benchmark_without_pages_shows_in_the_shared_ones(
    published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = {name: getattr(Benchmark, name) for name in ("pages", "show_instance", "show_reference")}
    silent = replace(benchmarks()["kumo"], implementation=lambda: type("Silent", (Kumo,), shared))
    monkeypatch.setitem(benchmarks(), "kumo", silent)
    assert not [page for page in all_pages() if page.name.startswith("kumo")]
    shown = visit(published, "instances", edition="hostile", instance=INSTANCE_ID)
    assert errors_of(shown) == []
    assert not shown.code
    assert errors_of(visit(published, "leaderboard")) == []


@pytest.mark.slow
def test_the_box_for_sql_reads_and_does_nothing_else(
    published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digests(published)
    shown = run_sql(published, "SELECT 40 + 2 AS answer, '=cmd()' AS formula")
    assert list(shown.dataframe[0].value["answer"]) == [42]
    limited = run_sql(published, "FROM range(5000)")
    assert len(limited.dataframe[0].value) == web_sql.MOST_ROWS
    part = str(published / row_file("new"))
    hostile = [
        *[s for s in REFUSED if s.strip()][:3],
        "ATTACH '{new}' AS other",
        "FROM read_text('/etc/passwd')",
    ]
    for statement in hostile:
        text = statement.format(part=part, new=published / "new.db", secret=part)
        (error,) = errors_of(run_sql(published, text))
        assert "\n" not in error
        assert "root:" not in error
    monkeypatch.setattr(web_sql, "SECONDS", 0.3)
    (error,) = errors_of(run_sql(published, "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))"))
    assert "longer than allowed" in error
    assert digests(published) == before


def test_sql_of_a_link_is_shown_and_not_run(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    run_confined = web_sql.run_confined

    def note(*arguments: Any) -> Any:
        ran.append(arguments[1])
        return run_confined(*arguments)

    monkeypatch.setattr(sql, "run_confined", note)
    text = "SELECT list_aggregate(range(1, 5), 'sum') AS total"
    shown = visit(published, "sql", sql=text)
    assert shown.text_area[0].value == text
    assert [caption for caption in shown.caption if "press Run" in caption.value]
    # Another box of the page changes: the script runs again, and the SQL still does not.
    shown.selectbox[0].set_value("turns").run()
    assert ran == []
    shown.button[0].click().run()
    assert ran == [text]
    assert list(shown.dataframe[0].value["total"]) == [10]
    shown.selectbox[0].set_value("calls").run()
    assert ran == [text]
    assert list(shown.dataframe[0].value["total"]) == [10]


@pytest.mark.parametrize("number", ["9" * 5000, "0" * 5000, "-1", "1e3", "٣", "²", ""])
def test_any_number_in_a_link_shows_a_page(published: Path, number: str) -> None:
    shown = visit(published, "episodes", edition="new", episodes_page=number)
    assert errors_of(shown) == []
    assert len(shown.dataframe[0].value)


def test_a_downloaded_table_holds_no_formula() -> None:
    assert as_csv(("a", "b"), [("=cmd()", 1), ("x\x1b", None)]) == b"a,b\n'=cmd(),1\nx\\x1b,\n"
    assert Rows(("a",), ((1,),)).records() == [{"a": 1}]
