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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

import numpy as np

from perennial.tasks.statistics.cells import Column, Counts, Numbers
from perennial.tasks.statistics.clusters import LEVEL
from perennial.tasks.statistics.multiplicity import holm

# The answers of an edition as a Rasch model reads them: instances of one pattern are one group.
#
# For that model all that an instance says of its difficulty is its stratum, how often each player tried it,
# and how many of all these runs succeeded. Instances that agree in these are one group, so that work and
# memory of a fit grow with the number of patterns, not with that of instances.


@dataclass(frozen=True, slots=True)
class Patterns:
    """Groups of instances, sorted by stratum: a row of each array is a group, a column per player.

    `runs` are each player's runs on each of its instances, `solved` how many of all runs on one instance
    succeeded, `instances` the group's number of instances. `sums` holds, summed over those, each player's
    rate (solved / runs; 0 without runs) and, in as many further columns, its solved runs; `products` is the
    matrix of products of these columns, summed over all instances.
    """

    stratum: Counts
    runs: Numbers
    solved: Numbers
    instances: Numbers
    sums: Numbers
    products: Numbers

    @property
    def rates(self) -> Numbers:
        """The sum of each player's rates, by group."""
        return self.sums[:, : self.runs.shape[1]]

    @property
    def successes(self) -> Numbers:
        """The sum of each player's solved runs, by group."""
        return self.sums[:, self.runs.shape[1] :]


def group_patterns(runs: Column, solved: Column, stratum: Counts, weight: Counts | None = None) -> Patterns:
    """Return the groups of the instances: columns of `runs` and `solved`, whose rows are players.

    `solved` of `runs` runs succeeded; each instance has a stratum (0, 1, ...), and each player a run
    somewhere. `weight` counts how many instances there are like each one (default: 1). The order of instances
    changes no more than rounding. Memory: 24 bytes for each instance and player.
    """
    counts = np.ones(len(stratum)) if weight is None else weight.astype(np.float64)
    group = stratum.astype(np.int64)
    for column in (*runs, solved.sum(axis=0, dtype=np.int64)):
        # Groups so far, split by one more number: sorting whole numbers is far faster than sorting rows.
        split = group * (int(column.max()) + 1) + column
        _, first, group = np.unique(split, return_index=True, return_inverse=True)
    columns = (*(solved / np.maximum(runs, 1)), *solved.astype(np.float64))
    return Patterns(
        stratum=stratum[first],
        runs=runs[:, first].T.astype(np.float64),
        solved=solved[:, first].sum(axis=0).astype(np.float64),
        instances=np.bincount(group, counts).astype(np.float64),
        sums=np.stack([np.bincount(group, counts * column) for column in columns], axis=1),
        products=np.array([[float(np.sum(counts * left * other)) for other in columns] for left in columns]),
    )


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

    abilities: Numbers
    difficulties: Numbers
    spread: float
    rates: Numbers
    covariance: Numbers
    cluster_covariance: Numbers | None
    rate_covariance: Numbers
    rate_cluster_covariance: Numbers | None


@dataclass(frozen=True, slots=True)
class _Posterior:
    """Groups of one stratum, with each one's posterior over difficulties (one column per node).

    `slopes` are derivatives of the log-likelihood at each node, by group, node and parameter: abilities of
    the stratum's players, the stratum, log(spread), whose numbers are `places`. The observed successes,
    which are the same at all nodes, are not in them. `chance` is of all players, by node.
    """

    stratum: int
    places: Counts
    rows: slice
    log_likelihood: Numbers
    weights: Numbers
    chance: Numbers
    slopes: Numbers
    offsets: Numbers


def fit_rasch(patterns: Patterns, clusters: Counts | None = None) -> Rasch | None:
    """Return the fitted model; `clusters` numbers each stratum's cluster (default: each is its own).

    None where the likelihood has no maximum that Newton's method reaches (not known to occur).
    """
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
        # Two logits at most: far from the maximum the quadratic that Newton follows says little.
        step *= min(1.0, 2.0 / float(np.abs(step).max()))
        while True:
            step_values = _evaluate(patterns, at + step)
            # So small a gain is less than the rounding of the value: halving would never end.
            if step_values[0] >= value or gain < _CLOSE:
                break
            step /= 2
            gain /= 2
        at, (value, gradient, hessian) = at + step, step_values
    return None


