"""The audit holds on sound data, and every rule fails on data that breaks it."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.errors import AuditFailed
from perennial.schemas.tables import TABLES
from perennial.warehouse.audit.audit import audit, cross_table_rules, require_pass
from perennial.warehouse.merge_parts import write_sorted
from tests.flows.plain_audit import PlainRunner
from tests.warehouse import tiny_edition
from tests.warehouse.doctored_rows import connect_to

Rows = dict[str, list[dict[str, Any]]]


def _files(folder: Path, rows: Rows) -> dict[str, Path]:
    return {
        name: write_sorted(name, [table], folder, "e1") for name, table in tiny_edition.tables(rows).items()
    }


def _list_broken(folder: Path, change: Callable[[Rows], None]) -> list[dict[str, Any]]:
    rows = tiny_edition.rows()
    change(rows)
    audited = audit(_files(folder, rows), runner=PlainRunner())
    return [row for row in audited.rows if not row["success"]]


def test_sound_data_passes_and_every_table_has_its_suite(tmp_path: Path) -> None:
    results = audit(_files(tmp_path, tiny_edition.rows())).rows
    assert [row for row in results if not row["success"]] == []
    assert {row["suite"] for row in results} == {*tiny_edition.STAGED_TABLES, "cross_table"}
    keys = [(row["suite"], row["expectation"]) for row in results]
    assert len(keys) == len(set(keys))
    require_pass(results, "staging/e1")


def _set(table: str, column: str, value: Any, row: int = 0) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        rows[table][row][column] = value

    return change


def _repeat(table: str) -> Callable[[Rows], None]:
    return lambda rows: rows[table].append(rows[table][0])


def _drop(table: str) -> Callable[[Rows], None]:
    return lambda rows: rows[table].clear()


# Changes that do not hide each other are audited together: an audit takes a second.
@pytest.mark.parametrize(
    "breaks",
    [
        [
            (_set("kumo_episodes", "tests", -1), "kumo_episodes", "tests >= 0"),
            (_set("episodes", "player", None), "episodes", "are never NULL"),
            (_repeat("kumo_books"), "kumo_books", "book_id is unique"),
            (_repeat("turns"), "turns", "(episode_id, turn) is unique"),
        ],
        [
            (_drop("instances"), "cross_table", "every episodes.instance_id is in instances"),
            (_drop("kumo_books"), "cross_table", "every kumo_episodes.book_id is in kumo_books"),
            (_drop("kumo_books"), "cross_table", "every instance has a book that passed"),
            (_drop("kumo_domains"), "cross_table", "every kumo_seed_configs.domain_id is in kumo_domains"),
            (_drop("kumo_moves"), "cross_table", "every row of turns has its row in kumo_moves"),
        ],
        [
            (_drop("episodes"), "cross_table", "every turns.episode_id is in episodes"),
            (_drop("kumo_instances"), "cross_table", "every row of instances has its row in kumo_instances"),
            (_set("kumo_books", "verdict", "unsure"), "kumo_books", "verdict is one of"),
            (_set("kumo_books", "version", "third", row=1), "kumo_books", "version is one of"),
        ],
        [
            (_set("episodes", "success", True, row=1), "cross_table", "a solved episode ends by naming"),
            (_set("turns", "turn", 4, row=2), "cross_table", "numbered from 1 without a gap"),
            (_set("kumo_episodes", "tests", 3), "cross_table", "never exceed"),
            (_set("turns", "feedback", "5.5"), "cross_table", "every move of an episode"),
            (_set("kumo_books", "verdict", "failed", row=1), "cross_table", "a book of its own instance"),
            (_set("kumo_books", "version", "first"), "cross_table", "one final book at most"),
            (_set("turns", "call_id", "call_gone", row=5), "cross_table", "every turns.call_id is in calls"),
            (
                _set("kumo_books", "check_call_ids", ["call_gone"]),
                "cross_table",
                "a book's check or judge lists",
            ),
            (_set("kumo_instances", "n_actions", 3), "cross_table", "leave exactly its valid truths"),
        ],
        [
            (_set("kumo_instances", "states", [0, 1]), "cross_table", "leave exactly its valid truths"),
            (_set("episodes", "success", False), "cross_table", "exactly when its status is solved"),
            (_set("episodes", "version", "template"), "cross_table", "the first draft that it says"),
            # A model's final book without the template's beside it.
            (_set("kumo_books", "author", "m", row=1), "cross_table", "one final book at most"),
        ],
        [
            (_set("kumo_moves", "move", "sun", row=2), "cross_table", "a solved episode ends by naming"),
            (_set("kumo_moves", "move", "ask"), "cross_table", "every move of an episode"),
            (_set("kumo_instances", "n_actions", 1), "cross_table", "never exceed"),
            (_set("calls", "status", "ok"), "cross_table", "exactly when its last call is"),
            (_set("calls", "reasoning_tokens", 3), "cross_table", "among those of its reply"),
            (_set("messages", "message_id", "msg_2"), "cross_table", "every message that a call was sent"),
            (_set("kumo_books", "verdict", "passed"), "cross_table", "versions of a model that all failed"),
        ],
        [
            (
                _set("kumo_instances", "valid_truths", ["sun"]),
                "cross_table",
                "leave exactly its valid truths",
            ),
            (_set("kumo_instances", "expected_steps", None), "kumo_instances", "are never NULL"),
        ],
    ],
)
@pytest.mark.slow
def test_each_rule_catches_what_breaks_it(
    tmp_path: Path, breaks: list[tuple[Callable[[Rows], None], str, str]]
) -> None:
    def change(rows: Rows) -> None:
        for one, _, _ in breaks:
            one(rows)

    broken = _list_broken(tmp_path, change)
    for _, suite, expectation in breaks:
        found = [row for row in broken if row["suite"] == suite and expectation in row["expectation"]]
        assert len(found) == 1, expectation
        assert found[0]["unexpected_count"] >= 1


def _offenders(sentence: str, change: Callable[[Rows], None]) -> list[tuple[Any, ...]]:
    """Return the rows that break the rule with this sentence, after a change of sound rows."""
    rows = tiny_edition.rows()
    change(rows)
    (sql,) = [sql for rule, sql in cross_table_rules(set(rows)).items() if sentence in rule]
    return connect_to(tiny_edition.tables(rows)).execute(sql).fetchall()


def _all(*changes: Callable[[Rows], None]) -> Callable[[Rows], None]:
    return lambda rows: [change(rows) for change in changes] and None


def _without_turns(rows: Rows) -> None:
    first = rows["episodes"][0]["episode_id"]
    rows["turns"] = [row for row in rows["turns"] if row["episode_id"] != first]


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda rows: None, 0),
        (_set("turns", "turn", 4, row=2), 1),  # a gap
        (_all(_set("turns", "turn", 0), _set("turns", "turn", 1, row=1)), 1),  # from 0
        (_set("episodes", "turns", 2), 1),
        (_set("episodes", "turns", 4), 1),
        (_without_turns, 1),
        # An import may lack turns, and then says so; those that it has are numbered all the same.
        (_all(_without_turns, _set("episodes", "turns", None)), 0),
        (_all(_set("episodes", "turns", None), _set("turns", "turn", 4, row=2)), 1),
    ],
)
def test_turns_are_numbered_and_counted(change: Callable[[Rows], None], broken: int) -> None:
    assert len(_offenders("numbered from 1 without a gap", change)) == broken


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda rows: None, 0),
        (_set("episodes", "success", False), 1),
        (_set("episodes", "status", "wrong"), 1),
        (_set("episodes", "success", True, row=1), 1),
        (_set("episodes", "status", "solved", row=2), 1),
        (_all(_set("episodes", "success", True, row=1), _set("episodes", "status", "solved", row=1)), 0),
    ],
)
def test_solved_means_success(change: Callable[[Rows], None], broken: int) -> None:
    assert len(_offenders("exactly when its status is solved", change)) == broken


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
    ((lacking, *_),) = _offenders(sentence, lambda rows: rows[table].pop(0) and None)
    assert lacking == table


@pytest.mark.slow
def test_what_was_found_is_counted_and_described(tmp_path: Path) -> None:
    rows = tiny_edition.rows()
    for one in (_repeat("kumo_moves"), _repeat("kumo_moves"), _set("kumo_moves", "kind", "odd", row=3)):
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
    broken = _list_broken(tmp_path, _set("episodes", "status", "lost"))
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
