"""An edition of A2RBench goes all the way: grown, gated, played by programs and models, and published."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.schemas.a2rbench.things import DOMAINS
from tests.a2rbench.scripted_model import MODELS
from tests.flows.conftest import KEY
from tests.flows.hand_made_root import Run
from tests.flows.one_shot import query_rows
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

ROLES = "tests.a2rbench.scripted_model"
REFRESH = ("refresh", "--benchmark", "a2rbench", "--root", "data", "--seed", "11")
SMALL = (*REFRESH, "--seeds", "1", "--variations", "1")


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    options = ServerOptions(keys=(KEY,), models=MODELS, roles=ROLES)
    with running_server(options) as running:
        yield running


@pytest.fixture(scope="module")
def root(keyed: Harness, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root with an edition that programs and four models have played."""
    folder = tmp_path_factory.mktemp("a2rbench")
    (folder / "perennial.toml").write_text(f'base_url = "{server.url}"\nruns = 1\n')
    players = ",".join(("search", "identity", "nearest", *MODELS))
    done = keyed.perennial(*SMALL, "--edition", "e1", "--players", players, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "108 outputs of 18 items run again" in done.stdout
    assert "6 are copies in other tokens" in done.stdout
    return folder / "data"


def test_each_player_gets_the_figures_that_it_must_get(root: Path) -> None:
    columns = "total_accuracy, remapped_accuracy, delta_s, collapse_rate, strict_accuracy"
    board = {
        player: tuple(rest)
        for player, *rest in query_rows(root, f"SELECT player, {columns} FROM a2rbench_leaderboard")
    }
    assert board["search"] == board["right"] == (1.0, 1.0, 0.0, 0.0, 1.0)
    assert board["familiar"] == (1.0, 0.0, 1.0, 0.0, 1.0)
    # A text of the tokens joined is a list written otherwise where each token is one character, though not
    # strictly, and no value of more dimensions: it has no rows.
    third = pytest.approx(1 / 3)
    assert board["joined"] == (third, third, 0.0, 0.0, 0.0)
    scored = "SELECT DISTINCT score, domain LIKE 'line%', format_level FROM a2rbench_answers "
    scored += "JOIN episodes USING (edition, episode_id) JOIN instances USING (edition, instance_id) "
    found = query_rows(root, f"{scored} WHERE player = 'joined' ORDER BY ALL")
    assert found == [(0.0, False, 1), (1.0, True, 3)]
    assert board["lost"] == (0.0, 0.0, 0.0, 1.0, 0.0)
    assert board["identity"][0] == 0.0
    found = query_rows(
        root,
        "SELECT DISTINCT player, parse, rule FROM a2rbench_answers JOIN episodes USING (edition, episode_id) "
        "WHERE player IN ('right', 'lost') ORDER BY ALL",
    )
    assert found == [("lost", "none", None), ("right", "program", "found")]


def test_each_cell_has_its_items_and_symbolic_ones_their_copies(root: Path) -> None:
    found = query_rows(root, "SELECT domain, setting, count(*) FROM instances GROUP BY ALL ORDER BY ALL")
    assert found == [
        (domain, setting, number)
        for domain in sorted(DOMAINS)
        for setting, number in (("augmented", 1), ("remapped", 2), ("seed", 1))
        if setting != "remapped" or domain.endswith("symbolic")
    ]
    gate = 'SELECT sum(items), sum(outputs), sum(cycles), sum("unique"), sum(copies) FROM a2rbench_gate'
    assert query_rows(root, gate) == [(18, 108, 108, 18, 6)]
    assert query_rows(root, "SELECT count(DISTINCT tier) FROM a2rbench_gate") == [(1,)]
    assert len(query_rows(root, "FROM a2rbench_curve WHERE player = 'all'")) == 2
    assert len(query_rows(root, "FROM a2rbench_measures")) == 6


def test_a_second_edition_holds_other_items(harness: Harness, root: Path, tmp_path: Path) -> None:
    shutil.copytree(root, tmp_path / "data")
    more = ("--edition", "e2", "--seeds", "1", "--variations", "0", "--players", "search", "--no-remapping")
    done = harness.perennial(*REFRESH, *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = tmp_path / "data"
    own = "SELECT count(*) FROM a2rbench_items WHERE edition = 'e2'"
    assert query_rows(data, f"{own} AND NOT is_remapped AND commutes IS NULL") == [(6,)]
    assert query_rows(data, own) == [(6,)]
    shared = "SELECT instance_id FROM a2rbench_items WHERE edition = 'e1'"
    assert query_rows(data, f"{own} AND instance_id IN ({shared})") == [(0,)]
    assert query_rows(data, "SELECT avg(score), count(*) FROM episodes WHERE edition = 'e2'") == [(1.0, 6)]


def test_the_default_is_72_seeds_with_9_variations_and_their_copies(tmp_path: Path, give: Run) -> None:
    done = give("refresh", "--benchmark", "a2rbench", "--dry-run", "--json", "--root", tmp_path)
    assert done.code == 0, done.err
    counts = json.loads(done.out)["counts"]
    assert (counts["seeds"], counts["instances"]) == (72, 1080)


@pytest.mark.parametrize("setting", ["", "augmented", "remapped"])
def test_a_fresh_item_is_played_by_a_person_who_types_json(setting: str) -> None:
    benchmark = find_benchmark("a2rbench")
    seat = benchmark.draw_seat("grid_symbolic", setting, 4)
    assert seat == benchmark.draw_seat("grid_symbolic", setting, 4)
    for typed, status in ((seat.answer, "solved"), ('["no"]', "wrong"), ("no", "unparsed")):
        game = seat.start()
        game.take(benchmark.draw_sheet(game).reply(typed))
        result = game.result()
        assert result is not None
        assert result.status == status
