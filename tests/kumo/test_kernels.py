"""Kernels are made ready side by side, and whatever happens beside this process they are ready here."""

import subprocess
from typing import Any

import pytest

from perennial.flows.kumo import kernels


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the kernels by two that note their names."""
    names: list[str] = []

    monkeypatch.setattr(
        kernels, "_KERNELS", {name: lambda name=name: names.append(name) for name in ("a", "b")}
    )
    return names


def _end_with(monkeypatch: pytest.MonkeyPatch, code: int) -> list[Any]:
    """Let processes end with this code at once; return their commands, and "killed" where one is ended."""
    begun: list[Any] = []

    class Process:
        def __init__(self, command: list[str], **_: object) -> None:
            begun.append(command[-1])

        def wait(self) -> int:
            return code

        def kill(self) -> None:
            begun.append("killed")

    monkeypatch.setattr(subprocess, "Popen", Process)
    return begun


def test_one_needs_no_process(prepared: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    begun = _end_with(monkeypatch, 0)
    assert kernels.prepare_kernels("b").startswith("b loaded from the cache in ")
    assert (prepared, begun) == (["b"], [])


@pytest.mark.parametrize(
    ("code", "how"), [(0, "loaded from"), (3, "compiled, and cached"), (-9, "loaded from")]
)
def test_the_second_is_made_beside_the_first_and_loaded_here(
    code: int, how: str, prepared: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = _end_with(monkeypatch, code)
    assert kernels.prepare_kernels().startswith(f"a and b {how}")
    assert (prepared, begun) == (["a", "b"], ["b", "killed"])


def test_the_process_ends_where_the_first_fails(prepared: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    begun = _end_with(monkeypatch, 0)

    def fail() -> bool:
        raise KeyboardInterrupt

    monkeypatch.setitem(kernels._KERNELS, "a", fail)
    with pytest.raises(KeyboardInterrupt):
        kernels.prepare_kernels()
    assert begun == ["b", "killed"]
