"""How often A2RBench's 95% intervals hold the rate, and the difference of two players, over new drawn rules.

By hand: `python -m tests.benchmarks.a2rbench_coverage [--draws 1000] [--pool 150]`. Rules are the
grammar's. What a player makes of a rule follows from its steps: each kind of step has a difficulty, one
part of which both players share, and one their own; so have cells, rules and items. Each edition takes
rules of each cell at random from a pool, over whose rules the true rates are.
"""

import argparse
import json
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from perennial.schemas.a2rbench.things import DOMAINS
from perennial.schemas.statistics import NEW_DOMAINS
from perennial.tasks.a2rbench.grammar import draw_rules
from perennial.tasks.statistics.clusters import bound_gap, bound_share

Numbers = NDArray[np.float64]
# Rules per cell and items per rule: V0 of tiny, small and standard editions, and their other variations.
FORMS = ((1, 1), (3, 1), (12, 1), (3, 3), (12, 9))
ABILITIES = ((0.0, 0.0), (2.5, 2.0), (-1.5, -2.0), (1.0, -0.5))


def draw_pool(pool: int, seed: int) -> list[list[list[str]]]:
    """Return the kinds of the steps of each rule, by cell."""
    return [
        [
            [f"{step[0]} {step[-1] == 'all'}" for step in json.loads(rule.steps or "")["steps"]]
            for rule in draw_rules(domain, seed, pool)
        ]
        for domain in DOMAINS
    ]


def draw_logits(kinds: Sequence[Sequence[Sequence[str]]], rng: np.random.Generator) -> Numbers:
    """Return the logits of two players of ability 0 on each rule: player, cell, rule."""
    names = sorted({name for cell in kinds for rule in cell for name in rule})
    common = dict(zip(names, rng.normal(-0.5, 0.6, len(names)), strict=True))
    logits = []
    for _ in range(2):
        effects = {name: value + rng.normal(0, 0.4) for name, value in common.items()}
        sums = np.array([[sum(map(effects.get, rule)) for rule in cell] for cell in kinds])
        logits.append(sums + rng.normal(0, 0.5, (len(kinds), 1)) + rng.normal(0, 0.5, sums.shape))
    return np.array(logits) + rng.normal(0, 0.7, logits[0].shape) + 1.2


def cover(logits: Numbers, form: tuple[int, int], draws: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Return how often the interval of the first player's rate, and of the difference, hold the truth."""
    rules, items = form
    spread = rng.normal(0, 0.7, (2, *logits.shape[1:], 200))
    chances = 1 / (1 + np.exp(-logits[..., None] - spread))
    truth = chances.mean(axis=(1, 2, 3))
    cells = len(DOMAINS)
    cell = np.repeat(np.arange(cells), rules * items)
    rule = np.repeat(np.arange(cells * rules), items)
    held = []
    for _ in range(draws):
        chosen = rng.integers(0, logits.shape[2], cells * rules)[rule]
        p = chances[:, cell, chosen, rng.integers(0, 200, len(cell))]
        solved = (rng.random(p.shape) < p).astype(float)
        rate = bound_share(solved[0], len(cell), rule, cell, NEW_DOMAINS)
        gap = bound_gap(solved[0] - solved[1], rule, cell, NEW_DOMAINS)
        pairs = ((rate, truth[0]), (gap, truth[0] - truth[1]))
        held.append([(bound.low or 0) <= value <= (bound.high or 0) for bound, value in pairs])
    return tuple(np.mean(held, axis=0))


def coverages(draws: int, pool: int) -> Iterator[tuple[str, float, float]]:
    """Yield the coverage of rates and differences by form and abilities, over 10 pairs of players."""
    rng = np.random.default_rng(43)
    kinds = draw_pool(pool, 43)
    for form in FORMS:
        for first, second in ABILITIES:
            shift = np.array([first, second])[:, None, None]
            held = [cover(draw_logits(kinds, rng) + shift, form, draws // 10, rng) for _ in range(10)]
            rate, gap = np.mean(held, axis=0)
            yield f"{form[0]} rules a cell x {form[1]}, abilities {first:+} {second:+}", rate, gap


def main() -> None:
    """Print a line per form and abilities."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.a2rbench_coverage")
    parser.add_argument("--draws", type=int, default=1_000, help="editions of each line")
    parser.add_argument("--pool", type=int, default=150, help="rules of each cell")
    chosen = parser.parse_args()
    for name, rate, gap in coverages(chosen.draws, chosen.pool):
        print(f"{name:<48} rate {rate:.3f}  difference {gap:.3f}", flush=True)


if __name__ == "__main__":
    main()
