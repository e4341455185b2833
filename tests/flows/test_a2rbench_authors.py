"""An edition of A2RBench with models in every role goes all the way: grown, counted, read and made again."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from perennial.flows.editions.audit import audit_unit
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.export.export_edition import export_edition
from perennial.flows.export.source import open_games
from perennial.schemas.a2rbench.things import DOMAINS
from perennial.tasks.a2rbench.replies import write_answer
from perennial.warehouse.editions.verify import verify_unit
from perennial.warehouse.store.store import Store
from tests.flows.made_units import make_edition
from tests.flows.one_shot import query_rows
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

MODELS = ("author", "proser", "lost", "judge-honest", "analyst-a", "analyst-b")
OPTIONS = ServerOptions(
    models=MODELS,
    roles="tests.a2rbench.scripted_roles",
    faults={"judge.refuses": 0.15, "architect.not_json": 0.2, "architect.catalogue": 0.2},
)
# The catalogue has the first seed of each cell, the model the second one.
ASKED: dict[str, Any] = {
    "benchmark": "a2rbench",
    "seed": 5,
    "seeds": 2,
    "variations": 1,
    "remapping": False,
    "runs": 1,
    "author": "catalogue,author",
    "candidates": 2,
    "players": "identity,proser,lost",
    "answer_judge": "judge-honest",
    "analysts": "analyst-a,analyst-b",
    "analysed": 4,
    # Settings of another benchmark that `make_edition` gives.
    **dict.fromkeys(("domains", "settings", "instances")),
}
PRICES = "prompt_usd_per_million = 1.0\ncompletion_usd_per_million = 4.0\n"


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    folder = tmp_path_factory.mktemp("authors")
    (folder / "models.toml").write_text("".join(f'["{name}"]\n{PRICES}' for name in MODELS))
    with pytest.MonkeyPatch.context() as patch, running_server(OPTIONS) as server:
        patch.setenv("PERENNIAL_API_KEY", "none")
        patch.chdir(folder)
        make_edition(folder / "data", "e1", base_url=server.url, **ASKED)
        return folder / "data", answers_by_digest(server.log())


@pytest.fixture(scope="module")
def root(grown: tuple[Path, dict[str, int]]) -> Path:
    return grown[0]


@pytest.fixture(scope="module")
def cells(root: Path) -> list[str]:
    """The cells in which one of two candidates of the model was accepted."""
    found = [domain for (domain,) in query_rows(root, "SELECT domain FROM a2rbench_rules ORDER BY 1")]
    assert 3 < len(set(found)) == len(found)
    return found


def test_rules_of_the_model_stand_beside_the_catalogues(root: Path, cells: list[str]) -> None:
    found = query_rows(
        root,
        'SELECT DISTINCT author, domain, "index" FROM instances '
        "JOIN a2rbench_items USING (edition, instance_id) WHERE setting = 'seed' ORDER BY ALL",
    )
    own = [("author", domain, 1) for domain in cells]
    assert found == own + [("catalogue", domain, 0) for domain in sorted(DOMAINS)]
    assert query_rows(root, "SELECT DISTINCT number, author, len(inputs::JSON[]) FROM a2rbench_rules") == [
        (1, "author", 6)
    ]
    gated = "SELECT count(*) FROM a2rbench_gate JOIN a2rbench_rules USING (edition, rule)"
    assert query_rows(root, gated) == [(len(cells),)]
    asked = "SELECT author, rules FROM a2rbench_authors WHERE player = 'identity' ORDER BY 1"
    assert query_rows(root, asked) == [("author", len(cells)), ("catalogue", 6)]


def test_each_call_is_in_the_edition_and_each_attempt_is_of_one(grown: tuple[Path, dict[str, int]]) -> None:
    root, answers = grown
    # The same text may be asked for again as a repeat; each call was answered once.
    assert query_rows(root, "SELECT count(*) FROM calls") == [(sum(answers.values()),)]
    missing = "SELECT call_id FROM a2rbench_attempts WHERE call_id NOT IN (SELECT call_id FROM calls)"
    assert query_rows(root, missing) == []
    roles = "SELECT DISTINCT role FROM calls WHERE evaluation = '' ORDER BY 1"
    assert query_rows(root, roles) == [("architect",), ("designer",), ("expander",), ("judge",)]
    roles = "SELECT DISTINCT role FROM calls WHERE evaluation = '1' ORDER BY 1"
    assert query_rows(root, roles) == [("analyst",), ("judge",), ("player",)]


def test_the_funnel_counts_steps_candidates_and_seeds(root: Path, cells: list[str]) -> None:
    whole = "author = 'all' AND type = 'all' AND dimension = 'all'"
    funnel = {
        step: (attempts, successes)
        for step, attempts, successes in query_rows(
            root, f"SELECT step, attempts, successes FROM a2rbench_funnel WHERE {whole}"
        )
    }
    assert funnel["seeds"] == (6, len(cells))
    assert funnel["candidates"][1] == funnel["judged"][1] == len(cells)
    assert funnel["rule_judged"][1] < funnel["rule_judged"][0]
    assert funnel["run"][0] == funnel["code"][1] < funnel["code"][0]
    assert funnel["judged"][0] == funnel["run"][1] < funnel["run"][0]
    assert query_rows(root, "SELECT count(*) FROM a2rbench_funnel WHERE step = 'seeds'") == [(2 * 3 * 4,)]
    assert ("known_rule",) in query_rows(root, "SELECT DISTINCT reason FROM a2rbench_attempts")


def test_the_costs_of_authors_are_those_of_their_calls(root: Path, cells: list[str]) -> None:
    sums = "sum(prompt_tokens), sum(completion_tokens), sum(cost_usd)"
    (shown,) = query_rows(root, f"SELECT sum(calls), {sums} FROM a2rbench_author_costs")
    (made,) = query_rows(root, f"SELECT count(*), {sums} FROM calls WHERE evaluation = ''")
    assert shown == pytest.approx(made)
    assert query_rows(root, "SELECT author, kind, accepted FROM a2rbench_author_costs ORDER BY ALL") == [
        ("author", "expansion", len(cells)),
        ("author", "seed", len(cells)),
    ]
    per_task = "cost_per_accepted_usd * accepted - cost_usd"
    assert [value for (value,) in query_rows(root, f"SELECT {per_task} FROM a2rbench_author_costs")] == (
        pytest.approx([0, 0], abs=1e-12)
    )


def test_the_cost_per_item_divides_the_dollars_of_all_calls(root: Path, cells: list[str]) -> None:
    found = query_rows(root, "SELECT kind, items, cost_usd, cost_per_task_usd FROM a2rbench_task_costs")
    number = len(cells)
    assert [row[:2] for row in found] == [("seed", number), ("augmented", number), ("all", 2 * number)]
    ((dollars,),) = query_rows(root, "SELECT sum(cost_usd) FROM calls WHERE evaluation = ''")
    assert found[2][2] == pytest.approx(dollars)
    for _, items, cost, per_task in found:
        assert per_task == pytest.approx(cost / items)


def test_equal_replies_are_read_by_one_call_in_whatever_batch(root: Path, cells: list[str]) -> None:
    judged = "SELECT player, count(*), count(DISTINCT judge_call_id) FROM a2rbench_answers "
    judged += "JOIN episodes USING (edition, evaluation, episode_id) WHERE judge_call_id IS NOT NULL"
    found = query_rows(root, f"{judged} GROUP BY 1 ORDER BY 1")
    # `lost` says the same of every item, and these have three forms.
    items = 2 * (6 + len(cells))
    assert found[0] == ("lost", items, 3)
    assert found[1][:2] == ("proser", items)
    shared = "SELECT count(*) FROM a2rbench_answers WHERE judge_call_id NOT IN (SELECT call_id FROM calls)"
    assert query_rows(root, shared) == [(0,)]


def test_it_is_audited_and_made_again_without_a_call(root: Path, tmp_path: Path) -> None:
    store = Store(str(root))
    assert [audit_unit(store, unit)[1] for unit in ("e1", "e1@1")] == [(), ()]
    made = reproduce_unit(store, "e1", tmp_path)
    assert {table.table for table in made.tables if not table.same_rows} == set()


def test_it_is_verified_exported_and_played_by_hand(root: Path, cells: list[str], tmp_path: Path) -> None:
    store = Store(str(root))
    assert verify_unit(store, "e1").findings == []
    export_edition(store, "e1", tmp_path / "out")
    (file,) = (tmp_path / "out").glob("tables/a2rbench_rules/*/*.parquet")
    assert sorted(pq.ParquetFile(file).read()["domain"].to_pylist()) == cells
    sql = "SELECT instance_id, answer FROM a2rbench_items WHERE author = 'author' ORDER BY 1 LIMIT 1"
    ((id_, answer),) = query_rows(root, sql)
    game = open_games(root, "e1").start(id_)
    game.take(write_answer(json.loads(answer)))
    assert game.result is not None
    assert game.result.status == "solved"
