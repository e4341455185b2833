"""Space: every template says one thing, in both languages, and is counted once."""

import re
from collections import Counter

import pytest

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import GAP, LANGUAGES, Language, Proposition
from perennial.tasks.knowlogic.space.reasoning import FILES, IS_AT, load_board, sentences, templates
from perennial.tasks.knowlogic.space.scenes import SCENES, predicates
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import domain_of
from tests.knowlogic.golden.golden_texts import example, golden_file

_ALL = [
    (file, name, table)
    for files in FILES.values()
    for file in files
    for name, table in load_sentences(file).items()
]


def test_no_text_holds_words_of_the_other_language() -> None:
    foreign_words: dict[Language, str] = {"zh": r"[A-Za-z]", "en": r"[\u3000-\u9fff\uff00-\uffef]"}
    for language, foreign in foreign_words.items():
        for line in golden_file("space", language).read_text(encoding="utf-8").splitlines():
            assert not re.search(foreign, line.partition("\t")[2]), line


def test_the_number_of_templates_reaches_the_papers() -> None:
    """Table 6 of the paper: 59 properties, 244 relations. Those that ask for slots are counted apart."""
    counts = Counter(
        "slot" if ":slot}" in table["zh"] else "property" if "property" in table else "relation"
        for _, _, table in _ALL
    )
    assert counts == {"property": 76, "relation": 272, "slot": 30}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_templates_of_a_scenario_have_the_same_words(language: Language) -> None:
    for scenario in SCENES:
        words = Counter(table[language] for table in sentences(scenario).values())
        assert [each for each, number in words.items() if number > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scenario", SCENES)
def test_every_sentence_and_every_gap_has_one_reading(scenario: str, language: Language) -> None:
    book = domain_of("space").phrasebook(scenario, language)
    for name in templates(scenario):
        said = example(scenario, name)
        assert book.read(book.write(said)) == said
        for place in range(len(said.arguments)):
            asked = Proposition(
                name,
                tuple(GAP if each == place else said.arguments[each] for each in range(len(said.arguments))),
            )
            assert book.read(book.write(asked)) == asked
            choice = said.arguments[place]
            assert book.read_filler(asked, book.write_filler(asked, choice)) == choice


def test_every_predicate_has_a_sentence_and_every_sentence_a_predicate() -> None:
    used = set()
    for scenario in SCENES:
        said = {each.predicate for each in templates(scenario).values() if not any(each.is_slot)}
        assert said == set(predicates(scenario)), scenario
        used |= set(sentences(scenario))
        for each in templates(scenario).values():
            predicate = load_board(scenario).predicates[each.predicate]
            assert predicate.arity == len(each.is_slot), each.name
            assert set(each.needs) <= set(predicates(scenario)), each.name
            # "The slots on the same tier as it" would hold the slot itself.
            assert not (any(each.is_slot) and predicate.is_reflexive) or each.predicate == IS_AT
    assert used == {name for _, name, _ in _ALL}


def test_slots_have_names_where_they_can_be_asked_for() -> None:
    for scenario, scene in SCENES.items():
        for language in LANGUAGES:
            names = domain_of("space").phrasebook(scenario, language).lexicon["slot"]
            assert set(names) == ({slot.id for slot in scene.slots} if scene.has_slot_questions else set())
            assert len(set(names.values())) == len(names)


def test_items_have_one_name_each_and_there_are_enough() -> None:
    rows = load_knowledge().rows("space/items")
    assert len({row["id"] for row in rows}) == len(rows) == 81
    for language in LANGUAGES:
        names = [row[language] for row in rows]
        assert len(set(names)) == len(names)
    groups = Counter(row["setting"] for row in rows)
    assert min(groups.values()) >= 15
    for row in rows:
        assert row["en"].startswith("the ") == (row["setting"] != "crops")
        assert " and " not in row["en"]
