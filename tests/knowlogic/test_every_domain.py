"""What every scenario of every domain promises of the problems that it draws."""

import random
from dataclasses import replace

import pytest

from perennial.schemas.ids import canonical_json
from perennial.schemas.knowlogic.things import LANGUAGES, Argument, DomainName
from perennial.tasks.knowlogic.layout import read_text, says_the_same, write_text
from perennial.tasks.knowlogic.problem import fill, payload_of, problem_of, right_letters
from tests.knowlogic.drawn_problems import SCENARIOS, domain_of, drawn, drop_first, list_requests, reorder

# The quick tier has the cheapest of each domain, whose folder tests the others in its own ways.
CHEAPEST = ("ring_out", "farm", "cyclic", "surnames", "shelf_2x3")
every_scenario = pytest.mark.parametrize(
    ("name", "scenario"),
    [pytest.param(*one, marks=() if one[1] in CHEAPEST else pytest.mark.slow) for one in SCENARIOS],
)

# How many requests a scenario cannot keep: of six things no four fit a vague gap; four things give three
# options of a gap at most once; things of nature and options are as many.
IMPOSSIBLE = {
    "space": {"ring_out": 3, "ring_in": 3, "shelf_3x2": 6, "shelf_2x3": 6, "booth": 18, "plots": 34},
    "nature": {"farm": 48, "zoo": 48, "photos": 48},
}


@every_scenario
def test_every_request_that_is_possible_is_drawn_and_kept(name: DomainName, scenario: str) -> None:
    domain = domain_of(name)
    requests = list(list_requests(name, scenario))
    found = drawn(name, scenario)
    assert {(each.difficulty, each.type) for each, _ in found} == {(r.difficulty, r.type) for r in requests}
    assert len(requests) - len(found) == IMPOSSIBLE.get(name, {}).get(scenario, 0)
    for request, problem in found:
        decision, labels = domain.decide(problem), domain.labels(problem)
        assert decision.arrangements == 1
        assert None not in decision.verdicts
        assert decision.verdicts.count(problem.type != "incorrect_statements") == request.right
        assert right_letters(problem, decision.verdicts)
        assert (problem.scenario, problem.type) == (request.scenario, request.type)
        assert len(set(problem.options)) == len(problem.options) == request.option_count
        assert set(problem.options).isdisjoint(problem.statements)
        assert labels.difficulty == request.difficulty
        assert labels.precision == "vague" or not request.type.startswith("vague")
        assert labels.chain_length >= 1
        assert problem_of(payload_of(problem)) == problem


@every_scenario
def test_one_thing_fits_a_precise_gap_and_several_a_vague_one(name: DomainName, scenario: str) -> None:
    for _, problem in drawn(name, scenario):
        if problem.asked is not None and problem.type.endswith("entity"):
            things = (each for each in problem.entities if each not in problem.asked.arguments)
            options = tuple(fill(problem.asked, thing) for thing in things)
            fitting = domain_of(name).decide(replace(problem, options=options)).verdicts.count(True)
            assert (fitting > 1) == (problem.type == "vague_entity")


@every_scenario
def test_two_engines_agree_with_and_without_a_statement(name: DomainName, scenario: str) -> None:
    domain = domain_of(name)
    for _, problem in drawn(name, scenario):
        for each in (problem, drop_first(problem)):
            assert domain.check(each) == domain.decide(each)


@every_scenario
def test_a_text_is_read_back_as_a_problem_that_says_the_same(name: DomainName, scenario: str) -> None:
    domain = domain_of(name)
    for _, problem in drawn(name, scenario):
        for language in LANGUAGES:
            read = read_text(domain, write_text(domain, problem, language), language)
            assert says_the_same(problem, read)
            assert domain.decide(read) == domain.decide(problem)


@every_scenario
def test_another_introduction_is_refused(name: DomainName, scenario: str) -> None:
    domain, (_, problem) = domain_of(name), drawn(name, scenario)[0]
    for language in LANGUAGES:
        intro = domain.write_intro(problem, language)
        assert domain.read_intro(intro, language).entities == problem.entities
        joiner, more = {"zh": ("、", "、佐伊、"), "en": (", ", ", Zoe, ")}[language]
        for changed in {"", intro[1:], intro[:-1], f"{intro}x", intro.replace(joiner, more, 1)} - {intro}:
            with pytest.raises(ValueError):
                domain.read_intro(changed, language)


@every_scenario
def test_the_canonical_form_forgets_orders_and_mere_names_only(name: DomainName, scenario: str) -> None:
    rng, forms = random.Random(5), []
    for _, problem in drawn(name, scenario):
        names: dict[Argument, Argument] = {}
        if name in ("space", "social"):
            for each in (problem.entities, problem.details):
                names |= dict(zip(each, rng.sample(each, len(each)), strict=True))
        form = canonical_json(domain_of(name).canonical(problem))
        assert canonical_json(domain_of(name).canonical(reorder(problem, rng, names))) == form
        assert canonical_json(domain_of(name).canonical(drop_first(problem))) != form
        forms.append(form)
    assert len(set(forms)) == len(forms)
