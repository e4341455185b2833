"""Steps at one half: the number of expected steps at which a player's success above guessing is one half.

An instance's steps are those that the optimum expects to need (`promise_steps`). Over the instances of all
settings

    rate = floor + (1 - floor) / (1 + exp(slope (steps - s)))

is fitted by quasi-likelihood, the floor being known: 1 / truths. s is the figure, and its interval Fieller's,
from the variance by cluster (E. C. Fieller, Journal of the Royal Statistical Society B 16 (1954) 175-185).
Whether steps are what makes an instance hard is seen by a size that is left out: the curve of the other sizes
predicts its rate.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from perennial.schemas.statistics import NEW_DOMAINS
from perennial.tasks.statistics.cells import ALL, Column, Numbers
from perennial.tasks.statistics.clusters import FEWEST_CLUSTERS, Interval, student_quantile
from perennial.tasks.statistics.multiplicity import Statistic

_METHOD = (
    "s of rate = floor + (1 - floor) / (1 + exp(slope (steps - s))), floor 1 / truths, steps of the exact "
    "optimum; quasi-likelihood over instances; Fieller's interval by cluster, Student's t; n counts instances"
)
_LEFT_OUT_METHOD = "of the curve of the other settings; interval by cluster, Student's t; n counts instances"
NO_SLOPE = "success does not fall with the number of steps"
ALL_OR_NONE = "no curve can be fitted: nearly all instances are solved, or no more than guessing solves"
UNBOUNDED = "too few instances to tell a slope from none: the interval has no end"
FEW_CLUSTERS = f"fewer than {FEWEST_CLUSTERS} domains"


class SteppedAnswers(NamedTuple):
    """A player's rates on instances with steps, floors and clusters; a row stands for `weight` instances."""

    rate: Numbers
    steps: Numbers
    floor: Numbers
    weight: Numbers
    cluster: Column

    def choose(self, rows: Column) -> "SteppedAnswers":
        """The answers of these rows."""
        return SteppedAnswers(*(column[rows] for column in self))


class StepCurve(NamedTuple):
    """The fitted curve: the logit of the success above floor is level - slope (steps - center).

    `scores` are the derivatives of the quasi-likelihood by cluster, `inverse` is that of its information.
    """

    level: float
    slope: float
    center: float
    inverse: Numbers
    scores: Numbers

    def bound_steps(self) -> Interval | None:
        """Fieller's interval of the steps at one half; None if it has no end."""
        clusters = len(self.scores)
        influences = self.scores @ self.inverse
        (a, ab), (_, b) = influences.T @ influences * clusters / (clusters - 1)
        square = student_quantile(clusters - 1) ** 2
        # The interval holds the d at which (level - slope d)^2 <= t^2 Var(level - slope d).
        outer = self.slope**2 - square * b
        middle = self.level * self.slope - square * ab
        half = max(0.0, middle**2 - outer * (self.level**2 - square * a)) ** 0.5
        if outer <= 0:
            return None
        return self.center + (middle - half) / outer, self.center + (middle + half) / outer


def predict_rates(
    answers: SteppedAnswers, level: float, slope: float, center: float
) -> tuple[Numbers, Numbers]:
    """The rates that the curve expects, and their derivatives by level and slope as columns."""
    from scipy.special import expit

    design = np.stack([np.ones(len(answers.steps)), center - answers.steps], axis=1)
    share = expit(design @ np.array([level, slope]))
    rates: Numbers = answers.floor + (1 - answers.floor) * share
    changes: Numbers = ((1 - answers.floor) * share * (1 - share))[:, None] * design
    return rates, changes


