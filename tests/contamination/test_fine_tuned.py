"""A model that was really fine-tuned on an export shows a gap, which grows with epochs."""

from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (find_spec("torch") and find_spec("transformers") and find_spec("peft")),
        reason="extra train is not installed: pip install -e '.[train]'",
    ),
]


def test_the_gap_grows_with_epochs_on_an_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.benchmarks.fine_tuned import measure_leak

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    rows = measure_leak(tmp_path, 40, (1, 4, 12))
    gaps = [rows[epochs]["gap"] for epochs in (0, 1, 4, 12)]
    assert gaps[0] == 0, "before training no reply can be read"
    assert gaps[1] < gaps[2] < gaps[3]
    assert rows[1]["p_value"] > 0.05
    assert rows[12]["p_value"] < 0.001
    assert rows[12]["gap_low"] > 0.3
    # What it memorized is no skill: on private instances it guesses.
    assert rows[12]["private_rate"] < 0.4
