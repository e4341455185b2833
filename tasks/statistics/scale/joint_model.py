"""The joint model of all editions: generalized least squares with the variance of domains in parts.

The rate of player p in domain d of edition e is

    y = rate_p + slope_p * (domain_d + edition_domain_de) + player_domain_pd + error

with fixed rates and random rest, each with a variance of its own; the errors' covariances are known from
the instances (`scale.cells`). So players who never met are compared over the population of domains, and a
player of both editions (an anchor) takes away what its domains had in common, as far as it can tell.
The three variances have the highest restricted likelihood (D. A. Harville, JASA 72 (1977) 320-338) with a
log-normal prior around the benchmark's own parts: few domains leave them near these, many do not. Degrees
of freedom are Satterthwaite's: a variance that is known less well widens intervals. As players differ in
these, a standard error is the larger one of the model's and of that by domain (sandwich, P. J. Huber 1967).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from perennial.schemas.statistics.variance import Parts
from perennial.tasks.statistics.scale.cells import Observations
from perennial.tasks.statistics.scale.effects import Weighted, weigh

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEVEL = 0.95
_PRIOR_FACTOR = 1.25
"""Players differ in these variances by a factor of ten (release): the mean one would cover too little."""
PRIOR_SPREAD = 0.5
"""Standard deviation of the logarithm of a variance around the prior one: a factor 2.7 either way."""
_MOST_STEPS, _LARGEST_STEP, _SMALL_STEP = 60, 1.0, 1e-7


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rate or a difference: value, standard error, degrees of freedom, 95% interval and two-sided p."""

    value: float
    error: float
    freedom: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class JointModel:
    """The fitted model: rates of players with their covariance, and the variances in the order of `prior_of`.

    `clustered` is the covariance of the rates by the scatter of domains, whatever the model says.
    `slopes_of_covariance` are derivatives of the covariance by the logarithms of the variances, and
    `uncertainty` is the covariance of these logarithms. `blocks` are those of `seen`, weighted with the
    variances.
    """

    seen: Observations
    rates: "Floats"
    covariance: "Floats"
    clustered: "Floats"
    variances: "Floats"
    slopes_of_covariance: "Floats"
    uncertainty: "Floats"
    blocks: tuple[Weighted, ...]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The places of the players in `rates`, by name."""
        return {name: number for number, name in enumerate(self.seen.players)}

    def rate(self, player: str) -> Estimate:
        """Return the player's rate over the population of domains; its interval ends at 0 and 1."""
        found = self._estimate({player: 1.0})
        return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))

    def difference(self, player: str, other: str) -> Estimate:
        """Return the player's rate minus that of the other."""
        return self._estimate({player: 1.0, other: -1.0})

    def _estimate(self, of: dict[str, float]) -> Estimate:
        import numpy as np
        from scipy.special import stdtr, stdtrit

        places = np.array([self.numbers[name] for name in of])
        weights, pairs = np.array([*of.values()]), np.ix_(places, places)
        value, variance = (
            float(weights @ self.rates[places]),
            float(weights @ self.covariance[pairs] @ weights),
        )
        robust = float(weights @ self.clustered[pairs] @ weights)
        slopes = np.array([weights @ slope[pairs] @ weights for slope in self.slopes_of_covariance])
        doubt = float(slopes @ self.uncertainty @ slopes)
        freedom = 2 * variance**2 / doubt if doubt > 0 else float("inf")
        error = max(variance, robust) ** 0.5
        # Beyond a million degrees the quantile is the normal one to the last digits that count.
        known = min(max(freedom, 1.0), 1e6)
        reach = float(stdtrit(known, (1 + LEVEL) / 2)) * error
        p_value = 2 * float(stdtr(known, -abs(value) / error)) if error > 0 else float(value == 0)
        return Estimate(value, error, freedom=known, low=value - reach, high=value + reach, p_value=p_value)


def prior_of(parts: Parts) -> tuple[float, float, float]:
    """Return the prior variances of domain, edition x domain (a tenth of that) and player x domain."""
    return (
        _PRIOR_FACTOR * parts.domain,
        _PRIOR_FACTOR * parts.domain / 10,
        _PRIOR_FACTOR * parts.player_domain,
    )


