"""An edition of A2RBench with models in every role: grown, audited, counted, killed and resumed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY
from tests.flows.prefect_harness import Harness
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

MODELS = ("author", "proser", "lost", "judge-honest", "analyst-a", "analyst-b")
OPTIONS = ServerOptions(
    keys=(KEY,),
    models=MODELS,
    roles="tests.a2rbench.scripted_roles",
    faults={"judge.refuses": 0.15, "architect.not_json": 0.2, "architect.catalogue": 0.2},
)
# The catalogue has the first seed of each cell, the model the second one.
COMMAND = (
    *("refresh", "--benchmark", "a2rbench", "--root", "data", "--seed", "5", "--edition", "e1"),
    *("--seeds", "2", "--variations", "1", "--no-remapping", "--players", "identity,proser,lost"),
    *("--author", "catalogue,author", "--candidates", "6"),
    *("--answer-judge", "judge-honest", "--analysts", "analyst-a,analyst-b", "--analysed", "4"),
)


def begin(folder: Path, server: RunningServer) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "perennial.toml").write_text(f'base_url = "{server.url}"\nruns = 1\nconcurrency = 4\n')
    prices = "prompt_usd_per_million = 1.0\ncompletion_usd_per_million = 4.0\n"
    (folder / "models.toml").write_text("".join(f'["{name}"]\n{prices}' for name in MODELS))


def rows(root: Path, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in open_catalog(Store(str(root))).query(sql)[1]]


@pytest.fixture(scope="module")
def grown(keyed: Harness, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, int]]]:
    folder = tmp_path_factory.mktemp("authors")
    with running_server(OPTIONS) as server:
        begin(folder, server)
        done = keyed.perennial(*COMMAND, cwd=folder)
        assert done.returncode == 0, done.stderr
        yield folder / "data", answers_by_digest(server.log())


def test_each_cell_gets_a_rule_of_the_model(grown: tuple[Path, dict[str, int]]) -> None:
    root, answers = grown
    found = rows(root, "SELECT count(*), count(DISTINCT rule), count(DISTINCT domain) FROM a2rbench_rules")
    assert found == [(6, 6, 6)]
    assert rows(root, "SELECT DISTINCT number, author, len(inputs::JSON[]) FROM a2rbench_rules") == [
        (1, "author", 6)
    ]
    # The same text may be asked for again as a repeat; each call was answered once.
    assert rows(root, "SELECT count(*) FROM calls") == [(sum(answers.values()),)]
    roles = "SELECT DISTINCT role FROM calls WHERE evaluation = '' ORDER BY 1"
    assert rows(root, roles) == [("architect",), ("designer",), ("expander",), ("judge",)]
    roles = "SELECT DISTINCT role FROM calls WHERE evaluation = '1' ORDER BY 1"
    assert rows(root, roles) == [("analyst",), ("judge",), ("player",)]


def test_the_funnel_counts_steps_candidates_and_seeds(grown: tuple[Path, dict[str, int]]) -> None:
    root, _ = grown
    whole = "author = 'all' AND type = 'all' AND dimension = 'all'"
    funnel = {
        step: (attempts, successes)
        for step, attempts, successes in rows(
            root, f"SELECT step, attempts, successes FROM a2rbench_funnel WHERE {whole}"
        )
    }
    assert funnel["seeds"] == (6, 6)
    assert funnel["candidates"][1] == funnel["judged"][1] == 6
    assert funnel["rule_judged"][1] < funnel["rule_judged"][0]
    assert funnel["run"][0] == funnel["code"][1] < funnel["code"][0]
    assert funnel["judged"][0] == funnel["run"][1] < funnel["run"][0]
    assert rows(root, "SELECT count(*) FROM a2rbench_funnel WHERE step = 'seeds'") == [(2 * 3 * 4,)]
    assert ("known_rule",) in rows(root, "SELECT DISTINCT reason FROM a2rbench_attempts")


def test_the_costs_of_authors_are_those_of_their_calls(grown: tuple[Path, dict[str, int]]) -> None:
    root, _ = grown
    sums = "sum(prompt_tokens), sum(completion_tokens), sum(cost_usd)"
    (shown,) = rows(root, f"SELECT sum(calls), {sums} FROM a2rbench_author_costs")
    (made,) = rows(root, f"SELECT count(*), {sums} FROM calls WHERE evaluation = ''")
    assert shown == pytest.approx(made)
    assert rows(root, "SELECT author, kind, accepted FROM a2rbench_author_costs ORDER BY ALL") == [
        ("author", "expansion", 6),
        ("author", "seed", 6),
    ]
    per_task = "cost_per_accepted_usd * accepted - cost_usd"
    assert [value for (value,) in rows(root, f"SELECT {per_task} FROM a2rbench_author_costs")] == (
        pytest.approx([0, 0], abs=1e-12)
    )


def test_the_cost_per_item_divides_the_dollars_of_all_calls(grown: tuple[Path, dict[str, int]]) -> None:
    root, _ = grown
    found = rows(root, "SELECT kind, items, cost_usd, cost_per_task_usd FROM a2rbench_task_costs")
    assert [row[:2] for row in found] == [("seed", 6), ("augmented", 6), ("all", 12)]
    ((dollars,),) = rows(root, "SELECT sum(cost_usd) FROM calls WHERE evaluation = ''")
    assert found[2][2] == pytest.approx(dollars)
    for _, items, cost, per_task in found:
        assert per_task == pytest.approx(cost / items)


def test_equal_replies_are_read_by_one_call_in_whatever_batch(grown: tuple[Path, dict[str, int]]) -> None:
    root, _ = grown
    judged = "SELECT player, count(*), count(DISTINCT judge_call_id) FROM a2rbench_answers "
    judged += "JOIN episodes USING (edition, evaluation, episode_id) WHERE judge_call_id IS NOT NULL"
    found = rows(root, f"{judged} GROUP BY 1 ORDER BY 1")
    # `lost` says the same of every item, of which there are 24 in three forms.
    assert found[0] == ("lost", 24, 3)
    assert found[1][:2] == ("proser", 24)
    shared = "SELECT count(*) FROM a2rbench_answers WHERE judge_call_id NOT IN (SELECT call_id FROM calls)"
    assert rows(root, shared) == [(0,)]
