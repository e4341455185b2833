"""Rates above the floor: by hand, with a known floor and without, and how often intervals hold."""

import numpy as np
import pytest

from perennial.schemas.statistics import NEW_DOMAINS, THESE_DOMAINS
from perennial.tasks.statistics.cells import ALL, Domains, SettingGrid
from perennial.tasks.statistics.clusters import bound_share
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.study_figures import KnownFloor, floor_figures


def _figures(
    solved: dict[str, np.ndarray], known: KnownFloor | None = None, size: int = 1, population=NEW_DOMAINS
) -> dict[tuple[str, str], Statistic]:
    """Return the figures of one run on each instance, of domains with `size` instances."""
    players = tuple(sorted(solved))
    rows = np.array([solved[player] for player in players]).astype(int)
    n = rows.shape[1]
    cluster = np.arange(n) // size
    domains = Domains(tuple(f"{d:04}" for d in range(n // size)), tuple(range(0, n + 1, size)))
    grid = SettingGrid("easy", domains, players, rows * 0 + 1, rows, np.arange(n), cluster, population)
    rates = {}
    for player, row in zip(players, rows, strict=True):
        bounds = bound_share(row.astype(float), n, cluster, cluster, population)
        label = ("success_rate", "easy", ALL, player, n, float(row.mean()), "made")
        rates[player] = Statistic(*label, **bounds._asdict())
    return {
        (figure.statistic, figure.player): figure for figure in floor_figures(grid, rates, "guesser", known)
    }


def test_a_known_floor_moves_and_stretches_the_interval_of_the_rate() -> None:
    solved = {"m": np.arange(40) < 28, "guesser": np.arange(40) % 3 == 0}
    figures = _figures(solved, KnownFloor(0.25, 0.0))
    floor, above = figures["floor", "guesser"], figures["above_floor", "m"]
    assert (floor.value, floor.low, floor.convention) == (0.25, None, "known")
    assert above.value == pytest.approx((0.7 - 0.25) / 0.75)
    bounds = bound_share(solved["m"].astype(float), 40, np.arange(40), np.arange(40), NEW_DOMAINS)
    assert (above.low, above.high) == pytest.approx(
        [(end - 0.25) / 0.75 for end in (bounds.low, bounds.high)]
    )
    # The program itself is where its luck was, not at 0.
    assert figures["above_floor", "guesser"].value == pytest.approx((0.35 - 0.25) / 0.75)
    unsure = _figures(solved, KnownFloor(0.25, 0.05))["above_floor", "m"]
    assert unsure.low < above.low
    assert unsure.value == above.value


def test_a_measured_floor_is_the_programs_rate_on_shared_instances() -> None:
    found = _figures({"m": np.arange(40) < 28, "guesser": np.arange(40) % 4 == 0})
    assert (found["floor", "guesser"].value, found["floor", "guesser"].convention) == (0.25, "measured")
    above = found["above_floor", "m"]
    assert above.value == pytest.approx((0.7 - 0.25) / 0.75)
    assert above.low < above.value < above.high <= 1
    own = found["above_floor", "guesser"]
    assert (own.value, own.low, own.no_interval is None) == (0, None, False)
    perfect = _figures({"m": np.ones(40), "guesser": np.arange(40) % 4 == 0})["above_floor", "m"]
    assert (perfect.value, perfect.high) == (1, 1)
    assert 0.8 < perfect.low < 1


def test_nothing_is_above_a_floor_that_is_1_or_was_not_played() -> None:
    assert set(_figures({"m": np.ones(9), "guesser": np.ones(9)})) == {("floor", "guesser")}
    assert _figures({"m": np.ones(9), "other": np.ones(9)}) == {}
    assert set(_figures({"m": np.ones(9)}, KnownFloor(0.1, 0.0))) == {
        ("floor", "guesser"),
        ("above_floor", "m"),
    }


# Domains, instances of each, rate, floor; `linked`: how far one instance is hard for both.
CELLS = ((40, 5, 0.5, 0.25, 0.0), (40, 5, 0.7, 0.4, 0.8), (40, 5, 0.95, 0.25, 0.0), (12, 20, 0.6, 0.25, 0.5))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("domains", "size", "rate", "floor", "linked", "is_known"),
    [*((*cell, False) for cell in CELLS), (*CELLS[0], True)],
)
def test_intervals_hold(
    domains: int, size: int, rate: float, floor: float, linked: float, is_known: bool
) -> None:
    generator, draws, held = np.random.default_rng(1), 1_000, 0
    for _ in range(draws):
        common = generator.random(domains * size)
        spread = generator.beta(rate * 19, (1 - rate) * 19, domains).repeat(size)
        easy = np.where(generator.random(domains * size) < linked, common, generator.random(domains * size))
        solved = {"m": easy < spread, "guesser": common < floor}
        known = KnownFloor(floor, 0.0) if is_known else None
        above = _figures(solved, known, size)["above_floor", "m"]
        held += above.low <= (rate - floor) / (1 - floor) <= above.high
    assert 0.93 <= held / draws <= 0.97


@pytest.mark.slow
def test_an_interval_without_the_floors_error_holds_too_rarely() -> None:
    generator, held = np.random.default_rng(2), {"measured": 0, "as if known": 0}
    for _ in range(1_000):
        solved = {"m": generator.random(100) < 0.5, "guesser": generator.random(100) < 0.57}
        measured = float(np.mean(solved["guesser"]))
        for name, known in (("measured", None), ("as if known", KnownFloor(measured, 0.0))):
            above = _figures(solved, known, population=THESE_DOMAINS)["above_floor", "m"]
            held[name] += above.low <= (0.5 - 0.57) / 0.43 <= above.high
    assert held["as if known"] < 880
    assert 930 <= held["measured"] <= 970
