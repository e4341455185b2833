"""Answers drawn from a Rasch model whose effects are known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.statistics.rank_figures import Answers


@dataclass(frozen=True)
class Drawn:
    """Answers, and each player's chance on each instance (a row an instance) behind them."""

    answers: Answers
    chances: NDArray[np.float64]


def draw_answers(
    seed: int,
    abilities: list[float],
    domain_means: list[float],
    instances: int,
    runs: int = 1,
    spread: float = 1.0,
    only: dict[int, int] | None = None,
) -> Drawn:
    """Draw `instances` instances a domain; `only[player]` is the number of the one domain that it answers."""
    generator = np.random.default_rng(seed)
    domain = np.repeat(np.arange(len(domain_means)), instances)
    difficulty = np.array(domain_means)[domain] + spread * generator.normal(size=len(domain))
    chances = 1 / (1 + np.exp(difficulty[:, None] - np.array(abilities)))
    solved = generator.binomial(runs, chances)
    seen = np.ones(chances.shape, dtype=bool)
    for player, number in (only or {}).items():
        seen[:, player] = domain == number
    instance, player_of = np.nonzero(seen)
    counts = np.full(len(instance), runs)
    return Drawn(Answers(player_of, instance, domain[instance], solved[instance, player_of], counts), chances)
