"""Questions of general social relations: requests kept, texts read back, forms without names and order."""

import random
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from perennial.schemas.ids import canonical_json, derive_rng
from perennial.schemas.knowlogic.things import LANGUAGES, EngineDecision, Language, Proposition
from perennial.tasks.knowlogic.social.domain import SCENARIO
from perennial.tasks.knowlogic.social.relations import (
    SEXES,
    Description,
    RelationClaim,
    claim_of,
    facts_of,
    proposition_of,
)
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import drawn
from tests.knowlogic.social.social_items import general, problem, random_problem, say, table


@pytest.mark.slow
def test_no_option_repeats_a_statement_or_another_option() -> None:
    for _, question in drawn("social", SCENARIO):
        given = {fact for each in question.statements for fact in facts_of(each).facts}
        claims = [claim_of(each) for each in question.options]
        assert len(set(claims)) == len(claims)
        named = {
            (each.relation, each.left.person, each.right.person) for each in claims if each.names_everyone
        }
        assert not named & given
        assert len(set(question.statements)) == len(question.statements)


def test_the_canonical_form_forgets_which_facts_share_a_sentence() -> None:
    for _, question in drawn("social", SCENARIO):
        statements = []
        for each in question.statements:
            said = facts_of(each)
            if len(said.facts) < 2:
                statements.append(each)
            else:
                statements += [
                    Proposition("among" if fact in said.several else "name_1", (fact[1], fact[2], fact[0]))
                    for fact in said.facts
                ]
        other = replace(question, statements=tuple(statements))
        assert canonical_json(general().canonical(other)) == canonical_json(general().canonical(question))


def test_labels_say_what_a_question_uses() -> None:
    seen: Counter[str] = Counter()
    for request, question in drawn("social", SCENARIO):
        labels = general().labels(question)
        seen.update([*labels.properties, labels.precision, *(rule.split(":")[0] for rule in labels.rules)])
        variables = labels.variables
        assert labels.chain_length == variables["cl"] >= 1
        assert labels.level == pytest.approx(
            0.4 * variables["cl"] + 0.3 * variables["nm"] + 0.3 * variables["ne"]
        )
        assert len(question.entities) - 1 <= variables["ne"] <= 9
        if request.type == "vague_entity":
            assert labels.precision == "vague"
    kinds = {"sex", "given_name", "precise", "vague", "inverse", "implied", "narrowed"}
    assert kinds <= set(seen)


def test_claims_and_propositions_say_the_same() -> None:
    for _, question in drawn("social", SCENARIO):
        for option in question.options:
            assert proposition_of(claim_of(option)) == option


def test_every_relation_is_used_by_some_question() -> None:
    used: set[str] = set()
    for _, question in drawn("social", SCENARIO):
        used |= set(general().labels(question).relations)
    assert sorted(set(table().by_id) - used) == []


# Two engines of general social relations agree, and find what a world by hand must give.


PEOPLE = ("m01", "m02", "f01", "f02")


def both(*statements: Proposition, options: tuple[Proposition, ...] = ()) -> EngineDecision:
    """Return what both engines find, which must be the same."""
    asked = problem(PEOPLE, statements, options)
    found = general().decide(asked)
    assert general().check(asked) == found
    return found


def verdict(option: Proposition, *statements: Proposition) -> bool | None:
    return both(*statements, options=(option,)).verdicts[0]


@pytest.mark.slow
def test_engines_agree_on_worlds_of_all_kinds() -> None:
    kinds: set[int] = set()
    verdicts: set[bool | None] = set()
    for number in range(80):
        asked = random_problem(derive_rng(7, "social", number))
        found = general().decide(asked)
        assert found == general().check(asked)
        kinds.add(min(found.arrangements, 2))
        verdicts |= set(found.verdicts)
    assert kinds == {0, 1, 2}
    assert verdicts == {True, False, None}


@pytest.mark.parametrize(
    "statements",
    [
        [say("name_1", "m01", "f01", "husband"), say("name_1", "m02", "f01", "husband")],
        [say("name_1", "m01", "f01", "husband"), say("name_1", "m01", "f01", "ex_husband")],
        [say("name_1", "m01", "f01", "husband"), say("name_1", "m01", "f02", "wife")],
        [say("name_1", "m01", "f01", "husband"), say("female", "m01")],
        [say("name_1", "m01", "m02", "boss"), say("name_1", "m02", "m01", "boss")],
        [say("name_1", "m01", "m02", "boss"), say("name_1", "m01", "m02", "subordinate")],
        [say("name_1", "m01", "m02", "colleague"), say("name_1", "m02", "m01", "former_colleague")],
        [say("name_1", "m01", "m01", "friend")],
        [say("among", "m01", "m02", "boss")],
    ],
)
def test_contradictions_leave_no_world(statements: list[Proposition]) -> None:
    sexes = [say("female", "f01"), say("female", "f02")]
    assert both(*statements, *sexes).arrangements == 0
    assert both(*sexes).arrangements == 1


