"""Practice questions in docs/share.md: commands and Python run in order, the tables are complete."""

import re
import shlex
from pathlib import Path

import pytest

from perennial.flows.practice.grade import find_practice
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.practice import PracticeQuestion
from tests.conftest import REPOSITORY
from tests.flows.hand_made_root import perennial
from tests.practice.drawn import draw

pytestmark = pytest.mark.slow

PAGE = (REPOSITORY / "docs/share.md").read_text("utf-8").split("\n## Practice questions\n")[1]


def test_commands_and_python_of_the_page_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line) for line in re.findall(r"^    perennial (.+)$", PAGE, re.MULTILINE)]
    assert {command[2] for command in commands} == set(benchmarks())
    for command in commands:
        done = perennial(monkeypatch, capsys, *command)
        assert done.code == 0, done.err
        count = command[command.index("--count") + 1]
        assert done.err.splitlines()[-1].startswith(f"{count} practice questions of {command[2]} in ")
    block, *_ = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    exec(block, {})
    graded, ended = capsys.readouterr().out.splitlines()
    assert graded.startswith("Grade(status='solved', success=True, score=1.0")
    assert ended.startswith("Result(status='unparsed'")


def test_the_tables_name_every_key_and_every_parameter() -> None:
    line = draw("kumo", 1)[0].as_json()
    shown = PAGE.partition("| key |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", re.sub(r"\| [^|]* \|$", "|", shown, flags=re.MULTILINE))) == set(line)
    assert PracticeQuestion.from_json(line).as_json() == line
    for name in benchmarks():
        found = re.search(rf"^\| `{name}` \| (.*?) \|", PAGE, re.MULTILINE)
        assert found, name
        parameters = find_practice(name).parameters.model_fields
        assert re.findall(r"`(\w+)`", found[1]) == list(parameters)


def test_commands_of_verifiers_name_environments_and_their_parameters() -> None:
    commands = [shlex.split(line) for line in re.findall(r"^    (vf-eval .+)$", PAGE, re.MULTILINE)]
    assert len(commands) >= 2
    for command in commands:
        name = command[1].removeprefix("perennial-")
        known = {*find_practice(name).parameters.model_fields, "seed", "root", "curriculum"}
        given = [word.rpartition(".")[2] for word in command if word.startswith("--env.taskset.")]
        assert {one.replace("-", "_") for one in given} <= known
        assert "--no-push" in command
    for name in benchmarks():
        assert f"`perennial-{name}`" in PAGE
