"""The gate finds planted faults: of engines, letters, texts, labels and pairs."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest

from schemas.knowlogic.question import Question
from schemas.knowlogic.things import Decision, Proposition
from tasks.knowlogic import gate
from tasks.knowlogic.answers import Answer
from tasks.knowlogic.domain import Domain
from tasks.knowlogic.gate import check_pair, find_repeats
from tasks.knowlogic.problem import Problem, payload_of, problem_of, right_letters
from tasks.knowlogic.question import write_questions
from tasks.knowlogic.wording.layout import write_prompt
from tasks.knowlogic.wording.scripts import find_foreign
from tests.knowlogic import toy_edition
from tests.knowlogic.toy_edition import BOTH

DOMAIN = toy_edition.domain()
GROWN = toy_edition.grow(36)
PAIRS = {question.pair: [each for each in GROWN if each.pair == question.pair] for question in GROWN}
Pair = list[Question]


def pick(wanted: Callable[[Question], bool]) -> Pair:
    return next(pair for pair in PAIRS.values() if wanted(pair[0]))


def pick_statements(letters: str) -> Pair:
    return pick(
        lambda each: (each.type, each.letters, each.has_none) == ("correct_statements", letters, False)
    )


# The first two options are right, so that the second in place of the first changes no letter.
STATEMENTS = pick_statements("AB")
# Without its first statement there are two arrangements, and options B and D stay decided.
TIGHT = pick_statements("C")
PRECISE = pick(lambda each: each.type == "precise_entity" and not each.has_none)
NONE = pick(lambda each: each.has_none and each.type == "vague_entity")


def faults(pair: Pair, domain: Domain = DOMAIN) -> list[str]:
    return check_pair(domain, pair, BOTH).faults


def edit(pair: Pair, place: int, /, **values: Any) -> Pair:
    """Return the pair with other values of one of its rows."""
    changed = [replace(each, **values) if each is pair[place] else each for each in pair]
    assert changed != pair
    return changed


def edit_all(pair: Pair, /, **values: Any) -> Pair:
    changed = [replace(each, **values) for each in pair]
    assert changed != pair
    return changed


def reword(pair: Pair, place: int, old: str, new: str) -> Pair:
    """Return the pair with words of one of its texts, and of its prompt, replaced."""
    values = asdict(pair[place])
    for name in ("text", "question", "prompt"):
        values[name] = values[name].replace(old, new)
    values["options"] = [option.replace(old, new) for option in values["options"]]
    assert values != asdict(pair[place])
    return edit(pair, place, **values)


def replan(pair: Pair, change: Callable[[Problem], Problem]) -> Pair:
    """Return the pair as it is written of another problem, with the letters and labels of the first."""
    problem = change(problem_of(pair[0].payload))
    assert payload_of(problem) != pair[0].payload
    labels = DOMAIN.labels(problem_of(pair[0].payload))
    return write_questions(DOMAIN, problem, labels, pair[0].letters, BOTH, pair[0].rejected_draws)


def relabel(pair: Pair, letters: str) -> Pair:
    assert letters != pair[0].letters
    return edit_all(pair, letters=letters)


def drop_statement(problem: Problem) -> Problem:
    return replace(problem, statements=problem.statements[1:])


def open_option(problem: Problem) -> Problem:
    """Return the problem without its statements but one: nearly every option is left open."""
    return replace(problem, statements=problem.statements[:1])


def swap_options(pair: Pair, place: int) -> Pair:
    first, second, *others = pair[place].options
    shown = pair[place].as_text._replace(options=(second, first, *others))
    return edit(
        pair, place, options=[second, first, *others], prompt=write_prompt(shown, pair[place].language)
    )


def add_foreign_statement(pair: Pair) -> Pair:
    """Return the pair with a statement of another scenario in its Chinese text."""
    return reword(pair, 0, "已知：\n", "已知：\n王伟在最上层。\n")


def other_problem(pair: Pair) -> Pair:
    other = next(each for each in PAIRS.values() if each[0].pair != pair[0].pair)
    return [pair[0], replace(other[1], pair=pair[0].pair)]


def with_engine(name: str, change: Callable[[Problem, Decision], Decision]) -> Domain:
    engine = getattr(DOMAIN, name)
    return replace(DOMAIN, **{name: lambda problem: change(problem, engine(problem))})


def without_none(pair: Pair) -> Pair:
    texts = {"zh": "以上选项都不对", "en": "No option"}
    changed = pair
    for place, question in enumerate(pair):
        changed = reword(changed, place, question.options[-1], texts[question.language])
    return changed


def fail(_problem: Problem, _decision: Decision) -> Decision:
    raise ValueError("no proof")


PLANTED: dict[str, Callable[[], tuple[Pair, Domain]]] = (
    {
        name: (lambda plant=plant: (plant(), DOMAIN))  # type: ignore[misc]
        for name, plant in {
            "a statement is missing: two arrangements": lambda: replan(TIGHT, drop_statement),
            "options are left open": lambda: replan(STATEMENTS, open_option),
            "an option repeats a statement": lambda: replan(
                STATEMENTS, lambda p: replace(p, options=(p.statements[0], *p.options[1:]))
            ),
            "an option is repeated": lambda: replan(
                STATEMENTS, lambda p: replace(p, options=(p.options[1], *p.options[1:]))
            ),
            "a statement is repeated": lambda: replan(
                STATEMENTS, lambda p: replace(p, statements=(*p.statements, p.statements[0]))
            ),
            "there are two options": lambda: replan(NONE, lambda p: replace(p, options=p.options[:2])),
            "statements contradict each other": lambda: replan(
                STATEMENTS,
                lambda p: replace(
                    p,
                    statements=(
                        *p.statements,
                        Proposition("left", p.entities[:2]),
                        Proposition("left", p.entities[1::-1]),
                    ),
                ),
            ),
            "a letter is wrong": lambda: relabel(PRECISE, "A" if PRECISE[0].letters != "A" else "B"),
            "a letter is missing": lambda: relabel(
                STATEMENTS, "" if len(STATEMENTS[0].letters) == 1 else "A"
            ),
            "a letter is too many": lambda: relabel(PRECISE, "ABC"),
            "letters differ between the languages": lambda: edit(PRECISE, 1, letters="ABCD"),
            "options of one language are swapped": lambda: swap_options(PRECISE, 0),
            "options of the prompt alone are swapped": lambda: edit(
                PRECISE, 1, prompt=swap_options(PRECISE, 1)[1].prompt
            ),
            "a name is changed": lambda: reword(STATEMENTS, 1, _name(STATEMENTS[1].text), "Bartholomew"),
            "a name stands for another": lambda: reword(STATEMENTS, 1, *_two_names(STATEMENTS[1].text)),
            "an English name in a Chinese text": lambda: reword(
                STATEMENTS, 0, _zh_name(STATEMENTS[0].text), "James"
            ),
            "Chinese punctuation in an English text": lambda: reword(STATEMENTS, 1, ".\n", "。\n"),
            "the prompt alone has words of the other language": lambda: edit(
                STATEMENTS, 1, prompt=STATEMENTS[1].prompt.replace("Options:", "Options (选项):")
            ),
            "a statement of another scenario": lambda: add_foreign_statement(STATEMENTS),
            "the question is another": lambda: reword(STATEMENTS, 1, "are correct", "are incorrect"),
            "the level is changed": lambda: edit_all(STATEMENTS, level=STATEMENTS[0].level + 0.1),
            "the class is changed": lambda: edit_all(
                STATEMENTS, difficulty="hard" if STATEMENTS[0].difficulty == "easy" else "easy"
            ),
            "the chain is longer": lambda: edit_all(STATEMENTS, chain_length=STATEMENTS[0].chain_length + 1),
            "a relation is missing": lambda: edit_all(STATEMENTS, relations=[]),
            "variables are changed": lambda: edit_all(STATEMENTS, variables=json.dumps({"nm": 1})),
            "the precision is changed": lambda: edit_all(PRECISE, precision="vague"),
            "the type is changed": lambda: edit_all(STATEMENTS, type="incorrect_statements"),
            "the scenario is changed": lambda: edit_all(STATEMENTS, scenario=_other_scenario(STATEMENTS)),
            "the number of statements is changed": lambda: edit(STATEMENTS, 0, statements=99),
            "the pair is broken": lambda: other_problem(STATEMENTS),
            "a language is missing": lambda: STATEMENTS[:1],
            "a language stands twice": lambda: [STATEMENTS[0], STATEMENTS[0]],
            "the language has the wrong label": lambda: [
                replace(STATEMENTS[0], language="en"),
                replace(STATEMENTS[1], language="zh"),
            ],
            "'none of the above' is missing": lambda: without_none(NONE),
            "'none of the above' is not marked": lambda: edit_all(NONE, has_none=False),
            "the id is another": lambda: edit(STATEMENTS, 0, instance_id="kl_0"),
            "the pair's id is another": lambda: edit_all(STATEMENTS, pair="kp_0"),
            "the payload is nothing": lambda: edit_all(STATEMENTS, payload="{}"),
            "the introduction is missing": lambda: edit(
                STATEMENTS, 1, text=STATEMENTS[1].text.partition("\n")[2]
            ),
        }.items()
    }
    | {
        "an engine finds another arrangement": lambda: (
            STATEMENTS,
            with_engine("check", lambda _, found: replace(found, arrangements=2)),
        ),
        "both engines find two arrangements": lambda: (
            STATEMENTS,
            replace(
                with_engine("decide", lambda _, found: replace(found, arrangements=2)),
                check=lambda problem: replace(DOMAIN.check(problem), arrangements=2),
            ),
        ),
        "both engines find no arrangement": lambda: (
            STATEMENTS,
            replace(
                with_engine("decide", lambda _, found: replace(found, arrangements=0)),
                check=lambda problem: replace(DOMAIN.check(problem), arrangements=0),
            ),
        ),
        "an engine decides an option otherwise": lambda: (
            STATEMENTS,
            with_engine(
                "check",
                lambda _, found: replace(found, verdicts=(not found.verdicts[0], *found.verdicts[1:])),
            ),
        ),
        "an engine leaves an option open": lambda: (
            STATEMENTS,
            with_engine("check", lambda _, found: replace(found, verdicts=(None, *found.verdicts[1:]))),
        ),
        "both engines decide three of four options": lambda: (
            STATEMENTS,
            replace(
                with_engine("decide", lambda _, found: replace(found, verdicts=found.verdicts[:3])),
                check=lambda problem: replace(
                    DOMAIN.check(problem), verdicts=DOMAIN.check(problem).verdicts[:3]
                ),
            ),
        ),
        "an engine fails": lambda: (STATEMENTS, with_engine("check", fail)),
        "introductions are not read": lambda: (STATEMENTS, replace(DOMAIN, read_intro=lambda *_: fail(*_))),
        "no statement is needed": lambda: (
            edit_all(STATEMENTS, chain_length=0),
            replace(DOMAIN, labels=lambda problem: replace(DOMAIN.labels(problem), chain_length=0)),
        ),
        "the canonical form forgets the statements": lambda: (
            STATEMENTS,
            replace(DOMAIN, canonical=lambda problem: [problem.type]),
        ),
    }
)


def _other_scenario(pair: Pair) -> str:
    return next(each for each in DOMAIN.shares if each != pair[0].scenario)


def _name(text: str) -> str:
    return text.partition(",")[0]


def _two_names(text: str) -> tuple[str, str]:
    first, second = text.partition(" stand")[0].replace(" and ", ", ").split(", ")[:2]
    return first, second


def _zh_name(text: str) -> str:
    return text.partition("、")[0]


def test_at_least_twenty_faults_are_planted() -> None:
    assert len(PLANTED) >= 20


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
    "a name stands for another": ["the text (en) says something else than the problem"],
    "a name is changed": ["the text (en) cannot be read back (nobody is called so)"],
    "an English name in a Chinese text": ["the text (zh) holds 'James' of another language"],
    "the level is changed": [f"level ({language}) is not what the problem gives" for language in BOTH],
    "the pair is broken": ["the texts of the pair are of different problems"],
    "a language is missing": ["the pair has texts in zh, expected zh, en"],
    "a language stands twice": ["the pair has texts in zh, zh, expected zh, en"],
    "an engine finds another arrangement": [
        "the engines differ: Decision(arrangements=1, verdicts=(True, True, False, False)) and "
        "Decision(arrangements=2, verdicts=(True, True, False, False))"
    ],
    "both engines decide three of four options": ["the engines decide 3 options, expected 4"],
    "an engine fails": ["an engine fails (ValueError: no proof)"],
    "no statement is needed": ["no statement is needed to decide the options"],
}
# Of these nothing else is said.
ALONE = ("an option is repeated", "a letter is wrong", "an engine fails", "no statement is needed")


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_fault_is_found(planted: str) -> None:
    pair, domain = PLANTED[planted]()
    found = faults(pair, domain)
    assert found
    assert [fault for fault in found if fault in SAID.get(planted, ())] == SAID.get(planted, [])
    assert planted not in ALONE or found == SAID[planted]


def test_a_payload_that_is_none_is_told() -> None:
    (found,) = faults(edit_all(STATEMENTS, payload="{}"))
    assert found.startswith("the payload is no problem (")


def test_right_letters_are_one_or_more_and_one_of_a_precise_question() -> None:
    def deciding(*verdicts: bool) -> Domain:
        both = {name: lambda _: Decision(1, verdicts) for name in ("decide", "check")}
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


@pytest.mark.parametrize("read", [None, Answer("ABCD", "square")])
def test_a_reader_that_reads_no_or_other_letters_is_at_fault(
    read: Answer | None, monkeypatch: pytest.MonkeyPatch
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


def test_the_letters_follow_from_the_first_engine() -> None:
    for pair in PAIRS.values():
        problem = problem_of(pair[0].payload)
        assert right_letters(problem, DOMAIN.decide(problem).verdicts) == pair[0].letters


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
