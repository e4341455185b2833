"""Surnames: kin through fathers have one, names tell none, and what says nothing of them is refused."""

from dataclasses import replace

import pytest

from perennial.schemas.knowlogic.things import LANGUAGES, Proposition
from perennial.tasks.knowlogic.kinship.terms import read_terms
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.surnames import SCENARIO, keeps_surname
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import domain_of, drawn, drop_first
from tests.knowlogic.golden.golden_texts import surname_ids, surname_terms


def test_without_a_statement_surnames_are_open_and_the_level_is_the_papers_formula() -> None:
    for _, problem in drawn("social", SCENARIO):
        assert domain_of("social").decide(drop_first(problem)).arrangements > 1
        labels = domain_of("social").labels(problem)
        assert labels.level == pytest.approx(0.4 * labels.chain_length + 0.3 * labels.variables["ne"])


def test_names_tell_no_surname() -> None:
    listed = {row["id"]: row for row in load_knowledge().rows("social/properties")}
    people = [row["id"] for row in load_knowledge().rows("names/people")]
    for language in LANGUAGES:
        book = domain_of("social").phrasebook(SCENARIO, language)
        told = [listed[each][language] for each in surname_ids()]
        assert not [name for each in people for name in told if name in book.call("person", each)]


def test_kin_through_fathers_have_one_surname() -> None:
    every = read_terms(load_knowledge())
    for name in ("father", "elder_brother", "father_sister", "brother_son", "tang_elder_female"):
        assert keeps_surname(every[name]), name
    others = ("mother", "son", "wife", "mother_brother", "sister_son", "biao_elder_male", "tang_female_son")
    for name in others:
        assert not keeps_surname(every[name]), name
    assert len(surname_terms()) == 25


def test_a_cousin_through_fathers_has_the_same_surname_in_two_steps() -> None:
    people, details = ("m01", "f02"), ("surname_wang", "surname_li")
    said = (
        Proposition("kin", ("m01", "f02", "tang_elder_male")),
        Proposition("surname", people[:1] + details[:1]),
    )
    options = (Proposition("same", people), Proposition("surname", ("f02", "surname_li")))
    problem = Problem(SCENARIO, people, details, said, "correct_statements", None, options)
    assert domain_of("social").check(problem) == domain_of("social").decide(problem)
    assert domain_of("social").decide(problem).verdicts == (True, False)
    labels = domain_of("social").labels(problem)
    assert (labels.chain_length, labels.rules) == (3, ("surname of the father",))


def test_what_says_nothing_about_surnames_is_refused() -> None:
    _, problem = drawn("social", SCENARIO)[0]
    first, second = problem.entities[:2]
    for said in (
        Proposition("kin", (first, second, "mother_brother")),
        Proposition("same", (first, first)),
        Proposition("surname", (first, "surname_nobody")),
    ):
        with pytest.raises((ValueError, KeyError)):
            domain_of("social").decide(replace(problem, statements=(said,)))
