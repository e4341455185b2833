"""Raw counts, tokens, cost and statuses by hand, and what counts where a call failed."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.game import EPISODE_STATUSES, EpisodeStatus
from tests.statistics.single_episodes import (
    KnownMean,
    ScoredEpisode,
    mean_cost,
    mean_tests,
    mean_tokens,
    parse_error_rate,
    relative_count,
    status_rate,
    status_shares,
)

_STATUSES = st.lists(st.sampled_from(EPISODE_STATUSES), max_size=30)


def _episode(tests: int, tokens: int | None = None, cost_usd: float | None = None) -> ScoredEpisode:
    return ScoredEpisode("i", tests < 5, tests, 2, 6, tokens, cost_usd)


def test_raw_counts_take_failed_episodes_as_they_went() -> None:
    assert mean_tests([_episode(1), _episode(7)]) == 4
    assert mean_tests([_episode(0)]) == 0
    assert mean_tests([]) is None


def test_tokens_and_cost_are_means_over_the_known() -> None:
    episodes = [_episode(1, 100, 0.5), _episode(1), _episode(1, 0, 0.0), _episode(1, 50)]
    assert mean_tokens(episodes) == KnownMean(50, 3)
    assert mean_cost(episodes) == KnownMean(0.25, 2)


def test_where_nothing_is_known_there_is_no_mean() -> None:
    assert mean_tokens([_episode(1), _episode(2)]) == KnownMean(None, 0)
    assert mean_cost([]) == KnownMean(None, 0)


def test_a_failed_run_counts_the_same_however_long_it_went() -> None:
    short, long = (ScoredEpisode("i", False, tests, 3, 6) for tests in (0, 49))
    assert relative_count(short, "perennial") == relative_count(long, "perennial") == (7 - 4) / 4
    assert relative_count(short, "kumo-2025") == relative_count(long, "kumo-2025") == (7 - 5) / 5


def test_statuses_by_hand() -> None:
    attempted: list[EpisodeStatus] = ["solved", "solved", "unparsed", "wrong", "api_error"]
    shares = status_shares(attempted)
    assert shares is not None
    assert shares["solved"] == 0.4
    assert shares["api_error"] == shares["unparsed"] == 0.2
    assert shares["refused"] == 0
    # A call that failed is no answer: of the four that were scored, one could not be parsed.
    assert status_rate(attempted, "solved") == 0.5
    assert parse_error_rate(attempted) == 0.25
    assert status_rate(attempted, "api_error") == 0.2


def test_without_a_scored_episode_only_the_failures_have_a_rate() -> None:
    failed: Sequence[EpisodeStatus] = ["api_error", "api_error"]
    assert status_rate(failed, "api_error") == 1
    assert status_rate(failed, "solved") is None
    assert parse_error_rate(failed) is None
    assert status_shares([]) is None
    assert status_rate([], "api_error") is None


@given(_STATUSES, st.integers(0, 5))
def test_failed_calls_move_no_rate_but_their_own(statuses: list[EpisodeStatus], lost: int) -> None:
    scored = [status for status in statuses if status != "api_error"]
    attempted: list[EpisodeStatus] = [*scored, *["api_error"] * lost]
    for status in EPISODE_STATUSES[:-1]:
        assert status_rate(attempted, status) == status_rate(scored, status)
    if attempted:
        assert status_rate(attempted, "api_error") == lost / len(attempted)


@given(_STATUSES.filter(bool))
def test_shares_name_every_status_and_add_up_to_one(statuses: list[EpisodeStatus]) -> None:
    shares = status_shares(statuses)
    assert shares is not None
    assert tuple(shares) == EPISODE_STATUSES
    assert sum(shares.values()) == pytest.approx(1)
