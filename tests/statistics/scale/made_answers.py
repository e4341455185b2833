"""Cells of made-up editions: players with known rates in domains drawn with known variances."""

import numpy as np

from perennial.flows.kumo.benchmark import BENCHMARK
from perennial.tasks.statistics.scale.cells import DomainCell

assert BENCHMARK.variance is not None
RELEASE = BENCHMARK.variance.parts


def draw_cells(
    generator: np.random.Generator,
    rates: dict[str, float],
    editions: dict[str, tuple[list[str], list[str]]],
    variances: tuple[float, float] = (0.0063, 0.0053),
    instances: int = 20,
    slopes: dict[str, float] | None = None,
) -> list[DomainCell]:
    """Return the cells of editions, each with its domains and players; one run each.

    A player's rate in a domain is its own one, plus slope (default 1) times what the domain has for all,
    plus what it has for the player alone.
    """
    common: dict[str, float] = {}
    own: dict[tuple[str, str], float] = {}
    cells = []
    for edition, (domains, players) in editions.items():
        for domain in domains:
            shift = common.setdefault(domain, generator.normal(0, variances[0] ** 0.5))
            for player in players:
                gap = own.setdefault((domain, player), generator.normal(0, variances[1] ** 0.5))
                slope = (slopes or {}).get(player, 1.0)
                solved = generator.random(instances) < rates[player] + slope * shift + gap
                rate = float(solved.mean())
                squares = float(((solved - rate) ** 2).sum())
                cells.append(DomainCell(edition, domain, player, rate, squares, instances, 1.0))
    return cells
