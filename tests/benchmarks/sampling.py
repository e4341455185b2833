"""The balanced sampler's rate beside a plain transcription of the paper's, on every released domain.

python -m tests.benchmarks.sampling RELEASE [--count 60000] [--plain 1000] [--domains ...]

Instances per second of one process's CPU time, one after the other in one run. The plain one compares each
instance with all before it, so its rate falls with the count; it is measured on few, which favors it.
Domains that have no setting, or fewer instances than the count, are named with what was drawn.
"""

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path

from perennial.schemas.kumo.things import BALANCED, Setting
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import prepare, sample_instances
from tests.benchmarks.plain_sampler import plain_sample


def main() -> None:
    """Print both rates and their ratio by domain and setting, and how many reach fifteen."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.sampling")
    parser.add_argument("release", type=Path, help="folder of the authors' release")
    parser.add_argument("--count", type=int, default=60_000)
    parser.add_argument("--plain", type=int, default=1_000)
    parser.add_argument("--domains", nargs="+")
    given = parser.parse_args()
    paths = [given.release / "domains" / f"{name}.json" for name in given.domains or ()]
    prepare()
    ratios = []
    print(f"{'domain':26}{'setting':>8}{'drawn':>8}{'ours/s':>9}{'plain/s':>9}{'ratio':>7}  from")
    for path in paths or sorted(given.release.glob("domains/*.json")):
        config = parse_config(path.read_text(encoding="utf-8"), path.name)
        encoded = encode_config(config)
        for name in ("easy", "hard"):
            setting = Setting.parse(name)
            if setting.n_truths > len(config.truths) or setting.n_actions > len(config.actions):
                continue
            request = SamplingRequest(setting, given.count, 1, require_test=True, sampler=BALANCED)
            sample_instances(encoded, SamplingRequest(setting, 1, 2, require_test=True, sampler=BALANCED))
            sample, seconds = run(lambda r=request, e=encoded: sample_instances(e, r))
            _, plain = run(lambda c=config, s=setting: plain_sample(c, s, given.plain, random.Random(0)))
            drawn, rates = len(sample.ids), (len(sample.ids) / seconds, given.plain / plain)
            source = "walks" if sample.counts.walked else "random lists"
            if drawn == given.count:
                ratios.append(rates[0] / rates[1])
            row = f"{config.name[:25]:26}{name:>8}{drawn:8,}{rates[0]:9,.0f}{rates[1]:9,.0f}"
            print(f"{row}{rates[0] / rates[1]:7.1f}  {source}", flush=True)
    print(f"{sum(ratio >= 15 for ratio in ratios)} of {len(ratios)} with so many instances are at 15 or more")


def run(work: Callable[[], object]):  # type: ignore[no-untyped-def]
    """Return what the work gives, and its CPU seconds."""
    begun = time.process_time()
    outcome = work()
    return outcome, time.process_time() - begun


if __name__ == "__main__":
    main()
