"""How often intervals of variance parts hold the truth, and whether changes of editions keep their word.

By hand: `python -m tests.benchmarks.variance_parts [--draws 1000] [--players 4]`. Of made editions in the
form of each benchmark, whose models differ in skill. Printed, by form and runs per instance:

- the share of 95% intervals of each part that hold it
- false alarm: share of models whose rates in two editions differ by more than `change_beyond_chance`, though
  they are the same in both (promised: .05)
- power: the same for models that are better, or worse, by `change_detectable` in the second (promised: .80)
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from perennial.schemas.statistics import MODELS, NEW_DOMAINS
from perennial.tasks.statistics.cells import SettingGrid
from perennial.tasks.statistics.variance_parts import (
    BEYOND_CHANCE,
    DETECTABLE,
    PART,
    PART_NAMES,
    UNREPEATED,
    variance_figures,
)
from tests.benchmarks.comparisons import FORMS, Form, draw_grid

_INSTANCES = 200_000  # of the large edition that gives the true parts and rates
_SPREAD = 0.4  # logits between models


def main() -> None:
    """Print a line per form and number of runs."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.variance_parts")
    parser.add_argument("--draws", type=int, default=1_000, help="editions of each form")
    parser.add_argument("--players", type=int, default=4)
    chosen = parser.parse_args()
    for form in FORMS:
        for runs in (1, 3):
            judged = judge_form(replace(form, runs=runs), chosen.draws, chosen.players)
            shares = ", ".join(f"{name} {share:.3f}" for name, share in judged.items())
            print(f"{form.name}, {runs} runs: {shares}", flush=True)


def read_parts(grid: SettingGrid) -> Iterator[tuple[str, float, float | None, float | None]]:
    """Yield name, value and interval of each part."""
    for figure in variance_figures(grid, lambda _: MODELS):
        if figure.statistic == PART and figure.value is not None:
            name = PART_NAMES[3] if figure.other == UNREPEATED else figure.other
            yield name, figure.value, figure.low, figure.high


def judge_form(form: Form, draws: int, players: int) -> Mapping[str, float]:
    """Return the coverage by part, then the shares of false alarms and of changes found."""
    generator = np.random.default_rng(11)
    fixed = np.linspace(-form.domain, form.domain, form.domains)
    by_player = fixed + np.stack([generator.permutation(fixed) for _ in range(players)]) / 2
    scale = max(1, _INSTANCES // (form.domains * form.clusters * form.size))
    large = replace(form, clusters=form.clusters * scale)
    if form.population == NEW_DOMAINS and form.clusters == 1:
        large = replace(form, domains=form.domains * scale)
    many = np.repeat(by_player, large.domains // form.domains, axis=1)
    whole = draw_grid(large, players, generator, _SPREAD, many)
    truth = {name: value for name, value, _, _ in read_parts(whole)}
    held: dict[str, list[bool]] = {}
    alarms, finds = [], []
    for _ in range(draws):
        grid, later = (draw_grid(form, players, generator, _SPREAD, by_player) for _ in range(2))
        for name, _, low, high in read_parts(grid):
            if low is not None and high is not None:
                held.setdefault(name, []).append(low <= truth[name] <= high)
        figures = list(variance_figures(grid, lambda _: MODELS))
        beyond, detectable = (
            np.array([figure.value for figure in figures if figure.statistic == name], np.float64)
            for name in (BEYOND_CHANCE, DETECTABLE)
        )
        change = ((later.solved - grid.solved) / form.runs).mean(axis=1)
        alarms.append(abs(change) > beyond)
        finds.append((abs(change + detectable) > beyond, abs(change - detectable) > beyond))
    shares = {name: float(np.mean(values)) for name, values in held.items()}
    return shares | {"false alarm": float(np.mean(alarms)), "power": float(np.mean(finds))}


if __name__ == "__main__":
    main()
