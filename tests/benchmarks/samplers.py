"""Rates of both samplers side by side: instances per second of one process's CPU time, in memory.

python -m tests.benchmarks.samplers [--domains ...] [--count 4000] [--runs 3]

`boards` is the balanced draw of lists alone, `complete` the draw of valid truth and observations alone.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.ids import derive_seed
from perennial.schemas.kumo.samplers import AS_PUBLISHED, BALANCED
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config
from perennial.tasks.kumo.sampling import SamplingRequest, sample_instances
from perennial.tasks.kumo.sampling.sample import prepare
from perennial.tasks.kumo.worlds import draw_world

DOMAINS = (
    "a world",
    "mineral_identification",
    "medical_diagnosis",
    "music_identification",
    "student_assessment",
)


def main() -> None:
    """Print the rates by domain and setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domains", nargs="+", default=DOMAINS)
    parser.add_argument("--settings", nargs="+", default=("easy", "hard"))
    parser.add_argument("--count", type=int, default=4_000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    prepare()
    columns = (AS_PUBLISHED, BALANCED, "boards", "complete", "accepted")
    print(f"{'domain':26}{'setting':>8}" + "".join(f"{column:>12}" for column in columns))
    for name in given.domains:
        encoded = encode_config(draw_world(3, 0).config if name == "a world" else load_bundled(name))
        for setting in given.settings:
            rates = [
                _rate(_sampling(encoded, setting, given.count, s), given) for s in (AS_PUBLISHED, BALANCED)
            ]
            parts, share = _parts(encoded, setting, given.count)
            rates += [_rate(part, given) for part in parts]
            print(
                f"{name:26}{setting:>8}" + "".join(f"{rate:12,.0f}" for rate in rates) + f"{share:12.3f}",
                flush=True,
            )


def _sampling(encoded: EncodedConfig, setting: str, count: int, sampler: str) -> Callable[[int], object]:
    size = Setting.parse(setting)
    return lambda seed: sample_instances(
        encoded, SamplingRequest(size, count, seed, require_test=True, sampler=sampler)
    )


def _parts(encoded: EncodedConfig, setting: str, count: int) -> tuple[list[Callable[[int], object]], float]:
    """Return the two compiled passes of the balanced draw, and the share of lists that are accepted."""
    from perennial.tasks.kumo.sampling.balanced.boards import complete_boards, draw_boards
    from perennial.tasks.kumo.sampling.tables import SamplingTables

    tables, size = SamplingTables(encoded).kernel, Setting.parse(setting)
    indices, starts = np.arange(count), np.zeros(count, np.int64)

    def boards(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        seeds = np.full(count, derive_seed(seed, "benchmark", 0), np.uint64)
        return draw_boards(tables, (size.n_truths, size.n_actions), seeds, indices, starts, 256)

    truths, actions, attempts = boards(0)
    found = attempts >= 0
    share = found.sum() / (np.where(found, attempts + 1, 256)).sum()
    seeds = indices[found].astype(np.uint64)
    return [boards, lambda _: complete_boards(tables, truths[found], actions[found], seeds)], float(share)


def _rate(work: Callable[[int], object], given: argparse.Namespace) -> float:
    seconds = []
    for seed in range(given.runs):
        begun = time.process_time()
        work(seed)
        seconds.append(time.process_time() - begun)
    return float(given.count / median(seconds))


if __name__ == "__main__":
    main()
