"""Do all players answer to difficulty with the slope that a Rasch model takes them to have?

For each player, an instance's difficulty is predicted from the other players' answers (its posterior under
the model), and with it the player's expected success. The product of what is left over and the predicted
difficulty has mean 0 where the player's slope is that of the others: a score test of equal discrimination,
in the manner of the tests of G. H. Fischer and I. W. Molenaar, Rasch Models, 1995, chapter 5. With unequal
slopes a common scale underestimates drift: 0.8 logits came out as 0.69 with slopes of 0.6 and 1.8.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_FEWEST = 20
"""Instances that a player must share with others."""
_NODES, _REACH = 61, 6.0


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
    import numpy as np
    from scipy.special import expit, logsumexp

    names = sorted(ability)
    nodes = np.linspace(-_REACH, _REACH, _NODES)
    prior = -nodes * nodes / 2
    difficulty = np.array([one.difficulty for one in answered])[:, None] + nodes * spread
    solved, runs = (
        np.array([[one.answers.get(name, (0, 0))[k] for name in names] for one in answered], float)
        for k in (0, 1)
    )
    counts = np.array([one.instances for one in answered], float)
    gaps = [ability[name] - difficulty for name in names]
    terms = [solved[:, [k]] * gap - runs[:, [k]] * np.logaddexp(0.0, gap) for k, gap in enumerate(gaps)]
    total = np.sum(terms, axis=0) + prior
    found = {}
    for k, name in enumerate(names):
        known = (runs[:, k] > 0) & (runs.sum(axis=1) > runs[:, k])
        if counts[known].sum() < _FEWEST:
            continue
        logs = (total - terms[k])[known]
        weights = np.exp(logs - logsumexp(logs, axis=1)[:, None])
        chance = (weights * expit(gaps[k][known])).sum(axis=1)
        predicted = (weights * difficulty[known]).sum(axis=1)
        number, tried = counts[known], runs[known, k]
        information = number * tried * chance * (1 - chance)
        predicted -= float(information @ predicted) / float(information.sum())
        left = solved[known, k] - tried * chance
        scatter = float(number @ (left * predicted) ** 2) ** 0.5
        if scatter > 0:
            found[name] = -float(number @ (left * predicted)) / scatter
    return found