def _posteriors(patterns: Patterns, at: Numbers) -> Iterator[_Posterior]:
    """Yield the posteriors of all groups at these parameters, a bounded number of groups at once."""
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
        players = np.flatnonzero(patterns.runs[begin:end].any(axis=0))
        places = np.append(players, (n_players + stratum, len(at) - 1))
        for start in range(begin, end, at_once):
            rows = slice(start, min(end, start + at_once))
            runs, solved = patterns.runs[rows], patterns.solved[rows]
            terms = log_weights - np.outer(solved, difficulty) - runs @ log_odds
            log_likelihood = logsumexp(terms, axis=1)
            slopes = np.empty((len(runs), len(nodes), len(places)))
            slopes[:, :, :-2] = -runs[:, None, players] * chance[players].T
            slopes[:, :, -2] = runs @ chance - solved[:, None]
            slopes[:, :, -1] = slopes[:, :, -2] * offsets
            weights = np.exp(terms - log_likelihood[:, None])
            yield _Posterior(stratum, places, rows, log_likelihood, weights, chance, slopes, offsets)


def _evaluate(patterns: Patterns, at: Numbers) -> tuple[float, Numbers, Numbers]:
    """Return the penalised log-likelihood with its gradient and its matrix of second derivatives."""
    from scipy.special import expit

    n_players = patterns.runs.shape[1]
    chance = expit(at[:-1])
    # The penalties keep the maximum finite: of a player who solves all, and of a spread without scatter.
    value = float(patterns.successes.sum(axis=0) @ at[:n_players]) - float(at[-1] ** 2) / 2
    value -= float(np.sum(np.logaddexp(0.0, at[:-1]) - at[:-1] / 2))
    gradient = np.append(0.5 - chance, -at[-1])
    gradient[:n_players] += patterns.successes.sum(axis=0)
    hessian = np.diag(np.append(-chance * (1 - chance), -1.0))
    for part in _posteriors(patterns, at):
        counts, places, players = patterns.instances[part.rows], part.places, part.places[:-2]
        weights = counts[:, None] * part.weights
        value += float(counts @ part.log_likelihood)
        means = (part.weights[:, None, :] @ part.slopes)[:, 0]
        gradient[places] += counts @ means
        scaled = (part.slopes * np.sqrt(weights)[:, :, None]).reshape(-1, len(places))
        second = scaled.T @ scaled - (means * counts[:, None]).T @ means
        # Curvature at the nodes: of runs * log(1 + exp(ability - difficulty)), by player and node.
        bends = (part.chance * (1 - part.chance) * (patterns.runs[part.rows].T @ weights))[players]
        second[range(len(players)), range(len(players))] -= bends.sum(axis=1)
        for column, offset in ((-2, np.ones_like(part.offsets)), (-1, part.offsets)):
            second[:-2, column] += bends @ offset
            second[column, :-2] += bends @ offset
            second[column, -2] -= float(bends.sum(axis=0) @ offset)
        second[-2, -1] = second[-1, -2]
        second[-1, -1] -= float(bends.sum(axis=0) @ part.offsets**2)
        second[-1, -1] += float(np.sum(weights * part.slopes[:, :, -1]))
        hessian[np.ix_(places, places)] += second
    return value, gradient, hessian


def _finish(patterns: Patterns, at: Numbers, hessian: Numbers, clusters: Counts) -> Rasch:
    """Return the model at its maximum, with rates and covariances.

    Rates and parameters are one M-estimator: its functions are each instance's rates, observed or expected,
    and its scores. With B the sum of their products over instances and L = (identity, D * bread), D the
    derivatives of expected rates by parameter, covariances are L B L' / n^2 and bread * B * bread.
    """
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
        predicted = np.concatenate((missing * expected, means), axis=1)
        observed = np.zeros_like(predicted)
        observed[:, :-2] = sums[:, places[:-2]]
        mixed = predicted.T @ observed
        products[np.ix_(places, places)] += (predicted * counts[:, None]).T @ predicted + mixed + mixed.T
        totals[clusters[part.stratum], places] += counts @ predicted + observed.sum(axis=0)
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


# Do all players answer to difficulty with the slope that a Rasch model takes them to have?
#
# For each player, an instance's difficulty is predicted from the other players' answers (its posterior under
# the model), and with it the player's expected success. The product of what is left over and the predicted
# difficulty has mean 0 where the player's slope is that of the others: a score test of equal discrimination,
# in the manner of the tests of G. H. Fischer and I. W. Molenaar, Rasch Models, 1995, chapter 5. With unequal
# slopes a common scale underestimates drift: 0.8 logits came out as 0.69 with slopes of 0.6 and 1.8.

_FEWEST = 20
"""Instances that a player must share with others."""
_NODES, _REACH_SLOPE_TEST = 61, 6.0


class Answered(NamedTuple):
    """So many instances with one mean difficulty: solved runs and runs by player."""

    difficulty: float
    answers: Mapping[str, tuple[int, int]]
    instances: int


