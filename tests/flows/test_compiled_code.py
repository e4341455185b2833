"""Compiled code is made ready once for a state of the code, not by each command."""

from pathlib import Path

import pytest

from perennial.flows.run import compiled_code
from perennial.flows.run.compiled_code import compile_once


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    return []


def _make_ready(calls: list[int]) -> str:
    calls.append(1)
    return "ready"


def test_the_second_command_finds_it_ready(calls: list[int]) -> None:
    assert [compile_once("toy", lambda: _make_ready(calls)) for _ in range(2)] == ["ready", ""]
    assert compile_once("other", lambda: _make_ready(calls)) == "ready"


def test_other_code_and_another_cache_are_made_ready_again(
    calls: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compile_once("toy", lambda: _make_ready(calls))
    monkeypatch.setattr(compiled_code, "code_sha256", lambda: "changed")
    assert compile_once("toy", lambda: _make_ready(calls)) == "ready"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    assert compile_once("toy", lambda: _make_ready(calls)) == "ready"
    assert len(calls) == 3


def test_what_fails_is_not_noted(calls: list[int]) -> None:
    def fail() -> str:
        raise MemoryError

    with pytest.raises(MemoryError):
        compile_once("toy", fail)
    assert compile_once("toy", lambda: _make_ready(calls)) == "ready"


def test_a_cache_that_cannot_be_written_is_done_without(calls: list[int], tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"a file where the folder should be")
    assert [compile_once("toy", lambda: _make_ready(calls)) for _ in range(2)] == ["ready", "ready"]


def test_a_note_of_garbage_is_written_again(calls: list[int], tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "compiled-toy.txt").write_bytes(b"\xff\x00" * 9)
    assert [compile_once("toy", lambda: _make_ready(calls)) for _ in range(2)] == ["ready", ""]
