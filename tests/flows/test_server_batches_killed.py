"""Books are written in batches of the server, and the refresh is killed at each moment of the first one."""

import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.flows.conftest import KEY
from tests.flows.prefect_harness import Harness, edition_content, wait_until
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

OPTIONS = ServerOptions(seed=5, keys=(KEY,), faults={"writer.extra_rule": 0.4})
BOOKS = 4
REFRESH = (
    *(
        "refresh",
        "--domains",
        "chemical_analysis",
        "--settings",
        "4x4",
        "--instances",
        str(BOOKS),
        "--seed",
        "4",
    ),
    *("--players", "algorithm-3", "--writer", "scripted", "--runs", "1", "--edition", "books"),
)


def command(root: Path, server: RunningServer, *lines: str) -> tuple[str, ...]:
    entry = ("[scripted]", f'base_url = "{server.url}"', 'key_env = "PERENNIAL_API_KEY"', *lines)
    file = root / "models.toml"
    file.write_text("\n".join(entry) + "\n")
    return (*REFRESH, "--models-file", str(file), "--root", str(root / "data"))


@pytest.fixture(scope="module")
def single(keyed: Harness, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counter[str]]:
    """An edition whose books were written by single calls, and how often the server answered each request."""
    root = tmp_path_factory.mktemp("single")
    with running_server(OPTIONS) as server:
        done = keyed.perennial(*command(root, server), cwd=root)
        answers = answers_by_digest(server.log())
    assert done.returncode == 0, done.stderr
    return root / "data", answers


def _rows(root: Path, sql: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(f"file:{root / 'data/ledger.sqlite'}?mode=ro", uri=True) as ledger:
        return ledger.execute(sql).fetchall()


def _end(process: "subprocess.Popen[str]", number: signal.Signals) -> str:
    process.send_signal(number)
    out, _ = process.communicate(timeout=120)
    return out


def test_killed_at_each_moment_of_a_batch_nothing_is_submitted_or_asked_twice(
    keyed: Harness, single: tuple[Path, Counter[str]], tmp_path: Path
) -> None:
    with running_server(OPTIONS) as server:
        given = command(tmp_path, server, "batch = true")

        def kill_when(point: str, holds: Callable[[], bool] = lambda: True) -> Counter[str]:
            """Run to this point of the Batch API, kill; return what the server has seen."""
            server.release(hold_batch=point)
            before = Counter(line.outcome for line in server.log())[f"held_{point}"]
            process = keyed.start(*given, cwd=tmp_path)
            server.wait_logged(f"held_{point}", before + 1)
            wait_until(holds, timeout_s=120)
            _end(process, signal.SIGKILL)
            return Counter(line.outcome for line in server.log())

        seen = kill_when("upload")
        assert (seen["uploaded"], seen["batch_created"]) == (1, 0)
        assert _rows(tmp_path, "SELECT * FROM server_batches") == []
        seen = kill_when("created")
        assert (seen["uploaded"], seen["batch_created"]) == (2, 1)
        found = "SELECT file_id, batch_id, requests FROM server_batches"
        assert _rows(tmp_path, found) == [("file-2", None, BOOKS)]
        seen = kill_when("polled", lambda: _rows(tmp_path, found)[0][1] is not None)
        assert (seen["uploaded"], seen["batch_created"], seen["batch_listed"]) == (2, 1, 1)
        stored = "SELECT count(*) FROM calls WHERE batch_id = 'batch_3'"
        seen = kill_when("output", lambda: _rows(tmp_path, stored) == [(BOOKS // 2,)])
        assert (seen["uploaded"], seen["batch_created"], seen["batch_listed"]) == (2, 1, 1)

        server.release(hold_batch="polled")
        process = keyed.start(*given, cwd=tmp_path)
        server.wait_logged("held_polled", seen["held_polled"] + 1)
        said = _end(process, signal.SIGINT)
        assert process.returncode == 130, said
        assert f"batch batch_3 of {BOOKS} requests at " in said
        assert "Traceback" not in said

        server.release()
        done = keyed.perennial(*given, cwd=tmp_path)
        answers = answers_by_digest(server.log())
        seen = Counter(line.outcome for line in server.log())
    assert done.returncode == 0, done.stderr
    assert answers == single[1]
    # Each book is written once; read back, revised and read back again it is in later batches.
    assert seen["uploaded"] == seen["batch_created"] + 1 == len(_rows(tmp_path, found)) + 1
    assert seen["batch_created"] >= 4
    assert edition_content(tmp_path / "data", "books") == edition_content(single[0], "books")
    assert _rows(tmp_path, "SELECT count(*) FROM calls WHERE batch_id IS NULL AND edition = 'books'") == [
        (0,)
    ]
    # The server is gone: stored replies give the same.
    again = keyed.perennial("reproduce", "books", "--root", str(tmp_path / "data"), cwd=tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
