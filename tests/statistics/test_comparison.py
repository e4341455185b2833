"""Paired comparison: by hand and by cluster, and McNemar against published tables and scipy."""

import random
from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from perennial.schemas.statistics import NEW_DOMAINS, THESE_DOMAINS, Population
from perennial.tasks.statistics.cells import SettingGrid
from perennial.tasks.statistics.multiplicity import Statistic, kind_by_name
from perennial.tasks.statistics.rank_figures import compare_pairs, mcnemar_p, pair_figures, rank_figures
from tests.statistics.made_cells import Cell, grid

Runs = Mapping[str, tuple[int, int]]
"""Of each instance: how many runs were solved, and how many there were."""
_RUNS = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.integers(0, 4).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs))),
)


def _cells(player: str, played: Runs) -> list[Cell]:
    return [Cell("D", "easy", player, name, runs, solved) for name, (solved, runs) in played.items()]


def _difference(a: Runs, b: Runs) -> Statistic | None:
    figures = _compare(grid([*_cells("a", a), *_cells("b", b)]))
    return next((figure for figure in figures if figure.statistic == "paired_difference"), None)


def _compare(of: SettingGrid) -> Iterator[Statistic]:
    return pair_figures(of.setting, compare_pairs(of, kind_by_name((), "")))


def _play(rng: random.Random, instances: int, skill: float) -> dict[str, tuple[int, int]]:
    return {f"i{i}": (sum(rng.random() < skill for _ in range(5)), 5) for i in range(instances)}


def test_the_difference_by_hand() -> None:
    a = {"x": (2, 3), "y": (1, 1), "only a": (0, 2)}
    b = {"x": (1, 2), "y": (0, 4), "only b": (1, 1)}
    found = _difference(a, b)
    # Instances weigh alike: 2/3 - 1/2 and 1 - 0.
    assert found.n == 2
    assert found.value == pytest.approx((1 / 6 + 1) / 2)
    assert found.population == "these domains"
    # Two instances say next to nothing: Student's quantile for one degree of freedom is 12.7.
    assert (found.low, found.high) == (-1, 1)


@pytest.mark.parametrize(
    ("a", "b"), [({}, {}), ({"x": (1, 1)}, {"y": (1, 1)}), ({"x": (0, 0)}, {"x": (1, 1)})]
)
def test_without_shared_runs_there_is_no_difference(a: Runs, b: Runs) -> None:
    assert _difference(a, b) is None


def test_many_instances_have_the_students_interval_of_their_differences() -> None:
    rng = random.Random(8)
    a, b = _play(rng, 400, 0.7), _play(rng, 400, 0.6)
    found = _difference(a, b)
    differences = [(a[name][0] - b[name][0]) / 5 for name in a]
    assert found.value == pytest.approx(np.mean(differences))
    half = 1.966 * np.std(differences, ddof=1) / np.sqrt(len(differences))
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), abs=0.004)


def test_players_that_never_differ_may_differ_yet() -> None:
    """Bonett and Price: t^2 / 4 gains and as many losses more than 40 pairs without any."""
    found = _difference({f"i{n}": (1, 1) for n in range(40)}, {f"i{n}": (1, 1) for n in range(40)})
    t = 2.022691
    added = t * t / 4
    half = t * (2 * added / (40 + 2 * added) / (40 + 2 * added)) ** 0.5
    assert found.value == 0
    assert (found.low, found.high) == pytest.approx((-half, half), abs=1e-6)


def test_one_shared_instance_has_no_interval_and_says_why() -> None:
    found = _difference({"x": (1, 1)}, {"x": (0, 1)})
    assert (found.value, found.low, found.high, found.population) == (1, None, None, None)
    assert found.no_interval == "one cluster: nothing shows how clusters vary"


def test_pairing_takes_the_instances_difficulty_out() -> None:
    a = {f"i{i}": (1 + 8 * (i % 2), 10) for i in range(1000)}
    b = {name: (solved - 1, runs) for name, (solved, runs) in a.items()}
    found = _difference(a, b)
    # One player's rate has an interval five times as wide.
    assert 0.09 < found.low < 0.1 < found.high < 0.11


