"""Mix: descriptions denote one thing, and every description and template is read back."""

from dataclasses import replace

import pytest

from perennial.schemas.knowlogic.things import LANGUAGES, Language, Proposition
from perennial.tasks.knowlogic.mix.sentences import SCENARIOS, Descriptions, item_sentences
from perennial.tasks.knowlogic.nature.meaning import read_nature
from perennial.tasks.knowlogic.problem import Domain, Problem
from tests.knowlogic.drawn_problems import domain_of, drawn
from tests.knowlogic.golden.golden_texts import list_said, load_descriptions
from tests.knowlogic.nature.nature_items import TWELVE, make_knowledge

DESCRIPTIONS = load_descriptions()


@pytest.fixture(scope="module")
def domain() -> Domain:
    return domain_of("mix")


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return [problem for scenario in SCENARIOS for _, problem in drawn("mix", scenario)]


def test_a_description_denotes_one_thing_by_sure_cells(problems: list[Problem]) -> None:
    cells = DESCRIPTIONS.nature.cells
    met = 0
    for problem in problems:
        items = {item for said in (*problem.statements, *problem.options) for item in said.arguments}
        for item in items - set(problem.entities):
            parts = DESCRIPTIONS.all[str(item)]
            rows = [[cells[str(entity)][name] for name, _ in parts] for entity in problem.entities]
            assert all(None not in row for row in rows)
            assert rows.count([value for _, value in parts]) == 1
            met += 1
    assert met > len(problems)


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


def test_a_question_with_an_ambiguous_description_is_refused(domain: Domain, problems: list[Problem]) -> None:
    problem = problems[0]
    wrong = Proposition("left__1", ("is:class=fish", problem.entities[0]))
    things = tuple(e for e, c in DESCRIPTIONS.nature.cells.items() if c["class"] == "fish")[:6]
    with pytest.raises(ValueError, match="does not denote"):
        domain.decide(replace(problem, entities=things, statements=(wrong,), options=(wrong,)))


def test_golden_texts_have_every_template_and_value() -> None:
    said = list_said("mix")
    for scenario in SCENARIOS:
        assert {each.template for where, each in said if where == scenario} >= set(item_sentences(scenario))
    named = {item for _, each in said for item in each.arguments}
    assert {id_ for id_, parts in DESCRIPTIONS.all.items() if len(parts) == 1} <= named


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_description_is_read_back(domain: Domain, language: Language) -> None:
    book = domain.phrasebook(SCENARIOS[0], language)
    for id_ in DESCRIPTIONS.all:
        said = Proposition("left__1", ("banana", id_))
        assert book.read(book.write(said)) == said
