"""The gate finds planted faults: of engines, letters, texts, labels and pairs."""

from dataclasses import replace
from typing import Any

import pytest

from perennial.schemas.knowlogic.things import EngineDecision
from perennial.tasks.knowlogic import growing as gate
from perennial.tasks.knowlogic.answers import ReadLetters
from perennial.tasks.knowlogic.growing import check_pair, find_repeats
from perennial.tasks.knowlogic.phrasebook import find_foreign
from perennial.tasks.knowlogic.problem import Domain
from tests.knowlogic.planted_faults import (
    BROKEN,
    DOMAIN,
    GROWN,
    PAIRS,
    PLANTED,
    PRECISE,
    STATEMENTS,
    edit_all,
    faults,
)
from tests.knowlogic.toy_edition import BOTH

# What is said of some of them, to the word.
SAID: dict[str, list[str]] = {
    "a statement is missing: two arrangements": [
        "the statements allow 2 arrangements, expected 1",
        "option A is neither forced true nor forced false",
        "option C is neither forced true nor forced false",
    ],
    "an option repeats a statement": ["an option repeats a statement"],
    "an option is repeated": ["two options are the same"],
    "a statement is repeated": ["a statement is repeated"],
    "there are two options": ["there are 2 options, expected 3 or 4"],
    "a letter is wrong": [f"the letters are 'A', expected {PRECISE[0].letters!r}"] * 2,
    "letters differ between the languages": [f"the letters are 'ABCD', expected {PRECISE[0].letters!r}"],
    "options of the prompt alone are swapped": ["the prompt (en) shows another text"],
    "a name stands for another": [
        "the text (en) cannot be read back (the introduction names the same item twice)"
    ],
    "the question is another": ["the text (en) says something else than the problem"],
    "a name is changed": ["the text (en) cannot be read back ('Bartholomew' is no item)"],
    "an English name in a Chinese text": ["the text (zh) holds 'James' of another language"],
    "the level is changed": [f"level ({language}) is not what the problem gives" for language in BOTH],
    "the pair is broken": ["the texts of the pair are of different problems"],
    "a language is missing": ["the pair has texts in zh, expected zh, en"],
    "a language stands twice": ["the pair has texts in zh, zh, expected zh, en"],
    "an engine finds another arrangement": [
        "the engines differ: EngineDecision(arrangements=1, verdicts=(True, True, False, False)) and "
        "EngineDecision(arrangements=2, verdicts=(True, True, False, False))"
    ],
    "both engines decide three of four options": ["the engines decide 3 options, expected 4"],
    "an engine fails": ["an engine fails (ValueError: no proof)"],
    "no statement is needed": ["no statement is needed to decide the options"],
}
# Of these nothing else is said.
ALONE = ("an option is repeated", "a letter is wrong", "an engine fails", "no statement is needed")


@pytest.mark.parametrize("planted", PLANTED | BROKEN)
def test_a_planted_fault_is_found(planted: str) -> None:
    found = faults(PLANTED.get(planted, STATEMENTS), BROKEN.get(planted, DOMAIN))
    assert found
    assert [fault for fault in found if fault in SAID.get(planted, ())] == SAID.get(planted, [])
    assert planted not in ALONE or found == SAID[planted]


def test_a_payload_that_is_none_is_told() -> None:
    (found,) = faults(edit_all(STATEMENTS, payload="{}"))
    assert found.startswith("the payload is no problem (")


def test_right_letters_are_one_or_more_and_one_of_a_precise_question() -> None:
    def deciding(*verdicts: bool) -> Domain:
        both = {name: lambda _: EngineDecision(1, verdicts) for name in ("decide", "check")}
        return replace(DOMAIN, **both)

    named = f"{PRECISE[0].type} has the right letters"
    assert f"{named} AB, expected one" in faults(PRECISE, deciding(True, True, False, False))
    assert "no option is right" in faults(STATEMENTS, deciding(False, False, False, False))
    assert not any("right" in fault for fault in faults(PRECISE, deciding(False, False, True, False)))


def test_one_statement_that_is_needed_is_enough() -> None:
    labels = replace(DOMAIN, labels=lambda problem: replace(DOMAIN.labels(problem), chain_length=1))
    assert faults(edit_all(STATEMENTS, chain_length=1), labels) == []


def test_three_changed_texts_of_a_language_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that takes any text for the problem is at fault; what it was given are the three changes."""
    given: list[Any] = []
    monkeypatch.setattr(gate, "says_the_same", lambda *_: True)
    monkeypatch.setattr(gate, "read_text", lambda _, text, language: given.append((text, language)))
    assert faults(STATEMENTS) == [
        f"a changed text ({language}) is read as the same problem" for language in BOTH for _ in range(3)
    ]
    for question, other in zip(STATEMENTS, reversed(BOTH), strict=True):
        shown, first, second = question.as_text, *question.options[:2]
        assert [given.count((shown, question.language)), given.count((shown, other))] == [1, 1]
        assert shown.text.count("\n") > 2
        shorter = shown._replace(text="\n".join(shown.text.split("\n")[:-1]))
        swapped = shown._replace(options=(second, first, *question.options[2:]))
        assert [given.count((changed, question.language)) for changed in (shorter, swapped)] == [1, 1]


@pytest.mark.parametrize("read", [None, ReadLetters("ABCD", "square")])
def test_a_reader_that_reads_no_or_other_letters_is_at_fault(
    read: ReadLetters | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "read_answer", lambda _: read)
    found = faults(STATEMENTS)
    assert found.count("the reply AB is not read") == 2
    assert len(found) == 2 * (15 if read is None else 14)


def test_sound_questions_have_no_fault_and_every_change_is_found() -> None:
    for pair in PAIRS.values():
        tested = check_pair(DOMAIN, pair, BOTH)
        assert tested.faults == []
        assert (tested.texts, tested.is_proved) == (2, True)
        assert tested.options == 4 - pair[0].has_none
        assert tested.changes == tested.refused == 2 * (3 + 14)


def test_equal_prompts_are_repeats() -> None:
    assert find_repeats(GROWN) == []
    assert find_repeats([*GROWN, GROWN[3]]) == [GROWN[3].instance_id]


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("A. 苹果，有DNA。【BD】", "zh", ""),
        ("苹果和pear。", "zh", "pear"),
        ("JAMES坐下。", "zh", ""),
        ("ROBERT坐下。", "zh", "ROBERT"),
        ("The apple [A].", "en", ""),
        ("The 苹果.", "en", "苹果"),
        ("Apple，pear", "en", "，"),
        ("It is said “so” - 5°", "en", ""),
    ],
)
def test_words_of_another_language_are_found(text: str, language: Any, found: str) -> None:
    assert find_foreign(text, language) == found
