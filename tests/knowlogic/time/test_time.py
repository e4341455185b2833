"""Questions about time: requests kept, texts read back, labels, forms without names and order."""

import random
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import product

import pytest

from perennial.schemas.ids import canonical_json, derive_rng
from perennial.schemas.knowlogic.things import (
    DIFFICULTIES,
    GAP,
    LANGUAGES,
    Difficulty,
    Language,
    Proposition,
    QuestionText,
)
from perennial.tasks.knowlogic.growing import ScenarioRequest, grow_scenario
from perennial.tasks.knowlogic.layout import read_text, write_text
from perennial.tasks.knowlogic.problem import Problem, Request, fill, right_letters
from perennial.tasks.knowlogic.time.claims import claim_of
from perennial.tasks.knowlogic.time.domain import TYPES
from perennial.tasks.knowlogic.time.engines import events_in, prove
from tests.knowlogic.problem_checks import check_engines, check_text
from tests.knowlogic.time.time_items import PERSON, domain, problem, say, table

pytestmark = pytest.mark.slow

SCENARIOS = ("cyclic", "linear")
WEEK, LIFE = SCENARIOS


def is_possible(request: Request) -> bool:
    """Whether there are questions of this kind: one thing fits a precise gap, or none of those offered."""
    return request.right < 2 or not request.type.startswith("precise")


REQUESTS = [
    Request(scenario, difficulty, type_, right)
    for scenario, difficulty, type_, right in product(SCENARIOS, DIFFICULTIES, TYPES, range(5))
]


@lru_cache(maxsize=1)
def draw_each_request() -> tuple[tuple[Request, Problem], ...]:
    """Return a few problems of each request that is possible."""
    found = (
        (request, domain().draw(request, derive_rng(11, repr(request), each)))
        for request in REQUESTS
        if is_possible(request)
        for each in range(6)
    )
    return tuple((request, each) for request, each in found if each is not None)


def test_each_possible_request_can_be_drawn_and_others_cannot() -> None:
    counts = Counter(request for request, _ in draw_each_request())
    possible = [request for request in REQUESTS if is_possible(request)]
    assert [request for request in possible if counts[request] < 4] == []
    for request in set(REQUESTS) - set(possible):
        assert domain().draw(request, random.Random(1)) is None


def test_requests_are_kept() -> None:
    for request, each in draw_each_request():
        decision = domain().decide(each)
        assert decision.arrangements == 1
        assert None not in decision.verdicts
        assert decision.verdicts.count(each.type != "incorrect_statements") == request.right
        assert right_letters(each, decision.verdicts)
        assert (each.type, domain().labels(each).difficulty) == (request.type, request.difficulty)
        assert len(each.options) in (3, 4)
        assert each.has_none or request.right


def test_the_second_engine_finds_the_same() -> None:
    for _, each in draw_each_request()[::2]:
        check_engines(domain(), each)


def test_no_option_repeats_a_statement_or_another_option() -> None:
    for _, each in draw_each_request():
        given = {claim_of(table(), each.scenario, one) for one in each.statements}
        claims = {claim_of(table(), each.scenario, one) for one in each.options}
        assert len(claims) == len(each.options)
        assert not claims & given


def test_no_option_is_decided_without_a_statement() -> None:
    """The order of a life alone may refute 'seven years before being born'; no option is so."""
    for _, each in draw_each_request()[::5]:
        for option in each.options if each.scenario == LIFE else ():
            claim = claim_of(table(), LIFE, option)
            if claim.kind == "order":
                assert not {(claim.left, claim.right), (claim.right, claim.left)} & set(table().orders)
            elif option.template in ("after", "before", "same", "gap", "lasts"):
                possible = problem(LIFE, [option], [])
                assert domain().decide(possible).arrangements > 1


def test_precise_questions_have_one_event_that_fits_and_vague_ones_several() -> None:
    for _, each in draw_each_request():
        if each.asked is None or each.type == "precise_slot":
            continue
        others = sorted(set(events_in(table(), each)) - set(each.asked.arguments))
        filled = replace(each, options=tuple(fill(each.asked, event) for event in others))
        assert (domain().decide(filled).verdicts.count(True) > 1) == (each.type == "vague_event")


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_read_back(language: Language) -> None:
    for _, each in draw_each_request()[::2]:
        check_text(domain(), each, language)


def test_another_introduction_is_refused() -> None:
    text = write_text(domain(), draw_each_request()[0][1], "en")
    for word, other in (("several", "two"), ("about what ", "about what Zoe and ")):
        changed = QuestionText(text.text.replace(word, other, 1), text.question, text.options)
        with pytest.raises(ValueError, match="introduction"):
            read_text(domain(), changed, "en")


