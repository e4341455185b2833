"""A2RBench's rules of the audit, each of which can fail."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import TABLES
from tests.a2rbench import made_edition
from tests.a2rbench.made_edition import Rows
from warehouse.audit.audit import cross_table_rules
from warehouse.catalog.catalog import view_over_arrow


@pytest.fixture(scope="module")
def made() -> Rows:
    return made_edition.rows()


def change(table: str, column: str, value: Any, row: int = 0) -> Callable[[Rows], None]:
    def doctor(rows: Rows) -> None:
        assert rows[table][row][column] != value
        rows[table][row][column] = value

    return doctor


def drop(table: str, row: int = 0) -> Callable[[Rows], None]:
    def doctor(rows: Rows) -> None:
        rows[table].pop(row)

    return doctor


ITEMS, ANSWERS, GATE = "a2rbench_items", "a2rbench_answers", "a2rbench_gate"
# Rows 0 and 1 of the items are a symbolic V0 and its copy; the first answers are of `search`.
BREAKS = [
    ("every instance of A2RBench has its row", drop(ITEMS)),
    ("every instance of A2RBench has its row", change("instances", "domain", "grid_symbolic")),
    ("every instance of A2RBench has its row", change("instances", "setting", "augmented")),
    ("every episode of A2RBench has its row", drop(ANSWERS)),
    ("is a success exactly when it equals", change("episodes", "success", False)),
    ("is a success exactly when it equals", change("episodes", "status", "unparsed")),
    ("is a success exactly when it equals", change(ANSWERS, "answer", "[]")),
    ("is a success exactly when it equals", change(ANSWERS, "answer", None)),
    ("has collapsed exactly where", change(ANSWERS, "collapsed", True)),
    ("has collapsed exactly where", change(ANSWERS, "parse", "none")),
    ("has collapsed exactly where", change(ANSWERS, "answer", None)),
    ("no program that fits an item", change(ITEMS, "fits", 0)),
    ("no program that fits an item", change(ITEMS, "fits_other", 1)),
    ("a copy of A2RBench in other tokens", drop(ITEMS)),
    ("a copy of A2RBench in other tokens", change(ITEMS, "of", None, 1)),
    ("a copy of A2RBench in other tokens", change(ITEMS, "phi", None, 1)),
    ("a copy of A2RBench in other tokens", change(ITEMS, "is_remapped", False, 1)),
    ("a copy of A2RBench in other tokens", change(ITEMS, "variation", 1, 1)),
    ("a copy of A2RBench in other tokens", change(ITEMS, "commutes", False)),
    ("a copy of A2RBench in other tokens", change(ITEMS, "type", "semantic")),
    ("the seed item of every item", drop(ITEMS)),
    ("the seed item of every item", change(ITEMS, "variation", 1)),
    ("the seed item of every item", change(ITEMS, "rule", "another", 1)),
    ("the gate ran every item", drop(GATE)),
    ("the gate ran every item", change(GATE, "items", 1)),
    ("the gate ran every item", change(GATE, "outputs", 1)),
    ("the gate ran every item", change(GATE, "cycles", 1)),
    ("the gate ran every item", change(GATE, "unique", 1)),
    ("the gate ran every item", change(GATE, "prompts", 1)),
    ("the gate ran every item", change(GATE, "copies", 1)),
    ("no two items", lambda rows: rows[ITEMS][1].update(prompt=rows[ITEMS][0]["prompt"])),
]


def offenders(sentence: str, made: Rows) -> list[tuple[Any, ...]]:
    (sql,) = [sql for rule, sql in cross_table_rules(set(made)).items() if sentence in rule]
    tables = {name: pa.Table.from_pylist(of, schema=_schema(name)) for name, of in made.items()}
    return view_over_arrow(tables).execute(sql).fetchall()


def _schema(name: str) -> pa.Schema:
    """Return the table's schema with every column nullable: doctored rows break it."""
    return pa.schema([field.with_nullable(True) for field in TABLES[name].arrow_schema()])


@pytest.mark.parametrize(("sentence", "doctor"), BREAKS)
def test_each_rule_fails_on_a_doctored_row_and_only_then(
    made: Rows, sentence: str, doctor: Callable[[Rows], None]
) -> None:
    doctored = deepcopy(made)
    doctor(doctored)
    assert offenders(sentence, doctored) != []


def test_no_rule_fails_on_what_was_grown(made: Rows) -> None:
    rules = [rule for rule, sql in cross_table_rules(set(made)).items() if "a2rbench_" in sql]
    assert len(rules) == 17
    assert {rule: found for rule in rules if (found := offenders(rule, made))} == {}
