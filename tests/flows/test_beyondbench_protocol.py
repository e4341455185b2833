"""Models asked with the prompts of BeyondBench's authors, up to the marks of printed scores."""

import json
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.refresh.evaluation import prepare_evaluation
from perennial.schemas.errors import PerennialError
from perennial.schemas.settings import load_settings
from perennial.tasks.beyondbench.authors_prompts import has_words
from perennial.tasks.beyondbench.registry import TASKS
from perennial.warehouse.store.store import Store
from tests.beyondbench.authors_copy import MODEL, write_copy
from tests.flows.conftest import KEY
from tests.flows.hand_made_root import Run
from tests.flows.made_units import make_edition, make_evaluation
from tests.flows.one_shot import query_rows
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

COUNTED = [
    f"{name}/{variation.name}"
    for name, task in TASKS.items()
    if has_words(name)
    for variation in task.variations
    if variation.is_counted
]
PAPER: dict[str, Any] = {"runs": 1, "temperature": 0.0, "top_p": 0.9, "max_tokens": 32_768}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_copy(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def root(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Editions `e` of the counted cells and `mixed` with a hard one, played by models and a program."""
    root = tmp_path_factory.mktemp("asked")
    options = ServerOptions(keys=(KEY,), roles="tests.beyondbench.authors_copy", models=(MODEL, f"x/{MODEL}"))
    with pytest.MonkeyPatch.context() as patch, running_server(options) as server:
        patch.setenv("PERENNIAL_API_KEY", KEY)
        given = {"base_url": server.url, "protocol": "beyondbench-2025", "release": str(copy)}
        shared = {"benchmark": "beyondbench", "players": [MODEL, "exact"], "seed": 1}
        make_edition(root, "e", tasks=COUNTED, instances=1, **shared, **PAPER, **given)
        mixed = ["sorting/standard", "count_multiples/standard", "n_queens/queens_8"]
        make_edition(root, "mixed", tasks=mixed, instances=12, runs=1, **shared, **given)
        make_evaluation(root, "mixed", benchmark="beyondbench", players=[f"x/{MODEL}"], **{**given, **PAPER})
    return root


def test_what_is_asked_is_solved_and_calls_bear_the_protocol(root: Path) -> None:
    found = query_rows(
        root, "SELECT min(success::INT), count(DISTINCT instance_id) FROM episodes WHERE edition = 'e'"
    )
    assert found == [(1, len(COUNTED))]
    templates = query_rows(root, "SELECT DISTINCT template FROM calls WHERE edition = 'mixed' ORDER BY 1")
    assert templates == [("beyondbench-2025/count_multiples",), ("beyondbench-2025/sorting",)]
    hashes = query_rows(root, "SELECT count(DISTINCT template_hash), count(DISTINCT template) FROM calls")
    assert hashes == [(34, 34)]


def test_what_the_prompts_have_no_words_for_is_counted_and_left_to_programs(root: Path) -> None:
    unasked = query_rows(
        root,
        f"SELECT domain, unasked FROM beyondbench_unasked WHERE edition = 'mixed' AND player = '{MODEL}'",
    )
    others = query_rows(
        root,
        "SELECT count(*) FROM beyondbench_instances JOIN instances USING (edition, instance_id) "
        "WHERE edition = 'mixed' AND domain = 'count_multiples' AND payload ->> 'divisor' <> '3'",
    )[0][0]
    tasks = {task: sum(n for name, n in unasked if name == task) for task, _ in unasked}
    assert 0 < others < 12
    assert tasks["count_multiples"] == others
    assert tasks["n_queens"] > 0
    assert set(tasks) == {"count_multiples", "n_queens"}
    played = "SELECT count(*) FROM episodes WHERE edition = 'mixed' AND player = 'exact'"
    assert query_rows(root, played) == query_rows(
        root, "SELECT count(*) FROM instances WHERE edition = 'mixed'"
    )


def test_printed_scores_are_unlike_where_cells_or_settings_are(root: Path) -> None:
    sql = "SELECT DISTINCT edition, player, differs FROM paper_scores ORDER BY 1, 2"
    assert query_rows(root, sql) == [
        ("e", MODEL, None),
        ("mixed", MODEL, "problems, settings"),
        ("mixed", f"x/{MODEL}", "problems"),
    ]


def test_stored_replies_reproduce_it_without_the_copy(root: Path, tmp_path: Path) -> None:
    assert reproduce_unit(Store(str(root)), "mixed@1", tmp_path).same


def test_a_model_that_answered_under_one_protocol_is_refused_under_another(root: Path) -> None:
    settings = load_settings(
        {
            "benchmark": "beyondbench",
            "edition": "e",
            "root": str(root),
            "players": [MODEL],
            "runs": 2,
            "base_url": "http://127.0.0.1:1",
        }
    )
    with pytest.raises(PerennialError, match="figures never mix protocols"):
        prepare_evaluation(settings, Store(str(root)))


def test_a_dry_run_names_what_is_not_asked_and_counts_the_rest(copy: Path, run: Run) -> None:
    tasks = "sorting/standard,n_queens/queens_8,sudoku/standard_4"
    command = (
        *("refresh", "--benchmark", "beyondbench", "--tasks", tasks, "--instances", "2", "--runs", "1"),
        *("--players", "m", "--protocol", "beyondbench-2025", "--release", str(copy), "--dry-run"),
        *("--base-url", "http://127.0.0.1:1"),
    )
    shown = run(*command)
    assert shown.code == 0, shown.err
    assert "models are not asked n_queens, sudoku" in " ".join((shown.out + shown.err).split())
    document = json.loads(run(*command, "--json").out)
    assert [row["calls_high"] for row in document["estimates"]] == [2]
    assert set(document["plan"]["protocol"]["templates"]) == {"sorting"}
    evaluated = (
        *("evaluate", "mixed", "--players", "m2", "--protocol", "beyondbench-2025", "--release", str(copy)),
        *("--base-url", "http://127.0.0.1:1", "--dry-run", "--json"),
    )
    shown = run(*evaluated)  # the edition says of which benchmark the options are
    assert shown.code == 0, shown.err
    assert json.loads(shown.out)["plan"]["protocol"]["name"] == "beyondbench-2025"