def fit_curve(answers: SteppedAnswers, clusters: int) -> StepCurve | None:
    """Fit the curve by Fisher scoring, at most 1 logit per round; None where it does not settle."""
    center = float(np.average(answers.steps, weights=answers.weight))
    level = slope = 0.0
    for _ in range(100):
        rates, changes = predict_rates(answers, level, slope, center)
        scaled = (answers.weight / np.maximum(rates * (1 - rates), 1e-12))[:, None] * changes
        scores, information = scaled * (answers.rate - rates)[:, None], scaled.T @ changes
        if np.linalg.cond(information) > 1e12:
            return None
        inverse: Numbers = np.linalg.inv(information).astype(np.float64)
        step = inverse @ scores.sum(axis=0)
        largest = float(np.abs(step).max())
        if largest < 1e-9:
            by_cluster = np.zeros((clusters, 2))
            np.add.at(by_cluster, answers.cluster, scores)
            return StepCurve(level, slope, center, inverse, by_cluster)
        level, slope = (np.array([level, slope]) + step / max(1.0, largest)).tolist()
    return None


def step_figures(columns: Mapping[str, Column]) -> Iterator[Statistic]:
    """Each player's `steps_at_half`, and `rate_left_out` of its settings where it has three or more.

    `columns` are those that `warehouse/kumo/steps.sql` selects.
    """
    for player in dict.fromkeys(columns["player"]):
        rows = columns["player"] == player
        settings, cluster, rate, steps, floor, weight = (
            columns[name][rows] for name in ("setting", "cluster", "rate", "steps", "floor", "instances")
        )
        met, number = np.unique(cluster, return_inverse=True)
        answers = SteppedAnswers(rate, steps, floor, weight, number)
        at_half = _at_half(player, answers, len(met))
        yield at_half
        names = sorted(set(settings))
        if at_half.value is not None and len(names) > 2:  # two others still show a slope
            for name in names:
                yield from _left_out(player, name, answers, settings == name, len(met))


def _at_half(player: str, answers: SteppedAnswers, clusters: int) -> Statistic:
    figure = Statistic("steps_at_half", ALL, ALL, player, int(answers.weight.sum()), None, _METHOD)
    curve = fit_curve(answers, clusters)
    if curve is None or curve.slope <= 0:
        return figure._replace(no_interval=ALL_OR_NONE if curve is None else NO_SLOPE)
    figure = figure._replace(value=curve.center + curve.level / curve.slope)
    if clusters < FEWEST_CLUSTERS:
        return figure._replace(no_interval=FEW_CLUSTERS)
    low, high = curve.bound_steps() or (None, None)
    if low is None:
        return figure._replace(no_interval=UNBOUNDED)
    return figure._replace(low=low, high=high, population=NEW_DOMAINS)


def _left_out(
    player: str, setting: str, answers: SteppedAnswers, is_left_out: Column, clusters: int
) -> Iterator[Statistic]:
    curve, left_out = fit_curve(answers.choose(~is_left_out), clusters), answers.choose(is_left_out)
    if curve is None:
        return
    rates, changes = predict_rates(left_out, curve.level, curve.slope, curve.center)
    share = left_out.weight / left_out.weight.sum()
    predicted, observed = float(share @ rates), float(share @ left_out.rate)
    labels = (setting, ALL, player, int(left_out.weight.sum()))
    figure = Statistic("rate_left_out", *labels, predicted, _LEFT_OUT_METHOD)
    yield figure._replace(convention="predicted")
    yield figure._replace(convention="observed", value=observed)
    figure = figure._replace(convention="difference", value=observed - predicted)
    if clusters < FEWEST_CLUSTERS:
        yield figure._replace(no_interval=FEW_CLUSTERS)
        return
    # What a cluster adds to the difference: by its answers here, and by the curve that its others draw.
    gaps = np.bincount(left_out.cluster, share * (left_out.rate - rates), clusters)
    gaps -= curve.scores @ curve.inverse @ (share @ changes)
    variance = float(((gaps - gaps.mean()) ** 2).sum()) * clusters / (clusters - 1)
    half = student_quantile(clusters - 1) * variance**0.5
    low, high = max(-1.0, observed - predicted - half), min(1.0, observed - predicted + half)
    yield figure._replace(low=low, high=high, population=NEW_DOMAINS)
