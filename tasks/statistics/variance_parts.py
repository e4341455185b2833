"""How the successes of an edition's models vary, in parts, and which change of an edition is no chance."""

from collections.abc import Iterator

import numpy as np

from perennial.schemas.statistics import MODELS, Population
from perennial.tasks.statistics.cells import ALL, Column, Numbers, SettingGrid
from perennial.tasks.statistics.clusters import (
    ALL_ALIKE,
    FEWEST_CLUSTERS,
    TOO_FEW,
    ClusterDraw,
    estimate_ratio,
    headline,
    student_quantile,
)
from perennial.tasks.statistics.multiplicity import Kind, Statistic
from perennial.tasks.statistics.rank_figures import find_common

# On the instances that all models have, y = model + domain + model x domain + instance + model x instance
# + run, the models fixed and all else random, as in `perennial.schemas.statistics.Parts`. Where domains are
# drawn, a domain here is a cluster; where they are the definition, they stay, and an instance here is what is
# drawn in them (a pair of texts is one). With A the mean over P models and C a model's gap to it, W the
# variance within domains and B that of the domains' means less W / n, summed over models and divided by P - 1
# where it is of gaps, all unbiased:
#
#     run = mean of k / (k - 1) y (1 - y) over cells of k > 1 runs    model x instance = W(C) - run / k
#     instance = W(A) - W(C) / P      model x domain = B(C)           domain = B(A) - B(C) / P
#
# Intervals are of 95%, by jackknife over what is drawn, on the logarithm of the mean square from which others
# are taken off (R. G. Miller, Annals of Mathematical Statistics 39 (1968) 567-582), with t; they end
# at 0 and .25, estimates at 0.
#
# The rate of the same model in another edition of this size, with draws of its own, differs from this one by
# chance alone with variance 2 V. V is p (1 - p) times what all models have of it, by cluster as for rates:
#
#     beyond chance = t(.975) sqrt(2 V)       found with power .8 = (t(.975) + t(.8)) sqrt(2 V)

PART, BEYOND_CHANCE, DETECTABLE = "variance_part", "change_beyond_chance", "change_detectable"
POWER = 0.8
PART_NAMES = ("domain", "model x domain", "instance", "model x instance", "run")
UNREPEATED = "model x instance, run"
"""Both in one, where no model answered an instance several times."""
_PART_METHOD = (
    "unbiased mean squares over the models' common instances; 95% interval by jackknife over clusters on the "
    "logarithm; n counts clusters"
)
_CHANGE_METHOD = (
    "from the variance by cluster (CR2) of all models' rates, scaled to p (1 - p), for p < .05 between two "
    "editions of this size with draws of their own; n counts clusters"
)
_UNKNOWN = "one domain, or one instance in each: nothing shows how they vary"
# Below this a mean square is rounding, and its logarithm says nothing.
_ALIKE = 1e-9
_LARGEST = 0.25
"""The variance of a success is p (1 - p)."""


def variance_figures(grid: SettingGrid, kind: Kind) -> Iterator[Statistic]:
    """Yield the parts of the variance, for two models or more, and the changes of each model."""
    models = np.array([row for row, player in enumerate(grid.players) if kind(player) == MODELS], np.int64)
    if not len(models):
        return
    common = find_common(grid.runs[models] > 0)
    rows, columns = models[common.players], common.instances
    if not columns.any():
        return
    # Only instances that all models have: else the models' rates would differ by what each was asked.
    runs, solved = (table[rows][:, columns].astype(np.float64) for table in (grid.runs, grid.solved))
    draw, population = headline(grid.cluster[columns], grid.domain[columns], grid.population)
    yield from _change_figures(grid, [grid.players[row] for row in rows], solved / runs, draw, population)
    if len(rows) > 1:
        yield from _part_figures(grid.setting, *_list_draws(solved / runs, runs, draw), population)


