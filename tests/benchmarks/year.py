"""What commands cost over a year of editions: 48 of four benchmarks, 100 players, 20 million episodes.

    python -m tests.benchmarks.year grow FOLDER [--editions 48] [--players 100] [--episodes 20000000]
    python -m tests.benchmarks.year measure FOLDER

`grow` makes FOLDER/root (see `year_root`); `measure` runs each command in a process of its own and prints
seconds, CPU seconds (with those of processes that it started) and the memory of its largest process beside
the goal. An evaluation is measured until the scripted server gets the first call of a game, and then stopped;
the explorer's first page, in headless Chromium, from asking a new server for it until its last element is
there.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from perennial.flows.stages.compute_statistics import compute_scale
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.store.store import Store
from tests.benchmarks.year_root import Size, grow_year
from tests.flows.chromium import CHROMIUM
from tests.server.options import ServerOptions
from tests.server.running import running_server

PERENNIAL = [str(Path(sys.executable).with_name("perennial"))]
DONE = "!document.querySelector('[data-testid=stSkeleton], [data-stale=true], [data-testid=stSpinner]')"
PATIENCE_S = 900
POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command cost: seconds, CPU seconds of it and all that it started, MB of the largest process."""

    seconds: float
    cpu: float | None = None
    megabytes: float | None = None


def main() -> None:
    """Grow the root, or print what each command costs there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("grow", "measure", "scale"))
    parser.add_argument("folder", type=Path)
    for name in ("editions", "players", "runs", "episodes"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Size(), name))
    parser.add_argument("--only", default="", help="measure the commands whose names hold this")
    given = parser.parse_args()
    if given.what == "grow":
        for line in grow_year(given.folder, Size(given.editions, given.players, given.runs, given.episodes)):
            print(line, flush=True)
    elif given.what == "scale":
        print(f"{compute_scale(Store(str(given.folder / 'root'))):,} rows")
    else:
        print(f"{'command':<34}{'seconds':>9}{'CPU s':>8}{'MB':>7}  goal")
        for name, cost, goal in measure(given.folder, given.only):
            cpu = "" if cost.cpu is None else f"{cost.cpu:.2f}"
            size = "" if cost.megabytes is None else f"{cost.megabytes:,.0f}"
            print(f"{name:<34}{cost.seconds:>9.1f}{cpu:>8}{size:>7}  {goal}", flush=True)


def measure(folder: Path, only: str) -> Iterator[tuple[str, Cost, str]]:
    """Yield name, cost and goal of each command whose name holds `only`."""
    store = Store(str(folder / "root"))
    edition = next(name for name in reversed(visible_editions(store)) if name.startswith("kumo"))
    one = f"edition = '{edition}' AND player = 'model-007'"
    queries = {
        "query SELECT 1": ("SELECT 1", "0.6 CPU s"),
        "leaderboard of an edition": (f"FROM leaderboard WHERE edition = '{edition}'", "1 s"),
        "scale": ("FROM scale", "10 s, 2 GB"),
        "profiles": ("FROM profiles", "10 s, 2 GB"),
        "episodes_wide of a player": (f"SELECT count(answer) FROM episodes_wide WHERE {one}", ""),
        "losses of a player": (f"FROM losses WHERE {one}", ""),
    }
    for name, (sql, goal) in queries.items():
        if only in name:
            yield name, run_command([*PERENNIAL, "query", sql, "--root", store.root]), goal
    if only in (name := "scale, computed"):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `perennial` does
        command = [sys.executable, "-m", "tests.benchmarks.year", "scale", str(folder)]
        yield name, run_command(command), "10 s, 2 GB"
    if only in (name := "evaluate until its first call"):
        yield name, evaluate(store, edition), "5 s"
    if only in "explorer, first page":
        for name, cost in zip(("first page", "again"), visit_explorer(store), strict=True):
            yield f"explorer, {name}", cost, "3 s"


def run_command(command: list[str]) -> Cost:
    """Return what the command costs; raise CalledProcessError where it fails."""
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3)


def _cpu_seconds(process: int) -> float:
    """Return the CPU seconds of a running process and of those that it started."""
    found = 0.0
    for one in (psutil.Process(process), *psutil.Process(process).children(recursive=True)):
        with suppress(psutil.Error):
            found += sum(one.cpu_times()[:4])
    return found


def evaluate(store: Store, edition: str) -> Cost:
    """Return the cost until the scripted server gets the first call of a game; nothing is published."""
    for name in ("staging", "ledger.sqlite", ".prefect"):
        shutil.rmtree(Path(store.root) / name, ignore_errors=True)
    with running_server(ServerOptions(latency_s=0.5)) as server:
        command = [
            *PERENNIAL,
            "evaluate",
            edition,
            "--players",
            "scripted",
            "--base-url",
            server.url,
            "--yes",
        ]
        environment = {**os.environ, "OPENAI_API_KEY": "none"}
        begun = time.perf_counter()
        with subprocess.Popen(
            [*command, "--root", store.root], env=environment, stdout=subprocess.DEVNULL
        ) as process:
            try:
                while not (server.log() or process.poll() is not None):
                    time.sleep(POLL_S)
                return Cost(time.perf_counter() - begun, _cpu_seconds(process.pid))
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(PATIENCE_S)


def visit_explorer(store: Store) -> Iterator[Cost]:
    """Yield the cost of the first page of a new server, and of the same page again; CPU of the server."""
    from playwright.sync_api import sync_playwright

    command = [*PERENNIAL, "web", "--root", store.root, "--port", "0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        sync_playwright() as playwright,
    ):
        assert server.stdout is not None
        url = re.search(r"http\S+", server.stdout.readline())
        assert url
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page()
            for _ in range(2):
                begun, spent = time.perf_counter(), _cpu_seconds(server.pid)
                page.goto(url[0])
                page.wait_for_selector(
                    "[data-testid=stApp][data-test-script-state=notRunning] h1", timeout=PATIENCE_S * 1e3
                )
                page.wait_for_function(DONE, timeout=PATIENCE_S * 1e3)
                yield Cost(time.perf_counter() - begun, _cpu_seconds(server.pid) - spent)
            browser.close()
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
