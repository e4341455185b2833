"""The audit holds on sound data, and every rule fails on data that breaks it."""

import math
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.errors import AuditFailed
from perennial.schemas.tables import TABLES
from perennial.warehouse.audit.audit import audit, cross_table_rules, require_pass
from perennial.warehouse.merge_parts import write_sorted
from tests.flows.plain_audit import PlainRunner
from tests.warehouse import tiny_edition
from tests.warehouse.doctored_rows import Doctor, Rows, change, drop, find_offenders


def _files(folder: Path, rows: Rows) -> dict[str, Path]:
    return {
        name: write_sorted(name, [table], folder, "e1") for name, table in tiny_edition.tables(rows).items()
    }


def _list_broken(folder: Path, doctor: Doctor) -> list[dict[str, Any]]:
    rows = tiny_edition.rows()
    doctor(rows)
    audited = audit(_files(folder, rows), runner=PlainRunner())
    return [row for row in audited.rows if not row["success"]]


def test_sound_data_passes_and_every_table_has_its_suite(tmp_path: Path) -> None:
    results = audit(_files(tmp_path, tiny_edition.rows())).rows
    assert [row for row in results if not row["success"]] == []
    assert {row["suite"] for row in results} == {*tiny_edition.STAGED_TABLES, "cross_table"}
    keys = [(row["suite"], row["expectation"]) for row in results]
    assert len(keys) == len(set(keys))
    require_pass(results, "staging/e1")


def _repeat(table: str) -> Doctor:
    return lambda rows: rows[table].append(rows[table][0])


def _drop_all(table: str) -> Doctor:
    return lambda rows: rows[table].clear()


def _all(*changes: Doctor) -> Doctor:
    return lambda rows: [change(rows) for change in changes] and None


@pytest.mark.slow
def test_each_expectation_of_a_table_catches_what_breaks_it(tmp_path: Path) -> None:
    breaks = [
        (change("kumo_episodes", "tests", -1), "kumo_episodes", "tests >= 0"),
        (change("episodes", "player", None), "episodes", "are never NULL"),
        (change("kumo_books", "verdict", "unsure"), "kumo_books", "verdict is one of"),
        (change("kumo_books", "version", "third", row=1), "kumo_books", "version is one of"),
        (_repeat("kumo_books"), "kumo_books", "book_id is unique"),
        (_repeat("turns"), "turns", "(episode_id, turn) is unique"),
    ]
    broken = _list_broken(tmp_path, _all(*(one for one, _, _ in breaks)))
    for _, suite, expectation in breaks:
        (found,) = [row for row in broken if row["suite"] == suite and expectation in row["expectation"]]
        assert found["unexpected_count"] >= 1


@pytest.mark.parametrize(
    ("doctor", "sentence"),
    [
        (_drop_all("instances"), "every episodes.instance_id is in instances"),
        (_drop_all("kumo_books"), "every kumo_episodes.book_id is in kumo_books"),
        (_drop_all("kumo_books"), "every instance has a book that passed"),
        (_drop_all("kumo_domains"), "every kumo_seed_configs.domain_id is in kumo_domains"),
        (_drop_all("episodes"), "every turns.episode_id is in episodes"),
        (change("episodes", "success", True, row=1), "a solved episode ends by naming"),
        (change("kumo_moves", "move", "sun", row=2), "a solved episode ends by naming"),
        (change("kumo_episodes", "tests", 3), "never exceed"),
        (change("kumo_instances", "n_actions", 1), "never exceed"),
        (change("turns", "feedback", "5.5"), "every move of an episode"),
        (change("kumo_moves", "move", "ask"), "every move of an episode"),
        (change("kumo_books", "verdict", "failed", row=1), "a book of its own instance"),
        (change("kumo_books", "version", "first"), "one final book at most"),
        # A model's final book without the template's beside it.
        (change("kumo_books", "author", "m", row=1), "one final book at most"),
        (change("turns", "call_id", "call_gone", row=5), "every turns.call_id is in calls"),
        (change("kumo_books", "check_call_ids", ["call_gone"]), "a book's check or judge lists"),
        (change("kumo_instances", "n_actions", 3), "leave exactly its valid truths"),
        (change("kumo_instances", "states", [0, 1]), "leave exactly its valid truths"),
        (change("kumo_instances", "valid_truths", ["sun"]), "leave exactly its valid truths"),
        (change("episodes", "version", "template"), "the first draft that it says"),
        (change("calls", "status", "ok"), "exactly when its last call is"),
        (change("calls", "reasoning_tokens", 3), "among those of its reply"),
        (change("messages", "message_id", "msg_2"), "every message that a call was sent"),
        (change("kumo_books", "verdict", "passed"), "versions of a model that all failed"),
    ],
)
def test_each_rule_over_several_tables_catches_what_breaks_it(doctor: Doctor, sentence: str) -> None:
    assert _offenders(sentence, lambda rows: None) == []
    assert _offenders(sentence, doctor) != []


def _offenders(sentence: str, doctor: Doctor) -> list[tuple[Any, ...]]:
    """Return the rows that break the rule with this sentence, after a change of sound rows."""
    rows = tiny_edition.rows()
    doctor(rows)
    return find_offenders(sentence, rows)


