"""Published files that an earlier perennial left: read, or refused by the number of their format."""

from pathlib import Path

import pytest

from tests.flows.hand_made_root import Run, commands_on
from tests.flows.prefect_harness import clean_environment
from tests.flows.published_format import unpack
from warehouse.catalog.catalog import FORMAT
from warehouse.store.store import Store


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Commands of `perennial` on the kept root of this format."""
    unpack(FORMAT, tmp_path)
    for name in {"PREFECT_API_URL", "PERENNIAL_API_KEY", "OPENAI_API_KEY"} - set(clean_environment()):
        monkeypatch.delenv(name, raising=False)
    return commands_on(Store(str(tmp_path)), monkeypatch, capsys)


def test_this_version_reads_the_published_files_of_its_format(run: Run) -> None:
    listed = run("editions", "--format", "csv")
    assert (listed.code, listed.out.count("\nkept,")) == (0, 1), listed.err
    rates = run("query", "SELECT player, attempted, success_rate FROM leaderboard", "--format", "csv")
    assert rates.code == 0, rates.err
    assert "algorithm-3,2,1.0\n" in rates.out
    assert "random,2," in rates.out
    verified = run("verify", "--all")
    assert verified.code == 0, verified.out
    assert [line.split(":")[0] for line in verified.out.splitlines()] == ["kept", "kept@1", "kept@2"]
    checked = run("doctor")
    assert checked.code == 0, checked.out


@pytest.mark.parametrize("number", range(3, FORMAT))
def test_published_files_of_a_former_format_are_refused_by_its_number(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unpack(number, tmp_path)
    run = commands_on(Store(str(tmp_path)), monkeypatch, capsys)
    for command in (("verify", "--all"), ("editions",), ("query", "FROM leaderboard"), ("report", "kept")):
        refused = run(*command)
        assert refused.code == 2
        assert f"was written in format {number} by another version of perennial" in refused.err
        assert f"expected format {FORMAT}: " in refused.err
    checked = run("doctor")
    assert checked.code != 0
    assert f"format {number}" in checked.out
