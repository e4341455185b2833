"""An edition of BeyondBench goes all the way: grown, gated, played by programs and models, and published."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.beyondbench.scripted_model import MODELS
from tests.flows.conftest import KEY
from tests.flows.one_shot import check_refusal, query_rows
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

ROLES = "tests.beyondbench.scripted_model"
TASKS = "addition,tower_of_hanoi/disks_3,modular_systems/basic"
REFRESH = ("refresh", "--benchmark", "beyondbench", "--root", "data", "--seed", "5", "--instances", "5")


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    options = ServerOptions(keys=(KEY,), models=MODELS, roles=ROLES)
    with running_server(options) as running:
        yield running


@pytest.fixture(scope="module")
def root(keyed: Harness, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root with an edition that programs and five models have played."""
    folder = tmp_path_factory.mktemp("beyondbench")
    (folder / "perennial.toml").write_text(f'base_url = "{server.url}"\nruns = 1\n')
    players = "exact,careless,random,right,chatty,thinking,wrong,lost"
    done = keyed.perennial(*(*REFRESH, "--tasks", TASKS, "--edition", "e1", "--players", players), cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "data"


def test_each_player_gets_the_figures_that_it_must_get(root: Path) -> None:
    found = query_rows(
        root,
        "SELECT player, avg(e.score), avg(a.instruction_followed::INT), "
        "list_sort(list(DISTINCT a.parse_level)) FROM episodes e "
        "JOIN beyondbench_answers a USING (episode_id) "
        "JOIN beyondbench_instances i USING (instance_id) WHERE i.solutions = 1 GROUP BY 1",
    )
    figures = {player: rest for player, *rest in found}
    assert figures["exact"] == [1.0, 1.0, [1]]
    assert figures["careless"] == [0.0, 1.0, [1]]
    assert figures["right"] == [1.0, 1.0, [1]]
    assert figures["thinking"] == [1.0, 1.0, [1]]
    assert figures["wrong"] == [0.0, 1.0, [1]]
    assert figures["lost"] == [0.0, 0.0, [0]]
    assert figures["chatty"][1] == 0.0
    assert 1 not in figures["chatty"][2]
    assert query_rows(
        root,
        "SELECT avg(score) FROM episodes JOIN instances USING (instance_id) "
        "WHERE player = 'chatty' AND domain = 'addition'",
    ) == [(1.0,)]


def test_problems_are_distinct_and_of_the_asked_number_or_said_to_be_missing(root: Path) -> None:
    counts = query_rows(
        root,
        "SELECT domain, variation, count(DISTINCT prompt) FROM beyondbench_instances "
        "JOIN instances USING (edition, instance_id) GROUP BY ALL",
    )
    assert {count for *_, count in counts} == {5}
    assert query_rows(root, "SELECT count(*) FROM rejections") == [(0,)]
    gate = query_rows(
        root,
        "SELECT min(problems), min(mutations), min(mutations - refused - also_right) FROM beyondbench_gate",
    )
    assert gate == [(5, gate[0][1], 0)]
    assert gate[0][1] >= 5 * 20


def test_tokens_have_a_status_where_a_model_played(root: Path) -> None:
    found = query_rows(
        root,
        "SELECT player IN ('exact', 'careless', 'random'), token_status, count(*) > 0 FROM episodes "
        "JOIN beyondbench_answers USING (episode_id) GROUP BY 1, 2 ORDER BY 1",
    )
    assert found == [(False, "VALID", True), (True, None, True)]


def test_a_second_edition_holds_other_problems_and_says_where_a_space_is_exhausted(
    harness: Harness, root: Path, tmp_path: Path
) -> None:
    shutil.copytree(root, tmp_path / "data")
    tasks = "addition,tower_of_hanoi/disks_3"
    done = harness.perennial(
        *(*REFRESH, "--tasks", tasks, "--edition", "e2", "--players", "exact", "--instances", "60"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    data = tmp_path / "data"
    shared = query_rows(
        data,
        "SELECT domain, count(*), count(*) FILTER (reused) FROM beyondbench_instances "
        "JOIN instances USING (edition, instance_id) WHERE edition = 'e2' AND "
        "instance_id IN (SELECT instance_id FROM instances WHERE edition = 'e1') GROUP BY 1",
    )
    assert shared == [("tower_of_hanoi", 5, 5)]
    assert query_rows(data, "SELECT subject, rule FROM rejections WHERE edition = 'e2'") == [
        ("tower_of_hanoi/disks_3 size 3", "space_exhausted")
    ]
    assert "space_exhausted in 1 sizes" in done.stdout


def test_sizes_shrink_until_they_fit_and_what_never_fits_is_counted(harness: Harness, tmp_path: Path) -> None:
    done = harness.perennial(
        *(*REFRESH, "--tasks", "addition,tower_of_hanoi/disks_3", "--edition", "e1", "--players", "exact"),
        *("--context-tokens", "220"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    data = tmp_path / "data"
    fitting = "SELECT max(prompt_tokens + solution_tokens), max(size) FROM beyondbench_instances"
    ((tokens, size),) = query_rows(data, fitting)
    assert tokens <= 0.85 * 220
    assert size < 64
    ((subject, rule, message),) = query_rows(data, "SELECT subject, rule, message FROM rejections")
    assert (subject, rule) == ("tower_of_hanoi/disks_3 size 3", "token_budget")
    assert message.startswith("5 of 5 problems")


def test_a_model_is_not_asked_what_its_own_context_does_not_hold(
    keyed: Harness, server: RunningServer, root: Path, tmp_path: Path
) -> None:
    shutil.copytree(root, tmp_path / "data")
    (tmp_path / "models.toml").write_text(
        f'[small]\nmodel = "right"\nbase_url = "{server.url}"\ncontext = 260\n'
    )
    done = keyed.perennial(
        *("evaluate", "e1", "--root", "data", "--players", "small", "--runs", "1", "--max-tokens", "20"),
        *("--base-url", server.url),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    data = tmp_path / "data"
    ((refused,),) = query_rows(data, "SELECT count(*) FROM rejections WHERE rule = 'not_asked'")
    ((played,),) = query_rows(data, "SELECT count(*) FROM episodes WHERE player = 'small'")
    ((asked,),) = query_rows(data, "SELECT count(*) FROM instances")
    assert refused > 0
    assert played > 0
    assert played + refused == asked
    ((message,),) = query_rows(data, "SELECT message FROM rejections WHERE rule = 'not_asked' LIMIT 1")
    assert "85% of its 260" in message
    # The terminal says so under the leaderboard, with tasks and sizes.
    shown = " ".join(done.stdout.split())
    assert f"not asked: small {refused:,} problems (" in shown
    ((unasked,),) = query_rows(
        data, "SELECT sum(unasked)::BIGINT FROM beyondbench_unasked WHERE player = 'small'"
    )
    assert unasked == refused
    ((counted,),) = query_rows(data, "SELECT sum(not_asked)::BIGINT FROM leaderboard WHERE player = 'small'")
    assert counted == refused


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--tasks", "adition"), ["--tasks 'adition'", "did you mean addition", "perennial tasks list"]),
        (("--tasks", "tower_of_hanoi/disks_9"), ["no variation 'disks_9'", "disks_8"]),
        (("--tasks", "addition", "--context-tokens", "50"), ["--context-tokens 50", "no problem fits"]),
        (
            ("--tasks", "addition", "--tokenizer", "perennial.toml"),
            ["tokenizer 'perennial.toml'", "tokenizer.json"],
        ),
        (("--tasks", "addition", "--tokenizer", "none.json"), ["tokenizer 'none.json'"]),
    ],
)
def test_bad_settings_are_one_line(
    harness: Harness, tmp_path: Path, flags: tuple[str, ...], words: list[str]
) -> None:
    (tmp_path / "perennial.toml").write_text("runs = 2\n")
    command = ("refresh", "--benchmark", "beyondbench", "--root", "data", *flags)
    check_refusal(harness, tmp_path, command, words)
