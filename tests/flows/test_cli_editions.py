"""`perennial editions list`: listing, withdrawing, reinstating."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.refresh.plan import prepare_refresh
from perennial.schemas.settings import load_settings
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish


def _list_editions(run: Run, *arguments: str) -> list[dict[str, Any]]:
    shown = run("editions", "list", *arguments, "--format", "json")
    assert shown.code == 0, shown.err
    rows: list[dict[str, Any]] = json.loads(shown.out)
    return [row for row in rows if "@" not in row["edition"]]


@pytest.mark.slow
def test_withdrawing_hides_an_edition_and_reinstating_shows_it(run: Run) -> None:
    shown = run("editions", "withdraw", "e1", "--why", "two  books\nare wrong")
    assert shown.code == 0, shown.err
    assert "edition e1 is withdrawn" in shown.out
    assert [row["edition"] for row in _list_editions(run)] == ["e2"]
    assert "1 more edition is withdrawn" in run("editions", "list").err
    first, second = _list_editions(run, "--all")
    assert (first["edition"], first["why"], first["instances"]) == ("e1", "two books are wrong", 1)
    assert first["withdrawn"] <= f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    assert (second["edition"], second["why"], second["withdrawn"]) == ("e2", None, None)
    query = run("query", "SELECT * FROM episodes WHERE edition = 'e1'", "--format", "json")
    assert (query.code, json.loads(query.out)) == (0, [])
    for command in (("report", "e1"), ("analyse", "e1")):
        shown = run(*command)
        assert shown.code == 2
        assert "has no published edition 'e1' (it may be withdrawn)" in shown.err
    assert run("editions", "reinstate", "e1", "--why", "they were right").code == 0
    assert [row["edition"] for row in _list_editions(run)] == ["e1", "e2"]


def test_a_refresh_under_a_withdrawn_name_is_refused(run: Run) -> None:
    assert run("editions", "withdraw", "e1", "--why", "two books are wrong").code == 0
    shown = run("refresh", "--edition", "e1", "--domains", "mineral_identification", "--dry-run")
    assert shown.code == 5
    assert "withdrawn (two books are wrong), and its name stays taken" in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("withdraw", "e9", "--why", "x"), 2, "has no published edition 'e9' .*; published: e1, e2"),
        (("withdraw", "../e1", "--why", "x"), 2, "has no published edition"),
        (("withdraw", "e1"), 2, "--why: missing"),
        (("withdraw", "e1", "--why", " \n"), 2, r"--why ' \\n': expected a reason"),
        (("reinstate", "e1"), 2, "--why: missing"),
        (("reinstate", "e1", "--why", "x"), 5, "edition 'e1' is not withdrawn"),
        (("--withdraw", "e1"), 2, "--withdraw: there is no such option"),
        (("e1",), 2, "'e1': there is no such command"),
        (("reveel", "e1"), 2, "did you mean reveal"),
        (("prune", "e1"), 2, "nothing is left over of e1"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    run: Run, store: Store, arguments: tuple[str, ...], code: int, told: str
) -> None:
    shown = run("editions", *arguments)
    assert shown.code == code
    assert shown.err.count("\n") == 1
    assert re.search(told, shown.err)
    assert not Path(store.root, "withdrawals").exists()


@pytest.mark.slow
def test_withdrawing_twice_is_refused(run: Run) -> None:
    run("editions", "withdraw", "e1", "--why", "two books are wrong")
    shown = run("editions", "withdraw", "e1", "--why", "again")
    assert shown.code == 5
    assert "withdrawn already" in shown.err
    assert "two books are wrong" in shown.err


@pytest.mark.slow
def test_an_unnamed_refresh_never_goes_on_with_a_withdrawn_edition(run: Run, store: Store) -> None:
    settings = load_settings({"domains": ["mineral_identification"], "instances": 1, "seed": 0})
    first = prepare_refresh(settings, store).plan
    Staging(store, first.edition).write_plan(first.growth)
    assert prepare_refresh(settings, store).resumed
    publish(store, first, tiny_edition.tables(), [], datetime.now(UTC))
    assert run("editions", "withdraw", first.edition, "--why", "two books are wrong").code == 0
    again = prepare_refresh(settings, store)
    assert not again.resumed
    assert again.plan.edition not in (first.edition, "e1", "e2")
    assert again.plan.growth.known_editions == ("e1", "e2", first.edition)
