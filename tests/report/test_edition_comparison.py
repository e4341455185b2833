"""Two editions compared: the interval of a difference, its test over domains, and who is compared."""

from itertools import product
from random import Random

import pytest

from tasks.report.content import Comparison
from tasks.report.edition_comparison import Rate, comparison_table, difference_interval, sign_flip_p
from tests.report.sample_report import report_data


def test_the_interval_of_a_difference_is_that_of_two_normal_ones_where_they_are_symmetric() -> None:
    low, high = difference_interval(Rate(0.6, 0.57, 0.63), Rate(0.5, 0.46, 0.54)) or (0.0, 0.0)
    assert (low, high) == pytest.approx((0.1 - 0.05, 0.1 + 0.05))


def test_the_interval_of_a_difference_takes_the_ends_that_count() -> None:
    low, high = difference_interval(Rate(0.9, 0.6, 0.9), Rate(0.5, 0.5, 0.5)) or (0.0, 0.0)
    assert (low, high) == pytest.approx((0.1, 0.4))
    assert difference_interval(Rate(0.9, None, None), Rate(0.5, 0.4, 0.6)) is None


def brute_force_p(differences: list[float]) -> float:
    observed = abs(sum(differences)) - 1e-12
    flips = list(product((1, -1), repeat=len(differences)))
    extreme = sum(
        abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= observed for signs in flips
    )
    return extreme / len(flips)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 11])
def test_the_p_value_counts_all_signs(n: int) -> None:
    rng = Random(n)
    for _ in range(3):
        differences = [rng.uniform(-0.2, 0.4) for _ in range(n)]
        assert sign_flip_p(differences) == pytest.approx(brute_force_p(differences), abs=1e-12)


def test_the_p_value_of_many_domains_is_drawn_the_same_each_time() -> None:
    rng = Random(1)
    differences = [rng.uniform(-0.2, 0.25) for _ in range(40)]
    assert sign_flip_p(differences) == sign_flip_p(differences)
    assert sign_flip_p([0.3] * 40) == pytest.approx(0.0002)


def test_undefined_and_trivial_p_values() -> None:
    assert sign_flip_p([]) is None
    assert sign_flip_p([0.5]) is None
    assert sign_flip_p([0.0, 0.0]) == 1.0


def test_only_what_both_editions_have_is_compared() -> None:
    one, other = report_data(("a", "b")), report_data(("b", "c")).tables
    found = comparison_table(one, Comparison("old", other["headline"], other["domains"]))
    records = found.records()
    assert found.sql == other["headline"].sql
    assert [(record["setting"], record["player"]) for record in records] == [("easy", "b"), ("hard", "b")]
    first = records[0]
    assert first["difference"] == pytest.approx(-0.45)
    assert first["shared_domains"] == 3
    assert first["mean_difference_by_domain"] == pytest.approx(-0.45)
    assert first["p_value"] == pytest.approx(0.25)
    assert first["p_holm"] == pytest.approx(0.5)
