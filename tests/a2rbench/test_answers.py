"""What is read of replies, well-meant and hostile ones, and how it is graded."""

import json
import time

import pytest

from tasks.a2rbench.answers import read_answer, write_answer
from tasks.a2rbench.game import ItemGame


def answer(reply: str) -> str | None:
    found = read_answer(reply)
    return None if found is None else found.answer


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ('{"final_answer": ["a", "b"]}', '["a","b"]'),
        ('```json\n{"rule": "r", "final_answer": [["a"],\n["b"]]}\n```', '[["a"],["b"]]'),
        ('{"final_answer": ["a"]} no, wait {"final_answer": ["b"]} done', '["b"]'),
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
def test_the_last_json_object_with_a_final_answer_counts(reply: str, read: str | None) -> None:
    assert answer(reply) == read


@pytest.mark.parametrize(
    "reply",
    [
        '{"final_answer":' * 100_000,
        '{"a":[' * 100_000,
        "{" * 1_000_000,
        '{"final_answer": [' + '"a",' * 1_000_000,
        '{"a":' * 400 + "[" + "1," * 2_000_000,
    ],
)
def test_hostile_replies_are_read_in_bounded_time(reply: str) -> None:
    begun = time.process_time()
    assert answer(reply) is None
    assert time.process_time() - begun < 2


def test_the_end_of_a_long_reply_is_read() -> None:
    assert answer("x" * 3_000_000 + '{"final_answer": ["a"]}') == '["a"]'


def test_the_rule_is_kept_where_it_is_a_text() -> None:
    for rule, kept in (("reverse", "reverse"), (["a"], None), (None, None), ("r" * 9_000, "r" * 2_000)):
        found = read_answer(json.dumps({"rule": rule, "final_answer": []}))
        assert found is not None
        assert found.rule == kept
    assert read_answer(write_answer(["é"], "r", "because")) == ('["é"]', "r")


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ('{"final_answer": ["a", "b"]}', "solved"),
        ('{"final_answer": ["a","b"] }', "solved"),
        ('{"final_answer": ["b", "a"]}', "wrong"),
        ('{"final_answer": [["a", "b"]]}', "wrong"),
        ('{"final_answer": "ab"}', "wrong"),
        ('{"final_answer": "a b"}', "wrong"),
        ('{"final_answer": []}', "wrong"),
        ('{"final_answer": 0}', "wrong"),
        ('{"final_answer": false}', "wrong"),
        ('{"final_answer": null}', "unparsed"),
        ("[a, b]", "unparsed"),
    ],
)
def test_an_answer_is_right_exactly_where_it_is_the_same_json(reply: str, status: str) -> None:
    game = ItemGame("prompt", '["a","b"]')
    assert game.result() is None
    game.take(reply)
    result = game.result()
    assert result is not None
    assert (result.status, result.success, result.score) == (
        status,
        status == "solved",
        float(status == "solved"),
    )
