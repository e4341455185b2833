"""Lines of the authors' form: read as they stand, or refused in one line with line and field."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.errors import UnreadableInput
from perennial.tasks.a2rbench.item_text import read_dimension, read_prompt, write_prompt
from perennial.tasks.a2rbench.published import (
    MAX_LINES,
    draw_character_remapping,
    read_lines,
    remap_characters,
)
from perennial.tasks.a2rbench.values import fault_of_form, has_texts, join_texts, split_texts
from tests.a2rbench.published.made_lines import ITEMS, Line, text_of

ONE = ITEMS[0]
DATA = ONE["puzzle_data"]


def test_lines_are_read_by_id_with_their_rule_and_variation() -> None:
    lines = read_lines("\n" + text_of(ITEMS[::-1]), "file")
    assert [line.question_id for line in lines] == sorted(each["question_id"] for each in ITEMS)
    first, expanded = lines[1:3]
    assert (first.rule.name, first.variation, first.rule.type) == ("SYM_X_D1_000", 0, "symbolic")
    assert (expanded.rule.name, expanded.variation) == ("SYM_X_D1_000", 3)
    assert lines[0].rule.type == "semantic"
    assert json.loads(first.text) == ONE
    # A line separator that JSON allows inside a text is none of the file's.
    assert (
        read_lines(text_of([ONE | {"judgement_reasoning": "a\u2028b\x85"}]), "file")[0].query == first.query
    )


def but(**changes: Any) -> str:
    return text_of([ONE | changes])


def but_data(**changes: Any) -> str:
    return but(puzzle_data=DATA | changes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["file: it holds no item"]),
        ("\n \n", ["it holds no item"]),
        ("{", ["file, line 1: not JSON"]),
        (text_of([ONE]) + "nothing", ["file, line 2: not JSON"]),
        ("[" * 100_000, ["file, line 1: nested too deeply"]),
        ("7", ["file, line 1: 7, expected an object with question_id"]),
        (but_data(answer_ciphertext=float("nan")), ["line 1: NaN is not a JSON number"]),
        (but(author_model="\ud800").encode("ascii", "backslashreplace").decode(), ["half of a character"]),
        (but(judgement_reasoning="x" * 1_000_000), ["line 1: 1,00", "expected at most 1,000,000"]),
        (but(question_id=7), ["field question_id: 7, expected a text"]),
        (but(question_id="a\nb"), ["field question_id", "printable"]),
        (but(question_id="x" * 101), ["field question_id", "at most 100"]),
        (but(author_model="catalogue"), ["field author_model: 'catalogue'", "and not drawn or catalogue"]),
        (but(rule_description=" "), ["field rule_description: ' ', expected a text"]),
        (but(python_code=None), ["field python_code: None, expected a text"]),
        (but(task_type="Symbolic"), ["field task_type: 'Symbolic'", "SymbolicRule or SemanticRule"]),
        (but(task_type=["SymbolicRule"]), ["field task_type"]),
        (but(dimensionality=4), ["field dimensionality: 4, expected 1, 2 or 3"]),
        (but(dimensionality=True), ["field dimensionality: True"]),
        (but(dimensionality="1"), ["field dimensionality: '1'"]),
        (but(puzzle_data=[]), ["field puzzle_data: [], expected an object with examples"]),
        (but(puzzle_data={"examples": []}), ["field puzzle_data: the field question_plaintext is missing"]),
        (but_data(examples=[]), ["field examples: []", "1 to 200 examples"]),
        (but_data(examples=DATA["examples"] * 100), ["field examples", "1 to 200 examples"]),
        (but_data(examples=[{"input": ""}]), ["field examples, example 1: the field output is missing"]),
        (
            text_of([{key: value for key, value in ONE.items() if key != "python_code"}]),
            ["python_code is missing"],
        ),
        (text_of([ONE, ITEMS[1], ONE]), ["line 3, field question_id: 'SYM_X_D1_000' stands twice"]),
    ],
)
def test_what_is_not_as_expected_is_named(text: str, words: list[str]) -> None:
    with pytest.raises(UnreadableInput) as error:
        read_lines(text, "file")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
    assert str(error.value).startswith("file")
    for word in words:
        assert word in str(error.value)


@pytest.mark.slow
def test_more_items_than_are_read_are_refused() -> None:
    small = ONE | {"python_code": "x", "puzzle_data": {**DATA, "examples": DATA["examples"][:1]}}
    lines: list[Line] = [small | {"question_id": f"q{number}"} for number in range(MAX_LINES + 1)]
    assert len(read_lines(text_of(lines[:-1]), "file")) == MAX_LINES
    with pytest.raises(UnreadableInput, match="more than 10,000 items"):
        read_lines(text_of(lines), "file")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*ONE, *DATA, "x"]), inner),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from([*ONE, *DATA]), _JSON))
def test_nothing_else_than_that_error_is_raised(changes: dict[str, Any]) -> None:
    data = DATA | {key: value for key, value in changes.items() if key in DATA}
    line = ONE | {"puzzle_data": data} | {key: value for key, value in changes.items() if key in ONE}
    try:
        (found,) = read_lines(text_of([line]), "file")
    except UnreadableInput:
        return
    assert json.loads(found.text) == line


_TOKENS = st.text(st.characters(exclude_categories=["Cs"]), max_size=3) | st.integers(-12, 12)


def _values(dimension: int) -> st.SearchStrategy[Any]:
    inner: st.SearchStrategy[Any] = st.lists(_TOKENS, max_size=3) | st.text(
        st.characters(exclude_categories=["Cs"]), max_size=4
    )
    for _ in range(dimension - 1):
        inner = st.lists(inner, max_size=3)
    return inner


@pytest.mark.slow
@given(
    st.sampled_from([1, 2, 3]).flatmap(
        lambda each: st.tuples(st.just(each), st.lists(_values(each), min_size=3))
    )
)
def test_prompts_of_every_form_are_read_back(drawn: tuple[Any, list[Any]]) -> None:
    dimension, (query, *rest) = drawn
    examples = list(zip(rest[::2], rest[1::2], strict=False))
    prompt = write_prompt(dimension, examples, query)
    assert read_prompt(prompt) == (examples, query)
    assert read_prompt(f"{prompt}\n\nA canary line.") == (examples, query)
    assert read_dimension(prompt) == dimension
    assert [fault_of_form(value, dimension) for value in (query, *rest)] == [""] * (1 + len(rest))


@pytest.mark.parametrize(
    ("value", "dimension", "split"),
    [
        ("ab", 1, ["a", "b"]),
        (["ab", 3], 1, ["ab", "3"]),
        (["ab", ""], 2, [["a", "b"], []]),
        ([["a", "bc"]], 2, [["a", "bc"]]),
        ([["ab"], []], 3, [[["a", "b"]], []]),
        ([[[1, -2]]], 3, [[["1", "-2"]]]),
    ],
)
def test_forms_are_split_and_joined_again(value: Any, dimension: int, split: Any) -> None:
    assert split_texts(value, dimension) == split
    if value != ["ab", 3]:
        assert join_texts(split, dimension, [value]) == value
    assert has_texts([value], dimension) is (split != value and value not in (["ab", 3], [[[1, -2]]]))


@pytest.mark.parametrize(
    ("value", "dimension", "fault"),
    [
        (1.5, 1, "float in place of a list of dimension 1"),
        ([None], 1, "NoneType in place of a token"),
        ([True], 1, "bool in place of a token"),
        ("ab\ncd", 2, "str in place of a list of dimension 2"),
        ([["a"], 3], 2, "int in place of a list of dimension 1"),
        ([{"a": 1}], 1, "dict in place of a token"),
    ],
)
def test_other_forms_are_named(value: Any, dimension: int, fault: str) -> None:
    assert fault_of_form(value, dimension) == fault


def test_letters_and_digits_are_remapped_to_signs_that_stand_nowhere() -> None:
    everything = "".join(chr(code) for code in range(32, 127))
    values = [everything, ["αÀ", 12]]
    phi = draw_character_remapping(values, random.Random(1))
    assert phi is not None
    assert set(phi) == {sign for sign in everything + "αÀ" if sign.isalnum()}
    assert len(set(phi.values())) == len(phi)
    assert not {"α", "À"} & set(phi.values())
    assert remap_characters([12, "a b|"], phi) == [phi["1"] + phi["2"], f"{phi['a']} {phi['b']}|"]
    assert draw_character_remapping(values, random.Random(1)) == phi
    assert draw_character_remapping(["".join(map(chr, range(0x4E00, 0x4F00)))], random.Random(1)) is None
