"""The reader of JSON from outside: what is within its bounds is read as Python reads it, all else refused."""

import json
import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.json_text import MAX_DEPTH, JsonBeyondBounds, UnreadableJson, read_json
from tests.parsing_time import MOST_SECONDS, measure

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.booleans())
def test_what_is_json_is_read_as_it_was_written(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_json(text) == read_json(text, any_number=True) == json.loads(text)
    assert read_json("\ufeff".encode() + text.encode()) == value


@given(VALUES, st.data())
def test_an_altered_byte_gives_a_value_or_is_refused(value: object, data: st.DataObject) -> None:
    content = bytearray(json.dumps(value).encode())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with suppress(UnreadableJson):
        read_json(bytes(content))


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"[": ', "}"), ('{"\\"": [', "]}")])
def test_depth_is_bounded_and_brackets_in_texts_are_none(opened: str, closed: str) -> None:
    levels = opened.count("[") - opened.count('"["') + opened.count("{")
    fits = MAX_DEPTH // levels
    beside = json.dumps(['[[{{"' * 200, "\\"])
    assert read_json(f"[{opened * (fits - 1)}1{closed * (fits - 1)}, {beside}]")
    for count in (fits + 1, 20_000):
        for text in (opened * count + "1" + closed * count, opened * count):
            for any_number in (False, True):
                with pytest.raises(JsonBeyondBounds, match="nested too deeply"):
                    read_json(text, any_number=any_number)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1, NaN]", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not"),
        ("[-1e400]", "too large"),
        ("[" + "8" * 4_301 + "]", "of over 4,000 digits"),
        ('["\\uDe00"]', "half of a character"),
        (b'["\xed\xa0\x80"]', "not UTF-8"),
        (b"\xff\xfe[\x00]\x00", "not UTF-8"),
        ("[1, 2", "not JSON"),
        ("", "not JSON"),
        ("\ufeff[]", "byte order mark"),
        ('[{"a": 1, "a": 2}]', "'a' occurs twice"),
        ("[" + "[]," * 1_000_000 + "1]", "opening brackets"),
    ],
)
def test_what_no_file_should_hold_is_refused_in_one_line(text: str | bytes, words: str) -> None:
    with pytest.raises(UnreadableJson, match=words) as refused:
        read_json(text)
    assert len(str(refused.value)) < 200
    assert "\n" not in str(refused.value)


def test_sizes_are_bounded_and_servers_numbers_are_read() -> None:
    with pytest.raises(JsonBeyondBounds, match="expected 10 at most"):
        read_json("[" + " " * 10 + "]", max_bytes=10)
    assert math.isnan(read_json("[NaN]", any_number=True)[0])
    assert read_json("7" * 9_000, any_number=True) == int("7" * 4_000)


@pytest.mark.parametrize("unit", ["[", '"', '\\"', '"[",', "[],", '{"a":', "]", "[[]", '["\\\\"],'])
def test_a_megabyte_takes_half_a_second_of_cpu_at_most(unit: str) -> None:
    def parse(text: str) -> None:
        with pytest.raises(UnreadableJson):
            read_json(text)

    assert measure(parse, "[" * 101 + unit * (300_000 // len(unit))) <= MOST_SECONDS
