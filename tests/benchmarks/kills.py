"""python -m tests.benchmarks.kills: kill refreshes at random moments, and count what was asked again.

A whole refresh by models runs against the scripted server with its faults on. Each target in turn is killed
(SIGKILL) at a random moment of the refresh: its main process, its process group, or the embedded Prefect
server. The same command is given again, killed again or left to end. Each finished edition is compared with
the undisturbed one, table by table, and the server's log with the ledger: a reply that was stored before a
kill must never be asked for again.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from perennial.warehouse.ledger.reading import LedgerReader
from perennial.warehouse.ledger.schema import ANSWERED_SQL, open_for_reading
from tests.flows.prefect_harness import clean_environment, edition_content
from tests.flows.test_model_refresh import FAULTS
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server
from tests.server.wire import request_digest

TARGETS = ("main", "group", "server")
KEY = "sk-kills"
EDITION = "killed"
_REFRESH = (
    *("refresh", "--author", "scripted", "--propose", "1", "--categories", "science", "--seed", "0"),
    *("--players", "scripted,symbolic:scripted,algorithm-3", "--settings", "easy", "--instances", "3"),
    *("--runs", "2", "--edition", EDITION),
)
_LONGEST_S = 600.0


@dataclass
class Tally:
    """What the kills came to."""

    kills: Counter[str] = field(default_factory=Counter)
    roots: int = 0
    unequal: int = 0
    answered: int = 0
    stored: int = 0
    asked_again: int = 0
    codes: Counter[str] = field(default_factory=Counter)


def main(argv: Sequence[str] | None = None) -> int:
    """Kill, compare and print; return 1 where a table differs or a stored reply was asked for again."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=60, help="how many kills in all (60)")
    parser.add_argument("--targets", default=",".join(TARGETS), help="what is killed, in turn (all three)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the moments (0)")
    given = parser.parse_args(argv)
    targets = given.targets.split(",")
    if set(targets) - set(TARGETS):
        parser.error(f"--targets {given.targets}: choose of {', '.join(TARGETS)}")
    rng, tally = random.Random(given.seed), Tally()
    with tempfile.TemporaryDirectory() as folder:
        options = ServerOptions(seed=3, keys=(KEY,), faults=FAULTS, latency_s=0.05)
        whole, usual, seconds = _run_undisturbed(options, Path(folder) / "undisturbed")
        print(f"undisturbed: {sum(usual.values())} answers in {seconds:.0f} s", flush=True)
        while sum(tally.kills.values()) < given.kills:
            root = Path(folder) / f"root-{tally.roots}"
            _run_disturbed(options, root, targets, given.kills, rng, seconds, tally, usual)
            same = edition_content(root, EDITION)
            differing = [name for name in whole if name != "editions" and whole[name] != same[name]]
            tally.unequal += bool(differing)
            tally.roots += 1
            print(_line(tally, differing), flush=True)
    return int(bool(tally.unequal or tally.asked_again))


def _line(tally: Tally, differing: list[str]) -> str:
    kills = ", ".join(f"{count} {target}" for target, count in sorted(tally.kills.items()))
    codes = ", ".join(f"{code} x{count}" for code, count in sorted(tally.codes.items()))
    equal = "tables equal" if not differing else f"DIFFERENT: {', '.join(differing)}"
    return (
        f"{sum(tally.kills.values())} kills ({kills}), {tally.roots} editions, {equal}; answers "
        f"{tally.answered}, stored {tally.stored}, stored ones asked again {tally.asked_again}; ends {codes}"
    )


def _run_undisturbed(
    options: ServerOptions, root: Path
) -> tuple[dict[str, list[tuple[object, ...]]], Counter[str], float]:
    began = time.monotonic()
    with running_server(options) as server:
        process = _start(server, root)
        _, errors = process.communicate(timeout=_LONGEST_S)
        if process.returncode:
            raise SystemExit(f"the undisturbed refresh failed: {errors}")
        usual = answers_by_digest(server.log())
    return edition_content(root, EDITION), usual, time.monotonic() - began


