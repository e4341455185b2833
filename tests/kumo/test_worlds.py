"""Synthetic worlds, sparse ones too, and counterfactual domains: functions of their seed, and sound."""

import random
from collections import Counter
from itertools import combinations
from math import inf
from statistics import quantiles

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.prompts.kumo.world_kinds import world_kinds
from perennial.schemas.disclosure import SEED_LIMIT
from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.things import BALANCED, Instance, Outcome, OutcomeState, SeedConfig, Setting
from perennial.schemas.model_calls import ModelChoice
from perennial.tasks.kumo.authors.books import writing_request
from perennial.tasks.kumo.books import check_book, rules_of, write_book
from perennial.tasks.kumo.encoding import encode_config, encode_instance, instance_id
from perennial.tasks.kumo.game import CLOSED_TEMPLATE, Terms, system_message
from perennial.tasks.kumo.optimum import NODE_LIMIT
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search.solve import WORK_LIMIT, solve_instances
from perennial.tasks.kumo.space import repeat_probability, space_size
from perennial.tasks.kumo.statistics import communities
from perennial.tasks.kumo.validation import validate_config
from perennial.tasks.kumo.worlds import (
    MIXED,
    SPARSITIES,
    Sparsity,
    draw_world,
    is_fit,
    make_counterfactual,
    make_sparse,
    share_changed,
)

# Counterfactual domains: as many facts as can be are other ones, and all else is as it was.


TRUE = load_bundled("chemical_analysis")
MADE = make_counterfactual(TRUE, 7)
NOTICE = "The facts of this game are not those of the real world"


def _rules(outcome: Outcome, truth: str) -> frozenset[int]:
    return frozenset(number for number, state in enumerate(outcome.states) if truth in state.rules_out)


def test_names_stay_and_the_domain_is_one_of_its_own() -> None:
    assert (MADE.name, MADE.is_counterfactual, TRUE.is_counterfactual) == (
        "Chemical Analysis (counterfactual)",
        True,
        False,
    )
    assert (MADE.truths, MADE.actions, MADE.truth_notes) == (TRUE.truths, TRUE.actions, TRUE.truth_notes)
    assert MADE.domain_id != TRUE.domain_id
    assert make_counterfactual(TRUE, 7) == MADE
    assert make_counterfactual(TRUE, 8).config_id != MADE.config_id
    instance = Instance(TRUE.truths[:4], TRUE.actions[:2], (0, 0), (0.0, 40.0), TRUE.truths[:1], 0, 0)
    assert instance_id(encode_config(TRUE), instance) != instance_id(encode_config(MADE), instance)


def test_each_action_exchanges_its_cells_and_as_many_as_can_differ() -> None:
    changed = total = 0
    for before, after in zip(TRUE.outcomes, MADE.outcomes, strict=True):
        cells = {truth: ends for truth, *ends in before.cells}
        moved = {truth: ends for truth, *ends in after.cells}
        known = [truth for truth in TRUE.truths if _rules(before, truth) or truth in cells]
        assert {truth for truth in TRUE.truths if _rules(after, truth) or truth in moved} == set(known)
        assert Counter((_rules(after, truth), str(moved.get(truth))) for truth in known) == Counter(
            (_rules(before, truth), str(cells.get(truth))) for truth in known
        )
        differ = sum(_rules(before, truth) != _rules(after, truth) for truth in known)
        commonest = max(Counter(_rules(before, truth) for truth in known).values())
        assert differ == min(len(known), 2 * (len(known) - commonest))
        changed, total = changed + differ, total + len(known)
    assert share_changed(TRUE, MADE) == pytest.approx(changed / total)
    assert 0.6 < changed / total < 0.7
    assert validate_config(MADE) == []


def test_which_permutation_it_is_is_drawn() -> None:
    """Three kinds of two truths: each truth gets each of the four cells of the other kinds about as often."""
    truths = tuple("abcdef")
    states = tuple(OutcomeState(str(n), None, None, truths[2 * n : 2 * n + 2]) for n in range(3))
    config = SeedConfig("D", truths, ("act",), (Outcome("act", "str", states),))
    got = Counter(
        next(iter(_rules(make_counterfactual(config, seed).outcomes[0], "a"))) for seed in range(200)
    )
    assert set(got) == {1, 2}
    assert min(got.values()) > 60


@pytest.mark.parametrize("style", ["list", "prose", "table", "by-truth"])
def test_books_and_messages_say_that_the_facts_are_exchanged(style: str) -> None:
    encoded = encode_config(MADE)
    instance = Instance(TRUE.truths[:4], TRUE.actions[:6], (0,) * 6, (0.0,) * 6, TRUE.truths[:1], 0, 0)
    rules = rules_of(encoded, instance)
    book = write_book(MADE, instance, rules, random.Random(1), style)
    assert f"{NOTICE}: the names are the same" in book
    assert "Only what this guidebook says counts." in book
    assert check_book(book, instance, rules).passed
    request = writing_request(ModelChoice("writer"), MADE, instance, rules)
    assert NOTICE in str(request.messages)
    terms = Terms(MADE, instance.truths, instance.actions)
    assert NOTICE in system_message(terms, book="a book")["content"]
    closed = system_message(terms, CLOSED_TEMPLATE)["content"]
    assert NOTICE in closed
    assert "go by what you know" not in closed
    true = Terms(TRUE, instance.truths, instance.actions)
    assert NOTICE not in system_message(true, book="a book")["content"]
    assert "go by what you know" in system_message(true, CLOSED_TEMPLATE)["content"]


