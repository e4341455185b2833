"""KnowLogic's rules of the audit, each of which can fail."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import TABLES
from tests.knowlogic import toy_edition
from tests.knowlogic.toy_edition import Rows
from warehouse.audit.audit import cross_table_rules
from warehouse.catalog.catalog import view_over_arrow


@pytest.fixture(scope="module")
def made() -> Rows:
    return toy_edition.rows()


def change(table: str, column: str, value: Any, row: int = 0) -> Callable[[Rows], None]:
    def doctor(rows: Rows) -> None:
        assert rows[table][row][column] != value
        rows[table][row][column] = value

    return doctor


def drop(table: str, row: int = 0) -> Callable[[Rows], None]:
    return lambda rows: rows[table].pop(row) and None


def change_answer(chosen: Callable[[str, str], bool], **values: Any) -> Callable[[Rows], None]:
    """Doctor the first answer for whose letters, and the right ones, this holds."""

    def doctor(rows: Rows) -> None:
        letters = {row["instance_id"]: row["letters"] for row in rows["knowlogic_questions"]}
        right = {row["episode_id"]: letters[row["instance_id"]] for row in rows["episodes"]}
        answers = rows["knowlogic_answers"]
        next(row for row in answers if chosen(row["letters"], right[row["episode_id"]])).update(values)

    return doctor


def drop_a_difficulty(rows: Rows) -> None:
    rows["knowlogic_questions"] = [row for row in rows["knowlogic_questions"] if row["difficulty"] != "easy"]


QUESTIONS, ANSWERS, GATE = "knowlogic_questions", "knowlogic_answers", "knowlogic_gate"
BREAKS = [
    ("every instance of KnowLogic has its row", drop(QUESTIONS)),
    ("every instance of KnowLogic has its row", change("instances", "domain", "mix")),
    ("every instance of KnowLogic has its row", change("instances", "setting", "?")),
    ("every episode of KnowLogic has its row", drop(ANSWERS)),
    ("exactly when the letters that were read", change("episodes", "success", None)),
    ("exactly when the letters that were read", change("episodes", "status", "unparsed")),
    ("exactly when the letters that were read", change(ANSWERS, "letters", None)),
    ("letters were extracted exactly where", change(ANSWERS, "extracted", False)),
    ("letters were extracted exactly where", change(ANSWERS, "brackets", None)),
    ("letters were extracted exactly where", change(ANSWERS, "letters", "BA")),
    ("letters were extracted exactly where", change(ANSWERS, "letters", "")),
    ("has an error class exactly", change_answer(lambda a, b: a == b, error_class="subset")),
    ("has an error class exactly", change_answer(lambda a, b: a != b, error_class=None)),
    ("has an error class exactly", change_answer(lambda a, b: set(a) < set(b), error_class="overlap")),
    ("has an error class exactly", change_answer(lambda a, b: set(a) > set(b), error_class="subset")),
    ("has an error class exactly", change_answer(lambda a, b: not set(a) & set(b), error_class="overlap")),
    ("stands in every language", drop(QUESTIONS)),
    ("stands in every language", change(QUESTIONS, "letters", "ABCD")),
    ("stands in every language", change(QUESTIONS, "level", 99.0)),
    ("stands in every language", change(QUESTIONS, "language", "en")),
    ("stands in every language", change(QUESTIONS, "payload", "{}")),
    ("four different options", change(QUESTIONS, "letters", "")),
    ("four different options", change(QUESTIONS, "letters", "CA")),
    ("four different options", change(QUESTIONS, "options", ["a", "b", "c"])),
    ("four different options", change(QUESTIONS, "options", ["a", "b", "c", "c"])),
    ("every easy question has a lower level", change(QUESTIONS, "level", 99.0)),
    ("stand as 1:2:3", drop_a_difficulty),
    ("the gate proved every question", drop(GATE)),
    ("the gate proved every question", change(GATE, "pairs", 99)),
    ("the gate proved every question", change(GATE, "proved", 1)),
    ("the gate proved every question", change(GATE, "texts", 1)),
    ("the gate proved every question", change(GATE, "options", 1)),
    ("the gate proved every question", change(GATE, "refused", 1)),
    ("no two questions", lambda rows: rows[QUESTIONS][1].update(prompt=rows[QUESTIONS][0]["prompt"])),
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
    rules = [rule for rule, sql in cross_table_rules(set(made)).items() if "knowlogic_" in sql]
    assert len(rules) > 10
    assert {rule: found for rule in rules if (found := offenders(rule, made))} == {}