def test_a_sex_that_a_term_needs_is_stated_and_never_taken_from_a_name() -> None:
    married = say("name_1", "m01", "f01", "husband")
    assert both(married).arrangements == 2
    assert both(married, say("female", "f01")).arrangements == 1
    assert verdict(say("name_1", "f01", "m01", "wife"), married, say("female", "f01")) is True
    assert both(say("name_1", "m01", "f01", "spouse")).arrangements == 4
    assert both(say("name_1", "m01", "f01", "friend")).arrangements == 1


def test_rules_of_the_table_are_applied() -> None:
    assert verdict(say("name_1", "m02", "m01", "subordinate"), say("name_1", "m01", "m02", "boss")) is True
    assert (
        verdict(say("name_1", "m02", "m01", "schoolmate"), say("name_1", "m01", "m02", "desk_mate")) is True
    )
    spouse = (say("name_1", "m01", "f01", "spouse"), say("male", "m01"), say("female", "f01"))
    assert verdict(say("name_1", "m01", "f01", "husband"), *spouse) is True
    assert verdict(say("name_1", "f01", "m01", "wife"), *spouse) is True


def test_the_world_is_closed_and_relations_are_not_passed_on() -> None:
    chain = (say("name_1", "m01", "m02", "colleague"), say("name_1", "m02", "f01", "colleague"))
    assert verdict(say("name_1", "m01", "f01", "colleague"), *chain) is False
    assert verdict(say("name_1", "m01", "m02", "classmate"), *chain) is False
    assert verdict(say("name_1", "m02", "m01", "mentor"), say("name_1", "m01", "m02", "mentor")) is False


def test_what_some_readers_would_also_call_so_is_left_open() -> None:
    boss = say("name_1", "m01", "m02", "boss")
    assert verdict(say("name_1", "m01", "m02", "colleague"), boss) is None
    # "m02's colleague" may mean f01 alone, or the boss too.
    colleague = say("name_1", "f01", "m02", "colleague")
    option = say("of_1", "m02", "colleague", "f02", "friend")
    assert verdict(option, colleague, say("name_1", "f01", "f02", "friend")) is True
    assert verdict(option, colleague, say("name_1", "f01", "f02", "friend"), boss) is None


def test_a_description_denotes_one_person() -> None:
    bosses = (say("among", "m01", "f01", "boss"), say("among", "m02", "f01", "boss"))
    friend = say("name_1", "m01", "f02", "friend")
    assert verdict(say("of_1", "f01", "boss", "f02", "friend"), *bosses, friend) is None
    assert verdict(say("of_1", "f01", "teacher", "f02", "friend"), *bosses, friend) is None
    assert verdict(say("some_1", "f01", "boss", "f02", "friend"), *bosses, friend) is True
    assert verdict(say("some_1", "f01", "boss", "f02", "boss"), *bosses, friend) is False
    also = say("name_1", "m02", "f02", "friend")
    assert verdict(say("some_1", "f01", "boss", "f02", "friend"), *bosses, friend, also) is None
    assert verdict(say("among", "m01", "f01", "boss"), *bosses) is True
    assert verdict(say("among", "m01", "f02", "friend"), *bosses, friend) is None


@pytest.mark.parametrize(
    ("other", "expected"),
    [("m02", True), ("m24", None), ("f22", None)],
    ids=["another name", "the same first letters in English", "the same sound in Chinese"],
)
def test_a_mark_is_of_one_holder_in_both_languages(other: str, expected: bool | None) -> None:
    statements = [
        say("among", "m01", "f01", "boss"),
        say("among", other, "f01", "boss"),
        say("name_1", "m01", "f02", "friend"),
    ]
    option = say("mark_1", "f01", "boss", "m01", "f02", "friend")
    asked = problem(("m01", other, "f01", "f02"), statements, [option])
    assert general().decide(asked) == general().check(asked) == EngineDecision(1, (expected,))


# The tables and sentences of general social relations: consistent, unambiguous.


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
