"""Where batches run changes nothing of what they stage; errors, deaths and Ctrl-C are the same everywhere."""

import hashlib
import json
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.run.choose_runner import check_runner, root_for_workers
from perennial.flows.run.process_pool import PoolStopped, ProcessPool, WorkerLost, threads_of_share
from perennial.flows.stages.workspace import available_threads, limit_threads
from perennial.schemas import errors
from perennial.schemas.errors import InvalidOption, PerennialError
from perennial.schemas.settings import load_settings
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.catalog.later_statistics import analysis_folder
from tests.flows.prefect_harness import Harness, edition_content, is_running, wait_until
from tests.flows.running_everywhere import BATCHES
from tests.flows.test_serve import descendants

pytestmark = pytest.mark.slow

EDITION = "everywhere"
RUNNERS = ("two", "scheduler")
DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def everywhere(by_prefect: Harness, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder with a data root a runner, and what became of each run."""
    folder = tmp_path_factory.mktemp("everywhere")
    done = subprocess.run(
        [sys.executable, "-m", "tests.flows.running_everywhere", str(folder), EDITION],
        cwd=Path(__file__).parents[2],
        env=by_prefect.environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("runner", RUNNERS)
def test_an_edition_is_the_same_wherever_its_batches_ran(
    everywhere: tuple[Path, dict[str, Any]], runner: str
) -> None:
    folder, outcomes = everywhere
    assert (outcomes["one"], outcomes[runner]) == ([EDITION], [EDITION])
    expected, found = folder / "one", folder / runner
    assert edition_content(found, EDITION) == edition_content(expected, EDITION)
    assert edition_content(found, EDITION)["episodes"]
    assert _digests(found) == _digests(expected)
    expected_files = {f"{name} of {EDITION}" for name in ("instances", "kumo_instances", "kumo_books")}
    expected_files |= {f"{name} of {EDITION}@1" for name in ("turns", "kumo_moves")} | {"statistics"}
    assert expected_files <= _digests(found).keys()


def _digests(root: Path) -> dict[str, str]:
    """Return the SHA-256 of the file of each table that holds nothing of a clock."""
    steady = [t.name for t in TABLES.values() if t.of_editions and not any(c.volatile for c in t.columns)]
    units = (EDITION, f"{EDITION}@1")
    files = {f"{name} of {unit}": root / table_file(name, unit) for name in steady for unit in units}
    (files["statistics"],) = (root / analysis_folder(EDITION)).iterdir()
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items() if path.is_file()
    }


@pytest.mark.parametrize("runner", ["two", "scheduler"])
def test_batches_leave_this_process_but_for_those_that_call_models(
    everywhere: tuple[Path, dict[str, Any]], runner: str
) -> None:
    outcome = _peril(everywhere, runner)
    parent = str(outcome["parent"])
    stayed, left = outcome["telling"][:2], outcome["telling"][2:]
    assert {(process, is_main) for process, is_main, _ in stayed} == {(parent, "True")}
    assert parent not in {process for process, *_ in left}
    assert outcome["counts"] == {
        "batches": BATCHES,
        **{f"batch {number}": number for number in range(BATCHES)},
    }
    share = 1 if runner == "scheduler" else threads_of_share(2)(BATCHES - 2)
    assert int(left[0][2]) == share


@pytest.mark.parametrize("runner", ["two", "scheduler"])
def test_an_error_of_a_worker_is_the_one_that_was_raised_and_loses_no_batch_in_flight(
    everywhere: tuple[Path, dict[str, Any]], runner: str
) -> None:
    outcome = _peril(everywhere, runner)
    assert outcome["refused"] == ["InstancesExhausted", "batch 1 has no more", 3]
    assert outcome["refusing"] >= 1


@pytest.mark.parametrize("runner", ["two", "scheduler"])
def test_a_batch_is_run_again_after_a_failing_disk_or_a_dead_worker(
    everywhere: tuple[Path, dict[str, Any]], runner: str
) -> None:
    outcome = _peril(everywhere, runner)
    assert (outcome["failed"], outcome["died"]) == ({"batches": BATCHES}, {"batches": BATCHES})


def test_a_worker_that_does_not_see_the_data_root_is_named_before_any_batch(
    everywhere: tuple[Path, dict[str, Any]],
) -> None:
    folder, outcomes = everywhere
    told = outcomes["unseen"].splitlines()[-1]
    assert re.search(
        rf"InvalidOption: runner 'dask://.*worker tcp://.* does not see {folder}/elsewhere", told
    )


def _peril(everywhere: tuple[Path, dict[str, Any]], runner: str) -> dict[str, Any]:
    outcome = everywhere[1][f"peril-{runner}"]
    assert isinstance(outcome, dict), outcome
    return outcome


def test_errors_pass_from_process_to_process_as_they_are() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) > 10
    for kind in kinds:
        copy = pickle.loads(pickle.dumps(kind("what it says")))
        assert (type(copy), str(copy), copy.exit_code) == (kind, "what it says", kind.exit_code)


def test_a_pool_passes_on_results_and_errors_and_survives_a_lost_worker() -> None:
    with ProcessPool(2) as pool:
        with pytest.raises(WorkerLost):
            pool.run(os.kill, *_own_end(pool))
        assert pool.run(divmod, 7, 2) == (3, 1)
        with pytest.raises(InvalidOption, match="no such thing"):
            pool.run(_raise, InvalidOption("no such thing"))
        assert pool.run(os.getpid) != os.getpid()
        assert not pool.run(_knows_prefect)


def test_a_stopped_pool_gives_up_what_runs_and_takes_nothing_more() -> None:
    with ProcessPool(1) as pool, ThreadPoolExecutor(1) as waiting:
        worker = pool.run(os.getpid)
        running = waiting.submit(pool.run, time.sleep, 600)
        time.sleep(0.2)
        pool.stop()
        with pytest.raises(PoolStopped):
            running.result(timeout=DEADLINE_S)
        with pytest.raises(PoolStopped):
            pool.run(os.getpid)
        assert not is_running(worker)


def _own_end(pool: ProcessPool) -> tuple[int, int]:
    return pool.run(os.getpid), signal.SIGKILL


def _knows_prefect() -> bool:
    return "prefect" in sys.modules


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_refresh_however_it_ends(by_prefect: Harness, tmp_path: Path, end: int) -> None:
    process = by_prefect.start(
        *("refresh", "--settings", "hard", "--domain-count", "6", "--worlds", "0", "--instances", "9000"),
        *("--root", str(tmp_path), "--workers", "2"),
        cwd=tmp_path,
    )
    try:
        wait_until(lambda: len(_workers(process.pid)) == 2, DEADLINE_S)
        workers = _workers(process.pid)
        # A terminal sends Ctrl-C to all of them.
        for pid in (process.pid, *(workers if end == signal.SIGINT else ())):
            os.kill(pid, end)
        rest, _ = process.communicate(timeout=4 * DEADLINE_S)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == (130 if end == signal.SIGINT else -end)
    wait_until(lambda: not any(map(is_running, workers)), DEADLINE_S)
    if end == signal.SIGINT:
        assert "Traceback" not in rest
        assert "the same command resumes" in rest


def _workers(parent: int) -> set[int]:
    """The processes that multiprocessing started for this one."""
    return {pid for pid, command in descendants(parent).items() if "spawn_main" in command}


@pytest.mark.parametrize("runner", ["other", "dask://", "dask://host", "dask://user:key@host:1", "Dask"])
def test_a_runner_that_there_is_not_is_named(runner: str) -> None:
    with pytest.raises(InvalidOption, match=r"runner.*: expected local, dask, or dask://HOST:PORT"):
        load_settings({"runner": runner})


def test_a_scheduler_that_nobody_runs_is_one_line_before_any_work(
    by_prefect: Harness, tmp_path: Path
) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # and nobody listens
        runner = f"dask://127.0.0.1:{held.getsockname()[1]}"
        done = by_prefect.perennial("refresh", "--runner", runner, "--root", "data", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{runner!r}: no Dask scheduler answers" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "data").exists()


def test_a_missing_package_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(PerennialError, match=r"pip install -e '\.\[dask\]'"):
        check_runner("dask")


def test_threads_of_the_search_are_shared_among_the_workers_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert available_threads() == 8
    share = threads_of_share(4)
    assert [share(left) for left in (9, 4, 3, 2, 1)] == [2, 2, 2, 4, 8]
    assert threads_of_share(16)(20) == 1
    with limit_threads(3):
        assert available_threads() == 3


def test_workers_started_elsewhere_get_the_whole_path_of_a_local_root(tmp_path: Path) -> None:
    assert root_for_workers("dask://host:1", "data") == str(Path("data").absolute())
    assert root_for_workers("dask://host:1", "s3://bucket/data") == "s3://bucket/data"
    assert root_for_workers("dask", "data") == "data"
