"""The contamination gap: p is exact, the interval holds its level, and power is what is promised."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.tasks.statistics.cells import Domains, SettingGrid
from perennial.tasks.statistics.contamination import (
    GAP,
    OriginRates,
    Sample,
    Split,
    contamination_figures,
    permute_splits,
)
from perennial.tasks.statistics.multiplicity import Statistic
from tests.contamination.simulated_editions import Edition, try_editions

ONE_STRATUM = np.zeros(12, np.int64)
PRIVATE = np.arange(12) >= 6


def _sample(rates: list[float], stratum: "np.ndarray | None" = None) -> Sample:
    numbers = ONE_STRATUM if stratum is None else stratum
    return Sample.choose(np.array(rates), np.ones(12), numbers, PRIVATE)


def test_p_is_the_share_of_all_splits_with_as_large_a_gap() -> None:
    rates = [1, 1, 1, 1, 0.5, 0, 0, 0.5, 0, 1, 0, 0]
    gaps = []
    for public in combinations(range(12), 6):
        inside = sum(rates[origin] for origin in public)
        gaps.append(inside / 6 - (sum(rates) - inside) / 6)
    sample = _sample(list(map(float, rates)))
    assert sample.gap() == pytest.approx(4.5 / 6 - 1.5 / 6)
    assert sample.deviation() == pytest.approx(np.std(gaps))
    exact = np.mean(np.array(gaps) >= sample.gap() - 1e-9)
    assert permute_splits({"m": sample}, 3)["m"] == pytest.approx(exact, abs=0.02)


@given(st.lists(st.integers(0, 4), min_size=12, max_size=12), st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_answers_that_differ_by_domain_only_have_no_gap(levels: list[int], seed: int) -> None:
    # Pairs of a public and a private origin, each a domain; both have the domain's rate.
    stratum = np.tile(np.arange(6), 2)
    sample = _sample([level / 4 for level in (*levels[:6], *levels[:6])], stratum)
    assert sample.gap() == pytest.approx(0)
    assert permute_splits({"m": sample}, seed)["m"] == 1


def _rates(is_private: "np.ndarray", stratum: "np.ndarray", solved: list[list[int]]) -> OriginRates:
    size = len(stratum)
    split = Split(origin=np.arange(size), stratum=stratum, is_private=is_private)
    rates = OriginRates({"s": split})
    runs = np.full((len(solved), size), 2, np.int32)
    rank = np.arange(size)
    players = tuple(f"p{row}" for row in range(len(solved)))
    domains = Domains(("d",), (0, size))
    rates.add(SettingGrid("s", domains, players, runs, np.array(solved, np.int32), rank, rank))
    return rates


def _gaps(rates: OriginRates) -> dict[str, Statistic]:
    figures = contamination_figures(rates, 1)
    return {figure.player: figure for figure in figures if figure.statistic == GAP}


def test_who_has_memorised_the_public_part_has_a_gap_and_its_interval() -> None:
    public = [[2, 1][place % 2] for place in range(20)]
    memorised, honest = [2] * 20 + [1, 0] * 10, public + public
    found = _gaps(_rates(np.arange(40) >= 20, np.zeros(40, np.int64), [memorised, honest]))
    assert found["p0"].value == pytest.approx(0.75)
    assert found["p0"].p_value == 1 / 5000
    low = found["p0"].low
    assert low is not None
    assert low > 0.4
    assert (found["p1"].value, found["p1"].p_value) == (0, pytest.approx(0.62, abs=0.15))


def test_too_few_origins_and_strata_of_one_side_have_no_gap_but_a_reason() -> None:
    few = _gaps(_rates(np.arange(9) >= 6, np.zeros(9, np.int64), [[1] * 9]))["p0"]
    assert (few.value, few.p_value) == (None, None)
    assert few.no_interval == "fewer than 6 public or private origins that can be compared"
    # A stratum for each side: nothing can be compared.
    apart = list(contamination_figures(_rates(np.arange(20) >= 10, np.arange(20) // 10, [[1] * 20]), 1))
    assert {figure.statistic: (figure.n, figure.value) for figure in apart} == {
        "contamination_gap": (0, None),
        "contamination_left_out": (20, 20.0),
    }


def test_no_split_has_no_figures() -> None:
    assert not list(contamination_figures(OriginRates({}), 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edition", "found", "covered"),
    [
        # Of 2,000 each: p <= .05 in .037 to .043 (the last: .032), the truth in .951 to .955 (.973).
        (Edition(10, 100, 0.5), (0.03, 0.07), (0.93, 0.97)),
        (Edition(10, 100, 0.5, rate=0.95, spread=0.0), (0.03, 0.07), (0.93, 0.97)),
        # Few values are possible in small ones: an exact test says yes less often than .05.
        (Edition(20, 5, 0.2), (0.0, 0.07), (0.93, 0.99)),
    ],
)
def test_without_a_leak_p_and_interval_hold_their_level(
    edition: Edition, found: tuple[float, float], covered: tuple[float, float]
) -> None:
    tried = try_editions(edition, 1_000, seed=7)
    assert found[0] <= tried.found <= found[1], tried
    assert covered[0] <= tried.covered <= covered[1], tried


@pytest.mark.slow
@pytest.mark.parametrize(
    "edition", [Edition(10, 100, 0.5, gap=0.0725), Edition(1, 1000, 0.5, gap=0.0786, spread=0)]
)
def test_a_gap_of_the_promised_size_is_found_as_often_as_promised(edition: Edition) -> None:
    tried = try_editions(edition, 1_000, seed=8)
    assert tried.detectable == pytest.approx(edition.gap, abs=0.002)
    assert 0.75 <= tried.found <= 0.85, tried
