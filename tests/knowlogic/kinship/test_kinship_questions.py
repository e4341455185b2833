"""Kinship questions: requests are honoured, texts read back, canonical forms, golden texts."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from perennial.schemas.ids import canonical_json, derive_rng
from perennial.schemas.knowlogic.things import LANGUAGES, Language, Proposition
from perennial.tasks.knowlogic.kinship.domain import SCENARIO, TYPES
from perennial.tasks.knowlogic.problem import Problem, Request, payload_of, problem_of, right_letters
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.kinship.kinship_golden import propositions
from tests.knowlogic.kinship.kinship_items import draw_until, kinship, requests, terms
from tests.knowlogic.problem_checks import check_text


@pytest.mark.parametrize("request_", requests(), ids=repr)
def test_a_question_is_what_was_asked_for(request_: Request) -> None:
    domain = kinship()
    drawn = draw_until(request_, derive_rng(3, "asked", requests().index(request_)))
    found = domain.decide(drawn)
    assert found.arrangements == 1
    assert domain.check(drawn) == found
    letters = right_letters(drawn, found.verdicts)
    wanted = request_.type != "incorrect_statements"
    assert sum(verdict is wanted for verdict in found.verdicts) == request_.right
    assert letters == ("D" if not request_.right else letters)
    assert len(drawn.options) in (3, 4)
    assert drawn.has_none or request_.right
    assert len(set(drawn.options)) == len(drawn.options)
    assert set(drawn.options).isdisjoint(drawn.statements)
    labels = domain.labels(drawn)
    assert labels.difficulty == request_.difficulty
    assert labels.precision == ("vague" if request_.type == "vague_entity" else "precise")
    assert set(labels.relations) <= set(terms())
    assert all(terms()[each].used for each in labels.relations)
    assert problem_of(payload_of(drawn)) == drawn
    for language in LANGUAGES:
        check_text(domain, drawn, language)


def test_the_level_is_the_papers_formula() -> None:
    drawn = draw_until(Request(SCENARIO, "hard", "correct_statements", 2), derive_rng(4, "level", 0))
    labels = kinship().labels(drawn)
    cl, nm, ne = (labels.variables[name] for name in ("cl", "nm", "ne"))
    assert labels.level == pytest.approx(0.4 * cl + 0.3 * nm + 0.3 * ne)
    pairs = {frozenset(each.arguments[:2]) for each in drawn.statements if each.template == "is"}
    assert ne == len(pairs)
    assert labels.chain_length == cl


def rename(problem: Problem, rng: random.Random) -> Problem:
    """Return the problem with other names, and every list in another order."""
    ids = [str(row["id"]) for row in load_knowledge().rows("names/people")]
    names = dict(zip(problem.entities, rng.sample(ids, len(problem.entities)), strict=True))

    def reword(said: Proposition) -> Proposition:
        return Proposition(said.template, tuple(names.get(each, each) for each in said.arguments))

    def shuffle(lines: tuple[Proposition, ...]) -> tuple[Proposition, ...]:
        return tuple(rng.sample([reword(each) for each in lines], len(lines)))

    entities = rng.sample([*names.values()], len(names))
    asked = reword(problem.asked) if problem.asked else None
    return replace(
        problem,
        entities=tuple(entities),
        statements=shuffle(problem.statements),
        options=shuffle(problem.options),
        asked=asked,
    )


@pytest.mark.slow
def test_names_and_order_do_not_change_the_canonical_form() -> None:
    rng, forms = random.Random(5), set()
    for number in range(24):
        request = requests()[number * 2 % len(requests())]
        drawn = draw_until(request, derive_rng(5, "canonical", number))
        form = canonical_json(kinship().canonical(drawn))
        assert canonical_json(kinship().canonical(rename(drawn, rng))) == form
        assert canonical_json(kinship().canonical(replace(drawn, statements=drawn.statements[1:]))) != form
        forms.add(form)
    assert len(forms) == 24


@pytest.mark.slow
def test_questions_use_nearly_all_terms_that_they_may_and_no_other() -> None:
    used: Counter[str] = Counter()
    wanted = {term.id for term in terms().values() if term.used}
    asked = [request for request in requests() if request.type.endswith("statements")]
    for number in range(600):
        request = asked[number % len(asked)]
        drawn = kinship().draw(request, derive_rng(6, "terms", number))
        if drawn is not None:
            used.update(str(each) for said in (*drawn.statements, *drawn.options) for each in said.arguments)
    # Some are rare: a false option has the terms of a true one.
    met = {id_ for id_ in terms() if used[id_]}
    assert met <= wanted
    assert len(met) >= 0.75 * len(wanted)


def test_terms_that_no_question_uses_say_why() -> None:
    for row in load_knowledge().rows("kinship/terms"):
        assert row["use"] in ("yes", "no")
        assert row["source"]
        if row["use"] == "no":
            assert row["note"].startswith(("four generations", "rare word")), row["id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_golden_sentences_have_one_reading(language: Language) -> None:
    book = kinship().phrasebook(SCENARIO, language)
    for said in propositions():
        assert book.read(book.write(said)) == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_introduction_is_refused(language: Language) -> None:
    drawn = draw_until(Request(SCENARIO, "easy", "correct_statements", 1), derive_rng(7, "intro", 0))
    intro = kinship().write_intro(drawn, language)
    assert kinship().read_intro(intro, language).entities == drawn.entities
    other = {"zh": ("五", "六"), "en": ("five", "six")}[language]
    for text in (
        "",
        intro + "x",
        intro.replace(*other) if other[0] in intro else intro.replace(*other[::-1]),
    ):
        with pytest.raises(ValueError, match="introduction"):
            kinship().read_intro(text, language)


def test_types_take_turns() -> None:
    assert kinship().types(SCENARIO) == TYPES
    assert set(kinship().shares) == {SCENARIO}