def _without_turns(rows: Rows) -> None:
    first = rows["episodes"][0]["episode_id"]
    rows["turns"] = [row for row in rows["turns"] if row["episode_id"] != first]


NUMBERED, SOLVED = "numbered from 1 without a gap", "exactly when its status is solved"


@pytest.mark.parametrize(
    ("sentence", "doctor", "broken"),
    [
        (NUMBERED, lambda rows: None, 0),
        (NUMBERED, change("turns", "turn", 4, row=2), 1),  # a gap
        (NUMBERED, _all(change("turns", "turn", 0), change("turns", "turn", 1, row=1)), 1),  # from 0
        (NUMBERED, change("episodes", "turns", 2), 1),
        (NUMBERED, change("episodes", "turns", 4), 1),
        (NUMBERED, _without_turns, 1),
        # An import may lack turns, and then says so; those that it has are numbered all the same.
        (NUMBERED, _all(_without_turns, change("episodes", "turns", None)), 0),
        (NUMBERED, _all(change("episodes", "turns", None), change("turns", "turn", 4, row=2)), 1),
        (SOLVED, lambda rows: None, 0),
        (SOLVED, change("episodes", "success", False), 1),
        (SOLVED, change("episodes", "status", "wrong"), 1),
        (SOLVED, change("episodes", "success", True, row=1), 1),
        (SOLVED, change("episodes", "status", "solved", row=2), 1),
        (
            SOLVED,
            _all(change("episodes", "success", True, row=1), change("episodes", "status", "solved", row=1)),
            0,
        ),
    ],
)
def test_turns_are_numbered_and_counted_and_solved_means_success(
    sentence: str, doctor: Doctor, broken: int
) -> None:
    assert len(_offenders(sentence, doctor)) == broken


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("kumo_instances", "every row of instances has its row in kumo_instances"),
        ("kumo_episodes", "every row of episodes has its row in kumo_episodes"),
        ("kumo_moves", "every row of turns has its row in kumo_moves"),
        ("turns", "every row of turns has its row in kumo_moves, and no other row is there"),
    ],
)
def test_a_table_that_extends_another_has_its_rows_and_no_other(table: str, sentence: str) -> None:
    assert _offenders(sentence, lambda rows: None) == []
    ((lacking, *_),) = _offenders(sentence, drop(table))
    assert lacking == table


@pytest.mark.slow
def test_what_was_found_is_counted_and_described(tmp_path: Path) -> None:
    rows = tiny_edition.rows()
    for one in (_repeat("kumo_moves"), _repeat("kumo_moves"), change("kumo_moves", "kind", "odd", row=3)):
        one(rows)
    found = {
        row["expectation"]: row
        for row in audit(_files(tmp_path, rows), runner=PlainRunner()).rows
        if row["suite"] == "kumo_moves"
    }
    repeated = found["(episode_id, turn) is unique"]
    first = rows["kumo_moves"][0]
    assert (repeated["unexpected_count"], repeated["success"]) == (3, False)
    assert (
        repeated["observed"].split("; ")[0]
        == f"rows such as episode_id={first['episode_id']}, turn={first['turn']}"
    )
    odd = rows["kumo_moves"][3]
    described = f"rows such as kind=odd, episode_id={odd['episode_id']}, turn={odd['turn']}"
    assert found["kind is one of action, truth, none"]["observed"] == described
    (filled,) = [row for sentence, row in found.items() if sentence.endswith("never NULL")]
    assert filled["observed"] == f"{len(rows['kumo_moves'])} rows"


@pytest.mark.parametrize(("value", "broken"), [(math.nan, 1), (math.inf, 0), (-math.inf, 1)])
@pytest.mark.slow
def test_what_is_no_number_is_within_no_bounds(tmp_path: Path, value: float, broken: int) -> None:
    rows = tiny_edition.rows()
    rows["kumo_instances"][0]["expected_steps"] = value
    files = {"kumo_instances": _files(tmp_path, rows)["kumo_instances"]}
    found = {row["expectation"]: row for row in audit(files).rows}
    assert found["expected_steps >= 0"]["unexpected_count"] == broken


def test_a_failed_audit_names_the_expectation_and_the_rows(tmp_path: Path) -> None:
    broken = _list_broken(tmp_path, change("episodes", "status", "lost"))
    with pytest.raises(AuditFailed, match=r"nothing was published.*status is one of.*by 1 rows.*lost.*e1"):
        require_pass(broken, "staging/e1")


def test_rules_on_absent_tables_are_left_out_of_references() -> None:
    sentences = cross_table_rules({"kumo_domains", "kumo_seed_configs"})
    assert "every kumo_seed_configs.domain_id is in kumo_domains" in sentences
    assert not any("books" in sentence and sentence.startswith("every kumo_books") for sentence in sentences)


def test_every_table_has_a_key_of_its_own_columns() -> None:
    for table in TABLES.values():
        assert table.key
        for name in (*table.key, *(link.column for link in table.references)):
            table.column(name)
