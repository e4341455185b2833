"""Time and memory of importing trajectories, on a made-up release as large as the authors' whole one.

python -m tests.benchmarks.release_import [folder of the released data] [--runs 644000] [--workers 2]

The release is made of the real runs under other domains' and models' names, each file's replies in a cipher
of its own, so that no text compresses better for standing there twice; of two models in five, the
fine-tuned ones, replies are cut to their answer, as theirs are short. It is written to a temporary folder,
which is removed afterwards: whole it needs 1.3 GB, and the import about a gigabyte beside it.
"""

import argparse
import json
import string
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import count, cycle, islice
from multiprocessing import get_context
from os import getpid
from pathlib import Path
from typing import Any

from schemas.ids import derive_rng
from schemas.kumo.things import Setting
from tests.warehouse.release_runs import EASY, HARD, released_instances, setting_folder, trajectory_file
from warehouse.kumo.release.things import TrajectoryFile
from warehouse.kumo.release.trajectories import (
    TRAJECTORY_TABLES,
    ImportProgress,
    InstanceKey,
    consolidate_parts,
    import_trajectories,
)

SOURCES = ("MedicalEnv", "FantasyEnv")
MODELS = ("deepseek-v3", "llama-3.1-8b-instruct", "o1-mini")
RUNS_A_FILE = 250
DOMAINS_OF = {EASY: 100, HARD: 5}
MOST_SECONDS, MOST_BYTES = 120, 2e9
# A source file (model, domain, setting), what it becomes, and whether its replies are cut.
Copy = tuple[tuple[str, str, Setting], TrajectoryFile, bool]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.release_import")
    parser.add_argument("release", nargs="?", type=Path, default=Path("../shared/kumo_release"))
    parser.add_argument("--runs", type=int, default=644_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scratch", type=Path, help="where the temporary folder is made")
    arguments = parser.parse_args()
    print_parsers(arguments.release)
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as name:
        folder = Path(name)
        copies = list(islice(made_up_files(folder), -(-arguments.runs // RUNS_A_FILE)))
        instances = made_up_instances(arguments.release, copies)
        begun = time.perf_counter()
        with ProcessPoolExecutor(arguments.workers, mp_context=get_context("spawn")) as pool:
            size = sum(pool.map(write_copy, [arguments.release] * len(copies), copies, chunksize=20))
        print(f"made up: {len(copies)} files, {size / 1e9:.2f} GB, in {time.perf_counter() - begun:.0f} s")
        measure([file for _, file, _ in copies], instances, folder / "staged", arguments.workers)


def print_parsers(release: Path) -> None:
    """Print how fast the installed JSON parsers read real lines."""
    from pydantic_core import from_json

    lines = [line for path in sorted((release / "results").rglob("*.jsonl")) for line in path.open("rb")]
    size = sum(map(len, lines))
    parsers: dict[str, Callable[[bytes], Any]] = {"json": json.loads, "pydantic_core": from_json}
    for name, parse in parsers.items():
        begun = time.perf_counter()
        for line in lines:
            parse(line)
        print(f"{name}: {size / (time.perf_counter() - begun) / 1e6:,.0f} MB/s of one process")


def made_up_files(folder: Path) -> Iterator[Copy]:
    """Yield file after file of model after model, each in all domains and both settings; it never ends."""
    sources = cycle((model, domain) for model in MODELS for domain in SOURCES)
    for number in count():
        is_tuned = number % 5 in (1, 3)
        player = f"{'sft/' if is_tuned else ''}model-{number:03d}"
        for setting, domains in DOMAINS_OF.items():
            for place in range(domains):
                model, source = next(sources)
                domain = f"{source.removesuffix('Env')}{place}Env"
                path = folder / player / domain / setting_folder(setting) / "eval_times=5.jsonl"
                yield (model, source, setting), trajectory_file(path, player, domain, setting), is_tuned


def made_up_instances(release: Path, copies: list[Copy]) -> dict[Any, Any]:
    """Return the instances of every made-up domain: those of its source, under other ids."""
    real = {
        key: keys
        for setting in DOMAINS_OF
        for key, keys in released_instances(release, SOURCES, setting).items()
    }
    return {
        (file.domain, file.setting): {
            seed: renamed(key, file.domain) for seed, key in real[source, setting].items()
        }
        for (_, source, setting), file, _ in copies
    }


def renamed(key: InstanceKey, domain: str) -> InstanceKey:
    return replace(key, instance_id=f"{key.instance_id}{domain:_<32}", book_id=f"{key.book_id}{domain:_<32}")


def write_copy(release: Path, copied: Copy) -> int:
    """Write the made-up file and return its size."""
    (model, source, setting), file, is_cut = copied
    place = release / "results" / model / "VanillaAgent" / source / setting_folder(setting)
    letters = list(string.ascii_lowercase)
    derive_rng(1, f"{file.player} {file.domain} {setting.name}", 0).shuffle(letters)
    cipher = str.maketrans(string.ascii_lowercase, "".join(letters))
    lines = []
    for line in (place / "eval_times=5.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for run in record["trajectories"]:
            texts = [text[text.rfind("<ANSWER>") :] if is_cut else text for text in run["generated_text"]]
            run["generated_text"] = [text.translate(cipher) for text in texts]
        lines.append(json.dumps(record) + "\n")
    path = file.file.path
    path.parent.mkdir(parents=True)
    return path.write_text("".join(lines), encoding="utf-8")


def measure(files: list[TrajectoryFile], instances: dict[Any, Any], staged: Path, workers: int) -> None:
    """Import and merge, and print time, memory and disk."""

    def show(progress: ImportProgress) -> None:
        share = progress.size / progress.full_size
        print(f"\r{progress.runs:,} runs, {share:.0%}", end="", flush=True)

    with PeakMemory() as memory:
        begun = time.perf_counter()
        imported = import_trajectories(files, instances, staged, workers=workers, on_progress=show)
        read = time.perf_counter() - begun
        merged = [consolidate_parts(staged, table, "e1@1") for table in TRAJECTORY_TABLES]
        seconds = time.perf_counter() - begun
    disk = sum(path.stat().st_size for path in staged.rglob("*") if path.is_file())
    kept = sum(path.stat().st_size for path in merged)
    runs = imported.counts["episodes"]
    print(f"\r{runs:,} runs, {imported.counts['turns']:,} turns, {len(imported.skipped)} skipped")
    print(f"read {read:.1f} s, merged {seconds - read:.1f} s, together {seconds:.1f} s")
    print(f"{runs / seconds:,.0f} runs/s; peak memory of all processes {memory.peak / 1e9:.2f} GB")
    print(f"staged {disk / 1e9:.2f} GB, of which merged {kept / 1e9:.2f} GB")
    print(
        f"at most {MOST_SECONDS} s: {verdict(seconds <= MOST_SECONDS)}, "
        f"at most {MOST_BYTES / 1e9:.0f} GB: {verdict(memory.peak <= MOST_BYTES)}"
    )


def verdict(reached: bool) -> str:
    return "reached" if reached else "MISSED"


class PeakMemory:
    """The most resident memory, in bytes, that this process and its children had together (Linux)."""

    def __init__(self) -> None:
        self.peak = 0
        self._done = threading.Event()
        self._watch = threading.Thread(target=self._sample)

    def __enter__(self) -> "PeakMemory":
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watch.join()

    def _sample(self) -> None:
        while not self._done.wait(0.05):
            self.peak = max(self.peak, sum(map(resident, [getpid(), *children(getpid())])))


def children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def resident(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    lines = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(lines[0].split()[1]) * 1024 if lines else 0


if __name__ == "__main__":
    main()
