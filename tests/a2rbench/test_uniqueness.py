"""Trivial answers and second rules are found, by values written by hand and by brute force over the draw."""

import json
import random
from typing import Any

import numpy as np
import pytest

from perennial.schemas.a2rbench.things import Item
from perennial.tasks.a2rbench.catalogue import RULES, Dimension
from perennial.tasks.a2rbench.fits import find_fits
from perennial.tasks.a2rbench.inputs import draw_inputs, find_trivial
from perennial.tasks.a2rbench.items import UnfitItem, check_item, check_items, show
from perennial.tasks.sandbox.tier import find_protection
from tests.a2rbench import made_edition
from tests.benchmarks.a2rbench_ambiguity import find_giveaway, find_others

SWAP = (list("abcdef"), list("badcfe"))


@pytest.mark.parametrize(
    ("query", "answer", "why"),
    [
        ("xxy", "xxy", "is the query"),
        ("xyz", "badcfe", "output of example 1"),
        ("xyz", "zyx", "reversing"),
        ("zxy", "xyz", "sorting"),
        ("xzy", "zyx", "sorting downwards"),
        ("xyzw", "yxwz", ""),
    ],
)
def test_an_answer_is_trivial_where_no_rule_need_be_found(query: str, answer: str, why: str) -> None:
    found = find_trivial(1, [SWAP], list(query), list(answer))
    assert why in found
    assert bool(why) == bool(found)


def test_reversing_is_not_trivial_where_it_is_the_rule_of_the_examples() -> None:
    assert find_trivial(1, [(list("abc"), list("cba"))], list("xy"), list("yx")) == ""
    grid = [["a", "b", "c"]]
    # A quarter turn writes the same tokens in the same order, whatever the shape.
    examples = [([["a", "b"], ["c", "d"]], [["c", "a"], ["d", "b"]])]
    assert "in their order" in find_trivial(2, examples, grid, [["a"], ["b"], ["c"]])


@pytest.mark.parametrize(
    ("dimension", "examples", "query", "other"),
    [
        # A third of 6 and a quarter of 8 and 9 are two places; of 12, a third is four and a quarter three.
        (1, [("abcdefgh", "cdefghab"), ("jklmnpqrs", "lmnpqrsjk")], "abcdefghjklm", "defghjklmabc"),
        # Rows of two: to swap halves is to reverse, and to rotate.
        (2, [(["ab", "cd"], ["ba", "dc"]), (["ef", "gh"], ["fe", "hg"])], ["abc", "def"], ["cba", "fed"]),
        # The second layer's rows move by one: by two in the third layer, or in every second layer only.
        (
            3,
            [([["ab", "cd"], ["ef", "gh"]], [["ab", "cd"], ["gh", "ef"]])],
            [["ab", "cd"], ["ef", "gh"], ["jk", "lm"]],
            [["ab", "cd"], ["gh", "ef"], ["jk", "lm"]],
        ),
        (1, [("AB", "DE"), ("BA", "ED")], "CC", "FF"),
        (1, [("1", "3"), ("3", "9")], "4", "2"),
    ],
)
def test_a_primitive_beyond_the_catalogue_is_among_the_programs(
    dimension: Dimension, examples: Any, query: Any, other: Any
) -> None:
    def split(value: Any, depth: int) -> Any:
        return list(value) if depth == 1 else [split(part, depth - 1) for part in value]

    pairs = [(split(given, dimension), split(wanted, dimension)) for given, wanted in examples]
    asked, answer = split(query, dimension), split(other, dimension)
    fits = find_fits(dimension, pairs, asked)
    if fits.answer == answer:
        assert fits.agreeing
        return
    examples_of_other = [*pairs, (asked, answer)]
    refit = find_fits(dimension, examples_of_other, asked)
    assert refit.answer == answer
    assert any(name in fits.other for name in refit.agreeing)


def test_trivial_items_are_refused_by_check_and_gate() -> None:
    rule = RULES["line_swap_neighbours"]
    inputs = [list("abcdefg"), list("hjkmn"), list("pqrstu"), list("vwxyz23"), list("456789"), ["a", "a"]]
    with pytest.raises(UnfitItem, match="the answer is the query") as refused:
        check_item(rule, 4, show(inputs, [rule.forward(value) for value in inputs]), frozenset())
    assert refused.value.reason == "trivial"


def test_the_gate_finds_a_trivial_item_that_was_put_in() -> None:
    name = "line_reverse"
    own = [item for item in made_edition.items() if item.rule == name]
    doctored = [_with_query(item, ["a", "a"]) if item.variation == 4 else item for item in own]
    faults = check_items(RULES[name], doctored, find_protection().jail, (3,)).faults
    assert any("the answer is the query" in fault for fault in faults)


def _with_query(item: Item, query: list[str]) -> Item:
    values = {name: getattr(item, name) for name in Item.__slots__}
    return Item(**{**values, "query": json.dumps(query), "answer": json.dumps(query)})


def test_what_was_grown_has_neither_giveaway_nor_second_rule() -> None:
    for item in made_edition.items():
        plain = {
            "dimension": item.dimension,
            **{name: json.loads(getattr(item, name)) for name in ("examples", "query", "answer")},
        }
        assert find_giveaway(plain) == ""
        if item.dimension == 1:
            assert find_others(plain) == []


@pytest.mark.parametrize("name", ["line_rotate_third", "grid_negate_bits", "cube_roll_rows"])
@pytest.mark.parametrize("variation", range(10))
def test_no_example_has_the_query_s_shape_though_it_lies_between_them(name: str, variation: int) -> None:
    inputs = draw_inputs(RULES[name], variation, random.Random(variation))
    assert inputs is not None
    shapes = [np.array(value).shape for value in inputs if value]
    assert shapes[-1] not in shapes[:-1]
    for axis in range(RULES[name].dimension):
        sides = [shape[axis] for shape in shapes]
        assert len(set(sides[:-1])) >= 2
        assert min(0 if [] in inputs else sides[0], *sides[:-1]) <= sides[-1] <= max(sides[:-1])
