"""KnowLogic's rules of the audit, each of which can fail."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from perennial.schemas.knowlogic.things import ANALYSIS
from perennial.schemas.rows import Rejection
from tests.knowlogic import toy_edition
from tests.warehouse.doctored_rows import Doctor, Rows, change, drop, find_offenders, list_rules


@pytest.fixture(scope="module")
def rows() -> Rows:
    return toy_edition.rows()


def change_answer(chosen: Callable[[str, str], bool], **values: Any) -> Doctor:
    """Doctor the first answer for whose letters, and the right ones, this holds."""

    def doctor(rows: Rows) -> None:
        letters = {row["instance_id"]: row["letters"] for row in rows["knowlogic_questions"]}
        right = {row["episode_id"]: letters[row["instance_id"]] for row in rows["episodes"]}
        answers = rows["knowlogic_answers"]
        next(row for row in answers if chosen(row["letters"], right[row["episode_id"]])).update(values)

    return doctor


def drop_a_difficulty(rows: Rows) -> None:
    rows["knowlogic_questions"] = [row for row in rows["knowlogic_questions"] if row["difficulty"] != "easy"]


def set_chains(rows: Rows, **chains: int) -> None:
    for row in rows["knowlogic_questions"]:
        row["chain_length"] = chains.get(row["difficulty"], row["chain_length"])


def let_classes_be_alike(rows: Rows) -> None:
    set_chains(rows, medium=2, hard=2)
    questions = rows["knowlogic_questions"]
    rows["knowlogic_questions"] = [
        row | {"pair": f"{row['pair']} {n}"} for row in questions for n in range(20)
    ]


def let_a_guesser_be_right(rows: Rows) -> None:
    for row in rows["episodes"]:
        if row["player"] == "random":
            row |= {"player": "guesser", "status": "solved", "success": True}


def add_analysis(rows: Rows, role: str = "analyst", *, success: bool = False) -> None:
    """Add an analysis of an answer that is wrong, or not, whose call has this role."""
    episode = next(row for row in rows["episodes"] if row["success"] == success)
    rows["calls"].append({"call_id": "c", "role": role, "model": "x"})
    said = {"outcome_category": ANALYSIS.wrong[0], "justification": "so", "call_id": "c"}
    rows["knowlogic_analyses"].append({"episode_id": episode["episode_id"], "analyst": "x", **said})


QUESTIONS, ANSWERS, GATE = "knowlogic_questions", "knowlogic_answers", "knowlogic_gate"
BREAKS = [
    ("every row of instances has its row", drop(QUESTIONS)),
    ("its question's domain, and its difficulty", change("instances", "domain", "mix")),
    ("its question's domain, and its difficulty", change("instances", "setting", "?")),
    ("every row of episodes has its row", drop(ANSWERS)),
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
    ("takes less effort", lambda rows: set_chains(rows, easy=99)),
    ("takes less effort", lambda rows: set_chains(rows, hard=1)),
    ("answered by a single step", lambda rows: set_chains(rows, hard=1)),
    ("answered by a single step", let_classes_be_alike),
    ("stand as 1:2:3", drop_a_difficulty),
    ("the gate proved every question", drop(GATE)),
    ("the gate proved every question", change(GATE, "pairs", 99)),
    ("the gate proved every question", change(GATE, "proved", 1)),
    ("the gate proved every question", change(GATE, "texts", 1)),
    ("the gate proved every question", change(GATE, "options", 1)),
    ("the gate proved every question", change(GATE, "refused", 1)),
    ("guesser is right in no more than 8%", let_a_guesser_be_right),
    ("is of wrong letters", lambda rows: add_analysis(rows, success=True)),
    ("is of wrong letters", lambda rows: add_analysis(rows, role="judge")),
    ("no two questions", lambda rows: rows[QUESTIONS][1].update(prompt=rows[QUESTIONS][0]["prompt"])),
]


@pytest.mark.parametrize(("sentence", "doctor"), BREAKS)
def test_each_rule_fails_on_a_doctored_row_and_only_then(rows: Rows, sentence: str, doctor: Doctor) -> None:
    doctored = deepcopy(rows)
    doctor(doctored)
    assert find_offenders(sentence, doctored) != []


@pytest.mark.slow
def test_no_rule_fails_on_what_was_grown(rows: Rows) -> None:
    rules = list_rules(rows, "knowlogic_")
    assert len(rules) > 10
    assert {rule: found for rule in rules if (found := find_offenders(rule, rows))} == {}


def test_questions_that_do_not_exist_count_as_many_as_are_rejected(rows: Rows) -> None:
    doctored = deepcopy(rows)
    easy = [row for row in rows[QUESTIONS] if row["difficulty"] == "easy"]
    drop_a_difficulty(doctored)
    for domain in {row["domain"] for row in easy}:
        pairs = {row["pair"] for row in easy if row["domain"] == domain}
        missing = Rejection("questions", "?", "space_exhausted", "?", None, None, domain, "easy", len(pairs))
        doctored["rejections"] = [*doctored.get("rejections", ()), missing.row()]
    assert find_offenders("stand as 1:2:3", doctored) == []
    doctored["rejections"][0]["amount"] += 9
    assert find_offenders("stand as 1:2:3", doctored) != []
