"""The contamination gap: how much better a player does on an edition's public instances than on private ones.

A secret decided which instances are private, so for a player who never saw the edition both parts are
exchangeable: p comes from drawing the split again. Origins (`instances.origin`) were drawn, hence an origin
is the unit: its rate is the mean over its instances of the mean over runs. Within a stratum (a domain and
setting, as the split was drawn) the public mean minus the private mean counts n_public n_private / n, so
that neither part gains by holding easier domains.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from statistics import NormalDist

import numpy as np

from perennial.schemas.ids import derive_seed
from perennial.schemas.statistics import THESE_DOMAINS
from perennial.tasks.statistics.cells import ALL, Column, Mask, Numbers, SettingGrid
from perennial.tasks.statistics.clusters import (
    ClusterDraw,
    Estimate,
    Interval,
    estimate_ratio,
    share_interval,
)
from perennial.tasks.statistics.multiplicity import Statistic

GAP, DETECTABLE, RATE, LEFT_OUT = (
    f"contamination_{name}" for name in ("gap", "detectable", "rate", "left_out")
)
FEWEST_ORIGINS = 6
"""On each side: with fewer, no p below .05 is possible in some splits, and variances are unknown."""
# The smallest p is 1 / 5,000: .004 after Holm's correction over 20 models.
PERMUTATIONS = 4_999
ALPHA, POWER = 0.05, 0.8
_RANDOM_NUMBERS_AT_ONCE = 4_000_000
_METHOD = (
    "public minus private rate within strata of the split, weighted by n_public n_private / n; one-sided p "
    f"by {PERMUTATIONS:,} redrawn splits; interval by origin (Zou and Donner); n counts origins"
)
_DETECTABLE_METHOD = (
    f"smallest gap found with power {POWER:g} at p <= {ALPHA:g} before Holm's correction: 2.49 standard "
    "deviations of the gap over redrawn splits; n counts origins"
)
_RATE_METHOD = "mean over origins, strata weighted as for the gap; n counts instances"
_LEFT_OUT_METHOD = "origins in strata whose origins are all public or all private; n counts all origins"


@dataclass(frozen=True, slots=True)
class Split:
    """How the instances of a setting were split: numbers of origin and stratum, and the side, by instance.

    Both numbers count through all settings of the edition.
    """

    origin: Column
    stratum: Column
    is_private: Column


@dataclass
class OriginRates:
    """Sums of each player's rates on the instances of each origin, over the settings added so far."""

    splits: Mapping[str, Split]
    sums: dict[str, Numbers] = field(default_factory=dict)
    instances: dict[str, Numbers] = field(default_factory=dict)

    @property
    def origins(self) -> int:
        """The number of origins of the edition."""
        return max((int(split.origin.max()) + 1 for split in self.splits.values()), default=0)

    def add(self, grid: SettingGrid) -> None:
        """Add what all players did in the grid's setting."""
        split = self.splits.get(grid.setting)
        if split is None:
            return
        for row, player in enumerate(grid.players):
            has_run = grid.runs[row] > 0
            rates = grid.solved[row][has_run] / grid.runs[row][has_run]
            for totals, values in ((self.sums, rates), (self.instances, np.ones(len(rates)))):
                added = np.bincount(split.origin[has_run], values, self.origins)
                totals[player] = totals.get(player, np.zeros(self.origins)) + added


def contamination_figures(rates: OriginRates, seed: int) -> Iterator[Statistic]:
    """Yield the gap of each player with its rates, and the smallest gap that could be detected.

    `seed` is public, so that anyone who has the answers computes the same p.
    """
    stratum, is_private = _describe_origins(rates)
    samples = {
        player: Sample.choose(rates.sums[player], rates.instances[player], stratum, is_private)
        for player in sorted(rates.sums)
    }
    p_values = permute_splits(samples, seed)
    for player, sample in samples.items():
        yield from _figures_of(player, sample, p_values.get(player))


def _describe_origins(rates: OriginRates) -> tuple[Column, Mask]:
    """Return the stratum and the side of each origin."""
    stratum, is_private = np.zeros(rates.origins, np.int64), np.zeros(rates.origins, np.bool_)
    for split in rates.splits.values():
        stratum[split.origin], is_private[split.origin] = split.stratum, split.is_private
    return stratum, is_private


