"""Surnames: requests kept, two engines, texts read back, forms without names, kin with one surname."""

import random
from dataclasses import replace
from functools import lru_cache
from itertools import product

import pytest

from perennial.schemas.knowlogic.things import DIFFICULTIES, LANGUAGES, Language, Proposition
from perennial.tasks.knowlogic.growing import list_answers
from perennial.tasks.knowlogic.kinship.terms import read_terms
from perennial.tasks.knowlogic.problem import Problem, Request, right_letters
from perennial.tasks.knowlogic.surnames import SCENARIO, TYPES, keeps_surname
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.problem_checks import check_engines, check_text
from tests.knowlogic.surnames.surnames_golden import propositions, surname_ids, surnames, terms

REQUESTS = [
    Request(SCENARIO, difficulty, type_, right, own)
    for difficulty, type_ in product(DIFFICULTIES, TYPES)
    for right, own in sorted({(answer.right, answer.option_count) for answer in list_answers(type_)})
]


@lru_cache(maxsize=1)
def draws() -> tuple[tuple[Request, Problem], ...]:
    rng = random.Random(7)
    found = [(request, surnames().draw(request, rng)) for request in REQUESTS]
    return tuple((request, problem) for request, problem in found if problem)


@pytest.mark.slow
def test_each_request_is_drawn_and_kept() -> None:
    assert [request for request, _ in draws()] == REQUESTS
    for request, problem in draws():
        decision, labels = surnames().decide(problem), surnames().labels(problem)
        wanted = problem.type != "incorrect_statements"
        assert decision.verdicts.count(wanted) == request.right
        assert (decision.arrangements, len(problem.options)) == (1, request.option_count)
        assert right_letters(problem, decision.verdicts)
        assert (problem.type, labels.difficulty) == (request.type, request.difficulty)
        assert labels.level == pytest.approx(0.4 * labels.chain_length + 0.3 * labels.variables["ne"])
        assert not set(problem.options) & set(problem.statements)


def test_two_engines_agree_with_and_without_a_statement() -> None:
    for _, problem in draws():
        check_engines(surnames(), problem)
        shorter = replace(problem, statements=problem.statements[1:])
        check_engines(surnames(), shorter)
        assert surnames().decide(shorter).arrangements > 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_read_back(language: Language) -> None:
    book = surnames().phrasebook(SCENARIO, language)
    assert [book.read(book.write(each)) for each in propositions()] == propositions()
    for _, problem in draws():
        check_text(surnames(), problem, language)


def test_names_tell_no_surname() -> None:
    listed = {row["id"]: row for row in load_knowledge().rows("social/properties")}
    people = [row["id"] for row in load_knowledge().rows("names/people")]
    for language in LANGUAGES:
        book = surnames().phrasebook(SCENARIO, language)
        told = [listed[each][language] for each in surname_ids()]
        assert not [name for each in people for name in told if name in book.call("person", each)]


def test_precise_questions_have_one_person_that_fits_and_vague_ones_several() -> None:
    for _, problem in draws():
        if problem.asked is not None:
            named = problem.asked.arguments[1]
            asked = [Proposition(problem.asked.template, (x, named)) for x in problem.entities if x != named]
            verdicts = surnames().decide(replace(problem, options=tuple(asked))).verdicts
            assert (verdicts.count(True) > 1) == (problem.type == "vague_entity")


def test_the_canonical_form_forgets_names_and_orders_only() -> None:
    rng = random.Random(5)
    people = [row["id"] for row in load_knowledge().rows("names/people")]
    for _, problem in draws()[::4]:
        old = (*problem.entities, *problem.details)
        new = (*rng.sample(people, len(problem.entities)), *rng.sample(surname_ids(), len(problem.details)))
        names = dict(zip(old, new, strict=True))

        def rename(said: Proposition, names: dict[str | int, str] = names) -> Proposition:
            return Proposition(said.template, tuple(names.get(each, each) for each in said.arguments))

        other = replace(
            problem,
            entities=tuple(rng.sample([names[each] for each in problem.entities], len(problem.entities))),
            details=tuple(names[each] for each in problem.details[::-1]),
            statements=tuple(
                rename(each) for each in rng.sample(problem.statements, len(problem.statements))
            ),
            asked=problem.asked and rename(problem.asked),
            options=tuple(map(rename, problem.options[::-1])),
        )
        form = surnames().canonical(problem)
        assert surnames().canonical(other) == form
        assert surnames().canonical(replace(problem, statements=problem.statements[1:])) != form


def test_kin_through_fathers_have_one_surname() -> None:
    every = read_terms(load_knowledge())
    for name in ("father", "elder_brother", "father_sister", "brother_son", "tang_elder_female"):
        assert keeps_surname(every[name]), name
    for name in (
        "mother",
        "son",
        "wife",
        "mother_brother",
        "sister_son",
        "biao_elder_male",
        "tang_female_son",
    ):
        assert not keeps_surname(every[name]), name
    assert len(terms()) == 25


def test_a_cousin_through_fathers_has_the_same_surname_in_two_steps() -> None:
    people, details = ("m01", "f02"), ("surname_wang", "surname_li")
    said = (
        Proposition("kin", ("m01", "f02", "tang_elder_male")),
        Proposition("surname", people[:1] + details[:1]),
    )
    options = (Proposition("same", people), Proposition("surname", ("f02", "surname_li")))
    problem = Problem(SCENARIO, people, details, said, "correct_statements", None, options)
    check_engines(surnames(), problem)
    assert surnames().decide(problem).verdicts == (True, False)
    labels = surnames().labels(problem)
    assert (labels.chain_length, labels.rules) == (3, ("surname of the father",))


def test_what_says_nothing_about_surnames_is_refused() -> None:
    _, problem = draws()[0]
    first, second = problem.entities[:2]
    for said in (
        Proposition("kin", (first, second, "mother_brother")),
        Proposition("same", (first, first)),
        Proposition("surname", (first, "surname_nobody")),
    ):
        with pytest.raises((ValueError, KeyError)):
            surnames().decide(replace(problem, statements=(said,)))
    for language in LANGUAGES:
        intro = surnames().write_intro(problem, language)
        assert surnames().read_intro(intro, language).entities == problem.entities
        with pytest.raises(ValueError, match="introduction"):
            surnames().read_intro(f"{intro}.", language)