def describe_method(source: str) -> str:
    """Return how a figure of the scale is computed, with a prior that was measured on the source."""
    return (
        "generalized least squares over all editions of benchmark and setting; player fixed, domain, edition "
        "x domain and player x domain random, errors from instances; variances by restricted maximum "
        f"likelihood with a prior of {_PRIOR_FACTOR:g} times those of {source}; Satterthwaite's degrees of "
        "freedom; standard errors by domain where these are larger; population: new domains"
    )


def fit_joint_model(seen: Observations, variances: Sequence[float] | None = None) -> JointModel:
    """Return the model of these cells, with these variances where they are given.

    Raises ValueError where there is no cell.
    """
    import numpy as np

    if not seen.players:
        raise ValueError("no cells: expected one player in one domain at least")
    if variances is not None:
        return _solve(seen, np.asarray(variances, float), np.zeros((3, 3)))
    logs = prior = np.log(prior_of(seen.parts))
    for _ in range(_MOST_STEPS):
        gradient, information = _slope_of_likelihood(seen, np.exp(logs))
        information = information + np.eye(3) / PRIOR_SPREAD**2
        step = np.linalg.solve(information, gradient - (logs - prior) / PRIOR_SPREAD**2)
        logs = logs + step * min(1.0, _LARGEST_STEP / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < _SMALL_STEP:
            break
    return _solve(seen, np.exp(logs), np.asarray(np.linalg.inv(information), np.float64))


def _slope_of_likelihood(seen: Observations, variances: "Floats") -> "tuple[Floats, Floats]":
    """Return the restricted log-likelihood's gradient by log variances, and the expected information."""
    import numpy as np

    blocks = [weigh(block, variances) for block in seen.blocks]
    rates, covariance, turned = _least_squares(seen, blocks)
    gradient, information = np.zeros(3), np.zeros((3, 3))
    for weighted in blocks:
        gaps = weighted.pull_gaps(rates)
        for row, span in enumerate(weighted.block.spans):
            own = weighted.products[:, span, span]
            gradient[row] += float((gaps[:, span] ** 2).sum() - np.einsum("dii->", own)) / 2
            for column, other in enumerate(weighted.block.spans):
                information[row, column] += float((weighted.products[:, span, other] ** 2).sum()) / 2
    gradient += np.einsum("pq,kqp->k", covariance, turned) / 2
    return gradient * variances, information * np.outer(variances, variances)


def _least_squares(seen: Observations, blocks: Sequence[Weighted]) -> "tuple[Floats, Floats, Floats]":
    """Return rates, their covariance, and X'V^-1 K V^-1 X for the shape K of each variance."""
    import numpy as np

    n = len(seen.players)
    normal, right, turned = np.zeros((n, n)), np.zeros(n), np.zeros((3, n, n))
    for weighted in blocks:
        block, products = weighted.block, weighted.products
        players = block.spans[2]
        pairs = np.ix_(block.of_players, block.of_players)
        normal[pairs] += products[:, players, players].sum(axis=0)
        right[block.of_players] += weighted.pulled[:, players].sum(axis=0)
        for number, span in enumerate(block.spans):
            across = products[:, players, span]
            turned[number][pairs] += np.matmul(across, across.transpose(0, 2, 1)).sum(axis=0)
    covariance = np.asarray(np.linalg.inv(normal), np.float64)
    return covariance @ right, covariance, turned


def _solve(seen: Observations, variances: "Floats", uncertainty: "Floats") -> JointModel:
    import numpy as np

    blocks = tuple(weigh(block, variances) for block in seen.blocks)
    rates, covariance, turned = _least_squares(seen, blocks)
    scatter = np.zeros((seen.n_domains, len(seen.players)))
    first = 0
    for weighted in blocks:
        block = weighted.block
        rows = slice(first, first := first + len(block.names))
        scatter[rows, block.of_players] = weighted.pull_gaps(rates)[:, block.spans[2]]
    n = len(scatter)
    middle = scatter.T @ scatter * (n / (n - 1) if n > 1 else 0.0)
    clustered = covariance @ middle @ covariance
    slopes = np.matmul(np.matmul(covariance, turned), covariance)
    return JointModel(
        seen, rates, covariance, clustered, variances, slopes * variances[:, None, None], uncertainty, blocks
    )