@dataclass(frozen=True, slots=True)
class Sample:
    """A player's rates by origin, sorted by stratum: origins of strata that have both sides.

    `kept` are the numbers of these origins, `left_out` is how many others the player answered.
    """

    kept: Column
    left_out: int
    rate: Numbers
    instances: Numbers
    stratum: Column
    is_public: Mask

    @classmethod
    def choose(cls, sums: Numbers, instances: Numbers, stratum: Column, is_private: Mask) -> "Sample":
        """Choose the origins that can be compared."""
        answered = np.flatnonzero(instances > 0)
        # A stratum may have lost a side to API errors, or to a subset of instances.
        sides = [np.bincount(stratum[answered], is_private[answered] == side) for side in (False, True)]
        has_both = (sides[0] > 0) & (sides[1] > 0)
        kept = answered[has_both[stratum[answered]]]
        # Sorted, each stratum is a slice of every array.
        kept = kept[np.argsort(stratum[kept], kind="stable")]
        numbers = np.unique(stratum[kept], return_inverse=True)[1]
        return cls(
            kept=kept,
            left_out=len(answered) - len(kept),
            rate=sums[kept] / instances[kept],
            instances=instances[kept],
            stratum=numbers,
            is_public=~is_private[kept],
        )

    @property
    def why_undefined(self) -> str | None:
        """Why there is no gap; None where there is one."""
        public = int(self.is_public.sum())
        fewest = min(public, len(self.kept) - public)
        if fewest >= FEWEST_ORIGINS:
            return None
        return f"fewer than {FEWEST_ORIGINS} public or private origins that can be compared"

    def side_sizes(self) -> tuple[Numbers, Numbers]:
        """Return the numbers of public and of private origins by stratum."""
        public: Numbers = np.bincount(self.stratum, self.is_public).astype(np.float64)
        return public, np.bincount(self.stratum) - public

    def weights(self) -> Numbers:
        """Return the weight of each stratum, n_public n_private / n."""
        public, private = self.side_sizes()
        weights: Numbers = public * private / (public + private)
        return weights

    def centered(self) -> Numbers:
        """Return the rates less their stratum's mean: their public sum / the sum of weights is the gap."""
        means = np.bincount(self.stratum, self.rate) / np.bincount(self.stratum)
        centered: Numbers = self.rate - means[self.stratum]
        return centered

    def gap(self) -> float:
        """Return the public rate minus the private rate, strata weighted."""
        return float(self.centered()[self.is_public].sum() / self.weights().sum())

    def deviation(self) -> float:
        """Return the standard deviation of the gap over all splits of these origins, which is exact."""
        # The public ones are a sample without replacement, hence sizes - 1.
        sizes = np.bincount(self.stratum)
        variances = np.bincount(self.stratum, self.centered() ** 2) / (sizes - 1)
        weights = self.weights()
        return float((weights * variances).sum() ** 0.5 / weights.sum())

    def estimate(self, is_public: bool) -> Estimate:
        """Return the rate of a side over strata with their weights, and what chance does to it."""
        chosen = self.is_public == is_public
        stratum = self.stratum[chosen]
        # Origins of a side share the weight that their stratum has in the gap.
        sizes = (self.weights() / np.bincount(stratum))[stratum]
        return estimate_ratio(self.rate[chosen] * sizes, sizes, ClusterDraw(strata=stratum))


def gap_of_rates(public: Estimate, private: Estimate, trials: tuple[float, float]) -> Interval:
    """Return the 95% interval of the difference of two rates that were drawn apart.

    From the rates' own intervals, low = gap - sqrt((r - low_r)^2 + (high_s - s)^2), high likewise: G. Y. Zou
    and A. Donner, Statistics in Medicine 27 (2008) 1693-1702. It has width where all answers are alike.
    """
    (low, high), (other_low, other_high) = (
        share_interval(estimate, runs) for estimate, runs in zip((public, private), trials, strict=True)
    )
    r, s = public.ratio, private.ratio
    below = ((r - low) ** 2 + (other_high - s) ** 2) ** 0.5
    above = ((high - r) ** 2 + (s - other_low) ** 2) ** 0.5
    return max(-1.0, r - s - below), min(1.0, r - s + above)


