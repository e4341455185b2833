"""The tables and sentences of general social relations: consistent, unambiguous, like the golden texts."""

import random
from itertools import product

import pytest

from perennial.schemas.knowlogic.things import LANGUAGES, Language
from perennial.tasks.knowlogic.social.relations import (
    SEXES,
    Description,
    RelationClaim,
    claim_of,
    facts_of,
    proposition_of,
)
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.social.social_items import general, say, table

RELATIONS = table().by_id


def test_inverses_lead_back() -> None:
    opposite = {"up": "down", "down": "up", "": ""}
    for relation in RELATIONS.values():
        for sex in SEXES:
            inverse = RELATIONS[relation.inverse[sex]]
            assert inverse.holder_sex in (None, sex)
            if relation.holder_sex:
                assert inverse.inverse[relation.holder_sex] == relation.id
            else:
                assert set(inverse.inverse.values()) == {relation.id}
            assert (inverse.pairing, inverse.has_one_holder) == (relation.pairing, relation.has_one_holder)
        for sex, narrower in relation.narrowed.items():
            assert RELATIONS[narrower].holder_sex == sex
            assert relation.id in RELATIONS[narrower].implies
        assert {RELATIONS[each].rank for each in relation.inverse.values()} == {opposite[relation.rank]}


def test_what_is_implied_is_not_exclusive_and_has_the_implied_inverse() -> None:
    exclusive = {frozenset(pair) for pair in table().exclusive}
    for relation in RELATIONS.values():
        for other in relation.implies:
            assert frozenset((relation.id, other)) not in exclusive
            for sex in SEXES:
                inverse = RELATIONS[relation.inverse[sex]]
                assert RELATIONS[other].inverse[sex] in (*inverse.implies, *inverse.inverse.values())


def test_articles_fit() -> None:
    for relation in RELATIONS.values():
        begins_with_vowel = relation.names["en"][0] in "aeiou"
        expected = "the" if relation.has_one_holder else "an" if begins_with_vowel else "a"
        assert relation.article == expected


def test_marks_are_parts_of_the_names_of_their_people() -> None:
    people = {row["id"]: row for row in load_knowledge().rows("names/people")}
    for mark in table().marks.values():
        row = people[mark.person]
        assert mark.texts["zh"] == row["given"]
        assert row["en"].startswith(mark.texts["en"])
        assert mark.person in mark.shared_by
        for language in LANGUAGES:
            holding = {id_ for id_, each in people.items() if each[language].startswith(mark.texts[language])}
            assert holding <= mark.shared_by
    assert table().marks["m01"].shared_by == {"m01", "m24", "m27", "f22"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_claims_share_a_sentence(language: Language) -> None:
    """Chains of all lengths with all terms: every sentence has one reading, and it is the claim's."""
    rng, book = random.Random(3), general().phrasebook("relations", language)
    terms, marks = sorted(RELATIONS), sorted(table().marks)
    forms = ("chain", "some", "mark")
    seen: dict[str, object] = {}
    for left_form, right_form, relation in product(forms, ("chain", "mark"), terms):
        if left_form == right_form == "mark":
            continue
        sides = []
        for form in (left_form, right_form):
            length = rng.randint(0, 2) if form == "chain" else 1
            mark = rng.choice(marks) if form == "mark" else ""
            sides.append(Description(form, rng.choice(marks), tuple(rng.choices(terms, k=length)), mark))
        said = proposition_of(RelationClaim(sides[0], relation, sides[1]))
        sentence = book.write(said)
        assert seen.setdefault(sentence, said) == said
        assert book.read(sentence) == said


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "James' boss is Mary's friend."),
        ("en", "James's bosses is Mary's friend."),
        ("en", "James's boss is an friend of Mary's boss."),
        ("zh", "王伟的老板是王芳的朋友。"),
    ],
)
def test_other_sentences_are_refused(language: Language, sentence: str) -> None:
    with pytest.raises(ValueError, match="nothing that the templates say"):
        general().phrasebook("relations", language).read(sentence)


def test_claims_are_no_statements_and_statements_no_claims() -> None:
    with pytest.raises(ValueError, match="no statement"):
        facts_of(say("of_1", "m01", "boss", "f01", "friend"))
    with pytest.raises(ValueError, match="no claim"):
        claim_of(say("male", "m01"))
