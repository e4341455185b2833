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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np

from perennial.schemas.statistics import MeasuredVariance, Parts
from perennial.tasks.statistics.cells import Numbers
from perennial.tasks.statistics.clusters import student_p_value, student_quantile
from perennial.tasks.statistics.multiplicity import holm
from perennial.tasks.statistics.scale.cells import (
    DomainCell,
    Observations,
    Weighted,
    components,
    observe,
    weigh,
)

_PRIOR_FACTOR = 1.25
"""Players differ in these variances by a factor of ten (release): the mean one would cover too little."""
PRIOR_SPREAD = 0.5
"""Standard deviation of the logarithm of a variance around the prior one: a factor 2.7 either way."""
_MOST_STEPS, _LARGEST_STEP, _SMALL_STEP = 60, 1.0, 1e-7


@dataclass(frozen=True, slots=True)
class ScaleEstimate:
    """A rate or a difference: value, standard error, degrees of freedom, 95% interval and two-sided p."""

    value: float
    error: float
    freedom: float
    low: float
    high: float
    p_value: float

    @classmethod
    def from_error(cls, value: float, error: float, freedom: float) -> Self:
        """Return the estimate with this standard error, which has so many degrees of freedom."""
        reach = student_quantile(freedom) * error
        p_value = student_p_value(freedom, value / error) if error > 0 else float(value == 0)
        return cls(value, error, freedom, value - reach, value + reach, p_value)

    def cut_to_rate(self) -> Self:
        """Return the estimate of a rate, whose interval ends at 0 and 1."""
        return replace(self, low=max(0.0, self.low), high=min(1.0, self.high))


