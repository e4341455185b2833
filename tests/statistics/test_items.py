"""Item analysis: by hand, against a plain computation with gaps, and where it is undefined."""

import random
import statistics
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.statistics import clusters as items
from perennial.tasks.statistics.cells import Domains, SettingGrid

scores_of_runs = st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 1.0])
score_tables = st.dictionaries(
    st.sampled_from(["i1", "i2", "i3", "i4", "i5"]),
    st.dictionaries(st.sampled_from([f"p{n}" for n in range(10)]), scores_of_runs, min_size=1),
    max_size=5,
)


@dataclass(frozen=True)
class Item:
    """The figures of one instance; None: undefined."""

    instance_id: str
    n: int
    share_solved: float
    discrimination: float | None
    interval: tuple[float, float] | None


def item_statistics(scores: dict[str, dict[str, float]]) -> list[Item]:
    """Return the product's figures of a table of scores, each a whole number of sixths."""
    names, players = sorted(scores), sorted({player for row in scores.values() for player in row})
    runs, solved = np.zeros((len(players), len(names)), int), np.zeros((len(players), len(names)), int)
    for column, name in enumerate(names):
        for player, score in scores[name].items():
            runs[players.index(player), column] = 30
            solved[players.index(player), column] = round(30 * score)
    found = items.item_statistics(
        SettingGrid(
            "easy",
            Domains(("D",), (0, len(names))),
            tuple(players),
            runs,
            solved,
            *[np.arange(len(names))] * 2,
        )
    )
    return [
        Item(
            name,
            int(found.n[i]),
            float(found.share_solved[i]),
            None if np.isnan(found.discrimination[i]) else float(found.discrimination[i]),
            None if np.isnan(found.low[i]) else (float(found.low[i]), float(found.high[i])),
        )
        for i, name in enumerate(names)
    ]


def _once(rows: dict[str, str]) -> dict[str, dict[str, float]]:
    """Return scores of one run each; a row of 1, 0 and - an item, a column per player."""
    return {
        item: {f"p{i}": float(mark) for i, mark in enumerate(marks) if mark != "-"}
        for item, marks in rows.items()
    }


def test_four_items_by_hand() -> None:
    found = {
        item.instance_id: item
        for item in item_statistics(_once({"a": "11001100", "b": "10101010", "c": "10001000"}))
    }
    assert [found[name].share_solved for name in "abc"] == [0.5, 0.5, 0.25]
    # Twice, a: scores (1, 1, 0, 0) and means over b and c (1, 0, 1/2, 0): deviations (.5, .5, -.5, -.5) and
    # (.625, -.375, .125, -.375), products .25 in sum, squares 1 and .6875 in sum.
    assert found["a"].discrimination == pytest.approx(0.25 / 0.6875**0.5)
    # Twice, c: scores (1, 0, 0, 0) and means (1, 1/2, 1/2, 0): .5 over sqrt(.75 * .5).
    assert found["c"].discrimination == pytest.approx(0.5 / (0.75 * 0.5) ** 0.5)
    assert {item.n for item in found.values()} == {8}
    # tanh(atanh r -+ 1.96 / sqrt(8 - 3)).
    z = np.arctanh(0.25 / 0.6875**0.5)
    assert found["a"].interval == pytest.approx(
        (np.tanh(z - 1.959964 / 5**0.5), np.tanh(z + 1.959964 / 5**0.5))
    )


def test_an_item_that_good_players_fail_discriminates_negatively() -> None:
    found = item_statistics(
        _once({"a": "1110011100", "b": "1100011000", "bad": "0001100011", "c": "1111011110"})
    )
    by_name = {item.instance_id: item.discrimination for item in found}
    assert by_name["bad"] < -0.9
    assert by_name["a"] > 0


def test_two_items_correlate_with_each_other_alone() -> None:
    # Against the total of both, each would correlate positively: half of it is the item itself.
    left, right = item_statistics(_once({"a": "11110000", "b": "00001111"}))
    assert left.discrimination == right.discrimination == pytest.approx(-1)


@pytest.mark.parametrize(
    "scores",
    [
        _once({"only": "10101010"}),
        _once({"a": "1010101", "b": "0101010"}),
        _once({"a": "11111111", "b": "10101010"}),
        _once({"a": "10101010", "b": "11111111", "c": "00000000"}),
        _once({"a": "10101010-", "b": "0101010-1"}),
        {"a": {"p": 1.0, "q": 0.0, "r": 1.0}, "b": {"q": 1.0, "r": 0.0}},
        {},
    ],
)
def test_discrimination_needs_eight_players_two_items_and_variation(scores) -> None:
    found = item_statistics(scores)
    assert len(found) == len(scores)
    assert next((item.discrimination for item in found), None) is None


def test_equal_means_that_differ_by_rounding_are_constant() -> None:
    # Every player has a mean of 1/3 over three others, each from other runs.
    thirds = {
        player: [int(turn == place % 3) for turn in range(3)] for place, player in enumerate("pqrstuvw")
    }
    scores = {name: {p: float(runs[i]) for p, runs in thirds.items()} for i, name in enumerate("bcd")}
    scores["a"] = {player: float(player in "prtv") for player in thirds}
    by_name = {item.instance_id: item for item in item_statistics(scores)}
    assert by_name["a"].discrimination is None


def _plain(scores: dict[str, dict[str, float]]) -> dict[str, float | None]:
    """Return discriminations by the definition, item by item."""
    found: dict[str, float | None] = {}
    for item, row in scores.items():
        rest = {p: [other[p] for name, other in scores.items() if name != item and p in other] for p in row}
        pairs = [(row[p], statistics.mean(values)) for p, values in rest.items() if values]
        x, y = [a for a, _ in pairs], [b for _, b in pairs]
        flat = len(pairs) < 8 or max(x) - min(x) < 1e-9 or max(y) - min(y) < 1e-9
        found[item] = None if flat else statistics.correlation(x, y)
    return found


@given(score_tables)
def test_discrimination_is_that_of_the_definition(scores) -> None:
    expected = _plain(scores)
    assert {item.instance_id for item in item_statistics(scores)} == set(scores)
    for item in item_statistics(scores):
        assert item.discrimination == pytest.approx(expected[item.instance_id], abs=1e-9), item


@given(score_tables, st.randoms(use_true_random=False))
@pytest.mark.slow
def test_the_order_of_items_and_players_changes_nothing(scores, shuffler) -> None:
    names = list(scores)
    shuffler.shuffle(names)
    turned = {name: dict(shuffler.sample(list(scores[name].items()), len(scores[name]))) for name in names}
    assert item_statistics(turned) == item_statistics(scores)


def test_every_item_of_an_edition_of_the_papers_size_discriminates() -> None:
    generator = random.Random(1)
    skill = {f"p{i:02}": i / 30 for i in range(30)}
    scores = {
        f"i{i:04}": {
            p: sum(generator.random() < s for _ in range(5)) / 5
            for p, s in skill.items()
            if (i + int(p[1:])) % 97
        }
        for i in range(5_000)
    }
    found = item_statistics(scores)
    # Every item measures the same skill.
    assert min(item.discrimination for item in found if item.n) > 0.3
