"""Answers drawn from a Rasch model whose effects are known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perennial.tasks.statistics.cells import Domains, SettingGrid


@dataclass(frozen=True)
class Drawn:
    """Answers, and each player's chance on each instance (a row per player) behind them."""

    grid: SettingGrid
    chances: NDArray[np.float64]


def make_grid(runs: NDArray[np.int32], solved: NDArray[np.int32], sizes: list[int]) -> SettingGrid:
    """Return a grid whose domains have so many instances each."""
    domains = Domains(tuple(f"d{n}" for n in range(len(sizes))), (0, *np.cumsum(sizes).tolist()))
    players = tuple(f"p{n}" for n in range(len(runs)))
    return SettingGrid("easy", domains, players, runs, solved, *[np.arange(runs.shape[1])] * 2)


def draw_answers(
    seed: int,
    abilities: list[float],
    domain_means: list[float],
    instances: int,
    runs: int = 1,
    spread: float = 1.0,
    only: dict[int, int] | None = None,
) -> Drawn:
    """Draw `instances` instances per domain; `only[player]` is the number of its one domain."""
    generator = np.random.default_rng(seed)
    domain = np.repeat(np.arange(len(domain_means)), instances)
    difficulty = np.array(domain_means)[domain] + spread * generator.normal(size=len(domain))
    chances = 1 / (1 + np.exp(difficulty - np.array(abilities)[:, None]))
    tried = np.full(chances.shape, runs, np.int32)
    for player, number in (only or {}).items():
        tried[player, domain != number] = 0
    solved = generator.binomial(tried, chances).astype(np.int32)
    return Drawn(make_grid(tried, solved, [instances] * len(domain_means)), chances)
