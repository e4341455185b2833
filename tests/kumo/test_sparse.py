"""Sparse domains and worlds: rules are dropped, none is invented, and truths form communities."""

from statistics import quantiles

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.things import BALANCED, SeedConfig, Setting
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.statistics import communities
from perennial.tasks.kumo.validation import validate_config
from perennial.tasks.kumo.worlds import MIXED, SPARSITIES, Sparsity, draw_world, make_sparse

MINERALS = load_bundled("mineral_identification")
# The released domains' quartiles (docs/domains.md).
RELEASED_DENSITY, RELEASED_MODULARITY = (0.23, 0.44, 0.72), (0.08, 0.16, 0.35)


def rules(config: SeedConfig) -> set[tuple[str, int, str]]:
    return {
        (outcome.action, number, truth)
        for outcome in config.outcomes
        for number, state in enumerate(outcome.states)
        for truth in state.rules_out
    }


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(2, 12), st.sampled_from((0.0, 0.05, 0.3)))
def test_rules_are_dropped_and_none_is_invented(number: int, elsewhere: float) -> None:
    sparse = make_sparse(MINERALS, f"{number},{elsewhere}")
    assert rules(sparse) < rules(MINERALS)
    assert sparse.name == f"Mineral Identification (sparse {number},{elsewhere:g})"
    assert (sparse.truths, sparse.actions, sparse.truth_notes) == (
        MINERALS.truths,
        MINERALS.actions,
        MINERALS.truth_notes,
    )
    assert [f for f in validate_config(sparse) if f.severity == "error"] == []
    for kept, whole in zip(sparse.outcomes, MINERALS.outcomes, strict=True):
        spoken = {truth for state in kept.states for truth in state.rules_out}
        assert set(kept.cells) <= set(whole.cells)
        assert {truth for truth, _, _ in kept.cells} <= spoken
    assert make_sparse(MINERALS, f"{number},{elsewhere}") == sparse


def test_communities_stand_apart_the_more_the_less_is_kept() -> None:
    whole, some, few = (
        communities(config, 0)
        for config in (MINERALS, make_sparse(MINERALS, "6,0.15"), make_sparse(MINERALS, "8,0.05"))
    )
    assert whole.density > some.density > few.density
    assert (whole.modularity or 0) < (some.modularity or 0) < (few.modularity or 0)


@pytest.mark.parametrize("text", ["8", "1,0.1", "8,1", "8,-0.1", "21,0", "8,0.1,2", "x,y", "8,nan"])
def test_what_is_no_sparsity_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InvalidOption, match=r"--sparse .*: expected K,B such as 8,0.1") as refusal:
        Sparsity.parse(text)
    assert "\n" not in str(refusal.value)


@pytest.mark.slow
def test_worlds_of_a_mixed_edition_draw_their_sparsity_and_keep_every_rule_of_a_domain() -> None:
    worlds = [draw_world(5, index, MIXED) for index in range(3 * len(SPARSITIES))]
    assert sorted(map(str, (world.sparsity for world in worlds))) == sorted([*map(str, SPARSITIES)] * 3)
    for index, world in enumerate(worlds):
        assert validate_config(world.config) == []
        dense = draw_world(5, index)
        assert rules(world.config) <= rules(dense.config)
        assert (rules(world.config) == rules(dense.config)) == (world.sparsity is None)
        assert dense.sparsity is None


def test_balanced_instances_of_sparse_worlds_are_drawn() -> None:
    encoded = encode_config(draw_world(5, 0, "8,0.1").config)
    for setting in ("easy", "hard"):
        request = SamplingRequest(Setting.parse(setting), 5, 0, require_test=True, sampler=BALANCED)
        assert len(sample_instances(encoded, request).ids) == 5


@pytest.mark.slow
def test_worlds_of_a_mixed_edition_span_the_middle_half_of_the_released_domains() -> None:
    graphs = [communities(draw_world(3, index, MIXED).config, 0) for index in range(34)]
    for values, released in (
        ([graph.density for graph in graphs], RELEASED_DENSITY),
        ([graph.modularity or 0 for graph in graphs], RELEASED_MODULARITY),
    ):
        assert min(values) <= released[0] + 0.05
        assert max(values) >= released[2]
        assert released[0] <= quantiles(values, n=4)[1] <= released[2]
