"""`import perennial`: the notebook of the docs runs, and functions play as models do."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import perennial
from tests.conftest import REPOSITORY


@pytest.mark.slow
def test_the_notebook_runs_while_an_event_loop_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads((REPOSITORY / "docs/perennial.ipynb").read_text("utf-8"))["cells"]
    names: dict[str, Any] = {}

    async def run() -> None:
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)

    asyncio.run(run())
    # As many rows as for any model: each function has answered each of the seven questions.
    root = perennial.open("runs")
    counted = root.sql("SELECT player, count(*), count(DISTINCT instance_id) FROM episodes GROUP BY player")
    assert sorted(counted.fetchall()) == [
        ("first_name", 7, 7),
        ("guesser", 7, 7),
        ("optimum", 7, 7),
        ("tester", 7, 7),
    ]
    calls = root.sql("SELECT count(*), sum(prompt_tokens) FROM calls WHERE model = 'tester'").fetchall()
    assert calls == [(14, 7 * 900)]
    assert "2 --size 'huge': expected tiny" in capsys.readouterr().out

    # A function that fails is a server that fails: what it answered before is not asked again.
    answered: list[str] = []

    def shaky(messages: Sequence[Any]) -> str:
        if len(answered) == 3:
            raise ValueError("no luck today")
        answered.append(messages[-1]["content"])
        return "<ANSWER>none</ANSWER>"

    with pytest.raises(perennial.PerennialError, match="ValueError: no luck today") as failed:
        root.edition().evaluate([shaky])
    assert failed.value.exit_code == 6
    kept = answered[:]
    answered.append("")
    root.edition().evaluate([shaky])
    assert len(answered) == 8
    assert not {*kept} & {*answered[4:]}


def test_only_functions_and_names_play(tmp_path: Path) -> None:
    root = perennial.open(tmp_path)
    with pytest.raises(perennial.PerennialError, match="expected a list of names and functions"):
        root.refresh(players="optimum")
    with pytest.raises(perennial.PerennialError, match=r"player 7: expected a name, a function"):
        root.refresh(players=["optimum", 7])  # type: ignore[list-item]
    assert list(tmp_path.iterdir()) == []


def test_sql_reads_and_changes_nothing(tmp_path: Path) -> None:
    root = perennial.open(tmp_path)
    assert root.sql("SELECT 1 AS one").fetchall() == [(1,)]
    with pytest.raises(perennial.PerennialError, match="a query only reads: this is CREATE"):
        root.sql("CREATE TABLE mine (number INTEGER)")
    with pytest.raises(perennial.PerennialError, match="read_csv is not allowed"):
        root.sql("FROM read_csv('/etc/hostname')").fetchall()
