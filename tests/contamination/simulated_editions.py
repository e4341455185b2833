"""Editions with a private share, whose answers are drawn with a known gap, or without one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perennial.tasks.statistics.contamination import Sample, detectable_gap, gap_of_rates, permute_splits

_EDITIONS_A_SPLIT = 50  # which share the redrawn splits


@dataclass(frozen=True)
class Edition:
    """`domains` of `origins` each, `share` of them private; rates of domains spread about `rate`."""

    domains: int
    origins: int
    share: float
    gap: float = 0.0
    rate: float = 0.5
    spread: float = 0.2

    def split(self, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Draw which origins are private; return the stratum and the side of each."""
        stratum = np.repeat(np.arange(self.domains), self.origins)
        is_private = np.zeros(len(stratum), np.bool_)
        for domain in range(self.domains):
            chosen = int(self.share * self.origins + rng.random())
            is_private[rng.choice(np.flatnonzero(stratum == domain), chosen, replace=False)] = True
        return stratum, is_private


@dataclass(frozen=True)
class Tried:
    """Of many editions: the shares with p <= .05 and with the truth in the interval; the mean promise."""

    found: float
    covered: float
    detectable: float


def try_editions(edition: Edition, number: int, seed: int) -> Tried:
    """Draw this many editions with one player each, and compute the figures of each."""
    rng = np.random.default_rng(seed)
    p_values: list[float] = []
    covered: list[bool] = []
    promised: list[float] = []
    for index in range(number // _EDITIONS_A_SPLIT):
        stratum, is_private = edition.split(rng)
        ones = np.ones(len(stratum))
        samples = {}
        for player in range(_EDITIONS_A_SPLIT):
            rates = edition.rate + edition.spread * rng.standard_normal(edition.domains)
            signs = np.where(is_private, -1, 1)
            chances = np.clip(np.clip(rates, 0.02, 0.98)[stratum] + signs * edition.gap / 2, 0, 1)
            answered = rng.binomial(1, chances).astype(np.float64)
            sample = samples[str(player)] = Sample.choose(answered, ones, stratum, is_private)
            low, high = gap_of_rates(sample.estimate(True), sample.estimate(False), (1, 1))
            truth = Sample.choose(chances, ones, stratum, is_private).gap()
            covered.append(low <= truth <= high)
            promised.append(detectable_gap(sample.deviation()))
        p_values += permute_splits(samples, seed + index).values()
    return Tried(
        float(np.mean(np.array(p_values) <= 0.05)), float(np.mean(covered)), float(np.mean(promised))
    )
