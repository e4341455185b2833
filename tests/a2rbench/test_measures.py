"""Measures of code, inputs and wrong answers against figures worked out by hand."""

import gzip
import json
import random
from math import log2

import pytest

from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.a2rbench.fits import find_fits
from perennial.tasks.a2rbench.inputs import EXAMPLES, VARIATIONS, draw_inputs
from perennial.tasks.a2rbench.items import SIGNS, draw_remapping, remap
from perennial.tasks.a2rbench.measures import Measures, compression_of, diversity_of, measure_code
from perennial.tasks.a2rbench.values import fault_of_shape

CODE = """
def transform_grid(x):
    y = []
    for row in x:
        while row:
            if row[0] == "a" and row[1]:
                y.append(row[0])
            elif row[0] == "b":
                y[0] = 1 if row else 2
            else:
                del row[0]
        total += 1
    return [c for row in x for c in row if c]
"""


def test_the_measures_of_code_are_those_counted_by_hand() -> None:
    assert measure_code(CODE) == Measures(
        max_loop_depth=2,
        total_ifs=4,
        max_if_depth=2,
        # for, while, if, and, elif, conditional expression, comprehension, its condition, and one.
        max_complexity=9,
        mutability=3,
        # the comprehension, its condition, and one.
        return_complexity=3,
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x", Measures(0, 0, 0, 1, 0, 1)),
        ("return x if x else 1", Measures(0, 1, 1, 2, 0, 2)),
        ("return x and x or 1", Measures(0, 0, 0, 3, 0, 3)),
        ("x[0][1] = x.a = 1\n  return x", Measures(0, 0, 0, 1, 2, 1)),
        ("x.sort()\n  x[0] += 1\n  return x", Measures(0, 0, 0, 1, 2, 1)),
        ("return [[a for a in b] for b in x]", Measures(2, 0, 0, 3, 0, 3)),
        ("if x:\n   if x:\n    return 1\n  return 2", Measures(0, 2, 2, 3, 0, 2)),
        ("if x:\n   pass\n  elif x:\n   pass\n  elif x:\n   pass\n  return 2", Measures(0, 3, 1, 4, 0, 1)),
        ("def g(y):\n   return y if y else 1\n  return g(x)", Measures(0, 1, 1, 2, 0, 3)),
    ],
)
def test_one_construct_at_a_time(body: str, expected: Measures) -> None:
    assert measure_code(f"def transform_grid(x):\n  {body}\n") == expected


def test_code_without_the_function_is_refused() -> None:
    with pytest.raises(ValueError, match="does not define transform_grid"):
        measure_code("def f(x): return x")


def test_compression_is_above_one_for_short_inputs_and_falls_with_regularity() -> None:
    short, regular = compression_of([["a"]]), compression_of([["a"] * 200])
    assert short.gzip > 1
    assert regular.gzip < 0.2
    assert regular.deflate < regular.gzip
    text = json.dumps([["a"] * 200], separators=(",", ":")).encode()
    assert regular.gzip == len(gzip.compress(text, 9, mtime=0)) / len(text)


def test_diversity_is_entropy_and_two_distances() -> None:
    found = diversity_of(["ab", "ab", "b", "abc"], "ab")
    assert found.distinct == 3
    assert found.entropy == pytest.approx(0.5 * log2(2) + 2 * 0.25 * log2(4))
    assert found.to_truth == pytest.approx((0 + 0 + 1 + 1) / 4)
    # ratio = 2 * common / lengths: ab-abc 80, ab-b 66.67, abc-b 50
    assert found.to_each_other == pytest.approx((20 + 100 / 3 + 50) / 3)
    assert diversity_of([], "a") == (0, 0.0, None, None)
    assert diversity_of(["x"], "xy")[:3] == (1, 0.0, 1.0)


@pytest.mark.parametrize("variation", VARIATIONS)
def test_inputs_are_distinct_of_the_rule_s_dimension_and_drawn_from_the_seed(variation: int) -> None:
    for rule in RULES.values():
        inputs = draw_inputs(rule, variation, random.Random(variation))
        assert inputs == draw_inputs(rule, variation, random.Random(variation))
        if inputs is None:
            continue
        assert len(inputs) == EXAMPLES + 1
        assert len({json.dumps(value) for value in inputs}) == EXAMPLES + 1
        assert [fault_of_shape(value, rule.dimension) for value in inputs] == [""] * len(inputs)


def test_a_rule_fits_its_own_examples_and_simple_examples_fit_more() -> None:
    rule = RULES["line_reverse"]
    inputs = [["a", "b", "c", "d", "e"], ["b", "c", "a", "x"]]
    found = find_fits(1, [(value, rule.forward(value)) for value in inputs], ["k", "m", "n", "p", "q", "r"])
    assert ("line_reverse",) in found.agreeing
    assert found.answer == ["r", "q", "p", "n", "m", "k"]
    single = find_fits(1, [(["a"], ["a"])], ["k", "m", "n"])
    assert single.other
    assert single.count > found.count
    nothing = find_fits(1, [(["a", "b"], ["z"])], ["a"])
    assert (nothing.count, nothing.answer) == (0, None)


def test_remapping_is_a_bijection() -> None:
    inputs = [["a", "b", "c", "a"], ["c", "b"]]
    phi = draw_remapping(inputs, random.Random(1))
    assert phi is not None
    assert sorted(phi) == ["a", "b", "c"]
    assert len(set(phi.values())) == 3
    assert set(phi.values()) <= set(SIGNS)
    assert remap(inputs, phi)[0][0] == remap(inputs, phi)[0][3] == phi["a"]
    assert draw_remapping([[str(number) for number in range(100)]], random.Random(1)) is None


@pytest.mark.parametrize(
    ("value", "dimension", "fault"),
    [
        (["a"], 1, ""),
        ([["a"], ["b"]], 2, ""),
        ([["a"], ["b", "c"]], 2, "parts of different sizes"),
        (["a"], 2, "a value that is no list of dimension 1"),
        ([["a"]], 1, "a list with something other than tokens"),
        ([[["a"]], [["b"], ["c"]]], 3, "parts of different sizes"),
        ("a", 1, "a value that is no list of dimension 1"),
        ([], 1, ""),
    ],
)
def test_shapes(value: object, dimension: int, fault: str) -> None:
    assert fault_of_shape(value, dimension) == fault  # type: ignore[arg-type]
