"""Finding the JSON document in a reply, and telling a cut off one from a broken one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import UnreadableInput
from perennial.tasks.llm.structured import is_cut_off, json_text

DOCUMENT = '{"a": [1, 2.5e3, -1, true, null, "x\\n\\u00e9 } {"], "b": {"c": "```"}, "e": []}'


@pytest.mark.parametrize(
    "reply",
    [
        DOCUMENT,
        f"\n  {DOCUMENT}\n",
        f"Sure {{as asked}}, here [see 1] it is: {DOCUMENT} I hope [it] helps {{you}}.",
        f"```json\n{DOCUMENT}\n```",
        f"Here you are:\n\n```JSON\n{DOCUMENT}\n```\nDone.",
        f"```\n{DOCUMENT}\n```",
        f"  ```json\n{DOCUMENT}",
        f'First a draft:\n```json\n{{"draft": 1}}\n```\nNow the whole:\n```json\n{DOCUMENT}\n```\n["a"]',
        f'```python\nprint({{"no": 1}})\n```\n```json\n{DOCUMENT}\n```\n```\n[1, 2]\n```',
        f'It has the form {{"a": []}}: {DOCUMENT}',
        f'Not {{"a": "{"longer" * 20}"}}, but:\n```\n{DOCUMENT}\n```',
        f"```json {DOCUMENT}```",
    ],
)
def test_the_document_is_found_as_it_is_written(reply: str) -> None:
    assert json_text(reply) == DOCUMENT
    assert not is_cut_off(reply)


def test_a_list_of_objects_and_a_list_of_texts_are_documents() -> None:
    assert json_text('Names: ["a", "b"].') == '["a", "b"]'
    assert json_text('[{"a": 1}]') == '[{"a": 1}]'
    assert json_text("The answer: {}") == "{}"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("", "holds no JSON document"),
        ("I cannot [sorry] do {this}.", "holds no JSON document"),
        ("```json\nnothing here\n```", "holds no JSON document"),
        ("{'a': [\"b\"]}", "broken: line 1"),
        ('{a: ["b"]}', "broken: line 1"),
        ('{"a": 1,\n "b" 2}', "broken: line 2"),
        ('{"a": ["b"],}', "broken"),
        ('{"a": "b\n"}', "broken"),
        ('{"a": {"b": ["c"], "d"}} and later {"e": 1}', "broken"),
        (DOCUMENT + "\n```json\n" + DOCUMENT[:-1], "cut off"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "thousands of digits"),
    ],
)
def test_no_part_of_a_defective_document_is_taken_for_it(reply: str, message: str) -> None:
    with pytest.raises(UnreadableInput, match=message) as caught:
        json_text(reply)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("before", ["", "Here [1] it is:\n", "Sure.\n```json\n", "```\n", '{"x": 1} or\n'])
def test_every_beginning_of_a_document_is_cut_off(before: str) -> None:
    for end in range(1, len(DOCUMENT)):
        assert is_cut_off(before + DOCUMENT[:end]), DOCUMENT[:end]
        with pytest.raises(UnreadableInput, match="cut off"):
            json_text(before + DOCUMENT[:end])


def test_a_fence_around_a_cut_off_document_does_not_end_it() -> None:
    assert is_cut_off('```json\n{"a": [1,\n```')


@pytest.mark.parametrize("reply", ["", "no", '{"a": 1 "b', "{'a': ", '{"a": 1}', '{"a": x'])
def test_what_is_no_beginning_of_a_document_is_not_cut_off(reply: str) -> None:
    assert not is_cut_off(reply)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, min_size=1), st.booleans(), st.data())
@pytest.mark.slow
def test_any_object_is_found_in_prose_and_any_beginning_is_cut_off(
    value: dict[str, object], is_ascii: bool, data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    assert json_text(f"So:\n{text}\nAll [of it] done.") == text
    end = data.draw(st.integers(1, len(text) - 1))
    assert is_cut_off(f"So: {text[:end]}")


@given(st.text(alphabet="{}[]\",:\\ \nabc019.-`'jsontrue", max_size=60))
def test_any_text_gives_a_document_or_one_line(reply: str) -> None:
    if is_cut_off(reply):
        with pytest.raises(UnreadableInput, match="cut off"):
            json_text(reply)
        return
    try:
        document = json_text(reply)
    except UnreadableInput as error:
        message = str(error)
        assert "\n" not in message
    else:
        assert document in reply
        assert isinstance(json.loads(document), dict | list)