def detectable_gap(deviation: float, power: float = POWER) -> float:
    """Return the gap that is found with this power where the split's chance alone moves it so far."""
    normal = NormalDist()
    return (normal.inv_cdf(1 - ALPHA) + normal.inv_cdf(power)) * deviation


def count_origins(gap: float, power: float, share: float, rate: float) -> int:
    """Return how many origins an edition needs to detect the gap, this share of them private.

    `rate` is what a player without a leak solves, in every domain: where domains differ, fewer are enough.
    """
    deviation = (rate * (1 - rate) / (share * (1 - share))) ** 0.5
    return ceil((detectable_gap(deviation, power) / gap) ** 2)


def permute_splits(samples: Mapping[str, Sample], seed: int) -> dict[str, float]:
    """Return each player's one-sided p: the share of splits with a gap at least as large.

    The split itself is counted as one of them, which keeps the test exact (B. Phipson and G. K. Smyth,
    Statistical Applications in Genetics and Molecular Biology 9 (2010) 39). Players with the same origins
    share the redrawn splits.
    """
    groups: dict[bytes, list[str]] = {}
    for player, sample in samples.items():
        if sample.why_undefined is None:
            groups.setdefault(sample.kept.tobytes(), []).append(player)
    p_values: dict[str, float] = {}
    for index, players in enumerate(groups.values()):
        first = samples[players[0]]
        # A column per player: one product of matrices sums the public rates of all of them.
        centered = np.stack([samples[player].centered() for player in players], axis=1)
        observed = centered[first.is_public].sum(axis=0)
        rng = np.random.default_rng(derive_seed(seed, "contamination gap", index))
        reached = np.zeros(len(players))
        for sums in _redraw(first, centered, rng):
            # Sums of the same rates in another order may differ in their last digit.
            reached += (sums >= observed - 1e-9).sum(axis=0)
        p_values |= zip(players, ((1 + reached) / (1 + PERMUTATIONS)).tolist(), strict=True)
    return p_values


def _redraw(sample: Sample, centered: Numbers, rng: np.random.Generator) -> Iterator[Numbers]:
    """Yield sums of centered rates over public origins in redrawn splits (a row each), some at a time."""
    bounds = np.searchsorted(sample.stratum, np.arange(sample.stratum[-1] + 2))
    public, _ = sample.side_sizes()
    left, widest = PERMUTATIONS, int(np.diff(bounds).max())
    while left:
        rows = min(left, max(1, _RANDOM_NUMBERS_AT_ONCE // widest))
        sums = np.zeros((rows, centered.shape[1]))
        # Public are those with the smallest random numbers of their stratum: as many as there were.
        for first, last, size in zip(bounds, bounds[1:], public.astype(int), strict=False):
            drawn = rng.random((rows, last - first))
            bound = np.partition(drawn, size - 1, axis=1)[:, size - 1 : size]
            sums += (drawn <= bound).astype(np.float64) @ centered[first:last]
        yield sums
        left -= rows


def _figures_of(player: str, sample: Sample, p_value: float | None) -> Iterator[Statistic]:
    reason, origins = sample.why_undefined, len(sample.kept)
    gap = Statistic(GAP, ALL, ALL, player, origins, None, _METHOD, no_interval=reason)
    left_out = float(sample.left_out)
    yield Statistic(LEFT_OUT, ALL, ALL, player, origins + sample.left_out, left_out, _LEFT_OUT_METHOD)
    if reason is not None:
        yield gap
        return
    sides = [sample.estimate(is_public) for is_public in (True, False)]
    counts = [float(sample.instances[sample.is_public == is_public].sum()) for is_public in (True, False)]
    low, high = gap_of_rates(sides[0], sides[1], (counts[0], counts[1]))
    yield gap._replace(value=sample.gap(), low=low, high=high, p_value=p_value, population=THESE_DOMAINS)
    for name, side, number in zip(("public", "private"), sides, counts, strict=True):
        yield Statistic(RATE, ALL, ALL, player, int(number), side.ratio, _RATE_METHOD, convention=name)
    # Where all answers are alike every split has the gap 0, which promises nothing.
    deviation = sample.deviation()
    smallest = detectable_gap(deviation) if deviation > 0 else None
    yield Statistic(DETECTABLE, ALL, ALL, player, origins, smallest, _DETECTABLE_METHOD)
