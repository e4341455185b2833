"""The joint model: two independent implementations, known truths, and editions that tell nothing."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit

from perennial.tasks.statistics.scale.cells import DomainCell, components, observe
from perennial.tasks.statistics.scale.joint_model import (
    FEWEST,
    PRIOR_SPREAD,
    EditionShifts,
    find_slopes,
    fit_joint_model,
    prior_of,
)
from tests.statistics.scale.dense_model import fit_dense_model
from tests.statistics.scale.made_answers import RELEASE, draw_cells
from tests.statistics.scale.mixed_model_equations import solve_mixed_model


def _names(letter: str, number: int, first: int = 0) -> list[str]:
    return [f"{letter}{place}" for place in range(first, first + number)]


@st.composite
def _cells(draw: st.DrawFn) -> list[DomainCell]:
    """Cells of up to three editions, each player in some domains of some editions, runs and sizes uneven."""
    found = []
    for edition, domain, player in product("xyz", "abcd", "pqr"):
        if draw(st.booleans()):
            instances = draw(st.integers(1, 12))
            rate = draw(st.sampled_from([0.0, 0.1, 0.35, 0.5, 0.8, 1.0]))
            squares = rate * (1 - rate) * instances
            found.append(
                DomainCell(edition, domain, player, rate, squares, instances, draw(st.integers(1, 5)))
            )
    return found


@settings(max_examples=60, deadline=None)
@given(_cells().filter(bool), st.tuples(*(st.floats(0.0005, 0.05) for _ in range(3))))
def test_generalized_least_squares_agree_with_the_mixed_model_equations(
    cells: list[DomainCell], variances: tuple[float, float, float]
) -> None:
    seen = observe(cells, RELEASE)
    model = fit_joint_model(seen, variances)
    rates, covariance = solve_mixed_model(cells, seen, variances)
    np.testing.assert_allclose(model.rates, rates, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.covariance, covariance, rtol=1e-6, atol=1e-10)


@settings(max_examples=40, deadline=None)
@given(_cells().filter(bool), st.tuples(*(st.floats(0.0005, 0.05) for _ in range(3))))
def test_every_figure_agrees_with_one_covariance_matrix_of_all_cells(
    cells: list[DomainCell], variances: tuple[float, float, float]
) -> None:
    model, dense = (
        fit_joint_model(observe(cells, RELEASE), variances),
        fit_dense_model(cells, variances, RELEASE),
    )
    np.testing.assert_allclose(model.rates, dense.rates, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(model.covariance, dense.covariance, rtol=1e-8, atol=1e-12)
    for edition in model.seen.editions:
        shifts = EditionShifts(model, edition)
        found = shifts.shift()
        assert (found.value, found.error) == pytest.approx(dense.shift(edition), rel=1e-7, abs=1e-10)
        reach = float(stdtrit(found.freedom, 0.975)) * found.error
        assert (found.low, found.high) == pytest.approx((found.value - reach, found.value + reach))
        for player in model.seen.players:
            alone = shifts.rate(player)
            met = any((cell.edition, cell.player) == (edition, player) for cell in cells)
            assert (alone is not None) == met
            if alone is not None:
                expected = dense.rate_in_edition(player, edition)
                assert (alone.value, alone.error) == pytest.approx(expected, rel=1e-7, abs=1e-10)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_variances_and_slopes_agree_with_one_covariance_matrix_of_all_cells(seed: int) -> None:
    players = _names("p", 4)
    editions = {"old": (_names("d", 8), players), "new": (_names("d", 8, first=4), players[1:])}
    generator = np.random.default_rng(seed)
    cells = draw_cells(generator, dict.fromkeys(players, 0.5), editions, instances=8)
    model = fit_joint_model(observe(cells, RELEASE))
    variances = tuple(float(variance) for variance in model.variances)
    dense = fit_dense_model(cells, (variances[0], variances[1], variances[2]), RELEASE)
    # Where the posterior is highest its gradient is 0: the likelihood's, and that of the prior's logarithms.
    pull = (np.log(variances) - np.log(prior_of(RELEASE))) / PRIOR_SPREAD**2
    np.testing.assert_allclose(dense.gradient(), pull, atol=1e-5)
    slopes = find_slopes(model)
    for player in players:
        expected, gaps = np.array([*dense.predict(player).values()]).T
        if len(expected) >= FEWEST:
            assert slopes[player].domains == len(expected)
            assert slopes[player].value == pytest.approx(expected @ gaps / (expected @ expected), rel=1e-7)


def test_matrices_are_as_large_as_the_effects_of_a_domain_not_as_its_cells() -> None:
    cells = [
        DomainCell(edition, domain, player, 0.5, 2.0, 8, 5.0)
        for edition, domain, player in product(_names("e", 12), _names("d", 2), _names("p", 30))
    ]
    (block,) = observe(cells, RELEASE).blocks
    # The domain, it in each edition, each player, and the instances that players of an edition met together.
    assert block.gram.shape == (2, 1 + 12 + 30 + 12, 1 + 12 + 30 + 12)
    assert block.rates.shape == (2, 12 * 30)


def test_an_anchor_takes_away_what_its_domains_had_in_common() -> None:
    rates = {"a": 0.5, "b": 0.5, "anchor": 0.5}
    gaps: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(60):
        generator = np.random.default_rng(seed)
        editions = {"old": (_names("o", 8), ["a", "anchor"]), "new": (_names("n", 8), ["b", "anchor"])}
        cells = draw_cells(generator, rates, editions, (0.02, 0.002), 30)
        for with_anchor in (False, True):
            kept = [cell for cell in cells if with_anchor or cell.player != "anchor"]
            gaps[with_anchor].append(fit_joint_model(observe(kept, RELEASE)).difference("a", "b").value)
    alone, linked = (float(np.std(gaps[key])) for key in (False, True))
    assert linked < 0.85 * alone


@pytest.mark.parametrize("parts", [(0.0063, 0.0053), (0.015, 0.001)])
@pytest.mark.slow
def test_intervals_cover_differences_of_players_who_never_met(parts: tuple[float, float]) -> None:
    rates = {"a": 0.6, "b": 0.45, "one": 0.5, "two": 0.4}
    covered = []
    for seed in range(60):
        editions = {
            "old": (_names("o", 20), ["a", "one", "two"]),
            "new": (_names("n", 20), ["b", "one", "two"]),
        }
        cells = draw_cells(np.random.default_rng(seed), rates, editions, parts, 7)
        found = fit_joint_model(observe(cells, RELEASE)).difference("a", "b")
        covered.append(found.low <= 0.15 <= found.high)
    assert 0.9 <= np.mean(covered) <= 0.99


def test_variances_follow_the_data_where_there_is_enough() -> None:
    generator = np.random.default_rng(5)
    players = _names("p", 6)
    many = draw_cells(
        generator, dict.fromkeys(players, 0.5), {"e": (_names("d", 150), players)}, (0.03, 0.002), 40
    )
    domain, _, own = fit_joint_model(observe(many, RELEASE)).variances
    slope = 0.25 / 0.2  # a rate of one half follows more than a typical player
    assert domain * slope**2 == pytest.approx(0.03, rel=0.4)
    assert own < prior_of(RELEASE)[2]
    few = [cell for cell in many if cell.domain in ("d0", "d1")]
    assert fit_joint_model(observe(few, RELEASE)).variances[0] == pytest.approx(prior_of(RELEASE)[0], rel=0.6)


def test_one_player_in_one_domain_has_a_wide_interval() -> None:
    model = fit_joint_model(observe([DomainCell("e", "d", "p", 1.0, 0.0, 1, 1.0)], RELEASE))
    found = model.rate("p")
    assert (found.value, found.high) == (pytest.approx(1.0), 1.0)
    assert found.low < 0.75
    with pytest.raises(ValueError, match="no cells"):
        fit_joint_model(observe([], RELEASE))


def test_cells_at_both_ends_keep_finite_weights() -> None:
    cells = [
        DomainCell(edition, f"{edition}{number}", player, rate, 0.0, 50, 5.0)
        for edition in ("x", "y")
        for number in range(6)
        for player, rate in (("sure", 1.0), ("never", 0.0), (f"middle {edition}", float(number % 2)))
    ]
    model = fit_joint_model(observe(cells, RELEASE))
    assert model.rate("sure").value == pytest.approx(1.0)
    assert model.rate("never").value == pytest.approx(0.0)
    found = model.difference("middle x", "middle y")
    assert found.value == pytest.approx(0.0, abs=1e-9)
    # Players at the ends say nothing on how hard domains are: the link is the population alone.
    without = [cell for cell in cells if cell.player.startswith("middle")]
    alone = fit_joint_model(observe(without, RELEASE), tuple(model.variances)).difference(
        "middle x", "middle y"
    )
    assert found.error == pytest.approx(alone.error, rel=1e-3)


def test_editions_are_linked_by_players_or_by_domains() -> None:
    def cell(edition: str, domain: str, player: str) -> DomainCell:
        return DomainCell(edition, domain, player, 0.5, 2.0, 8, 1.0)

    cells = [cell("x", "1", "a"), cell("y", "2", "a"), cell("z", "3", "b"), cell("w", "3", "c")]
    assert list(components(observe(cells, RELEASE))) == [frozenset("wz"), frozenset("xy")]


@pytest.mark.slow
def test_a_player_that_follows_no_domain_is_found() -> None:
    players = _names("p", 6)
    rates = dict.fromkeys(players, 0.5)
    p_values: dict[str, list[float]] = {name: [] for name in players}
    for seed in range(20):
        cells = draw_cells(
            np.random.default_rng(seed),
            rates,
            {"e": (_names("d", 40), players)},
            (0.02, 0.004),
            20,
            slopes={"p0": 0.0},
        )
        for name, slope in find_slopes(fit_joint_model(observe(cells, RELEASE))).items():
            p_values[name].append(slope.p_value)
    assert np.median(p_values["p0"]) < 0.001
    equal = [
        draw_cells(np.random.default_rng(seed), rates, {"e": (_names("d", 40), players)}, (0.02, 0.004), 20)
        for seed in range(20)
    ]
    found = [
        slope.p_value
        for cells in equal
        for slope in find_slopes(fit_joint_model(observe(cells, RELEASE))).values()
    ]
    assert len(found) == 120
    assert np.mean(np.array(found) < 0.05) < 0.1
