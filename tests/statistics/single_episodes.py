"""Rates of a player over episodes that are clustered by instance, with their sums by cluster.

An episode that ended with `api_error` is no answer: callers leave it out before they come here. Only the
functions that take statuses want all attempted episodes, and say what they do with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.game import EPISODE_STATUSES, EpisodeStatus

Convention = Literal["perennial", "kumo-2025"]


@dataclass(frozen=True, slots=True)
class ScoredEpisode:
    """What the rates need of one episode: counts of tests, and the instance as its cluster.

    `tokens` and `cost_usd` are None where no model played or one is unknown.
    """

    instance_id: str
    success: bool
    tests: int
    optimal_tests: int
    n_actions: int
    tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class KnownMean:
    """The mean over the `n` episodes whose value is known; None where none is."""

    value: float | None
    n: int


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


def mean_tests(episodes: Sequence[ScoredEpisode]) -> float | None:
    """Return tests / scored episodes: actions as taken, without the prediction, failed episodes as they went.

    No convention enters: the figure is raw. None without any episode.
    """
    return _mean(float(episode.tests) for episode in episodes)


def mean_tokens(episodes: Sequence[ScoredEpisode]) -> KnownMean:
    """Return the tokens an episode, prompts and replies of all its calls (figure 6b), where known."""
    return _known_mean(episode.tokens for episode in episodes)


def mean_cost(episodes: Sequence[ScoredEpisode]) -> KnownMean:
    """Return the US dollars an episode, of all its calls, where known."""
    return _known_mean(episode.cost_usd for episode in episodes)


def status_shares(statuses: Sequence[EpisodeStatus]) -> dict[EpisodeStatus, float] | None:
    """Return the share of every status among the attempted episodes; None without any.

    Says what became of the attempts: the shares add up to 1, those of `api_error` included. How a player
    answers is counted by `status_rate`, which excludes those.
    """
    if not statuses:
        return None
    return {status: statuses.count(status) / len(statuses) for status in EPISODE_STATUSES}


def status_rate(statuses: Sequence[EpisodeStatus], status: EpisodeStatus) -> float | None:
    """Return the episodes of one status / scored episodes, given the statuses of all attempted ones.

    Scored are those attempted without `api_error`. The rate of `api_error` itself is among all attempted.
    None where there is no such episode to divide by.
    """
    among = statuses if status == "api_error" else [each for each in statuses if each != "api_error"]
    return _mean(float(each == status) for each in among)


def parse_error_rate(statuses: Sequence[EpisodeStatus]) -> float | None:
    """Return the paper's parse-error rate (figure 6a): `unparsed` / scored episodes; None without any.

    An episode ends at its first answer that is neither an action nor a truth.
    """
    return status_rate(statuses, "unparsed")


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def _known_mean(values: Iterable[float | None]) -> KnownMean:
    known = [value for value in values if value is not None]
    return KnownMean(_mean(known), len(known))
