"""Speed of the optimum under the promise, on Hard instances of the bundled domains.

Run by hand: `python -m tests.benchmarks.optimum [COUNT [FOLDER]]`: COUNT instances per domain, and those of
the released data in FOLDER. One core; CPU seconds of this process, beside the machine's load, and beside
those of Algorithm 3's search of the same instances, which say how fast the machine was.
"""

import os
import sys
from pathlib import Path
from statistics import fmean, median, quantiles
from time import process_time

from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config, encode_instance, parse_instances
from perennial.tasks.kumo.sampling import SamplingRequest, sample_instances
from perennial.tasks.kumo.search import NODE_LIMIT, prepare, solve_instances
from perennial.warehouse.kumo.bundled_domains import bundled_domains, bundled_text
from tests.benchmarks.search import HARD, files


def main(count: int, folder: Path | None) -> None:
    cold = prepare()
    print(f"kernels {'compiled' if cold.compiled else 'loaded'} in {cold.seconds:.2f} s")
    measure(f"Hard, {count} a bundled domain", _bundled(count))
    if folder is not None:
        measure("Hard of the release", _released(folder))


def measure(what: str, batch: list[EncodedInstance]) -> None:
    """Print the CPU time of each instance's optimum, and the means of what was found."""
    plain, optimum, found = [], [], []
    for instance in batch:
        begun = process_time()
        solve_instances([instance])
        between = process_time()
        solution = solve_instances([instance], node_limit=NODE_LIMIT)[0]
        plain.append(between - begun)
        optimum.append(process_time() - between - plain[-1])
        found.append(solution.optimum)
    known = [one for one in found if one is not None]
    exact = sum(one.status == "exact" for one in known)
    in_ms = [seconds * 1e3 for seconds in optimum]
    print(f"{what}: {exact} of {len(batch)} exact; load {os.getloadavg()[0]:.1f}")
    print(
        f"  optimum: median {median(in_ms):.1f} ms, mean {fmean(in_ms):.1f}, "
        f"95% {quantiles(in_ms, n=20)[-1]:.1f}, worst {max(in_ms):.0f} (CPU)"
    )
    print(f"  Algorithm 3's search: median {median(plain) * 1e3:.1f} ms, mean {fmean(plain) * 1e3:.1f} (CPU)")
    steps, policy = fmean(one.steps for one in known), fmean(one.policy_steps for one in known)
    print(f"  expected tests: optimum {steps:.3f}, Algorithm 3's policy {policy:.3f}")


def _bundled(count: int) -> list[EncodedInstance]:
    drawn = []
    for name in bundled_domains():
        encoded = encode_config(parse_config(bundled_text(name), name))
        request = SamplingRequest(Setting.parse("hard"), count, 0)
        drawn += [encode_instance(encoded, one) for one in sample_instances(encoded, request).instances]
    return drawn


def _released(folder: Path) -> list[EncodedInstance]:
    return [
        encode_instance(encoded, instance)
        for path, encoded in files(folder, HARD)
        for instance in parse_instances(path.read_text().splitlines(), encoded, path.name)
    ]


if __name__ == "__main__":
    asked = sys.argv[1:]
    main(int(asked[0]) if asked else 50, Path(asked[1]) if len(asked) > 1 else None)