def compare_slopes(
    answered: Sequence[Answered], ability: Mapping[str, float], spread: float
) -> dict[str, float]:
    """Return z of each player: above 0 it follows difficulty more than the others do, below 0 less.

    `spread` is the standard deviation of difficulties around the mean ones. Players with fewer than 20
    instances that others answered too, or without scatter, are left out.
    """
    from scipy.special import expit, logsumexp

    names = sorted(ability)
    nodes = np.linspace(-_REACH_SLOPE_TEST, _REACH_SLOPE_TEST, _NODES)
    prior = -nodes * nodes / 2
    difficulty = np.array([question.difficulty for question in answered])[:, None] + nodes * spread
    solved, runs = (
        np.array([[question.answers.get(name, (0, 0))[k] for name in names] for question in answered], float)
        for k in (0, 1)
    )
    counts = np.array([question.instances for question in answered], float)
    gaps = [ability[name] - difficulty for name in names]
    terms = [solved[:, [k]] * gap - runs[:, [k]] * np.logaddexp(0.0, gap) for k, gap in enumerate(gaps)]
    total = np.sum(terms, axis=0) + prior
    slopes = {}
    for k, name in enumerate(names):
        is_usable = (runs[:, k] > 0) & (runs.sum(axis=1) > runs[:, k])
        if counts[is_usable].sum() < _FEWEST:
            continue
        # Without the player's own answers, which would pull the predicted difficulty towards themselves.
        logs = (total - terms[k])[is_usable]
        weights = np.exp(logs - logsumexp(logs, axis=1)[:, None])
        chance = (weights * expit(gaps[k][is_usable])).sum(axis=1)
        predicted = (weights * difficulty[is_usable]).sum(axis=1)
        number, tried = counts[is_usable], runs[is_usable, k]
        information = number * tried * chance * (1 - chance)
        # The ability was fitted to the same answers: only what the difficulty says beyond a constant counts.
        predicted -= float(information @ predicted) / float(information.sum())
        left = solved[is_usable, k] - tried * chance
        scatter = float(number @ (left * predicted) ** 2) ** 0.5
        if scatter > 0:
            slopes[name] = -float(number @ (left * predicted)) / scatter
    return slopes


# Two editions on one scale: has the edition become harder, or a player weaker?
#
# Players that are the same in both editions, the anchors, tie them together: in a Rasch model over the
# answers of both (`ranks.rasch`) an anchor has one ability, every other player one per edition, and
# every domain of an edition its own mean difficulty. Difficulties then differ by the drift of the edition,
# and the two abilities of a player by its change. (Concurrent calibration: M. J. Kolen and R. L. Brennan,
# Test Equating, Scaling, and Linking, 2014, chapter 6.)

# What the players did on one instance: solved runs and runs, by player.
Pattern = Mapping[str, tuple[int, int]]
# The patterns of an edition: domain, pattern, and how many instances have it.
Edition = Sequence[tuple[str, Pattern, int]]


@dataclass(frozen=True, slots=True)
class LogitDifference:
    """A difference on the scale, in logits, with its standard error, 95% interval and two-sided p."""

    value: float
    error: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Link:
    """What ties two editions: `drift` is the gain in difficulty from the other edition to the one.

    It is the mean over `shared_domains` or, where that is 0, the difference between the means over all
    domains, with the chance of drawing them in its error. `changes` are gains in ability: of an anchor (if
    the others tie), and of any other player that both have. Players that solve all or nothing have none.
    `slopes` are p-values (Holm) of the test that a player follows difficulty as the others do.
    """

    anchors: tuple[str, ...]
    shared_domains: int
    drift: LogitDifference
    changes: Mapping[str, LogitDifference]
    slopes: Mapping[str, float] = field(default_factory=dict)


def link_editions(first: Edition, other: Edition, anchors: Sequence[str]) -> Link | None:
    """Return how the edition `one` differs from `other`, by these anchors.

    An anchor counts where it has solved something and failed something in both, in the domains that are
    compared: all shared ones, or all where none is shared. None where no anchor counts.
    """
    shared = {domain for domain, _, _ in first} & {domain for domain, _, _ in other}
    kept = [[entry for entry in side if not shared or entry[0] in shared] for side in (first, other)]
    usable = _informative(kept[0]) & _informative(kept[1])
    tied = tuple(name for name in anchors if name in usable)
    if not tied or (model := _Model.fit(kept, tied)) is None:
        return None
    changes = {name: model.change(name) for name in sorted(usable - set(tied))}
    for name in tied:
        others = tuple(anchor for anchor in tied if anchor != name)
        if others and (without := _Model.fit(kept, others)) is not None:
            changes[name] = without.change(name)
    return Link(tied, len(shared), model.drift(bool(shared)), changes, model.slope_p_values(kept))


def _informative(side: Edition) -> set[str]:
    """Return the players that neither solved nor failed everything."""
    solved: dict[str, int] = {}
    runs: dict[str, int] = {}
    for _, pattern, number in side:
        for player, (some, tried) in pattern.items():
            solved[player] = solved.get(player, 0) + some * number
            runs[player] = runs.get(player, 0) + tried * number
    return {player for player in runs if 0 < solved[player] < runs[player]}


