"""Splitting a domain: the paper's components, the release's sizes, and the cut of what is one component."""

import json
from itertools import combinations
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from perennial.flows.kumo.cli.domains import domains
from perennial.flows.kumo.planning.domain_choice import load_bundled, read_config_file
from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig
from perennial.tasks.kumo.training import connected_truths, describe_overlap, split_domain
from perennial.tasks.kumo.validation import validate_config
from perennial.tasks.kumo.worlds import make_sparse
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from tests.kumo.small_worlds import some


def config_of(related: list[frozenset[int]], n_truths: int) -> SeedConfig:
    """Return a configuration whose actions relate to these truths: `yes` rules them out, `no` nothing."""
    outcomes = []
    for number, truths in enumerate(related):
        yes = OutcomeState("yes", None, None, tuple(f"t{truth}" for truth in sorted(truths)))
        outcomes.append(Outcome(f"a{number}", "str", (yes, OutcomeState("no", None, None, ()))))
    truths = tuple(f"t{truth}" for truth in range(n_truths))
    return SeedConfig("World", truths, tuple(outcome.action for outcome in outcomes), tuple(outcomes))


relations = st.lists(st.frozensets(st.integers(0, 39), max_size=3), min_size=1, max_size=40)


@given(relations)
def test_components_are_those_of_the_truth_graph(related: list[frozenset[int]]) -> None:
    graph = nx.Graph()
    graph.add_nodes_from(f"t{truth}" for truth in range(40))
    graph.add_edges_from((f"t{a}", f"t{b}") for truths in related for a, b in combinations(truths, 2))
    expected = {frozenset(component) for component in nx.connected_components(graph)}
    found = connected_truths(config_of(related, 40))
    assert set(found) == expected
    assert len(found) == len(expected)
    firsts = [min(int(truth[1:]) for truth in component) for component in found]
    assert firsts == sorted(firsts)


@pytest.mark.slow
@some
@given(st.lists(st.integers(1, 9), min_size=10, max_size=20))
def test_components_are_dealt_alternately_and_actions_follow_their_truths(sizes: list[int]) -> None:
    starts = [sum(sizes[:place]) for place in range(len(sizes))]
    blocks = [frozenset(range(start, start + size)) for start, size in zip(starts, sizes, strict=True)]
    config = config_of([block for block in blocks for _ in range(4)], sum(sizes))
    if min(sum(sizes[::2]), sum(sizes[1::2])) < 12:
        with pytest.raises(InvalidOption):
            split_domain(config, "components")
        return
    first, second = split_domain(config, "components").sides
    assert set(first.truths) == {f"t{truth}" for block in blocks[::2] for truth in block}
    assert set(second.truths) == {f"t{truth}" for block in blocks[1::2] for truth in block}
    assert set(first.actions) == {f"a{n}" for n in range(len(config.actions)) if n // 4 % 2 == 0}
    assert len(first.actions) + len(second.actions) == len(config.actions)


def test_an_overlap_is_named() -> None:
    blocks = [frozenset((2 * n, 2 * n + 1)) for n in range(20)]
    split = split_domain(config_of([block for block in blocks for _ in range(2)], 40), "components")
    assert describe_overlap(split) == []
    first, second = split.sides
    doctored = type(split)((first, config_of([frozenset((0,))], 3)), split.components, split.relations)
    problems = describe_overlap(doctored)
    assert "truth 't0' is in both sides" in problems
    assert "action 'a0' is in both sides" in problems
    assert any("rules out 't0' of" in problem for problem in problems)
    assert second.name == "World OOD"


@pytest.mark.parametrize("name", bundled_domains())
@pytest.mark.slow
def test_bundled_domains_are_cut_in_two_halves_that_share_nothing(name: str) -> None:
    config = load_bundled(name)
    split = split_domain(config, "bisection", accept_cut=True)
    assert describe_overlap(split) == []
    related = {(o.action, t) for o in config.outcomes for s in o.states for t in s.rules_out}
    assert split.relations == len(related) > len(split.cut)
    kept = [truth for side in split.sides for truth in side.truths]
    assert sorted([*kept, *split.dropped]) == sorted(config.truths)
    assert sorted(action for side in split.sides for action in side.actions) == sorted(config.actions)
    for side in split.sides:
        assert len(side.truths) >= 12
        assert len(side.actions) >= 16
        assert [
            f for f in validate_config(side, min_truths=12, min_actions=16) if f.severity == "error"
        ] == []
    before = {(o.action, s.text, t) for o in config.outcomes for s in o.states for t in s.rules_out}
    after = {
        (o.action, s.text, t)
        for side in split.sides
        for o in side.outcomes
        for s in o.states
        for t in s.rules_out
    }
    assert after < before
    assert {(action, truth) for action, _, truth in before - after} == set(split.cut)


def test_a_domain_in_one_component_is_refused_in_one_line() -> None:
    with pytest.raises(InvalidOption) as caught:
        split_domain(load_bundled("medical_diagnosis"), "components")
    assert "1 connected component" in str(caught.value)
    assert "use --method bisection" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("links", "is_refused"), [(4, False), (5, True)])