@dataclass(frozen=True)
class JointModel:
    """The fitted model: rates of players with their covariance, and the variances in the order of `prior_of`.

    `clustered` is the covariance of the rates by the scatter of domains, whatever the model says.
    `slopes_of_covariance` are derivatives of the covariance by the logarithms of the variances, and
    `uncertainty` is the covariance of these logarithms. `blocks` are those of `seen`, weighted with the
    variances.
    """

    seen: Observations
    rates: Numbers
    covariance: Numbers
    clustered: Numbers
    variances: Numbers
    slopes_of_covariance: Numbers
    uncertainty: Numbers
    blocks: tuple[Weighted, ...]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The places of the players in `rates`, by name."""
        return {name: number for number, name in enumerate(self.seen.players)}

    def rate(self, player: str) -> ScaleEstimate:
        """Return the player's rate over the population of domains; its interval ends at 0 and 1."""
        return self._estimate({player: 1.0}).cut_to_rate()

    def difference(self, player: str, other: str) -> ScaleEstimate:
        """Return the player's rate minus that of the other."""
        return self._estimate({player: 1.0, other: -1.0})

    def _estimate(self, weights_by_name: dict[str, float]) -> ScaleEstimate:
        places = np.array([self.numbers[name] for name in weights_by_name])
        weights, pairs = np.array([*weights_by_name.values()]), np.ix_(places, places)
        value, variance = (
            float(weights @ self.rates[places]),
            float(weights @ self.covariance[pairs] @ weights),
        )
        robust = float(weights @ self.clustered[pairs] @ weights)
        slopes = np.array([weights @ slope[pairs] @ weights for slope in self.slopes_of_covariance])
        doubt = float(slopes @ self.uncertainty @ slopes)
        # Satterthwaite: as many degrees as a chi-square of this mean has whose variance is this doubt.
        freedom = 2 * variance**2 / doubt if doubt > 0 else float("inf")
        # Where domains scatter more than the model says, they are believed.
        error = max(variance, robust) ** 0.5
        # Beyond a million degrees the quantile is the normal one to the last digits that count.
        return ScaleEstimate.from_error(value, error, min(max(freedom, 1.0), 1e6))


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
    if not seen.players:
        raise ValueError("no cells: expected one player in one domain at least")
    if variances is not None:
        return _solve(seen, np.asarray(variances, float), np.zeros((3, 3)))
    logs = prior = np.log(prior_of(seen.parts))
    for _ in range(_MOST_STEPS):
        gradient, information = _slope_of_likelihood(seen, np.exp(logs))
        information = information + np.eye(3) / PRIOR_SPREAD**2
        # Scored in logarithms: variances stay above 0, and the prior is normal there.
        step = np.linalg.solve(information, gradient - (logs - prior) / PRIOR_SPREAD**2)
        logs = logs + step * min(1.0, _LARGEST_STEP / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < _SMALL_STEP:
            break
    return _solve(seen, np.exp(logs), np.asarray(np.linalg.inv(information), np.float64))


def _slope_of_likelihood(seen: Observations, variances: Numbers) -> tuple[Numbers, Numbers]:
    """Return the restricted log-likelihood's gradient by log variances, and the expected information."""
    blocks = [weigh(block, variances) for block in seen.blocks]
    rates, covariance, turned = _least_squares(seen, blocks)
    gradient, information = np.zeros(3), np.zeros((3, 3))
    for weighted in blocks:
        gaps = weighted.pull_gaps(rates)
        for row, span in enumerate(weighted.block.spans):
            pulled = weighted.products[:, span, span]
            gradient[row] += float((gaps[:, span] ** 2).sum() - np.einsum("dii->", pulled)) / 2
            for column, other in enumerate(weighted.block.spans):
                information[row, column] += float((weighted.products[:, span, other] ** 2).sum()) / 2
    gradient += np.einsum("pq,kqp->k", covariance, turned) / 2
    return gradient * variances, information * np.outer(variances, variances)


def _least_squares(seen: Observations, blocks: Sequence[Weighted]) -> tuple[Numbers, Numbers, Numbers]:
    """Return rates, their covariance, and X'V^-1 K V^-1 X for the shape K of each variance."""
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


def _solve(seen: Observations, variances: Numbers, uncertainty: Numbers) -> JointModel:
    blocks = tuple(weigh(block, variances) for block in seen.blocks)
    rates, covariance, turned = _least_squares(seen, blocks)
    scatter = np.zeros((seen.n_domains, len(seen.players)))
    first = 0
    for weighted in blocks:
        block = weighted.block
        rows = slice(first, first := first + len(block.names))
        scatter[rows, block.of_players] = weighted.pull_gaps(rates)[:, block.spans[2]]
    n = len(scatter)
    # n / (n - 1), as the gaps are to rates that were fitted to these same domains.
    middle = scatter.T @ scatter * (n / (n - 1) if n > 1 else 0.0)
    clustered = covariance @ middle @ covariance
    slopes = np.matmul(np.matmul(covariance, turned), covariance)
    return JointModel(
        seen, rates, covariance, clustered, variances, slopes * variances[:, None, None], uncertainty, blocks
    )


# How hard the domains of an edition were for all, and what each player's answers to one edition alone say.
#
# The shift of an edition is the mean over its domains of what the model predicts for all players there (best
# linear unbiased prediction, C. R. Henderson 1975): what a typical player gains by being asked in this
# edition. A player's rate in one edition, less its slope times that shift, is on the common scale; where it
# differs from the player's other editions, the player has changed.


@dataclass(frozen=True, slots=True)
class _Shift:
    """A block of domains of the edition: the predicted shift of each domain (`values`), the sum of the
    prediction's weights on each player's cells (`pull`), and the variance of the prediction (`explained`).

    `cells` are the places of the edition's cells in the block, by the player's number.
    """

    weighted: Weighted
    cells: dict[int, int]
    values: Numbers
    pull: Numbers
    explained: Numbers


class EditionShifts:
    """The shift of one edition, predicted once for all that is asked of it."""

    def __init__(self, model: JointModel, edition: str) -> None:
        self._model = model
        self._number = model.seen.editions.index(edition)
        self._shifts = tuple(self._predict())

    def _predict(self) -> Iterator[_Shift]:
        model = self._model
        for weighted in model.blocks:
            block = weighted.block
            (index,) = np.nonzero(block.in_editions == self._number)
            if not len(index):
                continue
            # The covariance of a domain's shift with its cells is Z times this.
            shared = np.zeros(block.effects.shape[2])
            shared[0], shared[1 + index[0]] = model.variances[:2]
            along = weighted.products @ shared
            values = weighted.pull_gaps(model.rates) @ shared
            (cells,) = np.nonzero(block.editions == self._number)
            by_player = dict(zip(block.players[cells].tolist(), cells.tolist(), strict=True))
            yield _Shift(weighted, by_player, values, along[:, block.spans[2]], along @ shared)

    def shift(self) -> ScaleEstimate:
        """Return the mean over the edition's domains of what was common to all players there."""
        model = self._model
        value, variance, domains = 0.0, 0.0, 0
        pull = np.zeros(len(model.rates))
        for shift in self._shifts:
            value += float(shift.values.sum())
            variance += float((model.variances[:2].sum() - shift.explained).sum())
            pull[shift.weighted.block.of_players] += shift.pull.sum(axis=0)
            domains += len(shift.values)
        variance = variance / domains**2 + float(pull @ model.covariance @ pull) / domains**2
        return _estimate(value / domains, variance, domains)

    def rate(self, player: str) -> ScaleEstimate | None:
        """Return the player's mean rate over its domains in the edition, less what these had in common.

        None where it has no answers there.
        """
        model = self._model
        who = model.numbers[player]
        slope = float(model.seen.slopes[who])
        value, variance, domains = 0.0, 0.0, 0
        pull = np.zeros(len(model.rates))
        for shift in self._shifts:
            block = shift.weighted.block
            if who not in shift.cells:
                continue
            cell = shift.cells[who]
            value += float(block.rates[:, cell].sum() - slope * shift.values.sum())
            # The variance of a difference: that of the cell, that of the prediction, and twice their
            # covariance.
            noise = block.noise[:, cell] + block.effects[:, cell] ** 2 @ block.scale(model.variances)
            both = slope * float(model.variances[:2].sum())
            variance += float((noise + slope**2 * shift.explained - 2 * slope * both).sum())
            pull[block.of_players] -= slope * shift.pull.sum(axis=0)
            pull[who] += len(block.names)
            domains += len(block.names)
        if not domains:
            return None
        pull /= domains
        rest = -pull
        rest[who] += 1
        covariance = model.covariance
        variance = variance / domains**2 + float(2 * rest @ covariance @ pull + rest @ covariance @ rest)
        return _estimate(value / domains, variance, domains).cut_to_rate()


def _estimate(value: float, variance: float, domains: int) -> ScaleEstimate:
    return ScaleEstimate.from_error(value, max(variance, 0.0) ** 0.5, float(max(1, domains - 1)))


# Does a player follow hard and easy domains as the scale takes it to? A test for each player.
#
# How much harder a domain is for all is predicted from the other players' rates there. The player's own gaps
# are regressed on that prediction: by the model with a coefficient of 1, as a best linear prediction is not
# diluted by its own error. Its standard error is by domain (H. White, Econometrica 48 (1980) 817-838, with
# the leverage of HC3), so that the test also holds where the variances do not.

FEWEST = 10
"""Domains that a player must share with others."""


@dataclass(frozen=True, slots=True)
class Slope:
    """How a player follows what is hard for all: 1 is as expected; `p_value` tests that."""

    value: float
    error: float
    domains: int
    p_value: float


def find_slopes(model: JointModel) -> dict[str, Slope]:
    """Return the slope of each player that shares ten domains or more with others, by name."""
    slopes = {}
    for number, player in enumerate(model.seen.players):
        expected, gaps = _predict(model, number)
        if len(expected) < FEWEST or not (squares := float(expected @ expected)) > 0:
            continue
        value = float(expected @ gaps) / squares
        leverage = expected**2 / squares
        left = (gaps - value * expected) / np.maximum(1 - leverage, 1e-9)
        error = float(np.sqrt(((expected * left) ** 2).sum())) / squares
        if error > 0:
            p_value = student_p_value(len(expected) - 1, (value - 1) / error)
            slopes[player] = Slope(value, error, len(expected), p_value)
    return slopes


def _predict(model: JointModel, number: int) -> tuple[Numbers, Numbers]:
    """Return, by domain that others played too, the player's gap as others predict it, and as it is."""
    expected, gaps = [np.empty(0)], [np.empty(0)]
    for block in model.seen.blocks:
        is_own = block.players == number
        others = ~is_own & np.isin(block.editions, block.editions[is_own])
        if not others.any():
            continue
        gap = block.rates - model.rates[block.players]
        # Errors of the same instances are common as well, and no slope of the player.
        scale = block.scale(model.variances)
        pulled = block.pull_from(gap, others, scale)
        common = block.effects[:, is_own].mean(axis=1) * scale
        common[:, block.spans[2]] = 0.0
        expected.append(np.einsum("dq,dq->d", common, pulled))
        gaps.append(gap[:, is_own].mean(axis=1))
    return np.concatenate(expected), np.concatenate(gaps)


# Table `scale`: the players of all editions of a benchmark and setting on one scale, as rows.

RATE, IN_EDITION, SHIFT, DIFFERENCE = "rate", "rate_in_edition", "shift_of_edition", "difference"
MET, LINKED, POPULATION = "same edition", "shared players or domains", "population of domains"
_DIGITS = 12  # beyond these a figure differs with the order of adding
_SEPARATOR = "\0"


class ScalePlayer(NamedTuple):
    """A player, with an id of parameters and protocol where a model was asked with several; else ""."""

    name: str
    protocol_id: str = ""

    @property
    def key(self) -> str:
        """One text that stands for both."""
        return f"{self.name}{_SEPARATOR}{self.protocol_id}"


def player_of(key: str) -> ScalePlayer:
    """Return the player that `Player.key` stands for."""
    return ScalePlayer(*key.split(_SEPARATOR))


def scale_rows(
    benchmark: str, setting: str, cells: Sequence[DomainCell], variance: MeasuredVariance
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one benchmark and setting; the cells' players are keys of `Player`.

    Settings and benchmarks are never pooled: each has a scale of its own.
    """
    seen = observe(cells, variance.parts)
    if not seen.players:
        return
    model = fit_joint_model(seen)
    domains, editions = _count(cells, 1), _count(cells, 0)
    base = {"benchmark": benchmark, "setting": setting, "method": describe_method(variance.source)}
    slopes = find_slopes(model)
    tested = holm([slopes[key].p_value if key in slopes else None for key in seen.players])
    for key, p_value in zip(seen.players, tested, strict=True):
        slope = slopes.get(key)
        counts = {
            "domains": len(domains[key]),
            "editions": len(editions[key]),
            "discrimination": None if slope is None else _digits(slope.value),
            "discrimination_se": None if slope is None else _digits(slope.error),
            "discrimination_p_holm": None if p_value is None else _digits(p_value),
        }
        yield base | _row(RATE, player_of(key), model.rate(key), **counts)
    met: dict[tuple[str, str], set[str]] = {}
    for cell in cells:
        for who in (cell.player, ""):
            met.setdefault((cell.edition, who), set()).add(cell.domain)
    for edition in seen.editions if len(seen.editions) > 1 else ():
        shifts = EditionShifts(model, edition)
        for key in seen.players:
            alone = shifts.rate(key)
            if alone is not None:
                number = len(met[edition, key])
                yield base | _row(
                    IN_EDITION, player_of(key), alone, other=edition, domains=number, editions=1
                )
        number = len(met[edition, ""])
        yield base | _row(SHIFT, ScalePlayer(""), shifts.shift(), other=edition, domains=number, editions=1)
    yield from (base | row for row in _differences(model, domains, editions))


def _differences(
    model: JointModel, domains: Mapping[str, set[str]], editions: Mapping[str, set[str]]
) -> Iterator[dict[str, Any]]:
    sets = list(components(model.seen))
    set_number = {edition: number for number, group in enumerate(sets) for edition in group}
    for first, two in combinations(model.seen.players, 2):
        if editions[first] & editions[two]:
            link = MET
        else:
            joined = {set_number[edition] for edition in editions[first]} & {
                set_number[edition] for edition in editions[two]
            }
            link = LINKED if joined else POPULATION
        counts = {
            "domains": len(domains[first] | domains[two]),
            "editions": len(editions[first] | editions[two]),
        }
        other = player_of(two)
        estimate = model.difference(first, two)
        yield _row(
            DIFFERENCE,
            player_of(first),
            estimate,
            other=other.name,
            other_protocol_id=other.protocol_id,
            link=link,
            **counts,
        )


def _row(statistic: str, player: ScalePlayer, estimate: ScaleEstimate, **more: Any) -> dict[str, Any]:
    numbers = {
        "value": estimate.value,
        "standard_error": estimate.error,
        "low": estimate.low,
        "high": estimate.high,
    }
    return {
        "statistic": statistic,
        "player": player.name,
        "protocol_id": player.protocol_id,
        "other": "",
        "other_protocol_id": "",
        "link": "",
        "discrimination": None,
        "discrimination_se": None,
        "discrimination_p_holm": None,
        **{name: _digits(number) for name, number in numbers.items()},
        **more,
    }


def _count(cells: Sequence[DomainCell], column: int) -> dict[str, set[str]]:
    """Return, by player, the different values of a column of its cells: 0 is the edition, 1 the domain."""
    names: dict[str, set[str]] = {}
    for cell in cells:
        if cell.instances > 0:
            names.setdefault(cell.player, set()).add(str(cell[column]))
    return names


def _digits(value: float) -> float:
    return round(value, _DIGITS)