def rename(each: Problem, rng: random.Random) -> Problem:
    """Return the problem about another person, in another order, with 'after' for 'before'."""

    def turn(said: Proposition) -> Proposition:
        name, (_, *rest) = said.template, said.arguments
        if name == "before" and GAP not in rest:
            name, rest = "after", [rest[1], rest[0], rest[2]]
        return Proposition(name, ("f02", *rest))

    asked = each.asked and Proposition(each.asked.template, ("f02", *each.asked.arguments[1:]))
    options = tuple(
        turn(one) if asked is None else Proposition(one.template, ("f02", *one.arguments[1:]))
        for one in rng.sample(each.options, len(each.options))
    )
    statements = tuple(map(turn, rng.sample(each.statements, len(each.statements))))
    return replace(each, entities=("f02",), statements=statements, asked=asked, options=options)


def test_the_canonical_form_forgets_names_and_orders_only() -> None:
    rng = random.Random(5)
    forms = Counter(canonical_json(domain().canonical(each)) for _, each in draw_each_request())
    for _, each in draw_each_request():
        form = canonical_json(domain().canonical(each))
        assert canonical_json(domain().canonical(rename(each, rng))) == form
        fewer = replace(each, statements=each.statements[1:])
        assert canonical_json(domain().canonical(fewer)) != form
    assert max(forms.values()) == 1


def test_labels_say_what_a_question_uses() -> None:
    seen: Counter[str] = Counter()
    for _, each in draw_each_request():
        labels = domain().labels(each)
        seen.update(rule.split(":")[0] for rule in labels.rules)
        seen.update([*labels.properties, *labels.relations, labels.precision])
        of = labels.variables
        level = 0.02 * of["lc"] + 0.2 * of["cg"] + 0.25 * of["na"] + 0.05 * of["dk"]
        assert labels.level == pytest.approx(level + 0.5 * of["dq"] + of["dc"])
        assert of["lc"] == len(each.statements) + len(each.options)
        assert 1 <= labels.chain_length <= len(each.statements)
    properties = {"time_of_occurrence", "start", "end", "duration"}
    relations = {"before", "after", "distance", "same_time", "gap", "longer_duration", "shorter_duration"}
    rules = {"sum_of_differences", "sum_of_differences_modulo_7", "order_of_life", "anchor_year"}
    assert properties | relations | rules | {"same_duration", "precise", "vague"} <= set(seen)


def test_the_chain_length_counts_the_statements_that_decide_the_hardest_option() -> None:
    statements = [say("on", "swim", 0), say("after", "chess", "swim", 1), say("after", "jog", "chess", 1)]
    for option, length in (("on", 1), ("same", 2)):
        said = say("on", "swim", 3) if option == "on" else say("same", "jog", "swim")
        assert domain().labels(problem(WEEK, statements, [said])).chain_length == length
    assert domain().labels(problem(WEEK, statements, [say("on", "jog", 2)])).chain_length == 3


def test_a_proof_needs_all_its_statements() -> None:
    for _, each in draw_each_request()[::6]:
        proofs = prove(table(), each)
        # Two spans alone may lie anywhere: too many lives to try.
        compared = ("longer", "shorter", "as_long")
        for option in (one for one in each.options if one.template not in compared):
            needed = proofs.statements_for(claim_of(table(), each.scenario, option))
            (verdict,) = domain().decide(replace(each, options=(option,))).verdicts
            if any(one.template in compared for one in needed):
                continue
            alone = replace(each, statements=tuple(needed), options=(option,))
            assert domain().decide(alone).verdicts == (verdict,)
            for place in range(len(needed) if each.scenario == WEEK else 0):
                fewer = replace(alone, statements=tuple(needed[:place] + needed[place + 1 :]))
                assert domain().decide(fewer).verdicts == (None,)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_frame_grows_each_difficulty(scenario: str) -> None:
    counts: dict[Difficulty, int] = {"easy": 3, "medium": 5, "hard": 7}
    grown = grow_scenario(ScenarioRequest(domain(), scenario, counts, LANGUAGES, 1))
    assert not grown.missing
    assert len(grown.drawn) == 15


def test_numbers_agree_in_english() -> None:
    book = domain().phrasebook(LIFE, "en")
    assert book.write(Proposition("lasts", (PERSON, "junior", 1))).endswith("1 year at junior high school.")
    assert book.write(Proposition("lasts", (PERSON, "junior", 2))).endswith("2 years at junior high school.")
