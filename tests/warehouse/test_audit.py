"""The audit holds on sound data, and every rule fails on data that breaks it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from schemas.errors import AuditFailed, Damaged
from schemas.tables import STAGED_TABLES, TABLES
from tests.warehouse import tiny_edition
from warehouse.audit import blocks as audit_blocks
from warehouse.audit.audit import audit, cross_table_rules, require_passed, table_expectations
from warehouse.audit.blocks import audited_blocks
from warehouse.audit.great_expectations import Validator
from warehouse.staging.merge_parts import write_sorted

Rows = dict[str, list[dict[str, Any]]]


def _files(folder: Path, rows: Rows) -> dict[str, Path]:
    return {name: write_sorted(name, [table], folder) for name, table in tiny_edition.tables(rows).items()}


def _broken(folder: Path, change: Callable[[Rows], None]) -> list[dict[str, Any]]:
    rows = tiny_edition.rows()
    change(rows)
    return [row for row in audit(_files(folder, rows)) if not row["success"]]


def test_sound_data_passes_and_every_table_has_its_suite(tmp_path: Path) -> None:
    results = audit(_files(tmp_path, tiny_edition.rows()))
    assert [row for row in results if not row["success"]] == []
    assert {row["suite"] for row in results} == {*STAGED_TABLES, "cross_table"}
    keys = [(row["suite"], row["expectation"]) for row in results]
    assert len(keys) == len(set(keys))
    require_passed(results, "staging/e1")


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
            (_set("episodes", "tests", -1), "episodes", "tests >= 0"),
            (_set("episodes", "player", None), "episodes", "player is never NULL"),
            (_repeat("books"), "books", "book_id is unique"),
            (_repeat("turns"), "turns", "(episode_id, turn) is unique"),
        ],
        [
            (_drop("kumo_instances"), "cross_table", "every episodes.instance_id is in kumo_instances"),
            (_drop("books"), "cross_table", "every episodes.book_id is in books"),
            (_drop("domains"), "cross_table", "every seed_configs.domain_id is in domains"),
        ],
        [
            (_drop("episodes"), "cross_table", "every turns.episode_id is in episodes"),
            (_set("kumo_instances", "states", [0, 1]), "cross_table", "leave exactly its valid truths"),
            (_set("books", "verdict", "unsure"), "books", "verdict is one of"),
        ],
        [
            (_set("episodes", "success", True, row=1), "cross_table", "a solved episode ends by naming"),
            (_set("episodes", "tests", 3), "cross_table", "never exceed"),
            (_set("turns", "observation", "5.5"), "cross_table", "every move of an episode"),
            (_set("books", "verdict", "failed", row=1), "cross_table", "a book of its own instance"),
            (_set("turns", "call_id", "call_gone", row=5), "cross_table", "every turns.call_id is in calls"),
            (_set("books", "check_call_ids", ["call_gone"]), "cross_table", "a book's check lists"),
            (_set("kumo_instances", "n_actions", 3), "cross_table", "leave exactly its valid truths"),
        ],
        [
            (_set("turns", "move", "sun", row=2), "cross_table", "a solved episode ends by naming"),
            (_set("turns", "move", "ask"), "cross_table", "every move of an episode"),
            (_set("kumo_instances", "n_actions", 1), "cross_table", "never exceed"),
            (_set("calls", "status", "ok"), "cross_table", "exactly when its last call is"),
            (_set("messages", "message_id", "msg_2"), "cross_table", "every message that a call was sent"),
            (_set("books", "verdict", "passed"), "cross_table", "versions of a model that all failed"),
        ],
        [
            (
                _set("kumo_instances", "valid_truths", ["sun"]),
                "cross_table",
                "leave exactly its valid truths",
            ),
            (
                _set("kumo_instances", "expected_steps", None),
                "kumo_instances",
                "expected_steps is never NULL",
            ),
        ],
    ],
)
def test_each_rule_catches_what_breaks_it(
    tmp_path: Path,
    breaks: list[tuple[Callable[[Rows], None], str, str]],
) -> None:
    def change(rows: Rows) -> None:
        for one, _, _ in breaks:
            one(rows)

    broken = _broken(tmp_path, change)
    for _, suite, expectation in breaks:
        found = [row for row in broken if row["suite"] == suite and expectation in row["expectation"]]
        assert len(found) == 1, expectation
        assert found[0]["unexpected_count"] >= 1


def test_the_size_of_a_block_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tiny_edition.rows()
    for one in (_repeat("turns"), _repeat("turns"), _set("turns", "kind", "odd", row=3)):
        one(rows)
    table, file = TABLES["turns"], _files(tmp_path, rows)["turns"]
    expectations = list(table_expectations(table))
    validator = Validator()
    whole = validator.results("turns", audited_blocks(table, file), expectations)
    monkeypatch.setattr(audit_blocks, "_BLOCK_ROWS", 2)
    monkeypatch.setattr(audit_blocks, "_READ_ROWS", 1)
    assert len(list(audited_blocks(table, file))) > 1
    assert validator.results("turns", audited_blocks(table, file), expectations) == whole
    found = {row["expectation"]: row for row in whole}
    assert found["(episode_id, turn) is unique"]["unexpected_count"] == 3
    assert found["kind is one of action, truth, none"]["observed"] == "values such as odd"


def test_a_file_out_of_order_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = tiny_edition.tables()["turns"].sort_by([("episode_id", "descending"), ("turn", "descending")])
    pq.write_table(turns, tmp_path / "turns.parquet")
    for rows in (1, 1_000):
        monkeypatch.setattr(audit_blocks, "_BLOCK_ROWS", rows)
        monkeypatch.setattr(audit_blocks, "_READ_ROWS", rows)
        with pytest.raises(Damaged, match=r"turns\.parquet is not sorted by episode_id, turn"):
            list(audited_blocks(TABLES["turns"], tmp_path / "turns.parquet"))


def test_a_failed_audit_names_the_expectation_and_the_rows(tmp_path: Path) -> None:
    broken = _broken(tmp_path, _set("episodes", "status", "lost"))
    with pytest.raises(AuditFailed, match=r"nothing was published.*status is one of.*by 1 rows.*lost.*e1"):
        require_passed(broken, "staging/e1")


def test_rules_on_absent_tables_are_left_out_of_references() -> None:
    sentences = cross_table_rules({"domains", "seed_configs"})
    assert "every seed_configs.domain_id is in domains" in sentences
    assert not any("books" in sentence and sentence.startswith("every books") for sentence in sentences)


def test_every_table_has_a_key_of_its_own_columns() -> None:
    for table in TABLES.values():
        assert table.key
        for name in (*table.key, *(link.column for link in table.references)):
            table.column(name)
