"""Rates of a player over episodes that are clustered by instance, with their sums by cluster.

An episode that ended with `api_error` is no answer: callers leave it out before they come here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Convention = Literal["perennial", "kumo-2025"]


@dataclass(frozen=True, slots=True)
class ScoredEpisode:
    """What the rates need of one episode: counts of tests, and the instance as its cluster."""

    instance_id: str
    success: bool
    tests: int
    optimal_tests: int
    n_actions: int


def success_rate(episodes: Sequence[ScoredEpisode]) -> float | None:
    """Return solved / scored episodes (the paper's equation 3), in 0..1; None without any episode."""
    return _mean(float(episode.success) for episode in episodes)


def relative_action_count(episodes: Sequence[ScoredEpisode], convention: Convention) -> float | None:
    """Return the mean of (count - optimum) / optimum (the paper's equation 4); None without any episode."""
    return _mean(relative_count(episode, convention) for episode in episodes)


def relative_count(episode: ScoredEpisode, convention: Convention) -> float:
    """Return one episode's (count - optimum) / optimum; 0 is optimal play.

    `perennial` counts tests + 1 on both sides: the actions and the one prediction. `kumo-2025` counts
    tests + 2, as the authors published. In both an episode that failed counts as n_actions + 1.
    """
    extra = 1 if convention == "perennial" else 2
    count = episode.tests + extra if episode.success else episode.n_actions + 1
    optimum = episode.optimal_tests + extra
    return (count - optimum) / optimum


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None
