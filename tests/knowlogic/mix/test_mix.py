"""Mix: draws questions keep the request, descriptions denote one thing, engines agree, texts read back."""

import random
from dataclasses import replace

import pytest

from perennial.schemas.knowlogic.things import DIFFICULTIES, LANGUAGES, Language, Proposition
from perennial.tasks.knowlogic.mix.domain import TYPES, build
from perennial.tasks.knowlogic.mix.sentences import SCENARIOS, Descriptions, item_sentences
from perennial.tasks.knowlogic.nature.meaning import read_nature
from perennial.tasks.knowlogic.problem import Domain, Problem, Request, right_letters
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.mix.mix_golden import load_descriptions, say_all
from tests.knowlogic.nature.nature_items import TWELVE, make_knowledge
from tests.knowlogic.problem_checks import check_engines, check_text

DESCRIPTIONS = load_descriptions()


def draw_many(domain: Domain, count: int, seed: int) -> list[tuple[Request, Problem]]:
    """Return as many draws questions as came out of so many requests."""
    rng = random.Random(seed)
    draws = []
    for number in range(count):
        type_ = TYPES[number % 4]
        most = {"precise_entity": 1, "vague_entity": 3}.get(type_, 4)
        right = rng.randint(0 if type_.endswith("entity") else 1, most)
        request = Request(SCENARIOS[number // 4 % 2], DIFFICULTIES[number // 8 % 3], type_, right)
        if problem := domain.draw(request, rng):
            draws.append((request, problem))
    return draws


@pytest.fixture(scope="module")
def domain() -> Domain:
    return build(load_knowledge())


@pytest.fixture(scope="module")
def draws(domain: Domain) -> list[tuple[Request, Problem]]:
    return draw_many(domain, 240, 4)


@pytest.mark.slow
def test_questions_keep_their_request(domain: Domain, draws: list[tuple[Request, Problem]]) -> None:
    assert len(draws) > 220
    for request, problem in draws:
        decision = domain.decide(problem)
        letters = right_letters(problem, decision.verdicts)
        assert decision.arrangements == 1
        assert (problem.scenario, problem.type) == (request.scenario, request.type)
        assert letters == "D" if request.right == 0 else len(letters) == request.right
        assert domain.labels(problem).difficulty == request.difficulty
        assert problem.has_none == request.type.endswith("entity")
        assert not set(problem.options) & set(problem.statements)


@pytest.mark.slow
def test_two_engines_agree_on_300(domain: Domain) -> None:
    drawn = draw_many(domain, 320, 6)
    assert len(drawn) >= 300
    for _, problem in drawn:
        check_engines(domain, problem)


def test_a_description_denotes_one_thing_by_sure_cells(draws: list[tuple[Request, Problem]]) -> None:
    cells = DESCRIPTIONS.nature.cells
    met = 0
    for _, problem in draws:
        items = {item for said in (*problem.statements, *problem.options) for item in said.arguments}
        for item in items - set(problem.entities):
            parts = DESCRIPTIONS.all[str(item)]
            rows = [[cells[str(entity)][name] for name, _ in parts] for entity in problem.entities]
            assert all(None not in row for row in rows)
            assert rows.count([value for _, value in parts]) == 1
            met += 1
    assert met > len(draws)


def test_a_description_of_two_or_of_none_or_of_an_unsure_thing_is_refused() -> None:
    descriptions = Descriptions(read_nature(make_knowledge(TWELVE)), DESCRIPTIONS.words)
    six = ("carp", "ostrich", "cherry", "lemon", "hammer", "violin")
    assert descriptions.denote("is:class=fish", six) == 0
    assert descriptions.denote("violin", six) == 5
    assert descriptions.denote("is:plant_type=fruit", six) is None
    assert descriptions.denote("is:class=mammal", six) is None
    # The duck may fly or not, and a carrot's color is sure while a hammer's is not.
    assert (
        descriptions.denote("is:can_fly=yes", ("ladybird", "duck", "fox", "lemon", "hammer", "rose")) is None
    )
    assert descriptions.denote("is:color=red", six) is None
    # A plant of the same name might be thought to fit a material.
    assert descriptions.denote("is:material=wood", six) is None


def test_a_question_with_an_ambiguous_description_is_refused(
    domain: Domain, draws: list[tuple[Request, Problem]]
) -> None:
    problem = draws[0][1]
    wrong = Proposition("left__1", ("is:class=fish", problem.entities[0]))
    things = tuple(e for e, c in DESCRIPTIONS.nature.cells.items() if c["class"] == "fish")[:6]
    with pytest.raises(ValueError, match="does not denote"):
        domain.decide(replace(problem, entities=things, statements=(wrong,), options=(wrong,)))


@pytest.mark.slow
def test_texts_are_read_back_in_both_languages(domain: Domain, draws: list[tuple[Request, Problem]]) -> None:
    for _, problem in draws:
        for language in LANGUAGES:
            check_text(domain, problem, language)


def test_orders_do_not_matter_but_things_and_descriptions_do(
    domain: Domain, draws: list[tuple[Request, Problem]]
) -> None:
    rng = random.Random(2)
    for _, problem in draws[:40]:
        other = replace(
            problem,
            entities=tuple(rng.sample(problem.entities, 6)),
            statements=tuple(rng.sample(problem.statements, len(problem.statements))),
            options=tuple(rng.sample(problem.options, len(problem.options))),
        )
        assert domain.canonical(other) == domain.canonical(problem)
    assert len({repr(domain.canonical(problem)) for _, problem in draws}) == len(draws)


def test_golden_texts_have_every_template_and_value_and_are_read_back(domain: Domain) -> None:
    said = say_all()
    for scenario in SCENARIOS:
        assert {each.template for where, each in said if where == scenario} >= set(item_sentences(scenario))
    named = {item for _, each in said for item in each.arguments}
    assert {id_ for id_, parts in DESCRIPTIONS.all.items() if len(parts) == 1} <= named
    for scenario, proposition in said:
        for language in LANGUAGES:
            book = domain.phrasebook(scenario, language)
            assert book.read(book.write(proposition)) == proposition


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_description_is_read_back(domain: Domain, language: Language) -> None:
    book = domain.phrasebook(SCENARIOS[0], language)
    for id_ in DESCRIPTIONS.all:
        said = Proposition("left__1", ("banana", id_))
        assert book.read(book.write(said)) == said
