"""Drawn rules: reversible, described by their steps, new in each edition, and enough of them in each cell."""

import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.a2rbench.things import DOMAINS
from perennial.schemas.errors import InstancesExhausted
from perennial.tasks.a2rbench.catalogue import DIMENSIONS, RULES, TOKENS, Alphabet, Dimension, Rule
from perennial.tasks.a2rbench.fits import find_compositions, find_fits
from perennial.tasks.a2rbench.grammar import (
    compile_step,
    describe_step,
    draw_rules,
    is_move,
    is_telling,
    list_last_steps,
    list_steps,
    make_rule,
    run_probes,
)
from perennial.tasks.a2rbench.inputs import draw_inputs
from perennial.warehouse.a2rbench.published_rules import published_names
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store
from tests.a2rbench.test_catalogue import draw_input

CELLS = [(dimension, alphabet) for dimension in DIMENSIONS for alphabet in TOKENS]


@pytest.mark.parametrize(("dimension", "alphabet"), CELLS)
@settings(max_examples=settings.default.max_examples // 2)
@given(data=st.data())
def test_each_step_is_undone_and_says_what_it_does(
    dimension: Dimension, alphabet: Alphabet, data: st.DataObject
) -> None:
    step = data.draw(st.sampled_from(list_steps(dimension, alphabet) + list_last_steps(dimension)))
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    sides = [rng.randint(1, 7) for _ in range(dimension)]
    size = min(len(TOKENS[alphabet]), rng.randint(2, 40))

    def fill(left: list[int]) -> Any:
        return [fill(left[1:]) if left[1:] else rng.randrange(size) for _ in range(left[0])]

    value = fill(sides)
    before = json.dumps(value)
    output = compile_step(dimension, alphabet, step, False)(value)
    assert json.dumps(value) == before
    assert compile_step(dimension, alphabet, step, True)(output) == value
    assert "{" not in describe_step(dimension, step)
    assert all(str(abs(number)) in describe_step(dimension, step) for number in step.numbers[:1])


def test_words_and_code_follow_the_steps() -> None:
    steps = {(step.kind, step.numbers, step.axis, step.where): step for step in list_steps(2, "digits")}
    rule = make_rule(2, "digits", (steps["rotate_left", (2,), 1, "all"], steps["add", (3,), 0, "even"]))
    assert rule.description == (
        "Move the tokens of each row to the left by 2, around the end; then add 3 to each token of each "
        "column, if its column number, counted from 1, is even. Tokens count as numbers from 0 = 0 to 9 = 9, "
        "modulo 10."
    )
    assert rule.forward([list("1234"), list("5678")]) == [list("3715"), list("7159")]
    assert rule.inverse_description.startswith("Undo, last step first: add 3")
    assert json.loads(rule.steps or "")["steps"][0] == ["rotate_left", [2], 1, 0, "all"]
    semantic = {step.kind for step in list_steps(1, "letters") if not is_move(step)}
    assert semantic == {
        *("add", "multiply", "slope", "key", "parity", "low", "sum", "sum_back", "difference")
    }


@pytest.mark.parametrize("domain", DOMAINS)
def test_rules_differ_from_each_other_from_the_catalogue_and_from_earlier_editions(domain: str) -> None:
    first = draw_rules(domain, 1, 5)
    assert [rule.name for rule in first] == [rule.name for rule in draw_rules(domain, 1, 5)]
    names = {rule.name for rule in first}
    second = draw_rules(domain, 1, 5, earlier=names)
    assert len(names) == 5
    assert names.isdisjoint(rule.name for rule in second)
    drawn = [*first, *second]
    assert {(rule.dimension, rule.type) for rule in drawn} == {(first[0].dimension, domain.split("_")[1])}
    known = [rule for rule in RULES.values() if rule.dimension == first[0].dimension]
    rng = random.Random(5)
    for rule in drawn:
        inputs = [draw_input(rule, rng) for _ in range(12)]
        outputs = [rule.forward(value) for value in inputs]
        assert [rule.inverse(output) for output in outputs] == inputs
        assert inputs != outputs
        others = [
            other for other in (*known, *drawn) if other is not rule and other.alphabet == rule.alphabet
        ]
        assert all([other.forward(value) for value in inputs] != outputs for other in others)


def test_a_cell_without_enough_rules_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class All:
        def __contains__(self, name: object) -> bool:
            return True

    with pytest.raises(InstancesExhausted, match=r"line_symbolic: 200 draws gave no rule .*fewer --seeds"):
        draw_rules("line_symbolic", 1, 1, earlier=All())


def show(rule: Rule, seed: int) -> tuple[list[tuple[Any, Any]], Any]:
    inputs = draw_inputs(rule, 0, random.Random(seed))
    assert inputs is not None
    return [(value, rule.forward(value)) for value in inputs[:-1]], inputs[-1]


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_search_solves_drawn_rules_by_their_examples_alone(domain: str) -> None:
    for number, rule in enumerate(draw_rules(domain, 3, 2)):
        examples, query = show(rule, number)
        fits = find_fits(rule.dimension, examples, query)
        assert fits.answer == rule.forward(query) or fits.other


def test_a_second_rule_of_the_grammar_is_found() -> None:
    # Rows of two: to reverse them is to rotate them; of three tokens it is not.
    examples = [([["a", "b"], ["c", "d"]], [["d", "c"], ["b", "a"]])]
    answers = find_compositions(2, examples, [["e", "f", "g"], ["h", "j", "k"]])
    assert [["k", "j", "h"], ["g", "f", "e"]] in answers.values()
    assert [["j", "k", "h"], ["f", "g", "e"]] in answers.values()
    assert find_compositions(1, [(["a"], ["a", "a"])], ["b"]) == {}
    assert find_fits(2, [([["a"], ["b", "c"]], [["c", "a"], ["b"]])], [["b"]]).count == 0


@pytest.mark.slow
@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("alphabet", ["any", "letters"])
def test_each_cell_has_more_than_10_000_rules(dimension: Dimension, alphabet: Alphabet) -> None:
    """Told apart by what they do to the probes; semantic cells have other alphabets beside letters.

    Of N rules, any two that are drawn are the same with a probability of at least 1 / N.
    """
    steps, last = list_steps(dimension, alphabet), ((), *((step,) for step in list_last_steps(dimension)))
    rng, drawn = random.Random(1), Counter[str]()
    while drawn.total() < 500:
        rule = (*rng.choices(steps, k=2), *rng.choice(last))
        if (alphabet == "any" or not all(map(is_move, rule))) and is_telling(dimension, alphabet, rule):
            drawn[json.dumps(run_probes(dimension, alphabet, rule))] += 1
    same = sum(math.comb(count, 2) for count in drawn.values())
    assert math.comb(drawn.total(), 2) > 10_000 * same


def test_the_names_of_published_rules_are_read(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.write_table(table_file("a2rbench_items", "a1"), pa.table({"rule": ["one", "one", "other"]}))
    assert published_names(store, ("a1", "none")) == {"one", "other"}


def test_the_rules_of_a_public_part_do_not_answer_the_private_one() -> None:
    tried = right = 0
    for domain in DOMAINS:
        rules = draw_rules(domain, 4, 10)
        for number, rule in enumerate(rules[:5]):
            examples, query = show(rule, number)
            for other in rules[5:]:
                if other.alphabet == rule.alphabet:
                    tried += 1
                    right += other.forward(query) == rule.forward(query)
                    assert any(other.forward(source) != wanted for source, wanted in examples)
    assert tried > 80
    assert right == 0