def _change_figures(
    grid: SettingGrid, players: list[str], rates: Numbers, draw: ClusterDraw, population: Population
) -> Iterator[Statistic]:
    """Yield both changes of each model; none where one cluster, or equal outcomes, show no variance."""
    from scipy.special import stdtrit

    n = rates.shape[1]
    estimates = [estimate_ratio(row, row * 0 + 1, draw) for row in rates]
    spread = sum(estimate.ratio * (1 - estimate.ratio) for estimate in estimates)
    if estimates[0].clusters < 2 or not spread > 0:
        return
    # Of all models together: with few clusters a single model's variance is itself mostly chance.
    effect = sum(estimate.variance for estimate in estimates) / spread
    for player, estimate in zip(players, estimates, strict=True):
        # Two successes and two failures more, as a model that solves all may fail in the next edition.
        share = (estimate.ratio * n + 2) / (n + 4)
        error = (2 * effect * share * (1 - share)) ** 0.5
        labels = grid.setting, ALL, player, estimate.clusters
        reach = student_quantile(estimate.degrees)
        change = min(1.0, reach * error)
        yield Statistic(BEYOND_CHANCE, *labels, change, _CHANGE_METHOD, population=population)
        change = min(1.0, (reach + float(stdtrit(estimate.degrees, POWER))) * error)
        yield Statistic(DETECTABLE, *labels, change, _CHANGE_METHOD, population=population)


# The parts are functions of sums over domains, of which a domain, or a draw in it, can be left out.


def _list_draws(rates: Numbers, runs: Numbers, draw: ClusterDraw) -> tuple[Numbers, Column, bool]:
    """Return a row of terms for each draw within a domain, their domains' numbers, and whether these stay.

    The terms add up to the domain's: 1, the mean, its square, the squared gaps of the models, which part of a
    run's variance is in their means, the variances between runs with their number, and each model's gap.
    """
    is_fixed = draw.strata is not None or draw.cluster is None
    domain = draw.strata if draw.strata is not None else draw.cluster
    drawn = draw.cluster if is_fixed and draw.cluster is not None else np.arange(rates.shape[1])
    _, firsts, inner = np.unique(drawn, return_index=True, return_inverse=True)
    sizes = np.bincount(inner)

    def total(values: Column) -> Numbers:
        return np.stack([np.bincount(inner, row) for row in values]).astype(np.float64)

    means = total(rates) / sizes
    mean = means.mean(axis=0)
    gaps = means - mean
    # Unbiased from two runs on; a single run shows nothing of how runs vary.
    between_runs = np.where(runs > 1, rates * (1 - rates) * runs / np.maximum(runs - 1, 1), 0.0)
    counted = (total(1 / runs) / sizes**2, total(between_runs), total(runs > 1))
    terms = (mean * 0 + 1, mean, mean**2, (gaps**2).sum(axis=0), *(part.sum(axis=0) for part in counted))
    domains = np.zeros(len(firsts), np.int64) if domain is None else domain[firsts]
    # Fixed domains with fewer draws do not show how far their variance is from that of other draws.
    _, number, counts = np.unique(domains, return_inverse=True, return_counts=True)
    kept = (counts[number] > 2) | (not is_fixed)
    return np.column_stack([*terms, gaps.T])[kept], np.unique(number[kept], return_inverse=True)[1], is_fixed


def _summarize(totals: Numbers) -> Numbers:
    """Return the terms of domains that are summed over them, from what their draws add up to."""
    size, mean, square, gap_square, *counted = totals[:, :7].T
    mean, gaps = mean / size, totals[:, 7:] / size[:, None]
    gap = (gaps**2).sum(axis=1)
    within = size - 1, square - size * mean**2, gap_square - size * gap
    return np.column_stack([size * 0 + 1, 1 / size, mean, mean**2, gap, size, *within, *counted, gaps])


