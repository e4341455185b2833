"""Two editions on one scale: has the edition become harder, or a player weaker?

Players that are the same in both editions, the anchors, tie them together: in a Rasch model over the
answers of both (`ranks.rasch`) an anchor has one ability, every other player one per edition, and
every domain of an edition its own mean difficulty. Difficulties then differ by the drift of the edition, and
the two abilities of a player by its change. (Concurrent calibration: M. J. Kolen and R. L. Brennan, Test
Equating, Scaling, and Linking, 2014, chapter 6.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING

from perennial.tasks.statistics.multiplicity import holm
from perennial.tasks.statistics.ranks.patterns import group_patterns
from perennial.tasks.statistics.ranks.rasch import Rasch, fit_rasch
from perennial.tasks.statistics.ranks.slope_test import Answered, compare_slopes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LEVEL = 0.95

# What the players did on one instance: solved runs and runs, by player.
Pattern = Mapping[str, tuple[int, int]]
# The patterns of an edition: domain, pattern, and how many instances have it.
Edition = Sequence[tuple[str, Pattern, int]]


@dataclass(frozen=True, slots=True)
class Estimate:
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
    drift: Estimate
    changes: Mapping[str, Estimate]
    slopes: Mapping[str, float] = field(default_factory=dict)


def link_editions(one: Edition, other: Edition, anchors: Sequence[str]) -> Link | None:
    """Return how the edition `one` differs from `other`, by these anchors.

    An anchor counts where it has solved something and failed something in both, in the domains that are
    compared: all shared ones, or all where none is shared. None where no anchor counts.
    """
    shared = {domain for domain, _, _ in one} & {domain for domain, _, _ in other}
    kept = [[entry for entry in side if not shared or entry[0] in shared] for side in (one, other)]
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
        import numpy as np

        entries = [(number, *entry) for number, side in enumerate(sides) for entry in side]
        of = {
            (name, number): (name, 0 if name in anchors else number)
            for number, _, pattern, _ in entries
            for name in pattern
        }
        places = {key: place for place, key in enumerate(sorted(set(of.values())))}
        keys = sorted({(number, domain) for number, domain, _, _ in entries})
        strata = {key: place for place, key in enumerate(keys)}
        runs = np.zeros((len(places), len(entries)), np.int64)
        solved = np.zeros_like(runs)
        for column, (number, _, pattern, _) in enumerate(entries):
            for name, counts in pattern.items():
                row = places[of[name, number]]
                solved[row, column], runs[row, column] = counts
        patterns = group_patterns(
            runs,
            solved,
            np.array([strata[number, domain] for number, domain, _, _ in entries]),
            np.array([count for *_, count in entries]),
        )
        domains = sorted({domain for _, domain in keys})
        fitted = fit_rasch(patterns, np.array([domains.index(domain) for _, domain in keys]))
        abilities = {key: places[place] for key, place in of.items()}
        return None if fitted is None else cls(abilities, strata, len(domains), fitted)

    def drift(self, is_shared: bool) -> Estimate:
        """Return the mean difficulty of the first edition's domains minus that of the second's."""
        import numpy as np

        weights = np.zeros(len(self.fitted.abilities) + len(self.strata))
        drawn = 0.0
        for number, sign in ((0, 1.0), (1, -1.0)):
            own = [place for (edition, _), place in self.strata.items() if edition == number]
            weights[[len(self.fitted.abilities) + place for place in own]] = sign / len(own)
            if not is_shared and len(own) > 1:
                drawn += float(np.var(self.fitted.difficulties[own], ddof=1)) / len(own)
        return self._estimate(weights, drawn)

    def change(self, player: str) -> Estimate:
        """Return the player's ability in the first edition minus that in the second."""
        import numpy as np

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
                name: float(self.fitted.abilities[place])
                for (name, edition), place in self.abilities.items()
                if edition == number
            }
            for name, z in compare_slopes(answered, ability, self.fitted.spread).items():
                smallest.setdefault(name, []).append(z)
        # The editions share no instance, so a player's statistics are independent.
        tests = {name: sum(found) / len(found) ** 0.5 for name, found in smallest.items()}
        adjusted = holm([2 * float(norm.sf(abs(z))) for z in tests.values()])
        return {name: p for name, p in zip(tests, adjusted, strict=True) if p is not None}

    def _estimate(self, weights: "Floats", drawn: float) -> Estimate:
        import numpy as np
        from scipy.stats import norm, t

        value = float(weights @ np.concatenate((self.fitted.abilities, self.fitted.difficulties)))
        variance, distribution = float(weights @ self.fitted.covariance @ weights), norm
        if self.fitted.cluster_covariance is not None:
            clustered = float(weights @ self.fitted.cluster_covariance @ weights)
            if clustered > variance:
                variance, distribution = clustered, t(self.n_clusters - 1)
        error = sqrt(variance + drawn)
        reach = float(distribution.ppf((1 + _LEVEL) / 2)) * error
        p_value = 2 * float(distribution.sf(abs(value) / error)) if error > 0 else float(value == 0)
        return Estimate(value, error, value - reach, value + reach, p_value)
