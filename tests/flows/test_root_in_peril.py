"""A data root that others use meanwhile: two refreshes at once, staging pruned under a query, a root that
nobody may write to, a writer that stands still.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from perennial.warehouse.catalog.catalog import open_catalog, published_units
from perennial.warehouse.store.store import Store
from tests.flows.grown_root import digests, grow_next, published_digests, settings_of
from tests.flows.mounted import require_mounts, run_mounted
from tests.flows.plain_audit import PROGRAM
from tests.flows.prefect_harness import Harness, clean_environment, plain_environment, wait_until
from tests.flows.report_root import publish_without_models
from tests.flows.test_serve import descendants
from tests.warehouse.lock_holding import holding

pytestmark = pytest.mark.slow

DEADLINE_S = 240
# Nothing listens there: no process may reach its Prefect server through a proxy of the environment.
PROXIES = {"http_proxy": "http://127.0.0.1:9", "NO_PROXY": "a.example", "ALL_PROXY": "socks5://127.0.0.1:9"}
COLD = (sys.executable, "-P", "-m", "perennial.flows.cli.app")
REFRESH = (
    *("refresh", "--domains", "chemical_analysis", "--settings", "easy", "--instances", "2"),
    *("--players", "algorithm-3"),
)


def _start(root: Path, *arguments: str, program: Sequence[str] = COLD) -> "subprocess.Popen[str]":
    """Start the command beside a Prefect server of its own, if it comes to need one."""
    return subprocess.Popen(
        [*program, *arguments, "--root", str(root)],
        cwd=root.parent,
        env={**clean_environment(), **PROXIES},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


# Two writers.


@pytest.mark.parametrize(
    "command", [(*REFRESH, "--edition", "next"), ("evaluate", "plain", "--players", "random", "--runs", "1")]
)
def test_a_second_writer_costs_little_before_it_is_refused(tmp_path: Path, command: tuple[str, ...]) -> None:
    root = tmp_path / "data"
    publish_without_models(root)
    before = published_digests(root)
    with holding(str(root), "analyse every edition"):
        process = _start(root, *command)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out = process.communicate()[0]
    assert process.returncode == 9, out
    assert ": analyse every edition, since " in out
    assert out.count("\n") == 1
    # 1.1 s on the machine that this was written on, where Prefect's start alone takes 6 s.
    assert used.ru_utime + used.ru_stime < 4
    assert not (root / ".prefect").exists()
    assert published_digests(root) == before


# Pruning under a reader.


def test_a_query_reads_on_while_staging_is_pruned(harness: Harness, tmp_path: Path) -> None:
    root = tmp_path / "data"
    publish_without_models(root)
    grow_next(settings_of(root))
    assert (root / "staging" / "next").is_dir()
    before = published_digests(root)
    catalog = open_catalog(Store(str(root)))
    with catalog.closing():
        _, rows = catalog.stream("SELECT e.*, t.* FROM episodes e, turns t ORDER BY ALL")
        first = next(rows)
        done = harness.perennial("editions", "prune", "next", "--yes", "--root", str(root), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "removed " in done.stdout
        read = [first, *rows]
        assert catalog.query("SELECT count(*) FROM episodes, turns")[1] == [(len(read),)]
    assert not (root / "staging" / "next").exists()
    assert published_digests(root) == before


# A root that nobody may write to.


def test_a_read_only_root_is_read_by_all_that_read_and_refused_in_one_line_by_all_that_write(
    tmp_path: Path,
) -> None:
    require_mounts()
    root = tmp_path / "data"
    publish_without_models(root)
    before = digests(root)
    mount = f"mount --bind {root} {root} && mount -o remount,ro,bind {root}"
    given = ("--root", str(root))
    environment = plain_environment(tmp_path)
    for command in (
        ("query", "FROM leaderboard", *given),
        ("report", "plain", "--out", str(tmp_path / "report"), *given),
    ):
        done = run_mounted(mount, command, environment, tmp_path)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    for command in ((*REFRESH, *given), ("editions", "withdraw", "plain", "--why", "wrong", *given)):
        done = run_mounted(mount, command, environment, tmp_path)
        (line,) = [line for line in done.stderr.splitlines() if line.startswith("perennial: error: ")]
        assert done.returncode == 2, (command, done.stdout, done.stderr)
        assert str(root) in line
        assert "the file system is read-only" in line
        assert "Traceback" not in done.stdout + done.stderr
    checked = run_mounted(mount, ("doctor", "--json", *given), environment, tmp_path)
    assert checked.returncode == 2
    assert "read-only" in json.dumps(json.loads(checked.stdout)).lower()
    assert digests(root) == before


# A writer that stands still.


def test_a_writer_that_is_stopped_keeps_the_root_and_ends_as_if_it_had_not_been(
    tmp_path: Path,
) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        process = _start(root, *arguments)
        try:
            out, _ = process.communicate(timeout=DEADLINE_S)
        finally:
            process.kill()
        return process.returncode, out

    root = tmp_path / "data"
    writer = _start(root, *REFRESH, "--edition", "next", program=PROGRAM)
    try:
        wait_until(lambda: (root / "staging").is_dir() or writer.poll() is not None, DEADLINE_S)
        group = [writer.pid, *descendants(writer.pid)]
        for pid in group:
            os.kill(pid, signal.SIGSTOP)
        code, out = run(*REFRESH, "--edition", "other")
        assert code == 9, out
        assert f"process {writer.pid}: refresh next, since " in out
        # Readers do not wait for it, and nobody takes its lock. Without a plan a unit is begun.
        (root / "staging" / "begun").mkdir()
        assert run("unlock", "--yes")[0] == 9
        assert run("doctor")[0] in (0, 9)
        (root / "staging" / "begun").rmdir()
        for pid in group:
            os.kill(pid, signal.SIGCONT)
        told, _ = writer.communicate(timeout=DEADLINE_S)
    finally:
        writer.kill()
        writer.communicate()
    assert writer.returncode == 0, told
    assert published_units(Store(str(root))) == ("next", "next@1")
    assert not (root / "lock.json").exists()