# Sparse domains and worlds: rules are dropped, none is invented, and truths form communities.


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


seeds = st.integers(0, SEED_LIMIT - 1)
SAME_LETTERS = 4  # at its beginning
some = settings(max_examples=25, deadline=None)


def edits(one: str, other: str) -> int:
    """Return Levenshtein's distance, by its recurrence."""
    row = list(range(len(other) + 1))
    for letter in one:
        above, row = row, [row[0] + 1]
        for place, against in enumerate(other):
            row.append(min(above[place + 1] + 1, row[place] + 1, above[place] + (letter != against)))
    return row[-1]


@pytest.mark.slow
@some
@given(seeds, st.integers(0, 10**6))
def test_a_world_keeps_every_rule_of_a_domain(seed: int, index: int) -> None:
    world = draw_world(seed, index)
    config = world.config
    assert validate_config(config) == []
    assert 52 <= len(config.truths) <= 64
    assert 32 <= len(config.actions) <= 40
    assert {outcome.kind for outcome in config.outcomes} == {"str", "float"}
    assert (config.category, world.kind in world_kinds()) == ("Synthetic", True)
    for state in (state for outcome in config.outcomes for state in outcome.states):
        # None decides much, and none gives one truth away.
        assert 0.1 <= len(state.rules_out) / len(config.truths) <= 0.65


@pytest.mark.slow
@some
@given(seeds, st.integers(0, 10**6))
def test_the_names_of_a_world_are_not_confused(seed: int, index: int) -> None:
    truths = [truth.lower() for truth in draw_world(seed, index).config.truths]
    assert all(map(is_fit, truths))
    for one, other in combinations(truths, 2):
        assert one[:SAME_LETTERS] != other[:SAME_LETTERS]
    assert min(edits(truths[0], other) for other in truths[1:]) >= 4


@some
@given(seeds, st.integers(0, 10**6))
def test_notes_say_nothing_of_truths_or_outcomes(seed: int, index: int) -> None:
    config = draw_world(seed, index).config
    labels = {state.label for outcome in config.outcomes for state in outcome.states if state.label}
    assert len(set(config.truth_notes.values())) == len(config.truths) == len(config.truth_notes)
    for note in config.truth_notes.values():
        words = f" {note.lower().rstrip('.').replace(',', '')} "
        assert not any(truth in note for truth in config.truths)
        assert not any(f" {label} " in words for label in labels)
        assert "{" not in note + config.goal + config.book_title


@pytest.mark.slow
def test_a_world_is_a_function_of_seed_and_index() -> None:
    assert draw_world(2**200, 7) == draw_world(2**200, 7)
    drawn = [draw_world(seed, index).config for seed in (0, 1, 2**200) for index in range(10)]
    assert len({config.config_id for config in drawn}) == len({config.name for config in drawn}) == 30
    truths = [truth for config in drawn for truth in config.truths]
    assert len(truths) - len(set(truths)) <= 1


@pytest.mark.slow
def test_kinds_take_turns_and_do_not_read_alike() -> None:
    kinds = world_kinds()
    assert len(kinds) >= 8
    assert {draw_world(5, index).kind for index in range(len(kinds))} == set(kinds)
    orders = {tuple(draw_world(seed, index).kind for index in range(3)) for seed in range(8)}
    assert len(orders) > 1
    for one, other in combinations(kinds.values(), 2):
        assert not set(one.notes) & set(other.notes)
        assert not set(one.endings) & set(other.endings)
        assert not set(list_tests(one.name)) & set(list_tests(other.name))


def list_tests(kind: str) -> list[str]:
    tests = (*world_kinds()[kind].labels, *world_kinds()[kind].numbers)
    return [test.name.format(part=part) for test in tests for part in world_kinds()[kind].parts]


@pytest.mark.parametrize("index", range(4))
@pytest.mark.slow
def test_hard_instances_need_two_to_six_tests(index: int) -> None:
    config = draw_world(15, index).config
    steps = promise_steps(config, 3)
    assert all(2 <= step <= 6 for step in steps)


def promise_steps(config: SeedConfig, number: int) -> list[float]:
    encoded = encode_config(config)
    drawn = sample_instances(encoded, SamplingRequest(Setting.parse("hard"), number, 0, 1.0, True))
    boards = [encode_instance(encoded, instance) for instance in drawn.instances]
    solved = solve_instances(boards, time_limit=inf, work_limit=WORK_LIMIT, threads=1, node_limit=NODE_LIMIT)
    assert len(solved) == number
    return [one.optimum.steps for one in solved if one.optimum is not None]


def test_a_world_has_room_for_an_edition() -> None:
    space = space_size(encode_config(draw_world(3, 0).config), Setting.parse("easy"), 1.0, True)
    assert repeat_probability(space.least, 0, 10_000) < 1e-6


@pytest.mark.parametrize("name", ["london", "xcanalo", "brrra", "aeiouna", "lalalala", "kelvinora", "a" * 13])
def test_names_that_cannot_be_spoken_or_mean_something_are_refused(name: str) -> None:
    assert not is_fit(name)
    assert is_fit("thostoidone")
