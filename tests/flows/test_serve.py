"""`perennial serve` on a fresh machine: it fires, editions appear, and nothing is left of it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.prefect_harness import clean_environment
from tests.flows.webhook import running_hook

pytestmark = pytest.mark.slow

DEADLINE_S = 400
SETTINGS = """
players = ["algorithm-3"]
[kumo]
domains = ["chemical_analysis", "mineral_identification"]
domain_count = 1
settings = ["4x5"]
instances = 2
"""


def serve(folder: Path, *options: str, **environment: str) -> "subprocess.Popen[str]":
    """Start `perennial serve` in the folder; what it prints goes to `out.txt` there."""
    with (folder / "out.txt").open("a") as out:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "perennial.flows.cli.app", "serve", *options],
            cwd=folder,
            env={**clean_environment(), **environment},
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
            # As from a shell: a signal to its group reaches its children too.
            start_new_session=True,
        )


def descendants(pid: int) -> dict[int, str]:
    """The living processes that descend from one, each with its command line."""
    with suppress(psutil.NoSuchProcess):
        commands = {child.pid: _command(child.pid) for child in psutil.Process(pid).children(recursive=True)}
        return {child: command for child, command in commands.items() if command}
    return {}


def _command(pid: int) -> str:
    with suppress(psutil.NoSuchProcess):
        return " ".join(psutil.Process(pid).cmdline())
    return ""


def lives(pid: int, command: str) -> bool:
    """Whether that very process still runs."""
    return bool(command) and _command(pid) == command


def wait_for(condition: Callable[[], bool], folder: Path) -> None:
    """Return once the condition holds; fail with what was printed when it takes too long."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, (folder / "out.txt").read_text()
        time.sleep(0.2)


def test_a_schedule_fires_and_editions_appear(tmp_path: Path) -> None:
    (tmp_path / "perennial.toml").write_text(SETTINGS)
    out = tmp_path / "out.txt"
    with running_hook() as told:
        serving = serve(tmp_path, "--every", "5", "--site", "public", PERENNIAL_WEBHOOK=told.url)
        try:
            wait_for(lambda: "Prefect's pages: " in out.read_text(), tmp_path)
            second = serve(tmp_path)
            assert second.wait(timeout=120) == 9
            wait_for(lambda: "is published; website" in out.read_text(), tmp_path)
            children = descendants(serving.pid)
            assert any("perennial.flows.serve.embedded_server" in command for command in children.values())
            os.kill(serving.pid, signal.SIGTERM)
            assert serving.wait(timeout=120) == 0, out.read_text()
        finally:
            if serving.poll() is None:
                os.killpg(serving.pid, signal.SIGKILL)
                serving.wait()
    wait_for(lambda: not any(lives(pid, command) for pid, command in children.items()), tmp_path)
    printed = out.read_text()
    assert "Prefect's pages: http://127.0.0.1:" in printed
    assert "#perennial:" not in printed
    started = re.findall(r"UTC  refresh(.*) has started$", printed, re.M)
    assert started
    assert all(re.fullmatch(r" kumo-\d{4}-\d\d-\d\d(-\d+)?", name) for name in started), started
    assert f"another `perennial serve` serves this data root (process {serving.pid})" in printed
    assert "Traceback" not in printed
    root = tmp_path / "warehouse" / "data"
    assert not (root / ".prefect" / "pages.link").exists()
    catalog = open_catalog(Store(str(root)))
    editions = catalog.query(
        "SELECT edition, any_value(domain), count(*), count(DISTINCT instance_id) FROM instances "
        "GROUP BY 1 ORDER BY 1"
    )[1]
    assert editions[0][1] == "Chemical Analysis"
    assert {row[2:] for row in editions} == {(2, 2)}
    names = [row[0] for row in editions]
    # The last refresh may have been stopped before it came to the website, or to its message.
    pages = {path.stem for path in (tmp_path / "public/editions").iterdir()}
    assert {names[0]} <= pages <= set(names)
    whole = catalog.query("SELECT count(*), count(DISTINCT instance_id) FROM kumo_instances")[1]
    assert whole == [(2 * len(editions), 2 * len(editions))]
    published = [document for document in told.taken if document["event"] == "published"]
    assert [document["edition"] for document in published] in (names, names[:-1])
    assert published[0]["root"] == str(root)
    assert published[0]["counts"]["kumo_instances"] == 2
    kept = [path for path in root.rglob("*") if path.is_file() and "/ui/" not in str(path)]
    # Not `secret-` alone: Prefect names runs at random, and one was secret-nautilus.
    for secret in ("secret-word", "secret-path", "secret-query"):
        assert not [path for path in kept if secret.encode() in path.read_bytes()]
        assert secret not in printed


def test_an_address_without_a_prefect_server_is_one_line_at_once(tmp_path: Path) -> None:
    serving = serve(tmp_path, PREFECT_API_URL="http://127.0.0.1:1/api")
    try:
        assert serving.wait(timeout=120) == 1
    finally:
        if serving.poll() is None:
            os.killpg(serving.pid, signal.SIGKILL)
            serving.wait()
    (error,) = [line for line in (tmp_path / "out.txt").read_text().splitlines() if "error:" in line]
    assert "no Prefect server answers at http://127.0.0.1:1/api" in error


@pytest.mark.parametrize(
    ("options", "environment", "message"),
    [
        (("--cron", "3 o'clock"), {}, '--cron "3 o\'clock": expected minute, hour, day, month and weekday'),
        (("--timezone", "Europe/Berln"), {}, "or Europe/Berlin; did you mean Europe/Berlin? (see"),
        ((), {"PERENNIAL_EDITION": "e"}, "a schedule names its editions by date"),
        ((), {"PERENNIAL_KUMO_DOMAINS": "alchemy"}, "domain 'alchemy' is not bundled"),
    ],
)
def test_what_cannot_be_served_is_one_line_before_a_server_starts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    give: Run,
    options: tuple[str, ...],
    environment: dict[str, str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    shown = give("serve", *options)
    assert (shown.code, shown.err.count("\n")) == (2, 1), shown.err
    assert message in shown.err
