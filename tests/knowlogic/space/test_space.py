"""Space: requests are kept, two engines agree, texts are read back, and forms do not depend on names."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import Proposition
from perennial.tasks.knowlogic.problem import Problem, Request
from perennial.tasks.knowlogic.space.drawing import CUTS, level
from perennial.tasks.knowlogic.space.reasoning import load_board
from perennial.tasks.knowlogic.space.scenes import SCENES
from tests.knowlogic.drawn_problems import domain_of, drawn

SCENARIOS = list(SCENES)


def test_what_cannot_be_drawn_is_refused_at_once() -> None:
    rng = derive_rng(0, "test", 0)
    assert domain_of("space").draw(Request("booth", "easy", "correct_statements", 0), rng) is None
    assert domain_of("space").draw(Request("ring_in", "hard", "precise_entity", 2), rng) is None
    assert domain_of("space").draw(Request("ring_in", "easy", "precise_slot", 1), rng) is None
    assert domain_of("space").draw(Request("plots", "medium", "vague_slot", 4), rng) is None
    assert rng.getstate() == derive_rng(0, "test", 0).getstate()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_precise_gap_has_one_filler_and_a_vague_one_several(scenario: str) -> None:
    of = load_board(scenario)
    for _, problem in drawn("space", scenario):
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
        fitting = sum(map(bool, domain_of("space").decide(replace(problem, options=tuple(filled))).verdicts))
        assert fitting == 1 if problem.type.startswith("precise") else fitting > 1
        assert is_slot == problem.type.endswith("slot")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_option_says_what_a_statement_says_in_other_words(scenario: str) -> None:
    of = load_board(scenario)
    for _, problem in drawn("space", scenario):
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
@settings(max_examples=50)
@given(problems())
def test_enumeration_and_solver_agree_on_anything(problem: Problem) -> None:
    if domain_of("space").decide(problem).arrangements <= 40:
        assert domain_of("space").decide(problem) == domain_of("space").check(problem)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_labels_follow_from_the_problem(scenario: str) -> None:
    for _, problem in drawn("space", scenario):
        labels = domain_of("space").labels(problem)
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
