"""What is read of replies, well-meant and hostile ones, and how it is graded."""

import json
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.item_text import write_prompt
from perennial.tasks.a2rbench.players import ItemGame
from perennial.tasks.a2rbench.replies import MOST_NESTED, objects_with, read_answer, write_answer

LINE = write_prompt(1, [(["c", "d"], ["d", "c"]), (["e", "f"], ["f", "e"])], ["b", "a"])
GRID = write_prompt(2, [([["1", "2"], ["3", "4"]], [["2", "1"], ["4", "3"]])], [["1", "3"], ["2", "4"]])


def answer(reply: str) -> str | None:
    found = read_answer(reply)
    return None if found is None else found.answer


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ('{"final_answer": ["a", "b"]}', '["a","b"]'),
        ('```json\n{"rule": "r", "final_answer": [["a"],\n["b"]]}\n```', '[["a"],["b"]]'),
        ('{"final_answer": ["a"]} no, wait {"final_answer": ["b"]} done', None),
        ('{"final_answer": ["a"]} and once more {"final_answer":["a"]}', '["a"]'),
        ('{"final_answer": ["a"]} and {"other": 1}', '["a"]'),
        ('{"final_answer": ["a"]} {"final_answer": null}', None),
        ('a set {x} and {"final_answer": ["a"]}', '["a"]'),
        ('{"reasoning": "{\\"final_answer\\": 1}", "final_answer": ["a"]}', '["a"]'),
        ('{"final_answer": {"final_answer": ["a"]}}', '{"final_answer":["a"]}'),
        ('{"final_answer": "a b"}', '"a b"'),
        ('{"final_answer": ["a"]', None),
        ('{"final_answer": null}', None),
        ("", None),
        ("I give up.", None),
        ('{"Final_Answer": ["a"]}', None),
        ('["a"]', None),
        ('{"final_answer": NaN}', None),
        ('{"final_answer": [1, Infinity]}', None),
        ('{"final_answer": ["a"], "final_answer": ["b"]}', None),
        ('{"final_answer": ["\\ud800"]}', None),
        ('{"final_answer": ' + "9" * 5_000 + "}", None),
        ('{"final_answer": ' + "[" * 3_000 + "]" * 3_000 + "}", None),
    ],
)
def test_without_a_form_the_one_answer_of_strict_json_objects_counts(reply: str, read: str | None) -> None:
    assert answer(reply) == read


def find_by_beginnings(text: str) -> list[dict[str, Any]]:
    """Return the objects with an answer, by definition: every beginning is tried, from left to right."""

    def refuse(_: object) -> NoReturn:
        raise ValueError

    def take_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return dict(pairs) if len(dict(pairs)) == len(pairs) else refuse(pairs)

    decoder = json.JSONDecoder(object_pairs_hook=take_once, parse_constant=refuse)
    found, place = [], text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
            canonical_json(value).encode()
        except ValueError:
            end = place + 1
        else:
            found += [value] if "final_answer" in value else []
        place = text.find("{", end)
    return found


SCALARS = (
    *("1", "-0.5e3", "01", "-", "1e999", "NaN", "-Infinity", "true", "nul", '"a"', '"{"', '"', "9" * 5_000),
    *(r'"\""', r'"\u00e9"', r'"\ud800"', r'"\ud83d\ude00"', r'"{\"final_answer\": 3}"', r'"\x"'),
    *('"\ud800"', '"\x01"'),
)
KEYS = ('"a":', '"final_answer":', '"final\\u005fanswer" : ', '"{":', '"a', "a:")
PIECES = (*SCALARS, *KEYS, *"{}[],: \n\\", '{"final_answer": [1]}', '{"a":1,"a":2}', "}}")
TEXTS = st.recursive(
    st.sampled_from(SCALARS),
    lambda parts: (
        st.lists(parts, max_size=3).map(lambda items: "[" + ",".join(items) + "]")
        | st.lists(st.tuples(st.sampled_from(KEYS), parts), max_size=3).map(
            lambda items: "{" + ", ".join(map("".join, items)) + "}"
        )
    ),
    max_leaves=12,
)
REPLIES = st.lists(TEXTS | st.sampled_from(PIECES), max_size=15).map("".join)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(REPLIES)
def test_what_is_read_is_what_every_beginning_would_give(reply: str) -> None:
    assert [each.value for each in objects_with("final_answer", reply)] == find_by_beginnings(reply)


def test_braces_that_begin_nothing_hide_no_answer() -> None:
    """Mathematics is full of them: 500 were read, and the rest was not."""
    assert answer(r"\\frac{1}{x} " * 2_000 + '{"final_answer": ["a"]}') == '["a"]'


def test_nesting_is_read_to_a_depth_that_does_not_depend_on_the_caller() -> None:
    deepest = "[" * (MOST_NESTED - 1) + "]" * (MOST_NESTED - 1)
    assert answer(f'{{"final_answer": {deepest}}}') == deepest
    assert answer(f'{{"final_answer": [{deepest}]}}') is None


def test_the_end_of_a_long_reply_is_read() -> None:
    assert answer("x" * 3_000_000 + '{"final_answer": ["a"]}') == '["a"]'


def test_the_rule_is_kept_where_it_is_a_text() -> None:
    for rule, kept in (("reverse", "reverse"), (["a"], None), (None, None), ("r" * 9_000, "r" * 2_000)):
        found = read_answer(json.dumps({"rule": rule, "final_answer": []}))
        assert found is not None
        assert found.rule == kept
    assert read_answer(write_answer(["é"], "r", "because")) == ('["é"]', "r", 1)


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ('{"final_answer": ["a", "b"]}', "solved"),
        ('{"final_answer": ["a","b"] }', "solved"),
        ('{"final_answer": ["b", "a"]}', "wrong"),
        ('{"final_answer": [["a", "b"]]}', "wrong"),
        ('{"final_answer": "ab"}', "solved"),
        ('{"final_answer": "a b"}', "solved"),
        ('{"final_answer": "ba"}', "wrong"),
        ('{"final_answer": []}', "wrong"),
        ('{"final_answer": 0}', "wrong"),
        ('{"final_answer": false}', "wrong"),
        ('{"final_answer": null}', "unparsed"),
        ("[a, b]", "solved"),
        ("I see [a, b] there", "unparsed"),
    ],
)
def test_an_answer_is_right_exactly_where_it_has_the_same_tokens(reply: str, status: str) -> None:
    game = ItemGame(LINE, '["a","b"]')
    assert game.result() is None
    game.take(reply)
    result = game.result()
    assert result is not None
    assert (result.status, result.success, result.score) == (
        status,
        status == "solved",
        float(status == "solved"),
    )
