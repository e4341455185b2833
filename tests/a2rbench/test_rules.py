"""A2RBench's rules of the audit, each of which can fail."""

import json
from copy import deepcopy

import pytest

from perennial.schemas.a2rbench.things import ANALYSIS
from perennial.schemas.ids import canonical_json
from tests.a2rbench import made_edition
from tests.a2rbench.made_analyses import add_analyses
from tests.warehouse.doctored_rows import Doctor, Rows, change, drop, find_offenders, list_rules


@pytest.fixture(scope="module")
def rows() -> Rows:
    rows = made_edition.rows()
    add_analyses(rows)
    return rows


def give_query(rows: Rows) -> None:
    rows[ITEMS][0].update(answer=rows[ITEMS][0]["query"])


def give_output(rows: Rows) -> None:
    item = rows[ITEMS][0]
    item.update(answer=canonical_json(json.loads(item["examples"])[2][1]))


def guess_well(rows: Rows) -> None:
    for episode in rows["episodes"]:
        episode.update(player="guesser", success=True)


ITEMS, ANSWERS, GATE = "a2rbench_items", "a2rbench_answers", "a2rbench_gate"
ANALYSES = "a2rbench_analyses"
# Rows 0 and 1 of the items are a symbolic V0 and its copy; the first answers are of `search`.
BREAKS = [
    ("every row of instances has its row", drop(ITEMS)),
    ("its cell as domain and its kind as setting", change("instances", "domain", "grid_symbolic")),
    ("its cell as domain and its kind as setting", change("instances", "setting", "augmented")),
    ("every row of episodes has its row", drop(ANSWERS)),
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
    ("and one that the program read names none", change(ANSWERS, "parse", "judge")),
    ("and one that the program read names none", change(ANSWERS, "judge_call_id", "call_judge_j")),
    ("and one that the program read names none", change("calls", "role", "player")),
    ("has a category of its outcome", change(ANALYSES, "outcome_category", ANALYSIS.wrong[0])),
    ("has a category of its outcome", change(ANALYSES, "episode_id", "another")),
    ("has a category of its outcome", change(ANALYSES, "analyst", "another")),
    ("has a category of its outcome", change("calls", "role", "player", 1)),
    ("no answer of A2RBench is its query", give_query),
    ("no answer of A2RBench is its query", give_output),
    ("is right on at most 2% of the items", guess_well),
    ("no two items", lambda rows: rows[ITEMS][1].update(prompt=rows[ITEMS][0]["prompt"])),
]


@pytest.mark.parametrize(("sentence", "doctor"), BREAKS)
def test_each_rule_fails_on_a_doctored_row_and_only_then(rows: Rows, sentence: str, doctor: Doctor) -> None:
    doctored = deepcopy(rows)
    doctor(doctored)
    assert find_offenders(sentence, doctored) != []


@pytest.mark.slow
def test_no_rule_fails_on_what_was_grown(rows: Rows) -> None:
    rules = list_rules(rows, "a2rbench_")
    assert len(rules) == 29
    assert {rule: found for rule in rules if (found := find_offenders(rule, rows))} == {}
