"""Space: requests are kept, two engines agree, texts are read back, and forms do not depend on names."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import canonical_json, derive_rng
from perennial.schemas.knowlogic.things import LANGUAGES, Language, Proposition
from perennial.tasks.knowlogic.problem import Problem, Request, right_letters
from perennial.tasks.knowlogic.space.drawing import CUTS, level
from perennial.tasks.knowlogic.space.reasoning import load_board
from perennial.tasks.knowlogic.space.scenes import SCENES
from tests.knowlogic.problem_checks import check_text
from tests.knowlogic.space.space_questions import draw_problems, requests, space

SCENARIOS = list(SCENES)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_drawn_problem_keeps_its_request(scenario: str) -> None:
    for request, problem in draw_problems(scenario, times=2):
        decision = space().decide(problem)
        assert decision.arrangements == 1
        assert None not in decision.verdicts
        wanted = request.type != "incorrect_statements"
        assert sum(verdict is wanted for verdict in decision.verdicts) == request.right
        assert right_letters(problem, decision.verdicts)
        assert (problem.scenario, problem.type) == (request.scenario, request.type)
        assert space().labels(problem).difficulty == request.difficulty
        assert not set(problem.options) & set(problem.statements)
        of = load_board(scenario)
        assert len(set(problem.entities)) == of.scene.size
        assert problem.has_none == (of.scene.size > 4 and problem.asked is not None)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_everything_that_has_a_share_can_be_drawn(scenario: str) -> None:
    given_kinds = {(request.difficulty, request.type) for request, _ in draw_problems(scenario, times=2)}
    for difficulty, share in space().shares[scenario].items():
        kinds = {kind for kind in given_kinds if kind[0] == difficulty}
        assert bool(kinds) == bool(share), difficulty
    assert {kind[1] for kind in given_kinds} == set(space().types(scenario))


def test_what_cannot_be_drawn_is_refused_at_once() -> None:
    rng = derive_rng(0, "test", 0)
    assert space().draw(Request("booth", "easy", "correct_statements", 0), rng) is None
    assert space().draw(Request("ring_in", "hard", "precise_entity", 2), rng) is None
    assert space().draw(Request("ring_in", "easy", "precise_slot", 1), rng) is None
    assert space().draw(Request("plots", "medium", "vague_slot", 4), rng) is None
    assert rng.getstate() == derive_rng(0, "test", 0).getstate()


def test_the_same_generator_draws_the_same_problem() -> None:
    for scenario in SCENARIOS:
        for request in list(requests(scenario))[:12]:
            first, second = (space().draw(request, derive_rng(4, "again", 1)) for _ in range(2))
            assert first == second


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_precise_gap_has_one_filler_and_a_vague_one_several(scenario: str) -> None:
    of = load_board(scenario)
    for _, problem in draw_problems(scenario, times=2):
        if problem.asked is None:
            continue
        place = problem.asked.arguments.index("____")
        is_slot = of.templates[problem.asked.template].is_slot[place]
        choices = [slot.id for slot in of.scene.slots] if is_slot else problem.entities
        filled = [
            Proposition(
                problem.asked.template,
                tuple(choice if each == "____" else each for each in problem.asked.arguments),
            )
            for choice in choices
        ]
        fitting = sum(map(bool, space().decide(replace(problem, options=tuple(filled))).verdicts))
        assert fitting == 1 if problem.type.startswith("precise") else fitting > 1
        assert is_slot == problem.type.endswith("slot")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_option_says_what_a_statement_says_in_other_words(scenario: str) -> None:
    of = load_board(scenario)
    for _, problem in draw_problems(scenario, times=1):
        indices = {entity: index for index, entity in enumerate(problem.entities)}
        stated = {of.mask(of.fact(each, indices)) for each in problem.statements}
        options = [of.mask(of.fact(each, indices)) for each in problem.options]
        assert stated.isdisjoint(options)
        if problem.asked is None:
            assert len(set(options)) == len(options)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Return any statements and options, true or not, decided or not."""
    scenario = draw(st.sampled_from(SCENARIOS))
    of = load_board(scenario)
    entities = [f"e{number}" for number in range(of.scene.size)]
    slots = [slot.id for slot in of.scene.slots]

    def proposition() -> Proposition:
        template = of.templates[draw(st.sampled_from(sorted(of.templates)))]
        things = draw(st.permutations(entities))
        return Proposition(
            template.name,
            tuple(
                draw(st.sampled_from(slots)) if is_slot else things[place]
                for place, is_slot in enumerate(template.is_slot)
            ),
        )

    statements = tuple(proposition() for _ in range(draw(st.integers(0, 5))))
    options = tuple(proposition() for _ in range(draw(st.integers(1, 4))))
    return Problem(scenario, tuple(entities), (), statements, "correct_statements", None, options)