def test_a_cut_of_more_than_a_tenth_needs_consent(links: int, is_refused: bool) -> None:
    # Each half has an action for each pair of its truths; each link is cut once, on one of its sides.
    halves = [frozenset(pair) for half in (range(20), range(20, 40)) for pair in combinations(half, 2)]
    config = config_of([*halves, *(frozenset((n, n + 20)) for n in range(20) for _ in range(links))], 40)
    split = split_domain(config, "bisection", accept_cut=True)
    assert (len(split.cut), split.relations) == (20 * links, 760 + 40 * links)
    if not is_refused:
        assert split_domain(config, "bisection") == split
        return
    with pytest.raises(InvalidOption, match=r"cuts 100 of 960 relations .*\(10.4%\).* or give --accept-cut"):
        split_domain(config, "bisection")


def test_a_domain_made_sparse_splits_by_components_as_in_the_paper() -> None:
    split = split_domain(make_sparse(load_bundled("medical_diagnosis"), "8,0"), "components")
    assert len(split.components) >= 8
    assert (split.cut, describe_overlap(split)) == ((), [])


def test_the_command_writes_the_same_two_configurations_again(tmp_path: Path) -> None:
    def run(folder: Path) -> list[bytes]:
        arguments = ["split", "music_identification", "--method", "bisection", "--accept-cut", "--json"]
        arguments += ["--out", str(folder)]
        result = CliRunner().invoke(domains, arguments)
        assert result.exit_code == 0, result.output
        files = [Path(side["file"]) for side in json.loads(result.stdout)["sides"]]
        assert [read_config_file(file).name[-3:] for file in files] == ["IND", "OOD"]
        return [file.read_bytes() for file in files]

    assert run(tmp_path / "one") == run(tmp_path / "two")


def test_the_release_dealt_the_largest_components_to_the_smaller_side(release: Path) -> None:
    names = ("MedicalEnv", "MedicalINDEnv", "MedicalOODEnv")
    medical, *sides = (read_config_file(release / "domains" / f"{name}.json") for name in names)
    components = connected_truths(medical)
    assert len(components) == 19

    def sizes(side: SeedConfig) -> list[int]:
        held = [component for component in components if component & set(side.truths)]
        assert frozenset().union(*held) == set(side.truths), "a component is on one side"
        return sorted(map(len, held))

    theirs = sorted(map(sizes, sides))
    assert sorted(map(sizes, split_domain(medical, "balanced").sides)) == theirs
    # Dealt alternately, in the order of the configuration or by size, they are others.
    assert sorted(map(sizes, split_domain(medical, "components").sides)) != theirs
    by_size = sorted(map(len, components), reverse=True)
    assert sorted([sorted(by_size[::2]), sorted(by_size[1::2])]) != theirs
    for side in sides:
        related = {o.action: {t for s in o.states for t in s.rules_out} for o in medical.outcomes}
        assert all(related[action] <= set(side.truths) for action in side.actions)
