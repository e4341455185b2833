"""python-sat and the compiled programme on the same lists of truths and actions: how often do they disagree?

python -m tests.benchmarks.engines [--lists 5000] [--release FOLDER]

Of each domain (the bundled ones, 34 worlds, with `--release` the authors' too) and setting (Easy, Hard) so
many random lists, and so many that walks judge, half of them one step away from a balanced one.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import SeedConfig, Setting
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.balanced.boards import are_balanced, list_boards
from perennial.tasks.kumo.sampling.balanced.solver import BoardFormula, SolverJudge
from perennial.tasks.kumo.sampling.balanced.walk import Trace, WalkPace, walk
from perennial.tasks.kumo.sampling.construct import Array
from perennial.tasks.kumo.sampling.solver import UndecidedError
from perennial.tasks.kumo.sampling.tables import SamplingTables
from perennial.tasks.kumo.worlds import MIXED, draw_world
from perennial.warehouse.kumo.bundled_domains import bundled_domains

WORLDS = 34
SETTINGS = ("easy", "hard")
COUNTED = ("domains", "lists", "refused", "calls", "disagreements")


def main() -> None:
    """Print what was judged by source of domains and kind of list, and the sums."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.engines")
    parser.add_argument("--lists", type=int, default=5_000)
    parser.add_argument("--release", type=Path, help="folder of the authors' release")
    given = parser.parse_args()
    counts: dict[tuple[str, str], Counter[str]] = {}
    for source, config in list_configs(given.release):
        for setting in SETTINGS:
            for kind, counted in compare(config, Setting.parse(setting), given.lists).items():
                counts.setdefault((source, f"{setting}, {kind}"), Counter()).update(counted)
    print(f"{'source':12}{'lists':26}" + "".join(f"{name:>15}" for name in COUNTED))
    whole = sum(counts.values(), Counter[str]())
    for (source, kind), counted in [*counts.items(), (("all", ""), whole)]:
        print(f"{source:12}{kind:26}" + "".join(f"{counted[name]:15,}" for name in COUNTED))


def list_configs(release: Path | None) -> Iterator[tuple[str, SeedConfig]]:
    """Yield the domains, each with its source."""
    yield from (("bundled", load_bundled(name)) for name in bundled_domains())
    yield from (("worlds", draw_world(0, number, MIXED).config) for number in range(WORLDS))
    for path in sorted(release.glob("domains/*.json")) if release else ():
        yield "release", parse_config(path.read_text(encoding="utf-8"), path.name)


def compare(config: SeedConfig, setting: Setting, number: int) -> dict[str, Counter[str]]:
    """Judge so many lists of each kind by both engines; none if the domain has no list of the kind."""
    encoded = encode_config(config)
    tables, size = SamplingTables(encoded), (setting.n_truths, setting.n_actions)
    judge, indices, zeros = SolverJudge(encoded, tables.states), np.arange(number), np.zeros(number, np.int64)
    truths, actions = list_boards(tables.kernel, size, zeros.astype(np.uint64), indices, zeros)
    if not len(truths):
        return {}
    drawn = {"random": Trace(truths, actions, are_balanced(tables.kernel, truths, actions))}
    formula = BoardFormula(encoded, tables.states, setting)
    try:
        start = formula.find_board(derive_rng(0, "engines", 0))
    except UndecidedError:
        start = None
    if start is not None:
        first = np.array(start.truths, np.int32), np.array(start.actions, np.int32)
        half, row = number // 2, np.zeros(1, np.int64)
        for kind, steps, is_kept in (("walk", 24, False), ("walk, each step", 1, True)):
            drawn[kind] = Trace.empty(half, *size)
            pace = WalkPace(steps, half, half, 10 * number, is_kept)
            walk(tables.kernel, first, row.astype(np.uint64), row, 0, pace, drawn[kind])
    return {kind: count_judged(judge, *lists) for kind, lists in drawn.items()}


def count_judged(judge: SolverJudge, truths: Array, actions: Array, verdicts: Array) -> Counter[str]:
    """Let python-sat judge the lists, and count."""
    before = judge.calls
    by_solver = judge.are_balanced(truths, actions)
    disagreements, refused = int((by_solver != verdicts).sum()), int((~by_solver).sum())
    return Counter(
        domains=1,
        lists=len(truths),
        refused=refused,
        calls=judge.calls - before,
        disagreements=disagreements,
    )


if __name__ == "__main__":
    main()