@dataclass(frozen=True, slots=True)
class _Model:
    """A fitted model: the place of each ability (player, edition) and stratum (edition, domain) in it."""

    abilities: Mapping[tuple[str, int], int]
    strata: Mapping[tuple[int, str], int]
    n_clusters: int
    fitted: Rasch

    @classmethod
    def fit(cls, sides: Sequence[Edition], anchors: Sequence[str]) -> "_Model | None":
        """Return the model of both editions, in which an anchor has the same place in both."""
        entries = [(number, *entry) for number, side in enumerate(sides) for entry in side]
        key_of_player = {
            (name, number): (name, 0 if name in anchors else number)
            for number, _, pattern, _ in entries
            for name in pattern
        }
        places = {key: column for column, key in enumerate(sorted(set(key_of_player.values())))}
        keys = sorted({(number, domain) for number, domain, _, _ in entries})
        strata = {key: column for column, key in enumerate(keys)}
        runs = np.zeros((len(places), len(entries)), np.int64)
        solved = np.zeros_like(runs)
        for column, (number, _, pattern, _) in enumerate(entries):
            for name, counts in pattern.items():
                row = places[key_of_player[name, number]]
                solved[row, column], runs[row, column] = counts
        patterns = group_patterns(
            runs,
            solved,
            np.array([strata[number, domain] for number, domain, _, _ in entries]),
            np.array([count for *_, count in entries]),
        )
        domains = sorted({domain for _, domain in keys})
        fitted = fit_rasch(patterns, np.array([domains.index(domain) for _, domain in keys]))
        abilities = {key: places[column] for key, column in key_of_player.items()}
        return None if fitted is None else cls(abilities, strata, len(domains), fitted)

    def drift(self, is_shared: bool) -> LogitDifference:
        """Return the mean difficulty of the first edition's domains minus that of the second's."""
        weights = np.zeros(len(self.fitted.abilities) + len(self.strata))
        drawn = 0.0
        for number, sign in ((0, 1.0), (1, -1.0)):
            columns = [column for (edition, _), column in self.strata.items() if edition == number]
            weights[[len(self.fitted.abilities) + column for column in columns]] = sign / len(columns)
            if not is_shared and len(columns) > 1:
                drawn += float(np.var(self.fitted.difficulties[columns], ddof=1)) / len(columns)
        return self._estimate(weights, drawn)

    def change(self, player: str) -> LogitDifference:
        """Return the player's ability in the first edition minus that in the second."""
        weights = np.zeros(len(self.fitted.abilities) + len(self.strata))
        weights[self.abilities[player, 0]] = 1.0
        weights[self.abilities[player, 1]] = -1.0
        return self._estimate(weights, 0.0)

    def slope_p_values(self, sides: Sequence[Edition]) -> dict[str, float]:
        """Return p of the test that a player has the slope of the others, after Holm over the players."""
        from scipy.stats import norm

        smallest: dict[str, list[float]] = {}
        for number, side in enumerate(sides):
            answered = [
                Answered(float(self.fitted.difficulties[self.strata[number, domain]]), pattern, count)
                for domain, pattern, count in side
            ]
            ability = {
                name: float(self.fitted.abilities[column])
                for (name, edition), column in self.abilities.items()
                if edition == number
            }
            for name, z in compare_slopes(answered, ability, self.fitted.spread).items():
                smallest.setdefault(name, []).append(z)
        # The editions share no instance, so a player's statistics are independent.
        tests = {name: sum(values) / len(values) ** 0.5 for name, values in smallest.items()}
        adjusted = holm([2 * float(norm.sf(abs(z))) for z in tests.values()])
        return {name: p for name, p in zip(tests, adjusted, strict=True) if p is not None}

    def _estimate(self, weights: Numbers, drawn: float) -> LogitDifference:
        from scipy.stats import norm, t

        value = float(weights @ np.concatenate((self.fitted.abilities, self.fitted.difficulties)))
        variance, distribution = float(weights @ self.fitted.covariance @ weights), norm
        if self.fitted.cluster_covariance is not None:
            clustered = float(weights @ self.fitted.cluster_covariance @ weights)
            # The larger one, as for other figures: few clusters may agree by chance.
            if clustered > variance:
                variance, distribution = clustered, t(self.n_clusters - 1)
        error = sqrt(variance + drawn)
        reach = float(distribution.ppf((1 + LEVEL) / 2)) * error
        p_value = 2 * float(distribution.sf(abs(value) / error)) if error > 0 else float(value == 0)
        return LogitDifference(value, error, value - reach, value + reach, p_value)
