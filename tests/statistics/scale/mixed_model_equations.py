"""The joint model a second time: Henderson's mixed-model equations, from cells one by one.

Random effects are solved for beside the rates (C. R. Henderson, Biometrics 31 (1975) 423-447), so no
covariance of observations is ever made, but for that of the errors of one domain of one edition.
"""

import numpy as np
from numpy.typing import NDArray

from perennial.tasks.statistics.scale.cells import DomainCell, Observations
from tests.statistics.scale.dense_model import sampling_covariance

Floats = NDArray[np.float64]


def solve_mixed_model(
    cells: list[DomainCell], seen: Observations, variances: tuple[float, float, float]
) -> tuple[Floats, Floats]:
    """Return rates and their covariance; slopes are those of `seen`."""
    effects: list[tuple[int, tuple[str, ...]]] = sorted({key for cell in cells for key in _effects(cell)})
    n, many = len(seen.players), len(effects)
    left, right = np.zeros((n + many, n + many)), np.zeros(n + many)
    errors = sampling_covariance(cells, seen.parts)
    for edition, domain in sorted({(cell.edition, cell.domain) for cell in cells}):
        rows = [place for place, cell in enumerate(cells) if (cell.edition, cell.domain) == (edition, domain)]
        weights = np.linalg.inv(errors[np.ix_(rows, rows)])
        design = np.zeros((len(rows), n + many))
        for row, cell in enumerate(cells[place] for place in rows):
            player = seen.players.index(cell.player)
            design[row, player] = 1.0
            for kind, key in _effects(cell):
                design[row, n + effects.index((kind, key))] = 1.0 if kind == 2 else seen.slopes[player]
        left += design.T @ weights @ design
        right += design.T @ weights @ np.array([cells[place].rate for place in rows])
    for place, (kind, _) in enumerate(effects):
        left[n + place, n + place] += 1 / variances[kind]
    inverse = np.asarray(np.linalg.inv(left), np.float64)
    return (inverse @ right)[:n], inverse[:n, :n]


def _effects(cell: DomainCell) -> list[tuple[int, tuple[str, ...]]]:
    return [(0, (cell.domain,)), (1, (cell.domain, cell.edition)), (2, (cell.domain, cell.player))]
