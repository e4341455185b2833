"""The domain graph: links, communities and the split, by hand and on the released domains."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.statistics import communities, domain_graph
from tests.conftest import REPOSITORY


def _config(truths: str, *actions: list[str]) -> SeedConfig:
    """Return a configuration: a letter per truth; for each action, what each of its states rules out."""
    outcomes = tuple(
        Outcome(
            f"action {i}",
            "str",
            tuple(OutcomeState(str(s), None, None, tuple(out)) for s, out in enumerate(states)),
        )
        for i, states in enumerate(actions)
    )
    return SeedConfig("letters", tuple(truths), tuple(outcome.action for outcome in outcomes), outcomes)


TWO_TRIANGLES = _config("xabcdef", ["ab", "c"], ["ab", ""], ["d", "e", "f"], ["c", "d"])


def test_truths_are_linked_across_the_states_of_an_action() -> None:
    graph = domain_graph(TWO_TRIANGLES)
    weights = {"".join(sorted(link)): weight for *link, weight in graph.edges(data="weight")}
    assert list(graph) == list("xabcdef")
    assert weights == {"ab": 2, "ac": 1, "bc": 1, "cd": 1, "de": 1, "df": 1, "ef": 1}


def test_names_that_are_unknown_or_repeated_add_nothing() -> None:
    config = _config("aabc", ["ab?", "aa"], ["cc"])
    unlisted = SeedConfig(config.name, config.truths, config.actions[:1], config.outcomes)
    for seen in (config, unlisted):
        graph = domain_graph(seen)
        assert list(graph) == ["a", "b", "c"]
        assert list(graph.edges(data="weight")) == [("a", "b", 1)]


def test_communities_by_hand() -> None:
    found = communities(TWO_TRIANGLES, seed=0)
    assert (found.n_truths, found.n_links) == (7, 7)
    assert found.communities == (("a", "b", "c"), ("d", "e", "f"), ("x",))
    # m = 8: inside 4 + 3, degrees 9 and 7.
    assert found.modularity == pytest.approx(4 / 8 - (9 / 16) ** 2 + 3 / 8 - (7 / 16) ** 2)


def test_without_links_every_truth_stands_alone_and_modularity_is_undefined() -> None:
    found = communities(_config("abc", ["a", "a"], ["b"]), seed=0)
    assert (found.n_truths, found.n_links, found.modularity) == (3, 0, None)
    assert found.communities == (("a",), ("b",), ("c",))
    nothing = communities(_config(""), seed=0)
    assert (nothing.n_truths, nothing.communities, nothing.modularity) == (0, (), None)


letters = st.text("abcdefgh", max_size=4)
configs = st.lists(st.lists(letters, min_size=1, max_size=3), max_size=7).map(
    lambda actions: _config("abcdefgh", *actions)
)


def _plain_links(config: SeedConfig) -> dict[frozenset[str], int]:
    links: dict[frozenset[str], int] = {}
    for outcome in config.outcomes:
        related = {truth for state in outcome.states for truth in state.rules_out} & set(config.truths)
        for pair in combinations(sorted(related), 2):
            links[frozenset(pair)] = links.get(frozenset(pair), 0) + 1
    return links


def _plain_modularity(config: SeedConfig, groups: tuple[tuple[str, ...], ...]) -> float:
    """Return the double sum of the paper's equation 5."""
    links = _plain_links(config)
    degree = {t: sum(weight for link, weight in links.items() if t in link) for t in config.truths}
    total = sum(links.values())
    terms = (
        links.get(frozenset((i, j)), 0) - degree[i] * degree[j] / (2 * total)
        for group in groups
        for i in group
        for j in group
    )
    return sum(terms) / (2 * total)


@given(configs, st.integers(0, 99))
def test_communities_are_a_partition_with_the_papers_modularity(config, seed) -> None:
    found = communities(config, seed)
    assert found == communities(config, seed)
    assert sorted(truth for group in found.communities for truth in group) == sorted(config.truths)
    assert found.n_links == len(_plain_links(config))
    assert list(found.communities) == sorted(found.communities, key=lambda group: (-len(group), group[0]))
    assert all(list(group) == sorted(group) for group in found.communities)
    if found.n_links:
        assert found.modularity == pytest.approx(_plain_modularity(config, found.communities), abs=1e-12)
        assert found.modularity >= _plain_modularity(config, (config.truths,)) - 1e-12


@given(configs, st.randoms(use_true_random=False))
def test_the_order_of_actions_states_and_rule_outs_changes_nothing(config, shuffler) -> None:
    outcomes = [
        [list(state.rules_out) for state in shuffler.sample(outcome.states, len(outcome.states))]
        for outcome in shuffler.sample(config.outcomes, len(config.outcomes))
    ]
    turned = _config("abcdefgh", *[["".join(out[::-1]) for out in states] for states in outcomes])
    assert list(domain_graph(turned).edges(data=True)) == list(domain_graph(config).edges(data=True))
    assert communities(turned, 5) == communities(config, 5)


@pytest.mark.slow
def test_the_hash_seed_of_the_interpreter_changes_nothing() -> None:
    program = (
        "from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig\n"
        "from perennial.tasks.kumo.statistics import communities\n"
        "names = tuple(f'truth {i}' for i in range(40))\n"
        "actions = tuple(f'action {i}' for i in range(30))\n"
        "outcomes = tuple(Outcome(a, 'str', tuple(OutcomeState(str(s), None, None,\n"
        "    tuple(names[(i * 7 + s * 3 + k * k) % 40] for k in range(2))) for s in range(2)))\n"
        "    for i, a in enumerate(actions))\n"
        "config = SeedConfig('d', names, actions, outcomes)\n"
        "print(communities(config, 3))\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            cwd=REPOSITORY,
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(printed) == 1


def _read_released(release: Path, name: str) -> SeedConfig:
    return parse_config((release / "domains" / f"{name}.json").read_text(), name)


def test_communities_of_the_released_domains(release: Path) -> None:
    for name in ("MedicalEnv", "ChemicalEnv", "EducationEnv", "HormoneEnv"):
        config = _read_released(release, name)
        found = communities(config, seed=0)
        assert found.n_truths == len(set(config.truths)), name
        assert found.n_links == len(_plain_links(config)), name
        assert found.modularity == pytest.approx(_plain_modularity(config, found.communities), abs=1e-9), name