def _run_disturbed(
    options: ServerOptions,
    root: Path,
    targets: Sequence[str],
    most: int,
    rng: random.Random,
    seconds: float,
    tally: Tally,
    usual: Counter[str],
) -> None:
    """Run the refresh with kills until it ends by itself; add up what happened."""
    with running_server(options) as server:
        moments: list[tuple[int, Counter[str]]] = []
        for _ in range(rng.randint(8, 14)):
            number = sum(tally.kills.values())
            if number >= most:
                break
            target = targets[number % len(targets)]
            code = _run_and_kill(server, root, target, rng.uniform(0.05, 0.45) * seconds)
            if code is None:
                break
            tally.kills[target] += 1
            tally.codes[f"{target}: {code}"] += 1
            moments.append((len(server.log()), answers_in_ledger(root)))
        process = _start(server, root)
        _, errors = process.communicate(timeout=_LONGEST_S)
        if process.returncode:
            raise SystemExit(f"a refresh that was resumed failed with {process.returncode}: {errors}")
        log = server.log()
        tally.answered += sum(answers_by_digest(log).values())
        tally.stored += sum(answers_in_ledger(root).values())
        for line, stored in moments:
            later = answers_by_digest(log[line:])
            # Of a request that is made once only: runs that ask the same have one digest.
            tally.asked_again += sum(
                1 for digest, count in stored.items() if count == usual[digest] and later[digest]
            )


def _run_and_kill(server: RunningServer, root: Path, target: str, after: float) -> int | None:
    """Start the refresh, kill the target after so many seconds, and return the code it ended with.

    None where the refresh ended before.
    """
    process = _start(server, root)
    deadline = time.monotonic() + after
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    if process.poll() is not None:
        process.communicate()
        return None
    if target == "main":
        process.kill()
    elif target == "group":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        _kill_prefect_server(process.pid)
    try:
        process.communicate(timeout=_LONGEST_S)
    finally:
        # What a killed main process leaves behind must not disturb the next start for long.
        process.kill()
    return process.returncode


def _kill_prefect_server(parent: int) -> None:
    """Kill the embedded server of the refresh, as soon as there is one."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and _is_server_of(entry, parent):
                os.kill(int(entry.name), signal.SIGKILL)
                return
        time.sleep(0.05)


def _is_server_of(entry: Path, parent: int) -> bool:
    try:
        is_server = b"embedded_server" in (entry / "cmdline").read_bytes()
        stat = (entry / "stat").read_text()
    except OSError:
        return False
    return is_server and int(stat.rpartition(")")[2].split()[1]) == parent


def answers_in_ledger(root: Path) -> Counter[str]:
    """Return how many stored answers ask the same, by the server's name for it: it knows no repeats."""
    path = root / "ledger.sqlite"
    if not path.exists():
        return Counter()
    with closing(open_for_reading(path)) as connection:
        answered = connection.execute(f"SELECT call_id FROM calls WHERE status IN {ANSWERED_SQL}").fetchall()
    with LedgerReader(path) as ledger:
        calls = [ledger.call(call_id) for (call_id,) in answered]
    return Counter(request_digest(call["model"], call["messages"], call["params"]) for call in calls)


def _start(server: RunningServer, root: Path) -> "subprocess.Popen[str]":
    root.mkdir(parents=True, exist_ok=True)
    return subprocess.Popen(
        [
            sys.executable,
            "-P",
            "-m",
            "perennial.flows.cli.app",
            *_REFRESH,
            "--base-url",
            server.url,
            "--root",
            str(root),
        ],
        cwd=root,
        env={**clean_environment(), "PERENNIAL_API_KEY": KEY},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


if __name__ == "__main__":
    sys.exit(main())
