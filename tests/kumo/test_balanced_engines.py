"""python-sat and the compiled programme draw the same balanced instances, at random and by walks."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.errors import UnsatisfiableSetting
from perennial.schemas.kumo.things import BALANCED, COMPILED, SOLVER, Setting
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config
from perennial.tasks.kumo.sampling.balanced.boards import are_balanced
from perennial.tasks.kumo.sampling.balanced.solver import SolverJudge
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import Sample, sample_instances
from perennial.tasks.kumo.sampling.tables import SamplingTables
from perennial.tasks.kumo.worlds import draw_world
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from tests.kumo.test_sampling import tiny

WORLD = encode_config(draw_world(3, 0).config)


def chained(n_truths: int, width: int) -> EncodedConfig:
    """Return a sparse domain: each action tells few neighbors apart."""
    names = [f"t{i}" for i in range(n_truths)]
    return tiny(
        *(
            (tuple(names[at : at + width]), tuple(names[at + width : at + 2 * width]), ())
            for at in range(0, n_truths - 2 * width + 1, 2)
        ),
        n_truths=n_truths,
    )


SPARSE = chained(80, 2)


def draw(encoded: EncodedConfig, setting: str, count: int, engine: str, **changes: int) -> Sample:
    request = SamplingRequest(Setting.parse(setting), count, 7, require_test=True, sampler=BALANCED)
    return sample_instances(encoded, replace(request, engine=engine, **changes))


def draw_by_both(encoded: EncodedConfig, setting: str, count: int) -> Sample:
    """Return the sample, which is that of either engine."""
    by_solver, compiled = (draw(encoded, setting, count, engine) for engine in (SOLVER, COMPILED))
    assert by_solver.instances == compiled.instances
    assert by_solver.counts.disagreements == compiled.counts.disagreements == 0
    assert by_solver.counts.checked == by_solver.counts.lists >= count
    return by_solver


@pytest.mark.parametrize("name", bundled_domains())
def test_both_engines_draw_the_same_instances_of_each_domain(name: str) -> None:
    encoded = encode_config(load_bundled(name))
    for setting in ("easy", "hard"):
        sample = draw_by_both(encoded, setting, 3)
        assert (len(sample.ids), sample.counts.walked) == (3, 0)
        assert sample.counts.solver_calls > 0


@pytest.mark.parametrize("index", range(2))
def test_both_engines_draw_the_same_instances_of_worlds(index: int) -> None:
    encoded = encode_config(draw_world(11, index).config)
    for setting in ("easy", "hard"):
        assert len(draw_by_both(encoded, setting, 4).ids) == 4


@pytest.mark.slow
def test_walks_lead_both_engines_to_the_same_instances() -> None:
    sample = draw_by_both(SPARSE, "6x8", 12)
    assert sample.counts.walked == len(set(sample.ids)) == 12
    # From the solver's list on eight lists are judged, and at least one between the instances of one walk.
    assert sample.counts.lists >= 8 * 8 + 4
    assert sample.counts.lists - sample.counts.unsatisfiable_selections >= 12


@pytest.mark.slow
def test_an_instance_of_a_walk_is_a_function_of_seed_and_index() -> None:
    whole = draw(SPARSE, "6x8", 40, COMPILED)
    part = draw(SPARSE, "6x8", 5, COMPILED, first_index=30)
    assert part.ids == whole.ids[30:35]
    again = sample_instances(
        SPARSE,
        SamplingRequest(Setting.parse("6x8"), 3, 7, require_test=True, sampler=BALANCED),
        known_ids={*whole.ids[:3]},
    )
    assert len(again.ids) == 3
    assert not {*again.ids} & {*whole.ids[:3]}


def test_where_few_lists_exist_both_engines_end_alike() -> None:
    few = chained(12, 2)
    assert len(draw_by_both(few, "2x3", 10).ids) == 10
    whole = draw_by_both(few, "2x3", 500)
    # All lists were judged, refused ones too, and what is known is left out.
    n_actions = len(few.actions)
    assert whole.counts.lists == 66 * n_actions * (n_actions - 1) * (n_actions - 2) // 6
    assert whole.counts.lists == len(whole.ids) + whole.counts.unsatisfiable_selections > len(whole.ids)
    assert draw(few, "2x3", 5, COMPILED).ids == whole.ids[:5]
    request = SamplingRequest(Setting(2, 3), 5, 7, require_test=True, sampler=BALANCED, first_index=5)
    rest = sample_instances(few, request, known_ids={*whole.ids[:5]}, workers=2)
    assert rest.instances == whole.instances[5:10]


def test_streams_are_judged_again_by_the_solver_refused_lists_among_them() -> None:
    sample = draw(encode_config(load_bundled("student_assessment")), "easy", 300, COMPILED)
    # Indices 0, 100 and 200: the list that was accepted, and one that was refused before it.
    assert 3 <= sample.counts.checked <= 6
    assert sample.counts.solver_calls > sample.counts.checked
    assert sample.counts.disagreements == 0


def test_no_balanced_list_is_proved_by_the_solver() -> None:
    for engine in (SOLVER, COMPILED):
        sample = draw(chained(12, 2), "10x2", 5, engine)
        assert isinstance(sample.shortfall, UnsatisfiableSetting)
        assert "no balanced instance exists, as was proved" in str(sample.shortfall)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_both_engines_judge_any_list_alike(data: st.DataObject) -> None:
    n_truths = data.draw(st.integers(3, 9))
    names = [f"t{i}" for i in range(n_truths)]
    state = st.lists(st.sampled_from(names), unique=True, max_size=n_truths - 1).map(tuple)
    actions = data.draw(st.lists(st.lists(state, min_size=2, max_size=4).map(tuple), min_size=3, max_size=7))
    encoded = tiny(*actions, n_truths=n_truths)
    tables, rng = SamplingTables(encoded), Random(data.draw(st.integers(0, 99)))
    size = rng.randint(2, n_truths), rng.randint(1, len(actions))
    truths, listed = (
        np.array([rng.sample(range(number), k) for _ in range(20)], np.int32)
        for number, k in zip((n_truths, len(actions)), size, strict=True)
    )
    by_solver = SolverJudge(encoded, tables.states).are_balanced(truths, listed)
    assert by_solver.tolist() == are_balanced(tables.kernel, truths, listed).tolist()
