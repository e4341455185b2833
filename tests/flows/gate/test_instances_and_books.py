"""What is broken in an instance or a book stops the edition, and is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.kumo.edition import KumoEdition
from perennial.flows.kumo.gate import SHOWN
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import AuditFailed, Damaged
from perennial.schemas.rows import Rejection
from perennial.schemas.tables import TABLES
from tests.flows.gate.staged_edition import (
    EDITION,
    Change,
    Rows,
    change_batch,
    first_cell,
    pass_gate,
    refuse,
    root_of,
    run_batch,
    swap_observations,
)
from tests.server.book_text import read_back_of

pytestmark = pytest.mark.slow

CALL = {"call_id": "call_read", "role": "checker", "model": "m", "served_model": None, "template": "t"}
AGAINST = "12 instances against 0 of 0 earlier editions"
RARELY = "this many uniform draws repeat an instance with a probability of at most 1e-06"
LEFT_OUT = "instances before those that are too easy are left out"
# Of the edition of SETTINGS: suite, expectation, and what is observed.
TOLD = [
    ("grader", "the observations that players see leave exactly the valid truths", "12 instances"),
    (
        "grader",
        "naming a valid truth is graded as solved, and naming any other one as wrong",
        "54 truths named",
    ),
    (
        "grader",
        "the reader solves each instance from the text of its book",
        "12 books, read by their grammar",
    ),
    (
        "grader",
        "the reader solves each instance by what a model read out of its book",
        "0 books that models wrote",
    ),
    ("grader", "each instance without a book that passed its check is listed in rejections", "0 instances"),
    ("grader", "each instance has a book that passed its check", "12 instances"),
    ("overlap", "each instance_id is that of the instance's truths, actions and states", "12 instances"),
    ("overlap", "no two instances have the same truths, actions and states", "12 of 12"),
    (
        "overlap",
        "the share of instances whose answer needs no test, given lists, rules and promise, is at most 0 "
        "(max_trivial_share)",
        "0: 0 of 12 instances",
    ),
    (
        "overlap",
        "the share of distinct texts among the books shown is at least 1 (min_distinct_books)",
        "1: 12 texts for 12 instances",
    ),
    ("overlap", "no earlier edition holds the same truths, actions and observations", AGAINST),
    ("overlap", "no earlier edition holds the same truths, actions and states", AGAINST),
    ("overlap", "no earlier edition holds the same instance_id", AGAINST),
    (
        "overlap",
        f"Mineral Identification, easy: {RARELY} (max_collision_probability)",
        f"at most 2.1e-13, for 6 draws after 0 issued; the space holds at least 7.00e13 {LEFT_OUT}",
    ),
    (
        "overlap",
        f"Mineral Identification, 5x6: {RARELY} (max_collision_probability)",
        f"at most 1.3e-14, for 6 draws after 0 issued; the space holds at least 1.13e15 {LEFT_OUT}",
    ),
]


def test_a_sound_edition_passes_and_everything_is_told(workspace: Workspace) -> None:
    rows = pass_gate(workspace)
    assert all(row["success"] for row in rows.values())
    assert not any(row["unexpected_count"] for row in rows.values())
    assert [(row["suite"], sentence, row["observed"]) for sentence, row in rows.items()] == TOLD
    assert {sentence for sentence, row in rows.items() if row["severity"] == "warning"} == {
        "each instance has a book that passed its check"
    }
    assert {row["severity"] for row in rows.values()} == {"critical", "warning"}


@pytest.mark.parametrize(
    ("problems", "told"),
    [
        ([], "12 seen"),
        (["a"], "a"),
        (["a", "b", "c"], "a; b; c"),
        (["a", "b", "c", "d"], "a; b; c; and 1 more"),
        ([str(number) for number in range(1_500)], "0; 1; 2; and 1,497 more"),
    ],
)
def test_a_row_tells_three_problems_and_counts_the_others(problems: list[str], told: str) -> None:
    row = {"suite": "grader", "expectation": SHOWN.sentence, "severity": "critical", "validation": None}
    row["success"] = not problems
    assert SHOWN.row("12 seen", problems) == {**row, "observed": told, "unexpected_count": len(problems)}
    counted = SHOWN.row("12 seen", problems, broken_by=7)
    assert counted == {**row, "observed": told, "unexpected_count": 7}


def test_passing_again_changes_nothing_and_looks_at_what_is_new(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = pass_gate(workspace)
    monkeypatch.setattr("perennial.flows.kumo.gate.SelfTest", None)  # whoever looks again fails
    assert pass_gate(workspace) == first
    monkeypatch.undo()
    change_batch(workspace, "sample", "kumo_instances", swap_observations)
    with pytest.raises(AuditFailed, match="staged again after the gate looked"):
        run_batch(workspace, Batch("overlap"))
    assert "falls into the states" in refuse(workspace)


def test_nothing_is_published_without_the_gate(workspace: Workspace) -> None:
    with pytest.raises(Damaged, match=r"3 of the 8 batches of edition 'gated' are not in .*: gate 0 easy"):
        audit_and_publish(root_of(workspace), EDITION)
    assert not (Path(root_of(workspace)) / "tables").exists()


def _other_valid_truth(rows: Rows) -> None:
    rows[2]["valid_truths"] = [
        next(name for name in rows[2]["truths"] if name not in rows[2]["valid_truths"])
    ]


def _unknown_state(rows: Rows) -> None:
    rows[2]["states"][0] = 99


def _no_number(rows: Rows) -> None:
    rows[2]["observations"] = ["none of it"] * 6


@pytest.mark.parametrize("change", [swap_observations, _other_valid_truth, _unknown_state, _no_number])
def test_a_broken_instance_is_named(workspace: Workspace, change: Change) -> None:
    named = KumoEdition(workspace).instance_rows(first_cell(workspace))[2]["instance_id"]
    change_batch(workspace, "sample", "kumo_instances", change)
    message = refuse(workspace)
    assert f"{named} (Mineral Identification, easy)" in message
    assert "the observations that players see leave exactly the valid truths" in message


def _book_without_a_rule(rows: Rows) -> None:
    lines = rows[2]["text"].split("\n")
    place = next(
        i for i, line in enumerate(lines) if line.startswith("- ") and "**" in line and "**: " not in line
    )
    rows[2]["text"] = "\n".join(lines[:place] + lines[place + 1 :])


def test_a_book_with_a_wrong_rule_is_named(workspace: Workspace) -> None:
    named = KumoEdition(workspace).book_rows(first_cell(workspace))[2]["instance_id"]
    change_batch(workspace, "books", "kumo_books", _book_without_a_rule)
    message = refuse(workspace)
    assert "grader: the reader solves each instance from the text of its book, broken by 1 rows" in message
    assert named in message


def test_a_control_book_with_a_wrong_rule_is_named(workspace: Workspace) -> None:
    def add_control(rows: Rows) -> None:
        sound = dict(rows[2])
        _book_without_a_rule(rows)
        rows.append({**rows[2], "version": "template"})
        rows[2] = sound

    named = KumoEdition(workspace).book_rows(first_cell(workspace))[2]["instance_id"]
    change_batch(workspace, "books", "kumo_books", add_control)
    message = refuse(workspace)
    assert "grader: the reader solves each instance from the text of its book, broken by 1 rows" in message
    assert named in message


def test_every_single_wrong_rule_of_a_book_is_found(workspace: Workspace) -> None:
    """Whichever truth a rule names instead of another: luck never hides it."""
    batch = first_cell(workspace)
    text = KumoEdition(workspace).book_rows(batch)[0]["text"]
    first, second = KumoEdition(workspace).instance_rows(batch)[0]["truths"][:2]
    places = [
        i for i in range(len(text)) if text.startswith(f"**{first}**", i) and text[i + len(first) + 4] != ":"
    ]
    assert len(places) >= 2
    for place in places:
        wrong = text[:place] + f"**{second}**" + text[place + len(first) + 4 :]
        change_batch(workspace, "books", "kumo_books", lambda rows, wrong=wrong: rows[0].update(text=wrong))
        assert "the reader" in refuse(workspace)


def test_a_book_that_a_model_wrote_is_played_by_what_was_read_back(workspace: Workspace) -> None:
    batch = first_cell(workspace)
    book = KumoEdition(workspace).book_rows(batch)[0]
    said = read_back_of(book["text"])

    def by_model(rows: Rows) -> None:
        rows[0].update(
            text="Prose.", author="m", checked_by="m", check_call_ids=["call_earlier", "call_read"]
        )

    def call(reply: dict[str, Any]) -> Change:
        missing = {column.name: None for column in TABLES["calls"].columns}
        known = {
            **CALL,
            "template_hash": "h",
            "repeat": 0,
            "request": "{}",
            "status": "ok",
            "usage": "missing",
        }
        more = {"reasoning_source": "none", "endpoint": "", "attempts": 1, "latency_s": 0.0}
        row = {**missing, **known, **more, "reply": json.dumps(reply)}
        return lambda rows: rows.__setitem__(slice(None), [row])

    change_batch(workspace, "books", "kumo_books", by_model)
    message = refuse(workspace)
    assert "lost" in message
    assert book["instance_id"] in message
    change_batch(workspace, "books", "calls", call(said))
    rows = pass_gate(workspace)
    assert rows["the reader solves each instance by what a model read out of its book"]["observed"] == (
        "1 books that models wrote"
    )
    assert rows["the reader solves each instance from the text of its book"]["observed"].startswith(
        "11 books"
    )
    for entry in said["actions"]:
        for outcome in entry["outcomes"]:
            outcome["rules_out"] = []
    change_batch(
        workspace, "books", "kumo_books", lambda rows: rows[1].update(author="another")
    )  # looked at again
    change_batch(workspace, "books", "calls", call(said))
    message = refuse(workspace)
    assert "differs from the rules" in message
    assert book["instance_id"] in message


def test_an_instance_without_a_book_is_told_and_only_with_its_rejection(workspace: Workspace) -> None:
    named = KumoEdition(workspace).book_rows(first_cell(workspace))[2]["instance_id"]
    change_batch(workspace, "books", "kumo_books", lambda rows: rows[2].update(verdict="failed"))
    message = refuse(workspace)
    assert named in message
    assert "no rejection says why" in message
    why = Rejection("books", named, "r", "m").row()
    change_batch(workspace, "books", "rejections", lambda rows: rows.append(why))
    row = pass_gate(workspace)["each instance has a book that passed its check"]
    assert (row["success"], row["severity"], row["unexpected_count"]) == (False, "warning", 1)
    assert row["observed"] == f"{named} is not played"


def test_an_instance_under_another_id_is_named(workspace: Workspace) -> None:
    row = KumoEdition(workspace).instance_rows(first_cell(workspace))[0]
    false_id = "ki_" + "0" * 32
    change_batch(workspace, "sample", "kumo_instances", lambda rows: rows[0].update(instance_id=false_id))
    change_batch(workspace, "books", "kumo_books", lambda rows: rows[0].update(instance_id=false_id))
    message = refuse(workspace)
    assert false_id in message
    assert row["instance_id"] in message
