"""The joint model a third time: one covariance matrix of all cells, written down and inverted whole."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from perennial.schemas.statistics import Parts
from perennial.tasks.statistics.scale.cells import DomainCell

Floats = NDArray[np.float64]
_PRIOR_INSTANCES, _TYPICAL = 2.0, 0.2


def sampling_covariance(cells: list[DomainCell], parts: Parts) -> Floats:
    """Return the covariance of the cells' errors: players of an edition met the same instances."""
    found = np.zeros((len(cells), len(cells)))
    for (row, one), (column, two) in product(enumerate(cells), repeat=2):
        if (one.edition, one.domain) == (two.edition, two.domain):
            spread = (_variance(one, cells, parts) * _variance(two, cells, parts)) ** 0.5
            shared = (parts.shared_share(one.runs) * parts.shared_share(two.runs)) ** 0.5
            found[row, column] = (1 if row == column else shared) * spread / max(one.instances, two.instances)
    return found


def _variance(cell: DomainCell, cells: list[DomainCell], parts: Parts) -> float:
    own = [one for one in cells if (one.edition, one.player) == (cell.edition, cell.player)]
    runs = sum(one.runs for one in own) / len(own)
    squares = sum(one.squares for one in own) + _PRIOR_INSTANCES * parts.of_instances(runs)
    return squares / (sum(one.instances - 1 for one in own) + _PRIOR_INSTANCES)


@dataclass(frozen=True, slots=True)
class DenseModel:
    """Everything of the cells in matrices over all of them: `shapes` are what the variances are multiplied
    by.
    """

    cells: list[DomainCell]
    players: list[str]
    rates_seen: Floats
    slopes: Floats
    design: Floats
    shapes: tuple[Floats, Floats, Floats]
    whole: Floats
    inverse: Floats
    variances: tuple[float, float, float]
    covariance: Floats
    rates: Floats

    @property
    def gaps(self) -> Floats:
        """What the cells' rates differ by from their players'."""
        found: Floats = self.rates_seen - self.design @ self.rates
        return found

    def gradient(self) -> Floats:
        """Return the restricted log-likelihood's gradient by the logarithms of the variances."""
        projected = self.inverse - self.inverse @ self.design @ self.covariance @ self.design.T @ self.inverse
        pulled = projected @ self.rates_seen
        found = [(pulled @ shape @ pulled - np.trace(projected @ shape)) / 2 for shape in self.shapes]
        return np.array(found) * self.variances

    def weights_of_shift(self, edition: str) -> tuple[Floats, Floats]:
        """Return, by domain of the edition, the weights that predict its shift, and its covariances."""
        rows = []
        for domain in sorted({cell.domain for cell in self.cells if cell.edition == edition}):
            rows.append(
                [
                    self.slopes[place]
                    * (cell.domain == domain)
                    * (self.variances[0] + self.variances[1] * (cell.edition == edition))
                    for place, cell in enumerate(self.cells)
                ]
            )
        shared = np.array(rows)
        return shared @ self.inverse, shared

    def shift(self, edition: str) -> tuple[float, float]:
        """Return the shift of the edition and its standard error."""
        weights, shared = self.weights_of_shift(edition)
        number = len(weights)
        pull = weights.sum(axis=0) @ self.design
        left = number * sum(self.variances[:2]) - np.einsum("di,di->", weights, shared)
        variance = (left + pull @ self.covariance @ pull) / number**2
        return float((weights @ self.gaps).mean()), float(variance**0.5)

    def rate_in_edition(self, player: str, edition: str) -> tuple[float, float]:
        """Return the player's rate by this edition alone and its standard error."""
        who = self.players.index(player)
        own = [
            place for place, cell in enumerate(self.cells) if (cell.edition, cell.player) == (edition, player)
        ]
        domains = sorted({cell.domain for cell in self.cells if cell.edition == edition})
        by_domain = dict(zip(domains, self.weights_of_shift(edition)[0], strict=True))
        weights = np.zeros(len(self.cells))
        for place in own:
            weights[place] += 1 / len(own)
            weights -= self.slopes[place] * by_domain[self.cells[place].domain] / len(own)
        rest = (np.arange(len(self.players)) == who) - weights @ self.design
        pull = weights @ self.design
        variance = weights @ self.whole @ weights
        variance += 2 * rest @ self.covariance @ pull + rest @ self.covariance @ rest
        return float(weights @ self.gaps + self.rates[who]), float(variance**0.5)

    def predict(self, player: str) -> dict[str, tuple[float, float]]:
        """Return, by domain, the player's mean gap as the others of its editions predict it, and as it is."""
        found = {}
        common = self.variances[0] * self.shapes[0] + self.variances[1] * self.shapes[1]
        errors = self.whole - common - self.variances[2] * self.shapes[2]
        for domain in sorted({cell.domain for cell in self.cells if cell.player == player}):
            met = [place for place, cell in enumerate(self.cells) if cell.domain == domain]
            own = [place for place in met if self.cells[place].player == player]
            editions = {self.cells[place].edition for place in own}
            others = [place for place in met if place not in own and self.cells[place].edition in editions]
            if others:
                joint = (common + errors)[np.ix_(own, others)]
                inverse = np.linalg.inv(self.whole[np.ix_(others, others)])
                predicted = joint @ inverse @ self.gaps[others]
                found[domain] = float(predicted.mean()), float(self.gaps[own].mean())
        return found


def fit_dense_model(
    cells: list[DomainCell], variances: tuple[float, float, float], parts: Parts
) -> DenseModel:
    """Return the model with these variances."""
    players = sorted({cell.player for cell in cells})
    seen = np.array([cell.rate for cell in cells])
    design = np.array([[float(cell.player == player) for player in players] for cell in cells])
    means = design.T @ seen / design.sum(axis=0)
    slopes = design @ (means * (1 - means) / _TYPICAL)
    domain, edition, player = (np.array([cell[place] for cell in cells]) for place in (1, 0, 2))
    same = domain[:, None] == domain
    together = same * np.outer(slopes, slopes)
    shapes = together, together * (edition[:, None] == edition), 1.0 * same * (player[:, None] == player)
    whole = sampling_covariance(cells, parts)
    for variance, shape in zip(variances, shapes, strict=True):
        whole = whole + variance * shape
    inverse = np.asarray(np.linalg.inv(whole), np.float64)
    covariance = np.asarray(np.linalg.inv(design.T @ inverse @ design), np.float64)
    rates = covariance @ design.T @ inverse @ seen
    return DenseModel(
        cells, players, seen, slopes, design, shapes, whole, inverse, variances, covariance, rates
    )
