"""Chi-square, Cramer's V and the permutation p-value: by hand and by enumeration; signatures by the files."""

import json
import math
import random
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, ncx2

from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import encode_config, encode_instance, parse_instances, signature
from perennial.tasks.statistics.association import (
    Association,
    chi_square,
    compute_corrected_cramers_v,
    cramers_v,
    permute_sums,
    share_reaching,
)

samples = st.lists(st.tuples(st.sampled_from(["a", "b", "c", "d", "a\0"]), st.booleans()), max_size=40)


def permutation_p_value(*table: Any, **options: Any) -> float | None:
    drawn = permute_sums(*table, **options)
    return None if drawn is None else share_reaching(*drawn)


def _rows(table: dict[str, tuple[int, int]]) -> tuple[list[str], list[bool]]:
    """Return categories and labels of a table of (correct, incorrect) by category."""
    rows = [
        (category, label)
        for category, (correct, incorrect) in table.items()
        for label in [True] * correct + [False] * incorrect
    ]
    return [category for category, _ in rows], [label for _, label in rows]


def test_a_two_by_two_table_by_hand() -> None:
    # X2 = n (ad - bc)^2 / (row and column sums) = 60 (20 * 20 - 10 * 10)^2 / 30^4 = 20 / 3.
    found = chi_square(*_rows({"x": (20, 10), "y": (10, 20)}))
    assert (found.n, found.categories, found.dof) == (60, 2, 1)
    assert found.chi2 == pytest.approx(20 / 3)
    assert found.p_value == pytest.approx(math.erfc(math.sqrt(20 / 3 / 2)))
    assert found.cramers_v == pytest.approx(1 / 3)
    # phi2 = 1/9 less 1/59, over r~ - 1 = 1 - 1/59.
    assert found.corrected_v == pytest.approx(math.sqrt((1 / 9 - 1 / 59) / (1 - 1 / 59)))


def test_v_is_one_where_the_category_decides_and_zero_where_it_says_nothing() -> None:
    decided = chi_square(*_rows({"x": (7, 0), "y": (0, 5)}))
    assert (decided.cramers_v, decided.corrected_v) == (pytest.approx(1), pytest.approx(1))
    idle = chi_square(*_rows({"x": (4, 8), "y": (2, 4), "z": (1, 2)}))
    assert (idle.chi2, idle.cramers_v, idle.corrected_v) == (pytest.approx(0), pytest.approx(0), 0)
    assert idle.p_value == pytest.approx(1)


def test_both_measures_on_a_table_that_another_program_documents() -> None:
    # ClickHouse's manual, cramersV and cramersVBiasCorrected of (number % 10, number % 4), 150 numbers.
    table = np.zeros((10, 4), dtype=int)
    for number in range(150):
        table[number % 10, number % 4] += 1
    statistic = chi2_contingency(table, correction=False).statistic
    assert cramers_v(statistic, 150, 10, 4) == pytest.approx(0.5798088336225178, abs=1e-12)
    assert compute_corrected_cramers_v(statistic, 150, 10, 4) == pytest.approx(0.5305112825189074, abs=1e-12)


@pytest.mark.parametrize(
    ("categories", "labels"),
    [([], []), (["x"], [True]), (["x", "x"], [True, False]), (["x", "y"], [True, True])],
)
def test_a_margin_with_a_single_category_defines_nothing(categories, labels) -> None:
    expected = Association(len(labels), len(set(categories)), None, None, None, None, None)
    assert chi_square(categories, labels) == expected
    assert permutation_p_value(categories, labels, seed=0) is None


def test_a_category_an_instance_leaves_nothing_to_compare() -> None:
    categories, labels = list("abcdef"), [True, False] * 3
    found = chi_square(categories, labels)
    assert found.cramers_v == pytest.approx(1)
    assert found.corrected_v is None
    assert permutation_p_value(categories, labels, seed=0) == 1
    assert cramers_v(0.0, 0, 2, 2) is None
    assert cramers_v(0.0, 9, 1, 2) is None


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="2 categories, but 1 labels"):
        chi_square(["x", "y"], [True])
    with pytest.raises(ValueError, match="2 categories, but 1 labels"):
        permutation_p_value(["x", "y"], [True], seed=0)


