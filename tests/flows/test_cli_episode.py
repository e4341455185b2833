"""`perennial episode` and `perennial calls --episode`: a whole conversation, and its calls."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows import test_cli_calls
from tests.flows.hand_made_root import Run
from tests.flows.test_cli_calls import call
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

HIDDEN = "\x1b[2J[bold]x[/bold]"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A root whose model m has its first call, and one of no episode, in the ledger too."""
    asked = call(1)
    test_cli_calls.store(tmp_path, asked, call(2), edition="e1@1")
    content = json.loads(json.dumps(tiny_edition.rows()).replace("call_cut", asked[0].call_id))
    content["messages"][0]["content"] = f"what now? {HIDDEN}"
    data = Store(str(tmp_path))
    publish(data, tiny_edition.plan("e1"), tiny_edition.tables(content), [], datetime(2026, 1, 1, tzinfo=UTC))
    return data


def id_of(store: Store, player: str, run: int = 0) -> str:
    sql = f"SELECT episode_id FROM episodes WHERE player = '{player}' AND run = {run}"
    ((episode_id,),) = open_catalog(store).query(sql)[1]
    return str(episode_id)


@pytest.mark.parametrize("given", ["ep", "ep_"])
def test_the_beginning_of_every_id_is_too_short(run: Run, given: str) -> None:
    shown = run("episode", given)
    assert (shown.code, shown.out) == (2, "")
    assert f"several episodes begin with {given!r}: ep_" in shown.err


def parts(text: str) -> list[str]:
    """Return the titles of a page's parts, without ids."""
    return [line.split(" ─")[0].split(", call_")[0] for line in text.splitlines() if line.endswith("──")]


@pytest.mark.slow
def test_an_episode_of_a_program_is_read_in_one_step(store: Store, run: Run) -> None:
    shown = run("episode", id_of(store, "algorithm-3"))
    assert shown.code == 0, shown.err
    head = dict(line.split(None, 1) for line in shown.out.split("\n\n")[0].splitlines())
    assert (head["player"], head["status"], head["edition"], head["tokens"]) == (
        "algorithm-3",
        "solved",
        "e1",
        "-",
    )
    assert (head["answer"], head["right_answer"]) == ("rain", "rain")
    assert parts(shown.out) == [
        "turn 1: reply",
        *("turn 2: shown", "turn 2: reply"),
        *("turn 3: shown", "turn 3: reply"),
    ]
    assert "\n4.5\n" in shown.out
    assert shown.out.endswith("<ANSWER> rain </ANSWER>\n")


@pytest.mark.slow
def test_an_episode_of_a_model_has_the_same_columns(store: Store, run: Run) -> None:
    shown = run("episode", id_of(store, "m").removeprefix("ep_")[:12])
    assert shown.code == 0, shown.err
    assert parts(shown.out) == ["turn 1: shown", "turn 1: reply"]
    assert "what now? \\x1b[2J[bold]x[/bold]\n" in shown.out
    assert "\x1b" not in shown.out

    def records(player: str) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = json.loads(
            run("episode", id_of(store, player), "--format", "json").out
        )
        return listed

    model, program = records("m"), records("random")
    assert list(model[0]) == list(program[0])
    assert [(row["shown"], row["reply"]) for row in model] == [(f"what now? {HIDDEN}", "so")]
    assert [row["shown"] for row in program] == [None, "4.5"]


@pytest.mark.parametrize(
    ("given", "said"),
    [("zz", "no episode 'zz'"), ("ep_", "several episodes begin with 'ep_'"), ("o'", 'no episode "')],
)
@pytest.mark.parametrize("command", [("episode",), ("calls", "--episode")])
def test_what_is_no_episode_is_named(run: Run, command: tuple[str, ...], given: str, said: str) -> None:
    shown = run(*command, given)
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_calls_of_an_episode_are_listed(store: Store, run: Run) -> None:
    listed = run("calls", "--episode", id_of(store, "m"), "--format", "json")
    assert [row["call_id"] for row in json.loads(listed.out)] == [call(1)[0].call_id], listed.err
    none = run("calls", "--episode", id_of(store, "random"))
    assert "no model call matches these filters" in none.out
