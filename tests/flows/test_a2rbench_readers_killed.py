"""An evaluation with a judge and analysts that is killed while either reads repeats no stored call."""

import shutil
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.a2rbench import scripted_analyst
from tests.flows.conftest import KEY
from tests.flows.made_units import make_edition
from tests.flows.prefect_harness import Harness, edition_content
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

OPTIONS = ServerOptions(
    keys=(KEY,),
    models=scripted_analyst.MODELS,
    roles="tests.a2rbench.scripted_analyst",
    latency_s=0.01,
)
# 18 replies, of which each is judged; 5 analyses by each of two analysts, one of whom is asked twice.
PLAYED, JUDGED, ANALYSED = 18, 18, 15


def test_killed_while_judge_and_analysts_read_it_repeats_no_stored_call(
    keyed: Harness, tmp_path: Path
) -> None:
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    of_kumo = dict.fromkeys(("domains", "settings", "instances"))
    grow = {"benchmark": "a2rbench", "seeds": 1, "variations": 1, "runs": 1, "players": ["identity"]}
    make_edition(undisturbed, "e1", **(of_kumo | grow))
    shutil.copytree(undisturbed, killed)
    with running_server(OPTIONS) as server:
        done = keyed.perennial(*_command(server, undisturbed), cwd=tmp_path)
        expected = answers_by_digest(server.log())
    assert done.returncode == 0, done.stderr
    assert sum(expected.values()) == PLAYED + JUDGED + ANALYSED
    with running_server(OPTIONS) as server:
        server.release(PLAYED + JUDGED // 2)
        _kill_once_held(keyed, server, killed)
        server.release()
        done = keyed.perennial(*_command(server, killed), cwd=tmp_path)
        answered = answers_by_digest(server.log())
    assert done.returncode == 0, done.stderr
    assert answered == expected
    assert edition_content(killed, "e1") == edition_content(undisturbed, "e1")
    roles = "SELECT role, count(*) FROM calls WHERE edition = 'e1' GROUP BY 1 ORDER BY 1"
    found = open_catalog(Store(str(killed))).query(roles)[1]
    assert found == [("analyst", ANALYSED), ("judge", JUDGED), ("player", PLAYED)]


def _command(server: RunningServer, root: Path) -> tuple[str, ...]:
    readers = ("--answer-judge", "judge-honest", "--analysts", "analyst-a,analyst-slips", "--analysed", "5")
    place = ("--base-url", server.url, "--root", str(root), "--concurrency", "4", "--runs", "1")
    return ("evaluate", "latest", "--benchmark", "a2rbench", "--players", "proser", *readers, *place)


def _kill_once_held(keyed: Harness, server: RunningServer, root: Path) -> None:
    process = keyed.start(*_command(server, root), cwd=root)
    server.wait_held(timeout_s=120)
    deadline = time.monotonic() + 60
    while _answers(root) < server.status().answered:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def _answers(root: Path) -> int:
    connection = sqlite3.connect(f"file:{root / 'ledger.sqlite'}?mode=ro", uri=True)
    try:
        played = "status = 'ok' AND edition <> '(look-up)'"
        return int(connection.execute(f"SELECT count(*) FROM calls WHERE {played}").fetchone()[0])
    finally:
        connection.close()
