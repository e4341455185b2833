"""Sampling's rate and diversity beside a plain transcription of the paper's algorithms and the release.

python -m tests.benchmarks.sampling [folder of the released data] [--domains ...]

Rates are instances per second of one process's CPU time, medians; min_expected_steps is 0, as in the release.
Ours are those of the paper's sampler and of the balanced one, each with its ratio to the plain one. All get
the same domain, setting and count, one run after the other.
"""

import argparse
import json
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import mean, median

from perennial.schemas.kumo.things import AS_PUBLISHED, BALANCED, SeedConfig, Setting
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config
from perennial.tasks.kumo.sampling import Sample, SamplingRequest, sample_instances
from tests.benchmarks.plain_sampler import plain_sample

DOMAINS = ("MedicalEnv", "MusicEnv", "FantasyEnv", "ChemicalEnv", "EducationEnv")
SETTINGS = ("easy", "hard")
RATE_COUNTS = (1_000, 5_000)
GROWTH_COUNTS = (1_000, 10_000, 100_000)
DIVERSITY_COUNT = 2_000
RELEASED = 50

ActionSets = Sequence[Sequence[str]]


def main() -> None:
    """Print rates, diversity and growth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", nargs="?", type=Path, default=Path("../shared/kumo_release"))
    parser.add_argument("--domains", nargs="+", default=DOMAINS)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    configs = {name: _read(arguments.release, name) for name in arguments.domains}
    print_first_call(next(iter(configs.values())))
    print_rates(configs, arguments.runs)
    print_diversity(configs, arguments.release)
    print_growth(configs)


def print_first_call(config: SeedConfig) -> None:
    """Print how long the first sample takes, which loads the kernels or compiles them."""
    begun = time.perf_counter()
    ours(encode_config(config), "easy", 1)
    print(f"first call (kernels loaded or compiled): {time.perf_counter() - begun:.2f} s\n")


def print_rates(configs: dict[str, SeedConfig], runs: int) -> None:
    """Print both rates and their ratio by domain, setting and count."""
    columns = (f"{AS_PUBLISHED}/s", f"{BALANCED}/s", "plain/s", "ratio", "ratio")
    print(f"{'domain':14}{'setting':>8}{'count':>8}" + "".join(f"{column:>12}" for column in columns))
    for name, config in configs.items():
        encoded = encode_config(config)
        for setting in SETTINGS:
            for count in RATE_COUNTS:
                rates = [
                    median(count / _seconds(draw, given, setting, count, seed) for seed in range(runs))
                    for draw, given in ((ours, encoded), (balanced, encoded), (theirs, config))
                ]
                cells = "".join(f"{rate:12,.0f}" for rate in rates)
                ratios = "".join(f"{rate / rates[-1]:12.1f}" for rate in rates[:-1])
                print(f"{name:14}{setting:>8}{count:8,}{cells}{ratios}", flush=True)
    print()


def print_diversity(configs: dict[str, SeedConfig], release: Path) -> None:
    """Print entropies in bits, shares of distinct action sets and the number of actions used.

    `used` are the actions chosen before padding, `shown` all of an instance; `shown/50` is the mean over
    blocks of as many instances as were released, to compare with the release.
    """
    print(f"{DIVERSITY_COUNT:,} instances; entropy of actions in bits, share of distinct action sets")
    columns = ("used a test", "H used", "sets used", "H shown", "sets shown", "H shown/50")
    print(f"{'domain':14}{'setting':>8} {'sampler':8}" + "".join(f"{column:>12}" for column in columns))
    for name, config in configs.items():
        encoded = encode_config(config)
        for setting in SETTINGS:
            plain = theirs(config, setting, DIVERSITY_COUNT)
            _print_sets(name, setting, "ours", *own_sets(encoded, setting, DIVERSITY_COUNT))
            _print_sets(name, setting, "plain", [p.selected for p in plain], [tuple(p.states) for p in plain])
            _print_sets(name, setting, "release", None, read_released_sets(release, name, setting))
    print()


def print_growth(configs: dict[str, SeedConfig]) -> None:
    """Print the CPU seconds at growing counts."""
    print(
        f"{'domain':14}{'setting':>8}" + "".join(f"{count:>10,}" for count in GROWTH_COUNTS) + "  (seconds)"
    )
    for name, config in configs.items():
        encoded = encode_config(config)
        for setting in SETTINGS:
            seconds = [_seconds(ours, encoded, setting, count) for count in GROWTH_COUNTS]
            print(f"{name:14}{setting:>8}" + "".join(f"{value:10.3f}" for value in seconds), flush=True)


def ours(encoded: EncodedConfig, setting: str, count: int, seed: int = 0) -> Sample:
    """Return a sample as the release was sampled."""
    return sample_instances(encoded, SamplingRequest(Setting.parse(setting), count, seed, 0.0))


def balanced(encoded: EncodedConfig, setting: str, count: int, seed: int = 0) -> Sample:
    """Return a sample as editions draw it."""
    request = SamplingRequest(Setting.parse(setting), count, seed, require_test=True, sampler=BALANCED)
    return sample_instances(encoded, request)


def theirs(config: SeedConfig, setting: str, count: int, seed: int = 0):  # type: ignore[no-untyped-def]
    """Return instances of the plain transcription."""
    return plain_sample(config, Setting.parse(setting), count, random.Random(seed))


def own_sets(encoded: EncodedConfig, setting: str, count: int) -> tuple[ActionSets, ActionSets]:
    """Return the actions chosen before padding, and all actions, of our instances."""
    import numpy as np

    from perennial.tasks.kumo.sampling.draw import CandidateSource

    source = CandidateSource(encoded, SamplingRequest(Setting.parse(setting), count, 0, 0.0))
    drawn = source.next_candidates(np.arange(count))
    names = [encoded.actions[state.action] for state in source.tables.states]
    rows = zip(drawn.draws.states.tolist(), drawn.draws.selected.tolist(), strict=True)
    chosen = [[(names[g], used) for g, used in zip(*row, strict=True)] for row in rows]
    return [[a for a, used in row if used] for row in chosen], [[a for a, _ in row] for row in chosen]


def read_released_sets(release: Path, name: str, setting: str) -> ActionSets:
    """Return the actions of the released instances."""
    size = Setting.parse(setting)
    path = release / "instances" / name / f"truth_num={size.n_truths}+action_num={size.n_actions}"
    path = path.with_name(path.name + "+valid_truth_num=1.jsonl")
    if not path.is_file():
        return []
    return [json.loads(line)["actions"] for line in path.read_text().splitlines()]


def entropy(sets: Iterable[Sequence[str]]) -> float:
    """Return the Shannon entropy, in bits, of the distribution of actions over the instances."""
    counts = Counter(action for actions in sets for action in actions)
    total = sum(counts.values())
    return -sum(n / total * math.log2(n / total) for n in counts.values())


def distinct(sets: ActionSets) -> float:
    """Return the share of distinct sets."""
    return len({frozenset(actions) for actions in sets}) / len(sets)


def _print_sets(name: str, setting: str, sampler: str, used: ActionSets | None, shown: ActionSets) -> None:
    if not shown:
        return
    before = ("-",) * 3
    if used is not None:
        before = (f"{mean(map(len, used)):.2f}", f"{entropy(used):.3f}", f"{distinct(used):.1%}")
    blocks = [shown[i : i + RELEASED] for i in range(0, len(shown), RELEASED)]
    after = (f"{entropy(shown):.3f}", f"{distinct(shown):.1%}", f"{mean(map(entropy, blocks)):.3f}")
    print(
        f"{name:14}{setting:>8} {sampler:8}" + "".join(f"{value:>12}" for value in before + after), flush=True
    )


def _seconds(work: Callable[..., object], *arguments: object) -> float:
    begun = time.process_time()
    work(*arguments)
    return time.process_time() - begun


def _read(release: Path, name: str) -> SeedConfig:
    path = release / "domains" / f"{name}.json"
    return parse_config(path.read_text(encoding="utf-8"), path.name)


if __name__ == "__main__":
    main()
