"""Published files that an earlier perennial left: read, or refused by the number of their format."""

import json
from pathlib import Path

import pytest

from perennial.warehouse.catalog.confinement import FORMAT
from perennial.warehouse.store.store import Store
from tests.flows.grown_root import digests
from tests.flows.hand_made_root import Run, commands_on
from tests.flows.prefect_harness import clean_environment
from tests.flows.published_format import unpack
from tests.flows.root_commands import READERS, WITHOUT_READING, commands_with_a_root

# A format is refused by its number: the oldest of which files are kept, and the last.
FORMER = (3, FORMAT - 1)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Commands of `perennial` on the kept root of this format."""
    unpack(FORMAT, tmp_path)
    for name in {"PREFECT_API_URL", "PERENNIAL_API_KEY", "OPENAI_API_KEY"} - set(clean_environment()):
        monkeypatch.delenv(name, raising=False)
    return commands_on(Store(str(tmp_path)), monkeypatch, capsys)


@pytest.mark.slow
def test_this_version_reads_the_published_files_of_its_format(run: Run) -> None:
    listed = run("editions", "list", "--format", "csv")
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


STUDY = """
name = "s"
edition = "kept"
title = "t"
settings = ["4x4"]
domains = ["Chemical Analysis"]
tasks = 1
participants = 1
task_minutes = 5
currency = "EUR"
consent = "You agree to play, and may stop."
age_bands = ["a"]
education = ["b"]
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", FORMER)
def test_every_command_refuses_a_root_of_a_former_format_by_its_number_and_leaves_it_whole(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "root"
    unpack(number, root)
    before = digests(root)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    (tmp_path / "s.toml").write_text(STUDY)
    (tmp_path / "s.csv").write_text("benchmark,player,score,source\nb,p,1,s\n")
    run = commands_on(Store(str(root)), monkeypatch, capsys)
    told = f"was written in format {number} by another version of perennial, expected format {FORMAT}: "
    failed = []
    for command, all_arguments in READERS.items():
        for arguments in all_arguments:
            refused = run(*command.split(), *arguments)
            if refused.code != 2 or told not in refused.err or refused.err.count("\n") != 1:
                failed.append((command, arguments, refused.code, refused.err))
    assert failed == []
    assert digests(root) == before


def test_every_command_that_takes_a_root_is_tried_on_one_of_a_former_format() -> None:
    assert commands_with_a_root() == {*READERS, *WITHOUT_READING, "doctor"}


@pytest.mark.slow
@pytest.mark.parametrize("number", FORMER)
def test_doctor_names_the_former_format_once_with_its_remedy_and_checks_nothing_else_there(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unpack(number, tmp_path)
    before = digests(tmp_path)
    run = commands_on(Store(str(tmp_path)), monkeypatch, capsys)
    checked = run("doctor")
    assert (checked.code, checked.err) == (2, "")
    told = f"was written in format {number} by another version of perennial, expected format {FORMAT}: "
    assert [line for line in checked.out.splitlines() if "failed" in line] == checked.out.splitlines()[-1:]
    assert told in checked.out.splitlines()[-1]
    document = json.loads(run("doctor", "--json").out)
    assert document["exit_code"] == 2
    assert told in document["checks"][-1]["seen"]
    assert digests(tmp_path) == before