@given(samples, st.integers(0, 9), st.randoms(use_true_random=False))
def test_order_names_and_the_choice_of_label_change_nothing(sample, seed, shuffler) -> None:
    shuffled = list(sample)
    shuffler.shuffle(shuffled)
    names = dict(zip(["d", "a\0", "b", "a", "c"], ["p", "q", "r", "s", "t"], strict=True))
    categories, labels = [c for c, _ in sample], [label for _, label in sample]
    turned = [names[c] for c, _ in shuffled], [not label for _, label in shuffled]
    found, again = chi_square(categories, labels), chi_square(*turned)
    assert (found.n, found.categories, found.dof) == (again.n, again.categories, again.dof)
    for name in ("chi2", "p_value", "cramers_v", "corrected_v"):
        assert getattr(found, name) == pytest.approx(getattr(again, name), abs=1e-7)
    assert permutation_p_value(categories, labels, seed, 99) == permutation_p_value(*turned, seed, 99)


@given(samples, st.integers(1, 200))
def test_figures_lie_in_their_ranges(sample, resamples) -> None:
    categories, labels = [c for c, _ in sample], [label for _, label in sample]
    found = chi_square(categories, labels)
    p_value = permutation_p_value(categories, labels, 3, resamples)
    defined = len(set(categories)) > 1 and len(set(labels)) > 1
    assert (p_value is not None) == (found.chi2 is not None) == defined
    if defined:
        assert 0 <= found.cramers_v <= 1
        assert 0 <= found.p_value <= 1
        assert found.corrected_v is None or 0 <= found.corrected_v <= found.cramers_v + 1e-9
        assert 1 / (1 + resamples) <= p_value <= 1


def _share_of_all_permutations(categories: list[str], labels: list[bool]) -> float:
    """Return the share of all ways to place the labels whose X2 reaches the observed one."""
    observed = chi_square(categories, labels).chi2
    places = list(combinations(range(len(labels)), sum(labels)))
    reached = sum(
        chi_square(categories, [i in chosen for i in range(len(labels))]).chi2 >= observed - 1e-9
        for chosen in places
    )
    return reached / len(places)


@pytest.mark.parametrize(
    "table",
    [
        {"x": (3, 0), "y": (1, 2), "z": (0, 3)},
        {"x": (2, 1), "y": (1, 2), "z": (2, 1)},
        {"w": (1, 0), "x": (0, 1), "y": (0, 1), "z": (2, 4)},
        {"x": (4, 1), "y": (1, 3)},
    ],
)
def test_the_permutation_p_value_is_that_of_all_permutations(table) -> None:
    exact = _share_of_all_permutations(*_rows(table))
    error = 5 * math.sqrt(exact * (1 - exact) / 9_999)
    assert permutation_p_value(*_rows(table), seed=2) == pytest.approx(exact, abs=error + 1e-4)


def _share_within_strata(strata: dict[str, dict[str, tuple[int, int]]]) -> float:
    """Return the share of all ways to place each stratum's labels whose X2 reaches the observed one."""
    rows = {name: _rows(table) for name, table in strata.items()}
    categories = [category for listed, _ in rows.values() for category in listed]
    observed = chi_square(categories, [label for _, labels in rows.values() for label in labels]).chi2
    places = product(*(combinations(range(len(labels)), sum(labels)) for _, labels in rows.values()))
    reached = []
    for chosen in places:
        labels = [i in at for at, (_, of) in zip(chosen, rows.values(), strict=True) for i in range(len(of))]
        reached.append(chi_square(categories, labels).chi2 >= observed - 1e-9)
    return sum(reached) / len(reached)


@pytest.mark.parametrize(
    "strata",
    [
        {"A": {"x": (3, 1), "y": (1, 2)}, "B": {"x": (0, 2), "y": (1, 3)}},
        {"A": {"x": (2, 0), "z": (1, 2)}, "B": {"y": (1, 1), "z": (2, 1)}, "C": {"y": (0, 3)}},
    ],
)
def test_labels_are_permuted_within_strata(strata) -> None:
    exact = _share_within_strata(strata)
    rows = {name: _rows(table) for name, table in strata.items()}
    categories = [category for listed, _ in rows.values() for category in listed]
    labels = [label for _, listed in rows.values() for label in listed]
    names = [name for name, (listed, _) in rows.items() for _ in listed]
    found = permutation_p_value(categories, labels, 2, strata=names)
    assert found == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 9_999) + 1e-4)
    order = random.Random(3).sample(range(len(labels)), len(labels))
    turned = ([categories[i] for i in order], [not labels[i] for i in order])
    assert permutation_p_value(*turned, 2, strata=[names[i] for i in order]) == found


