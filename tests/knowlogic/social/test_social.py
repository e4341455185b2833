"""Questions of general social relations: requests kept, texts read back, forms without names and order."""

import random
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import product

import pytest

from perennial.schemas.ids import canonical_json, derive_rng
from perennial.schemas.knowlogic.things import DIFFICULTIES, LANGUAGES, Language, Proposition, QuestionText
from perennial.tasks.knowlogic.layout import read_text, write_text
from perennial.tasks.knowlogic.problem import Problem, Request, right_letters
from perennial.tasks.knowlogic.social.domain import SCENARIO, TYPES
from perennial.tasks.knowlogic.social.relations import claim_of, facts_of, proposition_of
from tests.knowlogic.problem_checks import check_engines, check_text
from tests.knowlogic.social.social_items import general, table

REQUESTS = [
    Request(SCENARIO, difficulty, type_, right)
    for difficulty, type_, right in product(DIFFICULTIES, TYPES, range(5))
    if right < 2 or type_ != "precise_entity"
]
# Rare: two people of one relation, three others, and none of the two shown, by a chain of five steps.
# Growing draws a hundred times.
RARE = {Request(SCENARIO, "hard", "vague_entity", 0): 24}


def draws(request: Request, number: int) -> list[Problem]:
    """Return what so many generators draw."""
    purpose = f"{request.difficulty} {request.type} {request.right}"
    found = (general().draw(request, derive_rng(11, purpose, each)) for each in range(number))
    return [each for each in found if each is not None]


@lru_cache(maxsize=1)
def draw_each_request() -> tuple[tuple[Request, Problem], ...]:
    """Return a few problems of each request."""
    return tuple(
        (request, problem) for request in REQUESTS for problem in draws(request, RARE.get(request, 4))[:4]
    )


@pytest.mark.slow
def test_each_request_can_be_drawn() -> None:
    counts = Counter(request for request, _ in draw_each_request())
    assert [request for request in REQUESTS if not counts[request]] == []
    assert sum(counts.values()) > 0.85 * 4 * len(REQUESTS)


@pytest.mark.slow
def test_requests_are_kept() -> None:
    for request, problem in draw_each_request():
        decision = general().decide(problem)
        assert decision.arrangements == 1
        wanted = problem.type != "incorrect_statements"
        assert decision.verdicts.count(wanted) == request.right
        assert None not in decision.verdicts
        assert right_letters(problem, decision.verdicts)
        assert (problem.type, general().labels(problem).difficulty) == (request.type, request.difficulty)
        assert problem.has_none or request.right
        assert len(problem.options) in (3, 4)


@pytest.mark.slow
def test_the_second_engine_finds_the_same() -> None:
    for _, problem in draw_each_request():
        check_engines(general(), problem)


@pytest.mark.slow
def test_no_option_repeats_a_statement_or_another_option() -> None:
    for _, problem in draw_each_request():
        given = {fact for each in problem.statements for fact in facts_of(each).facts}
        claims = [claim_of(each) for each in problem.options]
        assert len(set(claims)) == len(claims)
        named = {
            (each.relation, each.left.person, each.right.person) for each in claims if each.names_everyone
        }
        assert not named & given
        assert len(set(problem.statements)) == len(problem.statements)


def test_precise_questions_have_one_person_that_fits_and_vague_ones_several() -> None:
    for _, problem in draw_each_request():
        if problem.asked is None:
            continue
        rest = problem.asked.arguments[1:]
        asked = [Proposition(problem.asked.template, (each, *rest)) for each in problem.entities]
        verdicts = general().decide(replace(problem, options=tuple(asked))).verdicts
        assert (verdicts.count(True) > 1) == (problem.type == "vague_entity")
        named = [each in rest for each in problem.entities]
        beside = sum(verdict is True for verdict, skip in zip(verdicts, named, strict=True) if not skip)
        assert problem.type != "vague_entity" or beside > 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_read_back(language: Language) -> None:
    for _, problem in draw_each_request():
        check_text(general(), problem, language)


def test_another_introduction_is_refused() -> None:
    _, problem = draw_each_request()[0]
    text = write_text(general(), problem, "en")
    for changed in (
        text.text.replace("relations", "places", 1),
        text.text.replace("between ", "between Zoe, ", 1),
    ):
        with pytest.raises(ValueError, match="introduction"):
            read_text(general(), QuestionText(changed, text.question, text.options), "en")


def rename(problem: Problem, rng: random.Random) -> Problem:
    """Return the problem with other names and orders, and with every second fact in a sentence of its own."""
    people = [each.person for each in table().marks.values()]
    names = dict(zip(problem.entities, rng.sample(people, len(problem.entities)), strict=True))

    def rename(said: Proposition) -> Proposition:
        return Proposition(said.template, tuple(names.get(each, each) for each in said.arguments))

    statements = []
    for each in problem.statements:
        facts, several = facts_of(each).facts, facts_of(each).several
        if len(facts) < 2:
            statements.append(each)
        else:
            forms = ("among" if fact in several else "name_1" for fact in facts)
            pairs = zip(forms, facts, strict=True)
            statements += [Proposition(form, (fact[1], fact[2], fact[0])) for form, fact in pairs]
    return replace(
        problem,
        entities=tuple(rng.sample([names[each] for each in problem.entities], len(names))),
        statements=tuple(rename(each) for each in rng.sample(statements, len(statements))),
        asked=problem.asked and rename(problem.asked),
        options=tuple(rename(each) for each in rng.sample(problem.options, len(problem.options))),
    )


def test_the_canonical_form_forgets_names_and_orders_only() -> None:
    rng = random.Random(5)
    forms = Counter(canonical_json(general().canonical(problem)) for _, problem in draw_each_request())
    for _, problem in draw_each_request():
        form = canonical_json(general().canonical(problem))
        assert canonical_json(general().canonical(rename(problem, rng))) == form
        fewer = replace(problem, statements=problem.statements[1:])
        assert canonical_json(general().canonical(fewer)) != form
    assert max(forms.values()) == 1


def test_labels_say_what_a_question_uses() -> None:
    seen: Counter[str] = Counter()
    for request, problem in draw_each_request():
        labels = general().labels(problem)
        seen.update([*labels.properties, labels.precision, *(rule.split(":")[0] for rule in labels.rules)])
        variables = labels.variables
        assert labels.chain_length == variables["cl"] >= 1
        assert labels.level == pytest.approx(
            0.4 * variables["cl"] + 0.3 * variables["nm"] + 0.3 * variables["ne"]
        )
        assert len(problem.entities) - 1 <= variables["ne"] <= 9
        if request.type == "vague_entity":
            assert labels.precision == "vague"
    kinds = {"sex", "given_name", "precise", "vague", "inverse", "implied", "narrowed"}
    assert kinds <= set(seen)


def test_claims_and_propositions_say_the_same() -> None:
    for _, problem in draw_each_request():
        for option in problem.options:
            assert proposition_of(claim_of(option)) == option


def test_every_relation_is_used_by_some_question() -> None:
    used: set[str] = set()
    for _, problem in draw_each_request():
        used |= set(general().labels(problem).relations)
    assert sorted(set(table().by_id) - used) == []
