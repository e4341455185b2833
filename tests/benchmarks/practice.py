"""Practice questions: how many per second of CPU, beside reasoning-gym's generators; or whether they are new.

    python -m tests.benchmarks.practice                             # rates; needs pip install reasoning-gym
    python -m tests.benchmarks.practice --ids 100000 --root ROOT    # ids of so many draws against a data root

Rates are of one process, after compiled code is loaded: questions with prompt, answer and what grades them,
as `perennial sample` draws them by default. Each dataset of reasoning-gym is drawn with its defaults.

With `--ids` the draws are compared with the content hashes in the files of all editions of the root, private
instances among them, read here without perennial's own check. A2RBench draws 1,000 at most, because each of
its questions runs a rule in the sandbox.
"""

import argparse
import resource
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow.parquet

from perennial.flows.benchmark import benchmarks, find_benchmark
from perennial.flows.practice.draw import PracticeQuestions, held_ids
from perennial.warehouse.editions.issued_ids import IdSet
from perennial.warehouse.store.store import Store

_WARM, _LEAST = 20, 5
_SIZE = 1_000  # some datasets of reasoning-gym make all items at once
_MOST_IN_SANDBOX = {"a2rbench": 1_000}


def main() -> None:
    """Print rates, or what the ids show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="of CPU per benchmark; a tenth per dataset"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ids", type=int, default=0, help="number of draws to compare with the root")
    parser.add_argument("--root", default="warehouse/data")
    parser.add_argument("--benchmarks", nargs="+", default=list(benchmarks()))
    chosen = parser.parse_args()
    if chosen.ids:
        compare_ids(chosen.benchmarks, Store(chosen.root), chosen.ids, chosen.seed)
    else:
        print_rates(chosen.benchmarks, chosen.seconds, chosen.seed)


def print_rates(names: Sequence[str], seconds: float, seed: int) -> None:
    """Print questions per second of CPU: of the benchmarks, and of reasoning-gym's datasets."""
    for name in names:
        find_benchmark(name).warm_up()
        questions = iter(PracticeQuestions(name, seed, {}, IdSet()))
        for _ in islice(questions, _WARM):
            pass
        print(f"{'perennial ' + name:<36}{_rate(questions, seconds):>10,.1f} per second of CPU")
    try:
        import reasoning_gym
        from reasoning_gym.factory import DATASETS
    except ModuleNotFoundError:
        print("reasoning-gym is not installed: pip install reasoning-gym")
        return
    rates = {}
    for name in sorted(DATASETS):
        try:
            items = iter(reasoning_gym.create_dataset(name, size=_SIZE, seed=seed))
            next(items)
            rates[name] = _rate(items, seconds / 10)
        except Exception as error:  # noqa: BLE001 - composite datasets need a choice of others
            print(f"{'reasoning-gym ' + name:<36}   not drawn: {type(error).__name__}")
            continue
        print(f"{'reasoning-gym ' + name:<36}{rates[name]:>10,.1f} per second of CPU")
    spread = f"{min(rates.values()):,.1f} to {max(rates.values()):,.1f}, median {median(rates.values()):,.1f}"
    print(f"reasoning-gym {len(rates)} datasets: {spread} per second of CPU")


def _rate(items: Iterator[Any], seconds: float) -> float:
    """Return items per second of CPU, of this process and the children that it waited for."""
    started, number = _cpu(), 0
    while number < _LEAST or _cpu() - started < seconds:
        if next(items, None) is None:
            break
        number += 1
    return number / (_cpu() - started)


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def compare_ids(names: Sequence[str], store: Store, count: int, seed: int) -> None:
    """Print for each benchmark how many were drawn, how many ids that gives, and how many are held."""
    published = {
        value
        for file in Path(store.root).glob("tables/instances/edition=*/*.parquet")
        for value in pyarrow.parquet.read_table(file, columns=["content_hash"])["content_hash"].to_pylist()
    }
    print(f"{len(published):,} instances in the editions of {store.root}")
    for name in names:
        number = min(count, _MOST_IN_SANDBOX.get(name, count))
        questions = PracticeQuestions(name, seed, {}, held_ids(store))
        started = time.process_time()
        ids = [one.instance_id for one in islice(questions, number)]
        held = sum(id_.rpartition("_")[2] in published for id_ in ids)
        print(
            f"{name:<12}{len(ids):>9,} drawn {len({*ids}):>9,} ids {held:>5,} held by an edition; "
            f"drawn again: {questions.held_back:,} that an edition holds, {questions.repeated:,} drawn "
            f"before; {time.process_time() - started:,.0f} s of CPU"
        )


if __name__ == "__main__":
    main()
