"""Figures of an edition against plain loops over its rows."""

from collections import Counter, defaultdict
from collections.abc import Callable
from math import log2
from statistics import correlation, fmean, stdev
from typing import Any

import numpy as np
import pytest

from perennial.tasks.a2rbench.statistics import estimate_gap, estimate_share
from perennial.tasks.statistics.clusters import ClusterDraw, estimate_ratio, share_interval
from tests.a2rbench import made_edition
from tests.a2rbench.made_edition import Row, Rows


@pytest.fixture(scope="module")
def rows() -> Rows:
    return made_edition.rows()


@pytest.fixture(scope="module")
def figures() -> dict[tuple[Any, ...], Row]:
    return {
        tuple(row[name] for name in ("statistic", "setting", "domain", "player", "other")): row
        for row in made_edition.usual_statistics()
    }


def rates(rows: Rows, column: Callable[[Row, Row], bool]) -> dict[tuple[str, str], float]:
    """Return the share of a player's runs on an item for which this holds of episode and answer."""
    answers = {row["episode_id"]: row for row in rows["a2rbench_answers"]}
    found: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row in rows["episodes"]:
        found[row["player"], row["instance_id"]].append(column(row, answers[row["episode_id"]]))
    return {key: fmean(values) for key, values in found.items()}


def test_the_curve_pools_wrong_answers_of_models_and_correlates_over_variations(
    rows: Rows, figures: dict[tuple[Any, ...], Row]
) -> None:
    answers = {row["episode_id"]: row["answer"] for row in rows["a2rbench_answers"]}
    right = rates(rows, lambda episode, _: episode["success"])
    entropies, compressions, means = [], [], []
    for variation in made_edition.VARIATIONS:
        items = [
            row for row in rows["a2rbench_items"] if row["variation"] == variation and not row["is_remapped"]
        ]
        own = []
        for item in items:
            wrong = [
                answers[row["episode_id"]]
                for row in rows["episodes"]
                if row["instance_id"] == item["instance_id"]
                and row["player"] in made_edition.MODELS
                and row["status"] == "wrong"
            ]
            if wrong:
                shares = [count / len(wrong) for count in Counter(wrong).values()]
                own.append(-sum(share * log2(share) for share in shares))
        row = figures["wrong_entropy", "all", "all", "all", f"V{variation}"]
        assert (row["n"], row["value"]) == (len(own), pytest.approx(fmean(own)))
        entropies.append(fmean(own))
        compressions.append(fmean(item["gzip"] for item in items))
        accuracies = {
            player: fmean(right[player, item["instance_id"]] for item in items)
            for player in (*made_edition.MODELS, "identity")
        }
        for player, value in accuracies.items():
            found = figures["accuracy_by_variation", "all", "all", player, f"V{variation}"]
            assert found["value"] == pytest.approx(value)
        means.append(fmean(accuracies[player] for player in made_edition.MODELS))
        found = figures["mean_accuracy_by_variation", "all", "all", "all", f"V{variation}"]
        assert found["value"] == pytest.approx(means[-1])
    assert len(set(entropies)) > 1
    for statistic, values in (("compression_entropy", entropies), ("compression_accuracy", means)):
        row = figures[statistic, "all", "all", "all", ""]
        assert (row["n"], row["value"]) == (5, pytest.approx(correlation(compressions, values)))


def test_an_interval_counts_a_rule_once() -> None:
    values = np.array([1.0, 1, 0, 0] * 20 + [1.0, 0] * 40)
    apart = estimate_share(values, np.arange(160), 160)
    together = estimate_share(np.repeat(values, 4), np.repeat(np.arange(160), 4), 640)
    assert apart is not None
    assert together is not None
    assert apart.interval is not None
    # Four items that are all alike say what one says.
    assert together.interval == pytest.approx(apart.interval)
    assert (apart.n, together.n) == (160, 640)
    shared = share_interval(estimate_ratio(values, np.ones(160), ClusterDraw()), 160)
    assert apart.interval == pytest.approx(shared)
    assert estimate_share(np.array([]), np.array([]), 0) is None


def test_copies_of_a_rule_are_one_draw() -> None:
    """Six items of each of 20 rules, all with the same difference to their copies."""
    gaps = np.array([1.0, 0, 0, -1] * 5)
    once = estimate_gap(gaps, np.arange(20))
    often = estimate_gap(np.repeat(gaps, 6), np.repeat(np.arange(20), 6))
    assert once is not None
    assert often is not None
    assert once.interval == pytest.approx(often.interval)
    assert (once.n, often.n) == (20, 120)


def test_a_gap_without_differences_has_an_interval_of_width() -> None:
    none = estimate_gap(np.zeros(60), np.arange(60))
    assert none is not None
    assert none.interval is not None
    low, high = none.interval
    assert -0.08 < low < -0.04
    assert high == pytest.approx(-low)
    many = estimate_gap(np.array([1.0, 0, 0, -1] * 20), np.arange(80))
    assert many is not None
    assert many.interval is not None
    half = 1.9905 * stdev([1.0, 0, 0, -1] * 20) / 80**0.5  # t of 79 degrees
    assert many.interval == pytest.approx((-half, half), abs=0.01)
    assert estimate_gap(np.array([]), np.array([])) is None


@pytest.mark.parametrize(("author", "population"), [("drawn", "new domains"), ("catalogue", "these domains")])
def test_figures_are_of_new_rules_where_rules_are_drawn(rows: Rows, author: str, population: str) -> None:
    asked = {**rows, "a2rbench_items": [{**row, "author": author} for row in rows["a2rbench_items"]]}
    computed = made_edition.statistics(asked)
    rates = [row for row in computed if row["statistic"] == "success_rate" and row["domain"] == "all"]
    assert {row["population"] for row in rates if row["low"] is not None} == {population}
    assert any(row["statistic"] == "success_rate_these_domains" for row in computed) == (author == "drawn")
