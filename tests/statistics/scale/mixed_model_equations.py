"""The joint model a second time: Henderson's mixed-model equations, from cells one by one.

Random effects are solved for beside the rates (C. R. Henderson, Biometrics 31 (1975) 423-447), so no
covariance of observations is ever made, but for that of the errors of one domain of one edition.
"""

import numpy as np
from numpy.typing import NDArray

from tasks.statistics.scale.cells import Cell, Observations

Floats = NDArray[np.float64]


def solve_mixed_model(
    cells: list[Cell], seen: Observations, variances: tuple[float, float, float]
) -> tuple[Floats, Floats]:
    """Return rates and their covariance; slopes and sampling covariances are those of `seen`."""
    errors = {
        (name, int(edition)): (block.sampling[row], block)
        for block in seen.blocks
        for row, name in enumerate(block.names)
        for edition in block.editions
    }
    effects: list[tuple[int, tuple[str, ...]]] = sorted({key for cell in cells for key in _effects(cell)})
    n, many = len(seen.players), len(effects)
    left, right = np.zeros((n + many, n + many)), np.zeros(n + many)
    for (domain, edition), (sampling, block) in errors.items():
        columns = np.flatnonzero(block.editions == edition)
        weights = np.linalg.inv(sampling[np.ix_(columns, columns)])
        design = np.zeros((len(columns), n + many))
        rates = np.zeros(len(columns))
        for row, column in enumerate(columns):
            player = int(block.players[column])
            (cell,) = (
                one
                for one in cells
                if (one.edition, one.domain, one.player)
                == (seen.editions[edition], domain, seen.players[player])
            )
            rates[row] = cell.rate
            design[row, player] = 1.0
            for kind, key in _effects(cell):
                design[row, n + effects.index((kind, key))] = 1.0 if kind == 2 else seen.slopes[player]
        left += design.T @ weights @ design
        right += design.T @ weights @ rates
    for place, (kind, _) in enumerate(effects):
        left[n + place, n + place] += 1 / variances[kind]
    inverse = np.asarray(np.linalg.inv(left), np.float64)
    return (inverse @ right)[:n], inverse[:n, :n]


def _effects(cell: Cell) -> list[tuple[int, tuple[str, ...]]]:
    return [(0, (cell.domain,)), (1, (cell.domain, cell.edition)), (2, (cell.domain, cell.player))]