def test_domains_that_differ_in_shape_and_difficulty_are_no_association() -> None:
    # In each domain labels are as good as random; one has shape x and is easy, the other y and hard.
    categories = [*"xxxxxxxxxy", *"yyyyyyyyyx"] * 8
    labels = [True] * 9 + [False] + [False] * 9 + [True]
    domains = ["easy"] * 10 + ["hard"] * 10
    rng = random.Random(1)
    shuffled = [
        labels[i] for k in range(8) for part in (range(10), range(10, 20)) for i in rng.sample(part, 10)
    ]
    assert permutation_p_value(categories, shuffled, 0) == 1 / 10_000
    assert permutation_p_value(categories, shuffled, 0, strata=domains * 8) > 0.05


def test_one_shape_or_label_in_each_stratum_leaves_nothing_to_permute() -> None:
    assert (
        permutation_p_value(["x", "x", "y", "y"], [True, False, True, True], 0, strata=list("aabb")) is None
    )


def test_intervals_of_v_are_those_of_noncentral_chi_square() -> None:
    found = chi_square(*_rows({"x": (20, 10), "y": (10, 20)}))
    low, high = (math.sqrt(end**2 - 1 / 60) for end in found.interval)
    # The observed X2 of 20 / 3 is the 0.975 quantile at the low end's noncentrality, 0.025 at the other's.
    assert ncx2.cdf(20 / 3, 1, 60 * low**2) == pytest.approx(0.975, abs=1e-6)
    assert ncx2.cdf(20 / 3, 1, 60 * high**2) == pytest.approx(0.025, abs=1e-6)
    assert found.interval[0] < found.cramers_v < found.interval[1]


def test_the_permutation_p_value_can_be_as_small_as_the_resamples_allow() -> None:
    table = {"x": (30, 0), "y": (0, 30)}
    assert permutation_p_value(*_rows(table), seed=0) == 1 / 10_000
    assert permutation_p_value(*_rows(table), seed=0, resamples=99) == 1 / 100


def test_seeds_differ_and_repeat() -> None:
    rows = _rows({"x": (8, 5), "y": (5, 7), "z": (3, 4)})
    values = {seed: permutation_p_value(*rows, seed) for seed in range(5)}
    assert len(set(values.values())) > 1
    assert values == {seed: permutation_p_value(*rows, seed) for seed in range(5)}


def test_no_association_is_found_in_a_sparse_table_of_the_papers_size() -> None:
    generator = random.Random(0)
    categories = [str(min(generator.randrange(570), generator.randrange(570))) for _ in range(5_000)]
    labels = [generator.random() < 0.5 for _ in range(5_000)]
    p_value = permutation_p_value(categories, labels, seed=0)
    # Labels are drawn without regard to categories: nothing small may come out.
    assert p_value > 0.01


def test_a_signature_has_the_degrees_that_the_released_files_give(release: Path) -> None:
    text = (release / "domains" / "MedicalEnv.json").read_text()
    related = {
        outcome["action"]: {truth for state in outcome["states"] for truth in state["rules_out"]}
        for outcome in json.loads(text)["outcomes"]
    }
    path = release / "instances" / "MedicalEnv" / "truth_num=4+action_num=6+valid_truth_num=1.jsonl"
    expected = []
    for game in map(json.loads, path.read_text().splitlines()):
        by_truth = sorted(
            sum(truth in related[action] for action in game["actions"]) for truth in game["truths"]
        )
        by_action = sorted(len(related[action] & set(game["truths"])) for action in game["actions"])
        expected.append("|".join(",".join(map(str, degrees)) for degrees in (by_truth, by_action)))
    encoded = encode_config(parse_config(text, "MedicalEnv"))
    with path.open() as lines:
        instances = list(parse_instances(lines, encoded, "MedicalEnv"))
    assert [signature(encode_instance(encoded, instance)) for instance in instances] == expected
    assert len(set(expected)) > 10
