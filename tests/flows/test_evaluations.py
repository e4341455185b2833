"""Evaluations: more answers to the questions of a published edition, and figures over all of them."""

import json
import re
import shutil
from io import StringIO
from pathlib import Path

import pytest

from perennial.flows.console.print_edition import print_edition
from perennial.flows.console.row_formats import Terminal
from perennial.flows.editions.audit import audit_unit
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.schemas.errors import EditionConflict, InvalidOption
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.editions.verify import verifiable_units, verify_unit
from perennial.warehouse.store.store import Store
from tests.flows.grown_root import digests, flip
from tests.flows.hand_made_root import Run
from tests.flows.made_units import make_edition, make_evaluation
from tests.flows.one_shot import query_rows

pytestmark = pytest.mark.slow

VIEWS = (
    "leaderboard",
    "domain_scores",
    "statuses",
    "paired_comparisons",
    "kumo_leaderboard",
    "item_analysis",
)


@pytest.fixture(scope="module")
def parted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Edition `one`, played by algorithm-3 and then, in an evaluation of its own, by random; and `two`."""
    root = tmp_path_factory.mktemp("parted")
    make_edition(root, "one", players=["algorithm-3"])
    make_edition(root, "two", players=["greedy"], seed=5)
    make_evaluation(root, "one", players=["random"])
    return root


@pytest.fixture
def root(parted: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(parted, tmp_path / "root"))


def test_two_evaluations_give_the_figures_of_one_with_both_players(parted: Path, tmp_path: Path) -> None:
    make_edition(tmp_path, "one", players=["algorithm-3", "random"])
    for view in VIEWS:
        sql = f"FROM {view} WHERE edition = 'one' ORDER BY ALL"
        assert query_rows(parted, sql) == query_rows(tmp_path, sql)
    answers = "SELECT * EXCLUDE (evaluation, seconds) FROM episodes WHERE edition = 'one' ORDER BY ALL"
    assert query_rows(parted, answers) == query_rows(tmp_path, answers)
    both = {("1", "algorithm-3"), ("2", "random")}
    for view in ("episodes", "lineage", "transcripts", "kumo_lineage"):
        found = query_rows(parted, f"SELECT DISTINCT evaluation, player FROM {view} WHERE edition = 'one'")
        assert set(found) == both
    assert query_rows(parted, "SELECT count(*) FROM lineage") == query_rows(
        parted, "SELECT count(*) FROM episodes"
    )


def test_a_dry_run_prints_the_plan_and_its_estimate_and_writes_nothing(root: Path, run: Run) -> None:
    before = digests(root)
    printed = run("evaluate", "one", "--players", "m,greedy", "--runs", "2", "--dry-run", "--json")
    assert digests(root) == before
    document = json.loads(printed.out)
    instances = query_rows(root, "SELECT count(*) FROM instances WHERE edition = 'one'")[0][0]
    assert document["plan"]["players"] == ["m", "greedy"]
    assert (document["plan"]["edition"], document["plan"]["name"]) == ("one", "3")
    assert document["counts"]["episodes"] == 3 * instances
    # Each of the model's episodes needs a test or more and the prediction.
    (estimate,) = document["estimates"]
    assert estimate["stage"] == "episodes"
    assert document["counts"]["model_calls"] == estimate["calls_low"] >= 2 * 2 * instances
    assert estimate["calls_high"] > estimate["calls_low"]
    assert "Plan of evaluation one@3" in run("evaluate", "one", "--players", "m", "--dry-run").out


def test_settings_of_a_benchmark_that_the_edition_is_not_of_are_refused(run: Run) -> None:
    own = ("--benchmark", "a2rbench", "--analysts", "x")
    refused = run("evaluate", "one", *own, "--players", "m", "--dry-run")
    assert refused.code == 2
    assert "--benchmark a2rbench: edition 'one' is of kumo: give that one" in refused.err


def test_more_runs_are_numbered_after_those_there_are(root: Path, run: Run) -> None:
    runs = "SELECT DISTINCT run FROM episodes WHERE edition = 'one' AND player = 'random' ORDER BY 1"
    assert make_evaluation(root, "one", players=["random"], runs=3) == "one@3"
    assert query_rows(root, runs) == [(number,) for number in range(5)]
    # A withdrawn evaluation's runs are never given again: it may be reinstated.
    assert run("editions", "withdraw", "one@3", "--why", "test").code == 0
    make_evaluation(root, "one", players=["random"], runs=1)
    assert query_rows(root, runs) == [(0,), (1,), (5,)]
    with pytest.raises(
        InvalidOption, match="player 'algorithm-3' plays the same in each run, and one@1 has its"
    ):
        make_evaluation(root, "one", players=["algorithm-3"])


def test_withdrawing_takes_its_figures_out_and_reinstating_brings_them_back(root: Path, run: Run) -> None:
    board = "FROM leaderboard WHERE edition = 'one' ORDER BY ALL"
    pairs = "SELECT count(*) FROM paired_comparisons WHERE edition = 'one'"
    before = query_rows(root, board)
    players = "SELECT DISTINCT player FROM leaderboard WHERE edition = 'one' ORDER BY player"
    assert query_rows(root, players) == [("algorithm-3",), ("random",)]
    shown = run("editions", "withdraw", "one@2", "--why", "a wrong seed")
    assert "evaluation one@2 is withdrawn" in shown.out
    assert query_rows(root, players) == [("algorithm-3",)]
    assert query_rows(root, pairs) == [(0,)]
    assert query_rows(root, "SELECT DISTINCT player FROM episodes WHERE edition = 'one'") == [
        ("algorithm-3",)
    ]
    listed = json.loads(run("editions", "list", "--all", "--format", "json").out)
    assert [(row["edition"], row["why"]) for row in listed if row["why"]] == [("one@2", "a wrong seed")]
    assert run("editions", "reinstate", "one@2", "--why", "it was right").code == 0
    assert query_rows(root, board) == before


def test_editions_and_their_evaluations_are_listed_in_80_columns(run: Run) -> None:
    shown = run("editions", "list").out
    assert [unit in shown for unit in ("one ", "one@1", "one@2", "two ", "two@1")] == [True] * 5
    assert shown.index("one@2") < shown.index("two ")
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    ("named", "found"),
    [
        (None, "two"),
        ("latest", "two"),
        ("latest~0", "two"),
        ("latest~1", "one"),
        ("latest~1@2", "one@2"),
        ("one@1", "one@1"),
        ("one", "one"),
    ],
)
def test_selectors(parted: Path, named: str | None, found: str) -> None:
    store = Store(str(parted))
    assert select_unit(store, named, published_units(store)) == found


def test_what_an_evaluation_published_is_told_apart_from_the_edition(parted: Path) -> None:
    shown = StringIO()
    print_edition(Store(str(parted)), "one@2", Terminal(file=shown, width=1_000), as_json=False)
    told = re.findall(r"^(published|edition): .*?(\d+) episodes", shown.getvalue(), re.MULTILINE)
    (first, new), (second, whole) = told
    assert (first, second) == ("published", "edition")
    assert 0 < int(new) < int(whole)


@pytest.mark.parametrize("name", ["../x", "a/b", "part-0", ".x", "a b", "a@b", "x" * 101, "-x", "a\n"])
def test_hostile_names_of_evaluations_are_refused(root: Path, name: str) -> None:
    before = digests(root)
    with pytest.raises(InvalidOption, match="--name"):
        make_evaluation(root, "one", name, players=["greedy"])
    assert digests(root) == before


def test_a_name_is_taken_once_and_the_edition_itself_is_not_touched(root: Path) -> None:
    before = digests(root)
    assert make_evaluation(root, "one", "mine.2", players=["greedy"]) == "one@mine.2"
    after = digests(root)
    assert {name: after[name] for name in before} == before
    with pytest.raises(EditionConflict, match=r"'one@mine\.2' is there already, with other settings"):
        make_evaluation(root, "one", "mine.2", players=["reader"])


def test_every_unit_is_whole_audited_and_reproduced(parted: Path, tmp_path: Path) -> None:
    store = Store(str(parted))
    units = ("one", "one@1", "one@2", "two", "two@1")
    assert verifiable_units(store) == units
    assert all(verify_unit(store, unit).is_whole for unit in units)
    # `two` is drawn again as if `one` had been there.
    for unit in ("one", "one@2", "two"):
        told, broken = audit_unit(store, unit)
        assert broken == (), told
        (tmp_path / unit).mkdir()
        result = reproduce_unit(store, unit, tmp_path / unit)
        assert result.same, result
        assert all(table.same_bytes is not False for table in result.tables)


def test_without_its_row_an_evaluation_is_not_seen_and_the_figures_are_those_without_it(root: Path) -> None:
    board = query_rows(
        root, "SELECT * EXCLUDE (place, rank_low, rank_high) FROM leaderboard WHERE edition = 'one'"
    )
    (root / table_file("evaluations", "one@2")).unlink()
    assert query_rows(root, "SELECT DISTINCT player FROM episodes WHERE edition = 'one'") == [
        ("algorithm-3",)
    ]
    # It may have another place, and its rank others, among more players.
    (row,) = query_rows(
        root, "SELECT * EXCLUDE (place, rank_low, rank_high) FROM leaderboard WHERE edition = 'one'"
    )
    assert row in board


@pytest.mark.parametrize("unit", ["one", "one@1"])
def test_an_evaluation_builds_on_no_damaged_file(root: Path, run: Run, unit: str) -> None:
    name = table_file("instances" if unit == "one" else "episodes", unit)
    flip(root / name)
    before = digests(root)
    for more in ((), ("--dry-run",)):
        refused = run("evaluate", "one", "--players", "greedy", *more)
        assert refused.code == 8, refused.err
        assert refused.err.count("\n") == 1
        for part in (name, f"perennial verify {unit}", f"withdraw {unit}"):
            assert part in refused.err
        assert digests(root) == before  # no ledger, no staging: nobody was asked anything
