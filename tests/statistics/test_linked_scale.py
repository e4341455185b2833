"""Two simulated editions: anchors tell a known drift of the edition from a known change of a model."""

import numpy as np
import pytest

from perennial.tasks.statistics.rasch import Edition, link_editions

ABILITIES = {"anchor 1": -0.8, "anchor 2": 0.4, "anchor 3": 1.2, "model": 0.5, "steady": 0.9}
SIX = {f"d{number}": mean for number, mean in enumerate((-1.0, -0.5, 0.0, 0.2, 0.6, 1.1))}
ANCHORS = ("anchor 1", "anchor 2", "anchor 3")


def _draw(
    generator: np.random.Generator,
    abilities: dict[str, float],
    domains: dict[str, float],
    instances: int = 50,
) -> Edition:
    edition = []
    for domain, mean in domains.items():
        for difficulty in generator.normal(mean, 1.0, instances):
            chances = {name: 1 / (1 + np.exp(difficulty - ability)) for name, ability in abilities.items()}
            pattern = {name: (int(generator.random() < chance), 1) for name, chance in chances.items()}
            edition.append((domain, pattern, 1))
    return edition


def _shifted(by: float) -> dict[str, float]:
    return {domain: mean + by for domain, mean in SIX.items()}


@pytest.mark.slow
def test_anchors_recover_a_known_drift_and_a_known_change() -> None:
    z_values = []
    for seed in range(8):
        generator = np.random.default_rng(seed)
        old = _draw(generator, ABILITIES, SIX)
        new = _draw(generator, {**ABILITIES, "model": 0.5 - 0.9}, _shifted(0.6))
        link = link_editions(new, old, ANCHORS)
        assert link is not None
        assert (link.anchors, link.shared_domains) == (ANCHORS, 6)
        truths = ((link.drift, 0.6), (link.changes["model"], -0.9), (link.changes["steady"], 0.0))
        z_values.append([(found.value - truth) / found.error for found, truth in truths])
        assert link.drift.error < 0.3
    scatter = np.array(z_values)
    assert np.abs(scatter.mean(axis=0)).max() < 0.75
    assert np.abs(scatter).max() < 3.5
    # A model that changed and an edition that drifted are found, a steady model seldom called changed.
    assert (np.abs(scatter[:, 2]) > 2).mean() < 0.2


def test_the_success_rate_alone_would_blame_the_model() -> None:
    generator = np.random.default_rng(1)
    old, new = _draw(generator, ABILITIES, SIX, 100), _draw(generator, ABILITIES, _shifted(0.8), 100)
    link = link_editions(new, old, ANCHORS)
    assert link is not None
    fall = np.mean([pattern["steady"][0] for _, pattern, _ in new]) - np.mean(
        [pattern["steady"][0] for _, pattern, _ in old]
    )
    assert fall < -0.1
    assert link.drift.p_value < 0.001
    assert link.changes["steady"].p_value > 0.01


def test_an_anchor_that_changed_itself_is_shown_by_the_others() -> None:
    generator = np.random.default_rng(2)
    old = _draw(generator, ABILITIES, SIX, 100)
    new = _draw(generator, {**ABILITIES, "anchor 3": -0.3}, SIX, 100)
    link = link_editions(new, old, ANCHORS)
    assert link is not None
    assert link.changes["anchor 3"].value == pytest.approx(-1.5, abs=0.6)
    assert link.changes["anchor 3"].p_value < 0.01


def test_without_shared_domains_the_draw_of_domains_is_in_the_error() -> None:
    generator = np.random.default_rng(3)
    old = _draw(generator, ABILITIES, SIX)
    same = link_editions(_draw(generator, ABILITIES, SIX), old, ANCHORS)
    others = {f"new {domain}": mean for domain, mean in SIX.items()}
    apart = link_editions(_draw(generator, ABILITIES, others), old, ANCHORS)
    assert same is not None
    assert apart is not None
    assert (same.shared_domains, apart.shared_domains) == (6, 0)
    drawn = np.var(list(SIX.values()), ddof=1) / 6 * 2
    assert apart.drift.error**2 > 0.6 * drawn > 2 * same.drift.error**2


def test_an_anchor_that_solves_everything_ties_nothing() -> None:
    generator = np.random.default_rng(4)
    old, new = (
        _draw(generator, {**ABILITIES, "sure": 60.0}, SIX),
        _draw(generator, {**ABILITIES, "sure": 60.0}, SIX),
    )
    assert link_editions(new, old, ("sure",)) is None
    assert link_editions(new, old, ()) is None
    link = link_editions(new, old, ("sure", "anchor 1"))
    assert link is not None
    assert link.anchors == ("anchor 1",)
    assert "sure" not in link.changes


def _draw_with_slopes(generator: np.random.Generator, slopes: dict[str, float], by: float) -> Edition:
    edition = []
    for domain, mean in _shifted(by).items():
        for difficulty in generator.normal(mean, 1.0, 50):
            chances = {
                name: 1 / (1 + np.exp(slopes.get(name, 1.0) * (difficulty - ability)))
                for name, ability in ABILITIES.items()
            }
            edition.append(
                (domain, {name: (int(generator.random() < p), 1) for name, p in chances.items()}, 1)
            )
    return edition


@pytest.mark.slow
def test_unequal_slopes_are_told_and_equal_ones_seldom() -> None:
    unequal = {**dict.fromkeys(ANCHORS, 0.6), "model": 1.8, "steady": 1.8}
    smallest: dict[bool, list[float]] = {True: [], False: []}
    for seed in range(6):
        generator = np.random.default_rng(seed)
        for is_equal, slopes in ((True, {}), (False, unequal)):
            old = _draw_with_slopes(generator, slopes, 0.0)
            link = link_editions(_draw_with_slopes(generator, slopes, 0.8), old, ANCHORS)
            assert link is not None
            assert set(link.slopes) == set(ABILITIES)
            smallest[is_equal].append(min(link.slopes.values()))
    assert np.median(smallest[False]) < 0.01
    assert sum(p < 0.05 for p in smallest[True]) <= 1
