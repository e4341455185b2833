"""Speed and memory of the exact search on the KUMO authors' released instances.

Run by hand: `python -m tests.benchmarks.search [FOLDER]`, FOLDER being the released data. Every figure comes
from a process of its own. Seconds are wall-clock, and CPU seconds are given with them: where the two differ,
the machine was busy with something else.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean, median
from time import perf_counter, process_time

from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import (
    EncodedConfig,
    EncodedInstance,
    encode_config,
    encode_instance,
    parse_instances,
)
from perennial.tasks.kumo.search import prepare, solve_instances

DEFAULT_FOLDER = Path(__file__).resolve().parents[3] / "shared" / "kumo_release"
EASY = "truth_num=4+action_num=6+valid_truth_num=1.jsonl"
HARD = "truth_num=12+action_num=16+valid_truth_num=1.jsonl"
ROUNDS = 3


def main(folder: Path) -> None:
    if not (folder / "instances").is_dir():
        sys.exit(f"{folder}: no folder `instances` in it; give the folder of the released data")
    with tempfile.TemporaryDirectory() as cache:
        for part in ("compile", "load", "hard", "easy"):
            command = [sys.executable, "-m", "tests.benchmarks.search", str(folder), part]
            subprocess.run(command, check=True, env={**os.environ, "NUMBA_CACHE_DIR": cache})


def measure_preparation(folder: Path) -> None:
    preparation = prepare()
    what = "compiled" if preparation.compiled else "loaded from the cache"
    print(f"Kernels {what} in {preparation.seconds:.2f} s (CPU of the process: {process_time():.2f} s)")


def measure_hard(folder: Path) -> None:
    """Print the seconds of each Hard instance alone, then of all in one batch."""
    prepare()
    batch: list[EncodedInstance] = []
    names: list[tuple[str, int]] = []
    for path, encoded in files(folder, HARD):
        drawn = list(parse_instances(path.read_text().splitlines(), encoded, path.name))
        batch += [encode_instance(encoded, instance) for instance in drawn]
        names += [(path.parent.name, instance.seed) for instance in drawn]
    seconds, values = [], []
    for instance in batch:
        begun = perf_counter()
        values.append(solve_instances([instance])[0].expected_steps)
        seconds.append(perf_counter() - begun)
    worst = max(range(len(batch)), key=seconds.__getitem__)
    print(
        f"Hard, one by one: {len(batch)} instances in {sum(seconds):.2f} s; "
        f"mean {mean(seconds) * 1e3:.1f} ms, median {median(seconds) * 1e3:.2f} ms, "
        f"worst {max(seconds):.3f} s ({names[worst]})"
    )
    begun, cpu = perf_counter(), process_time()
    solve_instances(batch)
    print(f"Hard, one batch: {perf_counter() - begun:.2f} s, CPU {process_time() - cpu:.2f} s")
    expected = json.loads((folder / "expected_steps_hard.json").read_text())
    found = dict(zip(names, values, strict=True))
    off = max(abs((found[e["domain"], e["seed"]] or 0) - e["expected_steps"]) for e in expected)
    print(f"Hard: largest difference from the authors' {len(expected)} values: {off:.1e}")


def measure_easy(folder: Path) -> None:
    """Print the Easy instances per second from their lines to their solutions, a batch a domain."""
    prepare()
    domains = files(folder, EASY)
    for _ in range(ROUNDS):
        begun, cpu = perf_counter(), process_time()
        n = sum(solve_file(path, encoded) for path, encoded in domains)
        wall, cpu = perf_counter() - begun, process_time() - cpu
        print(f"Easy, end to end: {n} instances, {n / wall:,.0f} a second (by CPU time {n / cpu:,.0f})")


def solve_file(path: Path, encoded: EncodedConfig) -> int:
    with path.open() as lines:
        batch = [
            encode_instance(encoded, instance) for instance in parse_instances(lines, encoded, path.name)
        ]
    return len(solve_instances(batch))


def files(folder: Path, setting: str) -> list[tuple[Path, EncodedConfig]]:
    paths = sorted((folder / "instances").glob(f"*/{setting}"))
    return [(path, encode_config(parse_config(*_config_of(folder, path)))) for path in paths]


def _config_of(folder: Path, path: Path) -> tuple[str, str]:
    domain = path.parent.name
    return (folder / "domains" / f"{domain}.json").read_text(), domain


PARTS = {
    "compile": measure_preparation,
    "load": measure_preparation,
    "hard": measure_hard,
    "easy": measure_easy,
}

if __name__ == "__main__":
    arguments = sys.argv[1:]
    if len(arguments) == 2:
        PARTS[arguments[1]](Path(arguments[0]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  peak memory of the process: {peak:.0f} MB", flush=True)
    else:
        main(Path(arguments[0]) if arguments else DEFAULT_FOLDER)
