"""A one-shot benchmark is played in batches of its models' server: the same rows as with single calls."""

import io
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from perennial.flows.console import progress
from perennial.flows.refresh.evaluation import prepare_evaluation
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, open_workspace
from perennial.schemas.errors import EndpointFailed, LimitReached
from perennial.schemas.settings import load_settings
from perennial.schemas.tables import TABLES
from perennial.tasks.llm.server_batches.use import InBatches, Pace
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows import made_units
from tests.flows.conftest import KEY
from tests.flows.hand_made_root import perennial
from tests.flows.installed_benchmarks import installed, write_package
from tests.server.batch_faults import LINE_FAULTS
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

SUMS, RUNS = 4, 2
CALLS = 2 * SUMS * RUNS  # two sizes
FAST = Pace(quiet_s=0.02, first_s=0.01, growth=1.5, most_s=0.05, failures=3)
OPTIONS = ServerOptions(seed=5, keys=(KEY,), roles="tests.toy.scripted_model", retry_after_s=0.01)
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with an edition of the toy, and the toy installed."""
    folder = tmp_path_factory.mktemp("toy")
    package = write_package(tmp_path_factory.mktemp("installed"))
    with pytest.MonkeyPatch.context() as patch, installed(package):
        patch.chdir(folder)
        (folder / "perennial.toml").write_text(f'benchmark = "toy"\nruns = {RUNS}\n[toy]\nsums = {SUMS}\n')
        patch.setattr(made_units, "SETTINGS", {"seed": 0})
        made_units.make_edition(folder / "data", "toy-1", players=["adder"])
        yield folder


@pytest.fixture
def root(grown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(grown, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("PERENNIAL_API_KEY", KEY)
    monkeypatch.setattr("perennial.flows.stages.model_calls.InBatches", partial(InBatches, pace=FAST))
    return tmp_path / "work/data"


def describe_model(server: RunningServer, *lines: str) -> None:
    entry = ["[scripted]", f'base_url = "{server.url}"', 'key_env = "PERENNIAL_API_KEY"', *lines]
    Path("models.toml").write_text("\n".join(entry) + "\n")


def play(root: Path, **flags: Any) -> Rows:
    """Stage an evaluation in this process and return its rows, wall-clock columns aside."""
    settings = load_settings({"root": str(root), "edition": "toy-1", "players": "scripted", **flags})
    plan = prepare_evaluation(settings, Store(str(root)))
    staging = Staging(Store(str(root)), plan.unit)
    staging.write_plan(plan)
    grow(open_workspace(str(root), plan.unit), Policies.read(settings), PlainStages())
    rows: Rows = {}
    for key in sorted(staging.done_keys()):
        for table in ("episodes", "turns", "calls", "messages"):
            kept = [column.name for column in TABLES[table].columns if not column.volatile]
            found = staging.read_batch(key, table)
            rows.setdefault(table, []).extend({name: row.get(name) for name in kept} for row in found)
    return rows


def batches_of(root: Path) -> list[tuple[Any, ...]]:
    """Return of each batch in the ledger how many calls it had, and whether it has an id."""
    with sqlite3.connect(f"file:{root / 'ledger.sqlite'}?mode=ro", uri=True) as connection:
        found = connection.execute(
            "SELECT requests, batch_id IS NOT NULL FROM server_batches ORDER BY number"
        )
        return found.fetchall()


def outcomes(server: RunningServer) -> Counter[str]:
    return Counter(line.outcome for line in server.log())


@pytest.fixture(scope="module")
def single(grown: Path, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """The rows of single calls."""
    root = tmp_path_factory.mktemp("single") / "data"
    shutil.copytree(grown / "data", root)
    with pytest.MonkeyPatch.context() as patch, running_server(OPTIONS) as server:
        shutil.copy(grown / "perennial.toml", root.parent)
        patch.chdir(root.parent)
        patch.setenv("PERENNIAL_API_KEY", KEY)
        describe_model(server)
        rows = play(root)
        assert set(outcomes(server)) == {"answered"}
    assert len(rows["calls"]) == CALLS
    return rows


def test_batches_give_the_rows_of_single_calls_and_each_call_names_its_batch(
    root: Path, single: Rows
) -> None:
    printed = Console(record=True, width=200, file=io.StringIO())
    with running_server(OPTIONS) as server, progress.show_on(printed):
        describe_model(server, "batch = true", 'headers = { "X-Title" = "perennial" }')
        assert play(root) == single
        seen = outcomes(server)
        host = server.url.removeprefix("http://").removesuffix("/v1")
    assert (seen["uploaded"], seen["batch_created"], seen["answered"]) == (1, 1, CALLS)
    assert batches_of(root) == [(CALLS, 1)]
    text = printed.export_text()
    assert f"batch batch_2 of {CALLS} requests at {host}: in_progress, {CALLS // 2} done" in text
    assert f"batch batch_2 of {CALLS} requests at {host}: completed, {CALLS} done" in text
    with sqlite3.connect(root / "ledger.sqlite") as ledger:
        by_batch = dict(ledger.execute("SELECT batch_id, count(*) FROM calls GROUP BY 1"))
        raw, usage = ledger.execute("SELECT raw, usage FROM calls").fetchone()
    assert by_batch == {"batch_2": CALLS}
    assert json.loads(raw)["object"] == "chat.completion"
    assert usage == "reported"


@pytest.mark.parametrize(
    "fault",
    [
        *("batch_upload_429", "batch_upload_500", "batch_create_lost", "batch_full", "batch_expired"),
        *("batch_cancelled", *sorted(LINE_FAULTS.keys() - {"line_huge"})),
    ],
)
def test_whatever_goes_wrong_the_rows_are_the_same_and_what_came_is_not_asked_again(
    root: Path, single: Rows, fault: str
) -> None:
    rate = 0.5 if fault in LINE_FAULTS else 1.0
    options = replace(OPTIONS, faults={fault: rate}, max_transport_faults=1)
    printed = Console(record=True, width=200, file=io.StringIO())
    with running_server(options) as server, progress.show_on(printed):
        describe_model(server, "batch = true")
        rows = play(root)
        seen = outcomes(server)
    said = " ".join(printed.export_text().split())
    assert [row["status"] for row in rows["calls"]] == ["ok"] * CALLS
    assert rows == single
    repeated = seen["answered"] - CALLS
    # What is lost, or cannot be read, is bought again, as with single calls.
    assert (repeated > 0) == (fault in ("line_missing", "line_cut", "line_garbled"))
    if fault == "batch_create_lost":
        assert seen["batch_created"] == 1
        assert seen["batch_listed"] == 1
    notes = {
        "line_garbled": "that cannot be read",
        "line_unknown": "with an unknown custom_id",
        "line_twice": "that came again",
    }
    assert notes.get(fault, "") in said
    assert ("ignored" in said) == (fault in notes)


def test_a_line_that_is_too_long_is_a_failed_call_and_not_bought_again(root: Path) -> None:
    with running_server(replace(OPTIONS, faults={"line_huge": 0.5})) as server:
        describe_model(server, "batch = true")
        with pytest.raises(
            EndpointFailed, match=r"\d+ x the body is longer than 4 MB, the limit that max_reply_mb"
        ):
            play(root, max_reply_mb=4)
        assert outcomes(server)["answered"] == CALLS
        assert len(batches_of(root)) == 1
        # The next run asks again, and reads what it asks for.
        play(root, max_reply_mb=16)
        assert outcomes(server)["answered"] > CALLS


def test_a_batch_that_fails_its_validation_stops_the_stage_with_one_error(root: Path, single: Rows) -> None:
    with running_server(replace(OPTIONS, faults={"batch_failed": 1.0}, max_transport_faults=1)) as server:
        describe_model(server, "batch = true")
        with pytest.raises(EndpointFailed) as failed:
            play(root)
        assert "batch batch_2 failed: The model does not take batches" in str(failed.value)
        assert "\n" not in str(failed.value)
        assert outcomes(server)["answered"] == 0
        assert play(root) == single


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("batch_bad_file", "the answer to POST /files makes no sense"),
        ("batch_bad_id", "batch batch_2-renamed of 16 requests at .* could not be read 4 times in a row"),
        ("batch_bad_output", "batch batch_2 of 16 requests at .* could not be read 4 times in a row"),
    ],
)
def test_a_server_with_wrong_ids_fails_its_player_and_the_others_finish(
    root: Path, single: Rows, fault: str, said: str
) -> None:
    broken = replace(OPTIONS, faults={fault: 1.0}, max_transport_faults=99)
    with running_server(broken) as bad, running_server(OPTIONS) as good:
        describe_model(good, "batch = true")
        with Path("models.toml").open("a") as models:
            models.write(f'[bad]\nmodel = "scripted"\nbase_url = "{bad.url}"\nbatch = true\n')
            models.write('key_env = "PERENNIAL_API_KEY"\n')
        with pytest.raises(EndpointFailed, match=said) as failed:
            play(root, players="bad,scripted", max_attempts=2)
        assert "\n" not in str(failed.value)
        assert "; the other 1 task of this stage ended" in str(failed.value)
        assert outcomes(good)["answered"] == CALLS
        assert not [line for line in bad.log() if "admin" in line.outcome]
        # Only the player that failed is asked again.
        Path("models.toml").write_text(Path("models.toml").read_text().replace(bad.url, good.url))
        rows = play(root, players="bad,scripted")
        assert {row["status"] for row in rows["calls"]} == {"ok"}
        assert outcomes(good)["answered"] == 2 * CALLS


def test_a_wrong_key_and_a_server_without_batches_are_one_error_each(root: Path, single: Rows) -> None:
    with running_server(replace(OPTIONS, keys=("sk-another-0123456789",))) as server:
        describe_model(server, "batch = true")
        with pytest.raises(
            EndpointFailed, match=r"the key was refused by .*: set PERENNIAL_API_KEY to a valid key"
        ):
            play(root)
        assert set(outcomes(server)) == {"unauthorised"}
    with running_server(replace(OPTIONS, has_batches=False)) as server:
        describe_model(server, "batch = true")
        with pytest.raises(EndpointFailed) as failed:
            play(root)
        assert f"{server.url} does not take batches (POST /files: HTTP 404" in str(failed.value)
        assert "remove batch = true from the entry of 'scripted' in models.toml" in str(failed.value)
        describe_model(server)
        assert play(root) == single


def test_a_batch_without_end_is_left_and_found_again(
    root: Path, single: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = replace(FAST, bound_s=0.2)
    with running_server(replace(OPTIONS, hold_batch="polled")) as server:
        describe_model(server, "batch = true")
        with monkeypatch.context() as patch:
            patch.setattr("perennial.flows.stages.model_calls.InBatches", partial(InBatches, pace=short))
            with pytest.raises(
                EndpointFailed, match=r"batch batch_2 of 16 requests at .* has not ended within"
            ):
                play(root)
        server.release()
        assert play(root) == single
        seen = outcomes(server)
    assert (seen["uploaded"], seen["batch_created"], seen["answered"]) == (1, 1, CALLS)


def test_calls_are_reserved_before_a_batch_is_submitted(root: Path, single: Rows) -> None:
    with running_server(OPTIONS) as server:
        describe_model(server, "batch = true")
        with pytest.raises(
            LimitReached, match="the limit of 5 calls is reached: 5 requests sent, cost unknown"
        ):
            play(root, max_calls=5)
        assert outcomes(server)["answered"] == 5
        assert batches_of(root) == [(5, 1)]
        assert play(root, max_calls=CALLS) == single
        assert outcomes(server)["answered"] == CALLS


def test_a_call_in_a_batch_costs_half_and_the_limit_of_cost_knows(root: Path) -> None:
    prices = ("prompt_usd_per_million = 1000", "completion_usd_per_million = 1000", "max_output = 50")
    with running_server(OPTIONS) as server:
        describe_model(server, "batch = true", *prices)
        rows = play(root)
        expected = [(r["prompt_tokens"] + r["completion_tokens"]) * 1000 / 1e6 / 2 for r in rows["calls"]]
        assert [row["cost_usd"] for row in rows["calls"]] == pytest.approx(expected)
        answered = outcomes(server)["answered"]
        Path(root / "ledger.sqlite").unlink()
        Staging(Store(str(root)), "toy-1@2").remove()
        with pytest.raises(LimitReached, match="--max-cost"):
            play(root, max_cost=sum(expected) / 2)
        assert 0 < outcomes(server)["answered"] - answered < CALLS


def test_the_plan_and_the_check_of_models_say_so(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for has_batches, code, said in (
        (True, 0, "accepts role system, max_tokens, batches"),
        (False, 6, "it answers, but batch = true, and GET /batches fails: HTTP 404"),
    ):
        options = replace(OPTIONS, has_batches=has_batches, roles="tests.server.one_word")
        with running_server(options) as server:
            describe_model(server, "batch = true")
            checked = perennial(monkeypatch, capsys, "models", "check")
            assert (checked.code, said in checked.out) == (code, True), checked.out
            planned = perennial(
                *(monkeypatch, capsys, "evaluate", "toy-1", "--players", "scripted", "--root", str(root)),
                "--dry-run",
            )
            assert "in batches of their server, at 0.5 of their prices: scripted" in planned.out
            asked = perennial(
                *(monkeypatch, capsys, "evaluate", "toy-1", "--players", "scripted", "--root", str(root)),
                *("--dry-run", "--json"),
            )
            assert json.loads(asked.out)["in_batches"] == ["scripted"]
