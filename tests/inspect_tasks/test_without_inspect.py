"""Without the extra `inspect`, the command names it in one line, and nothing else of perennial needs it."""

import sys
from pathlib import Path

import pytest

from tests.flows.hand_made_root import perennial


def test_an_absent_extra_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    done = perennial(monkeypatch, capsys, "import", "inspect", tmp_path, "--root", tmp_path)
    assert done.code == 2
    assert "pip install -e '.[inspect]'" in done.err
    assert done.err.count("\n") == 1