@pytest.mark.slow
@settings(max_examples=150)
@given(problems())
def test_enumeration_and_solver_agree_on_anything(problem: Problem) -> None:
    if space().decide(problem).arrangements <= 40:
        assert space().decide(problem) == space().check(problem)


def _agree(scenario: str, times: int) -> int:
    found = draw_problems(scenario, times)
    for _, problem in found:
        assert space().decide(problem) == space().check(problem)
    return len(found)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_enumeration_and_solver_agree_on_drawn_problems(scenario: str) -> None:
    assert _agree(scenario, times=2) > 30


@pytest.mark.slow
def test_enumeration_and_solver_agree_on_300_problems_of_each_scenario() -> None:
    for scenario in SCENARIOS:
        assert _agree(scenario, times=18) >= 300


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_text_is_read_back_as_the_problem(scenario: str, language: Language) -> None:
    for _, problem in draw_problems(scenario, times=1):
        check_text(space(), problem, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_introduction_is_refused(language: Language) -> None:
    _, problem = draw_problems("booth", times=1)[0]
    text = space().write_intro(problem, language)
    for changed in (text[1:], text + ".", text.replace("。", ".").replace(",", ";"), ""):
        with pytest.raises(ValueError, match=r"no scenario of space|is no person"):
            space().read_intro(changed, language)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_canonical_form_forgets_names_and_order(scenario: str) -> None:
    for _, problem in draw_problems(scenario, times=1):
        turned = problem.entities[1:] + problem.entities[:1]
        renamed = dict(zip(problem.entities, reversed(turned), strict=True))
        other = replace(
            problem,
            entities=tuple(sorted(renamed.values(), key=str)),
            details=(),
            statements=tuple(_rename(each, renamed) for each in reversed(problem.statements)),
            options=tuple(_rename(each, renamed) for each in reversed(problem.options)),
        )
        assert canonical_json(space().canonical(problem)) == canonical_json(space().canonical(other))
        fewer = replace(problem, options=problem.options[1:])
        assert space().canonical(problem) != space().canonical(fewer)


def _rename(said: Proposition, names: dict[str | int, str | int]) -> Proposition:
    return Proposition(said.template, tuple(names.get(each, each) for each in said.arguments))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_labels_follow_from_the_problem(scenario: str) -> None:
    for _, problem in draw_problems(scenario, times=1):
        labels = space().labels(problem)
        named = {each for said in problem.statements for each in said.arguments}
        al = int(not named >= set(problem.entities))
        assert labels.variables == {
            "nm": len(problem.entities),
            "pr": int(labels.precision == "vague"),
            "al": al,
        }
        assert labels.level == level(len(problem.entities), int(labels.precision == "vague"), al)
        assert labels.difficulty == CUTS.classify(labels.chain_length, problem.type, len(problem.options))
        assert 1 <= labels.chain_length <= len(problem.statements)
        assert labels.relations == tuple(sorted(labels.relations))


def test_levels_are_those_of_the_specification() -> None:
    levels = {(nm, pr, al): level(nm, pr, al) for nm in (4, 6) for pr in (0, 1) for al in (0, 1)}
    assert sorted(levels.values()) == [1.2, 1.4, 1.7, 1.8, 1.9, 2.0, 2.3, 2.5]
