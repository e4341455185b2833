"""Krippendorff's alpha: published examples, an independent formula, and its interval."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.tasks.statistics.agreement import (
    CATEGORY,
    STYLE,
    Analyses,
    agreement_figures,
    interval_of,
    nominal_alpha,
)

Unit = list[str | None]
# K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): two observers of ten binary units (A),
# two of twelve nominal ones (B), four of twelve with missing values (C).
TWO = ("0100000010", "1110010000")
NOMINAL = ("aabbdcccedda", "babbbccceddd")
CODERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def units_of(raters: tuple[str, ...]) -> list[Unit]:
    return [[None if value == "." else value for value in unit] for unit in zip(*raters, strict=True)]


@pytest.mark.parametrize(
    ("raters", "alpha"), [(TWO, 0.095), (NOMINAL, 0.692), (CODERS, 0.743)], ids=["A", "B", "C"]
)
def test_published_examples(raters: tuple[str, ...], alpha: float) -> None:
    assert nominal_alpha(units_of(raters)) == pytest.approx(alpha, abs=0.0005)


def pairwise_alpha(units: list[Unit]) -> float | None:
    """Return alpha from all pairs of values, one after the other: disagreement within units and anywhere."""
    pairable = [values for unit in units if len(values := [v for v in unit if v is not None]) >= 2]
    everything = [value for values in pairable for value in values]
    n = len(everything)
    if n < 2:
        return None
    within = sum(sum(a != b for a, b in permutations(values, 2)) / (len(values) - 1) for values in pairable)
    anywhere = sum(a != b for a, b in permutations(everything, 2)) / (n - 1)
    return None if anywhere == 0 else 1 - within / anywhere


UNITS = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from(["a", "b", "c", None]), min_size=raters, max_size=raters), max_size=12
    )
)


@pytest.mark.slow
@given(UNITS)
@settings(max_examples=150, deadline=None)
def test_it_is_that_of_all_pairs_of_values(units: list[Unit]) -> None:
    expected = pairwise_alpha(units)
    found = nominal_alpha(units)
    assert (found is None) == (expected is None)
    if expected is not None:
        assert found == pytest.approx(expected)


def test_it_is_undefined_without_two_values_or_variation() -> None:
    assert nominal_alpha([]) is None
    assert nominal_alpha([["a", None], [None, "b"]]) is None
    assert nominal_alpha([["a", "a"], ["a", "a"]]) is None
    assert nominal_alpha([["a", "a"], ["b", "b"]]) == 1.0


def said(number: int, differ: int, player: str = "m") -> list[Analyses]:
    """Return analyses of an item each by two analysts, who differ on the first ones."""
    found = []
    for item in range(number):
        one = "ab"[item % 2]
        other = "ba"[item % 2] if item < differ else one
        found.append(Analyses(player, f"i{item:03}", {"x": one, "y": other}, {"x": "s", "y": "s"}))
    return found


def test_figures_are_of_each_player_and_of_all_with_the_same_interval_each_time() -> None:
    analysed = said(40, 12) + said(20, 0, "n")
    figures = {(each.statistic, each.player): each for each in agreement_figures(analysed, 5)}
    assert set(figures) == {(what, player) for what in (CATEGORY, STYLE) for player in ("all", "m", "n")}
    # 40 of a, 40 of b, 24 unequal of 80 pairs: D_o = 0.3, D_e = 40 / 79.
    own = figures[CATEGORY, "m"]
    assert (own.n, own.value) == (40, pytest.approx(1 - 0.3 / (40 / 79)))
    assert own.low is not None
    assert own.high is not None
    assert own.value is not None
    assert own.low < own.value < own.high < 1
    assert figures[CATEGORY, "n"].value == 1.0
    assert figures[STYLE, "all"][5] is None
    assert figures == {(each.statistic, each.player): each for each in agreement_figures(analysed, 5)}
    assert list(agreement_figures([each._replace(categories={"x": "a"}) for each in analysed], 5)) == []


def test_agreement_on_few_items_is_not_certain() -> None:
    items = [[["a", "a"]], [["b", "b"]]] * 10
    interval = interval_of(items, 1)
    assert interval is not None
    # 0 of 20 items differ: at most 0.168 of them do, and D_e is 20 / 39.
    assert interval == (pytest.approx(1 - 0.168433 / (20 / 39), abs=1e-5), 1.0)
    assert interval_of([[["a", "b"]]], 1) is None


def test_runs_and_items_of_one_rule_are_no_independent_evidence() -> None:
    items = [[["a", "ab"[number % 3 == 0]]] for number in range(60)] + [[["b", "b"]]] * 60
    once, often = interval_of(items, 1), interval_of([item * 4 for item in items], 1)
    assert once is not None
    assert often is not None
    assert often[1] - often[0] == pytest.approx(once[1] - once[0], rel=0.1)


def test_agreement_is_over_rules() -> None:
    """Eight items of each rule that analysts see alike say what one says."""
    analysed = said(40, 12)
    (once,) = (
        one for one in agreement_figures(analysed, 5) if (one.statistic, one.player) == (CATEGORY, "m")
    )
    more = [one for one in analysed for _ in range(8)]
    (often,) = (one for one in agreement_figures(more, 5) if (one.statistic, one.player) == (CATEGORY, "m"))
    apart = [one._replace(cluster=f"{one.cluster}/{number}") for number, one in enumerate(more)]
    (wrong,) = (one for one in agreement_figures(apart, 5) if (one.statistic, one.player) == (CATEGORY, "m"))
    widths = [(one.high or 0) - (one.low or 0) for one in (once, often, wrong)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    assert widths[2] < 0.5 * widths[0]
