"""Whatever perennial.toml holds: usable settings, or one line that says what is wrong."""

import os
from datetime import UTC, date, datetime, time
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.settings import KumoSettings
from perennial.schemas.settings import RefreshSettings, load_settings

FIELDS = sorted(KumoSettings.model_fields)
OWN = KumoSettings.own_fields()
TEXTS = st.text(max_size=8) | st.sampled_from(
    [
        "4x6",
        "easy",
        "a,b",
        "http://h:1/v1",
        "http://[::1",
        "http://h:99999",
        "http://h:0",
        "dask://h:1",
        "nan",
    ]
)
PLAIN = (
    TEXTS
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 2**63, 0, 1])
    | st.floats()
    | st.sampled_from([date(1979, 5, 27), time(7, 32), datetime(1979, 5, 27, tzinfo=UTC)])
)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(toml: str) -> RefreshSettings | str:
    """Return the settings of such a file, or why it is refused; any other error fails the test."""
    Path("perennial.toml").write_text(toml, encoding="utf-8")
    try:
        return load_settings({})
    except InvalidOption as error:
        return str(error)


SWITCHES = ("accept_api_errors", "allow_unlisted", "counterfactual", "require_test", "smoke")


def section_of(name: str) -> str:
    """Return what stands before the setting in perennial.toml."""
    return "[kumo]\n" if name in OWN else ""


def as_toml(value: Any) -> str:
    """Return the value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(character):08X}" for character in value) + '"'
    if isinstance(value, int):
        return hex(value) if value >= 0 else str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_toml(key)} = {as_toml(inner)}" for key, inner in value.items()) + "}"
    return value.isoformat() if isinstance(value, date | time) else str(value)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400)
@given(name=st.sampled_from([*FIELDS, "other", "a\nb", ""]), value=VALUES)
@example(name="domains", value=[[1]])
@example(name="players", value=[{"a": 1}])
@example(name="categories", value=[date(1979, 5, 27)])
@example(name="settings", value=["x" * 10_000])
@example(name="seed", value=16**5_000)
@example(name="max_calls", value=[16**5_000])
@example(name="timeout", value=float("nan"))
@example(name="root", value="a\0b")
@example(name="domains", value="a\0b")
@example(name="webhook", value="http://h:99999")
def test_any_value_is_taken_or_refused_in_one_line(name: str, value: Any) -> None:
    found = read(f"{section_of(name)}{as_toml(name)} = {as_toml(value)}\n")
    if isinstance(found, str):
        assert found.isprintable()
        assert len(found) < 4_000
        return
    for taken in found.model_dump().values():
        assert not isinstance(taken, float) or isfinite(taken)
        assert not isinstance(taken, str) or "\n" not in taken


@pytest.mark.parametrize("value", ["true", "[[1]]", "[{a = 1}]", "{a = 1}", "1979-05-27", "inf", "nan"])
def test_no_setting_takes_a_value_of_another_kind(value: str) -> None:
    names = sorted({*FIELDS} - {*SWITCHES})
    read_as = {name: read(f"{section_of(name)}{name} = {value}\n") for name in names}
    assert [name for name, found in read_as.items() if not isinstance(found, str)] == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[kumo]\ndomains = [[1]]", r"perennial\.toml, line 2: domains = \[0\]: \[1\]: expected a text"),
        ("[kumo]\ninstances = true", "line 2: instances = True: expected something else than true or false"),
        (
            f"seed = 0x{'f' * 5_000}",
            r"perennial\.toml, line 1: a whole number of over 300 digits; write a shorter one",
        ),
        (f"\nseed = {'7' * 5_000}", r"perennial\.toml, line 2: a whole number of over 300 digits"),
        (f"a = {'[' * 5_000}", r"perennial\.toml: nested too deeply; expected keys with plain values"),
        ('"a\\nb" = 1', r"perennial\.toml: 'a\\nb': there is no such setting"),
        (f"{'k' * 5_000} = 1", "k{197}...: there is no such setting"),
        (f"players = [{'1, ' * 10_000}]", r"players = \[7\]: 1: expected a text; and 9,992 more"),
        ('root = "a\\u0000b"', r"line 1: root = 'a\\x00b': expected one line without control characters"),
    ],
)
def test_what_is_wrong_is_named(content: str, told: str) -> None:
    Path("perennial.toml").write_text(content, encoding="utf-8")
    with pytest.raises(InvalidOption, match=told):
        load_settings({})


def test_a_byte_order_mark_is_passed_over_and_other_bytes_are_refused() -> None:
    Path("perennial.toml").write_bytes(b"\xef\xbb\xbfseed = 7\n")
    assert load_settings({}).seed == 7
    Path("perennial.toml").write_bytes(b"seed = 7 # \xff\n")
    with pytest.raises(InvalidOption, match=r"perennial\.toml: expected text in UTF-8, got the byte 0xff at"):
        load_settings({})


@pytest.mark.parametrize(
    "make",
    [os.mkfifo, os.mkdir, lambda name: os.symlink(name, name), lambda name: os.symlink("absent", name)],
)
def test_what_is_no_file_is_refused_and_not_waited_for(make: Any) -> None:
    make("perennial.toml")
    with pytest.raises(InvalidOption, match=r"perennial\.toml: not a regular file; remove it"):
        load_settings({})


def test_the_settings_file_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "shared.toml").write_text("seed = 7\n")
    (tmp_path / "perennial.toml").symlink_to("shared.toml")
    assert load_settings({}).seed == 7
