"""Abilities of players and difficulties of instances on one scale: a Rasch model.

Player p solves instance i of stratum d in each run with probability expit(ability_p - difficulty_i), and
difficulty_i is drawn from a normal distribution with mean `difficulty_d` and one standard deviation,
`spread`, for all strata. Abilities, strata and spread are fitted by marginal maximum likelihood (G. Rasch
1960; R. D. Bock and M. Aitkin, Marginal maximum likelihood estimation of item parameters, Psychometrika 46
(1981) 443-459, with the roles of persons and items exchanged): difficulties are integrated out, so that
estimates stay consistent with few players, where joint maximum likelihood is biased.

Penalty: each ability and each stratum gets half a success and half a failure at even odds (0 on the scale),
and log(spread) a standard normal prior. A player that solves all or nothing so has a finite ability, and
one more or less instance moves any other estimate more than the penalty does.

Standard errors hold for runs that are not independent and difficulties that are not normal: they follow
from the observed scores of instances (the sandwich of P. J. Huber 1967), or of whole clusters of strata.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from perennial.tasks.statistics.ranks.patterns import Patterns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

METHOD = (
    "Rasch model (player, domain and instance effects; marginal maximum likelihood, each player and domain "
    "with half a success and half a failure at even odds); n counts instances"
)
_REACH, _STEP = 6.0, 0.2  # nodes of the integral over difficulties, in units of the spread
_FEW_RUNS = 100  # on one instance; beyond, an instance's difficulty is known so well that nodes are closer
_MOST_ITERATIONS = 200
_CLOSE, _CONVERGED = 1e-6, 1e-16  # gain of the log-likelihood that a Newton step promises
_FLAT = 1e-9
_NUMBERS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class Rasch:
    """A fitted model: abilities by player, mean difficulties by stratum, and the spread within strata.

    `rates` are what each player would score on all instances: its mean rate where it has the instance, and
    the expected rate given the answers of the others where it has not. Covariance matrices, of
    (abilities, difficulties) and of rates, are by instance and by cluster of strata (None: one cluster).
    """

    abilities: "Floats"
    difficulties: "Floats"
    spread: float
    rates: "Floats"
    covariance: "Floats"
    cluster_covariance: "Floats | None"
    rate_covariance: "Floats"
    rate_cluster_covariance: "Floats | None"


@dataclass(frozen=True, slots=True)
class _Posterior:
    """Groups of one stratum, with each one's posterior over difficulties (one column per node).

    `slopes` are derivatives of the log-likelihood at each node, by group, node and parameter: abilities of
    the stratum's players, the stratum, log(spread), whose numbers are `places`. The observed successes,
    which are the same at all nodes, are not in them. `chance` is of all players, by node.
    """

    stratum: int
    places: "Ints"
    rows: slice
    log_likelihood: "Floats"
    weights: "Floats"
    chance: "Floats"
    slopes: "Floats"
    offsets: "Floats"


def fit_rasch(patterns: Patterns, clusters: "Ints | None" = None) -> Rasch | None:
    """Return the fitted model; `clusters` numbers each stratum's cluster (default: each is its own).

    None where the likelihood has no maximum that Newton's method reaches (not known to occur).
    """
    import numpy as np

    n_strata = int(patterns.stratum[-1]) + 1
    solved, runs = patterns.successes.sum(axis=0), patterns.instances @ patterns.runs
    at = np.concatenate((np.log((solved + 0.5) / (runs - solved + 0.5)), np.zeros(n_strata + 1)))
    value, gradient, hessian = _evaluate(patterns, at)
    for _ in range(_MOST_ITERATIONS):
        # Newton's step; where the surface is not concave, the absolute curvature keeps it uphill.
        curvatures, directions = np.linalg.eigh(-hessian)
        safe = np.maximum(np.abs(curvatures), _FLAT * np.abs(curvatures).max())
        step = directions @ ((directions.T @ gradient) / safe)
        gain = float(gradient @ step)
        if gain < _CONVERGED * patterns.instances.sum():
            return _finish(patterns, at, hessian, np.arange(n_strata) if clusters is None else clusters)
        step *= min(1.0, 2.0 / float(np.abs(step).max()))
        while True:
            found = _evaluate(patterns, at + step)
            if found[0] >= value or gain < _CLOSE:
                break
            step /= 2
            gain /= 2
        at, (value, gradient, hessian) = at + step, found
    return None


def _posteriors(patterns: Patterns, at: "Floats") -> Iterator[_Posterior]:
    """Yield the posteriors of all groups at these parameters, a bounded number of groups at once."""
    import numpy as np
    from scipy.special import expit, logsumexp

    n_players = patterns.runs.shape[1]
    abilities, spread = at[:n_players], float(np.exp(at[-1]))
    most_runs = float(patterns.runs.sum(axis=1).max())
    spacing = _STEP / np.ceil(np.sqrt(max(1.0, most_runs / _FEW_RUNS)))
    nodes = np.arange(-_REACH, _REACH + spacing / 2, spacing)
    log_weights = -nodes * nodes / 2 - logsumexp(-nodes * nodes / 2)
    at_once = max(1, _NUMBERS_AT_ONCE // (len(nodes) * (n_players + 2)))
    ends = np.searchsorted(patterns.stratum, np.arange(int(patterns.stratum[-1]) + 2))
    for stratum, (begin, end) in enumerate(pairwise(ends)):
        offsets = nodes * spread
        difficulty = at[n_players + stratum] + offsets
        gaps = abilities[:, None] - difficulty
        chance, log_odds = expit(gaps), np.logaddexp(0.0, gaps)
        own = np.flatnonzero(patterns.runs[begin:end].any(axis=0))
        places = np.append(own, (n_players + stratum, len(at) - 1))
        for start in range(begin, end, at_once):
            rows = slice(start, min(end, start + at_once))
            runs, solved = patterns.runs[rows], patterns.solved[rows]
            terms = log_weights - np.outer(solved, difficulty) - runs @ log_odds
            log_likelihood = logsumexp(terms, axis=1)
            slopes = np.empty((len(runs), len(nodes), len(places)))
            slopes[:, :, :-2] = -runs[:, None, own] * chance[own].T
            slopes[:, :, -2] = runs @ chance - solved[:, None]
            slopes[:, :, -1] = slopes[:, :, -2] * offsets
            weights = np.exp(terms - log_likelihood[:, None])
            yield _Posterior(stratum, places, rows, log_likelihood, weights, chance, slopes, offsets)


def _evaluate(patterns: Patterns, at: "Floats") -> "tuple[float, Floats, Floats]":
    """Return the penalised log-likelihood with its gradient and its matrix of second derivatives."""
    import numpy as np
    from scipy.special import expit

    n_players = patterns.runs.shape[1]
    chance = expit(at[:-1])
    value = float(patterns.successes.sum(axis=0) @ at[:n_players]) - float(at[-1] ** 2) / 2
    value -= float(np.sum(np.logaddexp(0.0, at[:-1]) - at[:-1] / 2))
    gradient = np.append(0.5 - chance, -at[-1])
    gradient[:n_players] += patterns.successes.sum(axis=0)
    hessian = np.diag(np.append(-chance * (1 - chance), -1.0))
    for part in _posteriors(patterns, at):
        counts, places, own = patterns.instances[part.rows], part.places, part.places[:-2]
        weights = counts[:, None] * part.weights
        value += float(counts @ part.log_likelihood)
        means = (part.weights[:, None, :] @ part.slopes)[:, 0]
        gradient[places] += counts @ means
        scaled = (part.slopes * np.sqrt(weights)[:, :, None]).reshape(-1, len(places))
        second = scaled.T @ scaled - (means * counts[:, None]).T @ means
        # Curvature at the nodes: of runs * log(1 + exp(ability - difficulty)), by player and node.
        bends = (part.chance * (1 - part.chance) * (patterns.runs[part.rows].T @ weights))[own]
        second[range(len(own)), range(len(own))] -= bends.sum(axis=1)
        for column, offset in ((-2, np.ones_like(part.offsets)), (-1, part.offsets)):
            second[:-2, column] += bends @ offset
            second[column, :-2] += bends @ offset
            second[column, -2] -= float(bends.sum(axis=0) @ offset)
        second[-2, -1] = second[-1, -2]
        second[-1, -1] -= float(bends.sum(axis=0) @ part.offsets**2)
        second[-1, -1] += float(np.sum(weights * part.slopes[:, :, -1]))
        hessian[np.ix_(places, places)] += second
    return value, gradient, hessian


def _finish(patterns: Patterns, at: "Floats", hessian: "Floats", clusters: "Ints") -> Rasch:
    """Return the model at its maximum, with rates and covariances.

    Rates and parameters are one M-estimator: its functions are each instance's rates, observed or expected,
    and its scores. With B the sum of their products over instances and L = (identity, D * bread), D the
    derivatives of expected rates by parameter, covariances are L B L' / n^2 and bread * B * bread.
    """
    import numpy as np

    n_players, n = patterns.runs.shape[1], float(patterns.instances.sum())
    width = n_players + len(at)
    products, derivatives = np.zeros((width, width)), np.zeros((n_players, len(at)))
    totals, sizes = np.zeros((int(clusters.max()) + 1, width)), np.zeros(int(clusters.max()) + 1)
    products[: 2 * n_players, : 2 * n_players] = patterns.products
    for part in _posteriors(patterns, at):
        counts, runs, sums = (
            array[part.rows] for array in (patterns.instances, patterns.runs, patterns.sums)
        )
        expected = part.weights @ part.chance.T
        means = (part.weights[:, None, :] @ part.slopes)[:, 0]
        missing = runs == 0
        places = np.append(np.arange(n_players), n_players + part.places)
        known = np.concatenate((missing * expected, means), axis=1)
        observed = np.zeros_like(known)
        observed[:, :-2] = sums[:, places[:-2]]
        mixed = known.T @ observed
        products[np.ix_(places, places)] += (known * counts[:, None]).T @ known + mixed + mixed.T
        totals[clusters[part.stratum], places] += counts @ known + observed.sum(axis=0)
        sizes[clusters[part.stratum]] += counts.sum()
        if missing.any():
            lacking = counts[:, None] * missing
            joint = part.chance @ (part.slopes * part.weights[:, :, None])
            joint -= expected[:, :, None] * means[:, None, :]
            slope = np.einsum("gp,gpk->pk", lacking, joint)
            bends = part.chance * (1 - part.chance) * (lacking.T @ part.weights)
            derivatives[range(n_players), range(n_players)] += bends.sum(axis=1)
            slope[:, -2] -= bends.sum(axis=1)
            slope[:, -1] -= bends @ part.offsets
            derivatives[:, part.places] += slope
    bread = np.linalg.inv(-hessian)
    total = totals.sum(axis=0)
    to_rates = np.concatenate((np.eye(n_players), derivatives @ bread), axis=1) / n
    to_parameters = np.concatenate((np.zeros((len(at), n_players)), bread), axis=1)[:-1]
    products -= np.outer(total, total) / n
    apart = totals - np.outer(sizes / n, total)
    number = len(sizes)
    clustered = apart.T @ apart * number / (number - 1) if number > 1 else None
    return Rasch(
        abilities=at[:n_players],
        difficulties=at[n_players:-1],
        spread=float(np.exp(at[-1])),
        rates=total[:n_players] / n,
        covariance=to_parameters @ products @ to_parameters.T,
        cluster_covariance=None if clustered is None else to_parameters @ clustered @ to_parameters.T,
        rate_covariance=to_rates @ products @ to_rates.T,
        rate_cluster_covariance=None if clustered is None else to_rates @ clustered @ to_rates.T,
    )