def test_domains_that_are_drawn_are_clusters() -> None:
    """Domain means of the difference are 1, 0 and 0: Student's interval of three of them is wide."""

    def differ(population: Population) -> Statistic:
        cells = [
            Cell(
                *(domain, "easy", player, str(n), 1, int(player == "b" or domain != "A")),
                cluster=domain if population == NEW_DOMAINS else "",
            )
            for domain in "ABC"
            for player in "ab"
            for n in range(50)
        ]
        figures = _compare(grid(cells, population=population))
        return next(figure for figure in figures if figure.statistic == "paired_difference")

    by_domain, by_instance = differ(NEW_DOMAINS), differ(THESE_DOMAINS)
    assert by_domain.population == "new domains"
    assert by_domain.value == by_instance.value == pytest.approx(-1 / 3)
    assert by_domain.low == -1
    assert by_domain.high > 0.2
    # Of these three domains there is little doubt.
    assert -0.45 < by_instance.low < by_instance.high < -0.25


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=4), min_size=2, max_size=8),
    st.sampled_from([NEW_DOMAINS, THESE_DOMAINS]),
)
def test_p_values_intervals_and_ranks_say_the_same(
    domains: list[list[tuple[int, ...]]], population: Population
) -> None:
    """Four players: p < .05 where 0 is left out, alone and simultaneously; ranks are those of the pairs."""
    cells = [
        Cell(f"D{number}", "easy", f"p{player}", str(row), 2, solved, cluster=f"c{number}/{row // 2}")
        for number, rows in enumerate(domains)
        for row, scores in enumerate(rows)
        for player, solved in enumerate(scores)
    ]
    played, kind = grid(cells, population=population), kind_by_name((), "")
    pairs = compare_pairs(played, kind)
    figures = list(pair_figures("easy", pairs))
    assert len(figures) == 3 * 6
    ahead = dict.fromkeys(played.players, 0)
    for difference, simultaneous, test in zip(*[iter(figures)] * 3, strict=True):
        for p, interval in ((difference.p_value, difference), (difference.p_adjusted, simultaneous)):
            assert (p < 0.05) == (not interval.low <= 0 <= interval.high)
        assert simultaneous.low <= difference.low <= difference.high <= simultaneous.high
        assert difference.p_adjusted == min(1, 6 * difference.p_value)
        assert test.p_adjusted is None
        if difference.p_adjusted < 0.05:
            ahead[difference.player if difference.value > 0 else difference.other] += 1
    for rank in rank_figures(played, kind, pairs):
        if rank.statistic == "rank":
            assert rank.low <= rank.value <= rank.high == 4 - ahead[rank.player]


@settings(max_examples=25)
@given(_RUNS, _RUNS, st.randoms(use_true_random=False))
def test_order_changes_nothing_and_changed_sides_change_the_sign(a: Runs, b: Runs, rng) -> None:
    one, other = _difference(a, b), _difference(b, a)
    assert _difference(dict(rng.sample(list(a.items()), len(a))), b) == one
    assert (one is None) == (other is None)
    if one is not None:
        assert one.n == other.n
        assert one.value == pytest.approx(-other.value)
        assert (one.low is None) == (one.n < 2)
        if one.low is not None:
            assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-9)
            assert one.low < one.value < one.high or one.n < 4


# Fagerland, Lydersen and Laake 2013, tables 1 and 2: exact conditional test.
@pytest.mark.parametrize(
    ("only_one", "only_other", "published"), [(1, 7, 0.0703), (6, 16, 0.0525), (5, 5, 1.0), (0, 0, 1.0)]
)
def test_mcnemar_as_published(only_one: int, only_other: int, published: float) -> None:
    assert mcnemar_p(only_one, only_other) == pytest.approx(published, abs=5e-5)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_agrees_with_scipys_binomial_test(only_one: int, only_other: int) -> None:
    found = mcnemar_p(only_one, only_other)
    independent = binomtest(only_one, only_one + only_other).pvalue if only_one + only_other else 1.0
    assert found == pytest.approx(independent, rel=1e-9)
    assert found == mcnemar_p(only_other, only_one) <= 1