def _compute_parts(sums: Numbers) -> tuple[Numbers, Numbers]:
    """Compute the parts from such sums, and what was taken off the mean square of each."""
    number, inverse, mean, square, gap, size, free, within, gap_within, shrink, run, repeated, *gaps = sums.T
    models = len(gaps)
    # One domain, or one draw in each, leaves 0 / 0: such parts are nan, and get their reason as figures.
    with np.errstate(divide="ignore", invalid="ignore"):
        common, single = within / free, gap_within / (models - 1) / free
        between = (square - mean**2 / number) / (number - 1)
        gap = (gap - sum(model**2 for model in gaps) / number) / (models - 1) / (number - 1)
        per_run = np.where(repeated > 0, run / repeated, 0.0)
        off_gap, off_single = single * inverse / number, per_run * shrink / size / models
        off = common * inverse / number + (gap - off_gap) / models
    # Returned beside the parts: an interval is of the whole mean square, which is never below 0, as its
    # part may be.
    taken = np.column_stack([off, off_gap, single / models, off_single, off * 0])
    return np.column_stack([between, gap, common, single, per_run]) - taken, np.maximum(taken, 0)


def _estimate_parts(draws: Numbers, domain: Column, is_fixed: bool) -> tuple[Numbers, ...]:
    """Estimate the parts, and the low and high ends of their intervals (nan: none)."""
    by_domain = np.zeros((int(domain.max()) + 1, draws.shape[1]))
    np.add.at(by_domain, domain, draws)
    rows = _summarize(by_domain)
    sums, stratum = rows.sum(axis=0), domain
    # With a draw left out, the terms of its domain are computed again, since they are not sums over draws.
    # Where domains are drawn, a whole domain is left out.
    if is_fixed:
        without = sums - rows[domain] + _summarize(by_domain[domain] - draws)
    else:
        without, stratum = sums - rows, np.zeros(len(rows), np.int64)
    (part,), (taken,) = _compute_parts(sums[None])
    counts = np.bincount(stratum)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.maximum(_compute_parts(without)[0] + taken, _ALIKE))
        centers = np.stack([np.bincount(stratum, column) for column in logs.T], axis=-1) / counts[:, None]
        # Squares within a fixed domain lose a degree of freedom with a draw left out: exact for normal ones.
        within = (counts - 1) / (counts - 2) if is_fixed else np.ones(1)
        factors = np.stack([(counts - 1) / counts * by for by in (1, 1, within, within, within)], axis=-1)
        error = (factors[stratum] * (logs - centers[stratum]) ** 2).sum(axis=0) ** 0.5
        reach = np.exp(student_quantile(len(stratum) - len(counts)) * error)
        whole = np.where(part + taken > _ALIKE, part + taken, np.nan)
        low, high = whole / reach - taken, np.minimum(whole * reach - taken, np.maximum(_LARGEST, part))
    return np.maximum(part, 0), np.maximum(low, 0), np.maximum(high, 0)


def _part_figures(
    setting: str, draws: Numbers, domain: Column, is_fixed: bool, population: Population
) -> Iterator[Statistic]:
    if not len(draws):
        return
    # What the jackknife leaves out, one by one, is what the interval's n counts.
    clusters = len(draws) if is_fixed else int(domain.max()) + 1
    names = PART_NAMES if draws[:, 6].any() else (*PART_NAMES[:3], UNREPEATED)
    estimates = _estimate_parts(draws, domain, is_fixed)
    for name, value, low, high in zip(names, *(column.tolist() for column in estimates), strict=False):
        part = Statistic(PART, setting, ALL, "", clusters, value, _PART_METHOD, other=name)
        if not np.isfinite(value):
            yield part._replace(value=None, no_interval=_UNKNOWN)
        elif clusters < FEWEST_CLUSTERS or not np.isfinite([low, high]).all():
            yield part._replace(no_interval=TOO_FEW if clusters < FEWEST_CLUSTERS else ALL_ALIKE)
        else:
            yield part._replace(low=low, high=high, population=population)
