"""The score of a domain: each check finds the fault that it is for, and passes what is sound."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import or_

import numpy as np
import pytest
from scipy.stats import binomtest, chi2, chisquare

from perennial.schemas.kumo.things import (
    AS_PUBLISHED,
    BALANCED,
    PLAIN,
    Instance,
    Outcome,
    OutcomeState,
    SeedConfig,
    Setting,
)
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config, encode_instance
from perennial.tasks.kumo.guessing import GUESSES, LEAST_P, count_survivals, judge_ranks, rank_valid_truth
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.scoring import (
    DomainCheck,
    check_frequencies,
    check_guesses,
    check_redundancy,
    check_single_states,
    check_words,
    score_domain,
)
from perennial.tasks.kumo.worlds import draw_world
from tests.benchmarks.guessers import TEXT_GUESSES, guess_by_text, template_book

# Guesses without a test: their ranks by enumeration, and the test of an edition.


WORLD = encode_config(draw_world(3, 0).config)


def boards(setting: str, count: int, sampler: str) -> list[EncodedInstance]:
    request = SamplingRequest(Setting.parse(setting), count, 0, sampler=sampler)
    return [encode_instance(WORLD, one) for one in sample_instances(WORLD, request).instances]


def list_survivors(board: EncodedInstance) -> list[int]:
    """Return what each choice of one state an action leaves, where it leaves one truth."""
    everything = (1 << board.n_truths) - 1
    left = [everything & ~reduce(or_, states) for states in product(*board.masks)]
    return [one.bit_length() - 1 for one in left if one.bit_count() == 1]


def rank(scores: Sequence[float], valid: int) -> int:
    """Return the place of the valid one by ascending score; of equals the first listed one comes first."""
    return sum((score, t) < (scores[valid], valid) for t, score in enumerate(scores))


@pytest.mark.parametrize("sampler", [BALANCED, AS_PUBLISHED])
def test_ranks_and_impossible_truths_are_those_of_an_enumeration(sampler: str) -> None:
    lacking = 0
    for board in boards("5x6", 25, sampler):
        survivors = list_survivors(board)
        valid = board.valid.bit_length() - 1
        struck = [sum(mask >> t & 1 for states in board.masks for mask in states) for t in range(5)]
        choices = [-survivors.count(t) for t in range(5)]
        expected = dict(zip(GUESSES, (rank(struck, valid), rank(choices, valid)), strict=True))
        survivals = count_survivals(board)
        assert survivals == [survivors.count(t) for t in range(5)]
        assert rank_valid_truth(board, survivals) == expected
        lacking += len(set(survivors)) < 5
    assert (lacking > 0) == (sampler == AS_PUBLISHED)


def test_p_is_that_of_the_chi_squared_test_and_settings_add_up() -> None:
    easy, other = [60, 40, 45, 55], [30, 34, 26]
    assert judge_ranks({"4x6": easy}) == pytest.approx(chisquare(easy).pvalue)
    both = chisquare(easy).statistic + chisquare(other).statistic
    assert judge_ranks({"4x6": easy, "3x4": other}) == pytest.approx(chi2.sf(both, 5))
    # 24 of 4 ranks: two classes of two ranks each.
    assert judge_ranks({"4x6": [9, 6, 5, 4]}) == pytest.approx(chisquare([15, 9]).pvalue)


def test_too_few_instances_tell_nothing() -> None:
    assert judge_ranks({}) is None
    assert judge_ranks({"4x6": [19, 0, 0, 0]}) is None
    assert judge_ranks({"4x6": [20, 0, 0, 0]}) is not None


@pytest.mark.parametrize(("sampler", "holds"), [(BALANCED, True), (AS_PUBLISHED, False)])
def test_the_paper_s_sampler_fails_the_test_and_the_balanced_one_passes(sampler: str, holds: bool) -> None:
    ranks = {guess: [0] * 4 for guess in GUESSES}
    for board in boards("easy", 1_500, sampler):
        for guess, at in rank_valid_truth(board, count_survivals(board)).items():
            ranks[guess][at] += 1
    for guess in GUESSES:
        p = judge_ranks({"easy": ranks[guess]})
        assert p is not None
        assert (p > LEAST_P) == holds


@pytest.mark.slow
@pytest.mark.parametrize(("sampler", "holds"), [(BALANCED, True), (AS_PUBLISHED, False)])
def test_counting_names_in_books_is_no_better_than_chance_where_boards_are_balanced(
    sampler: str, holds: bool
) -> None:
    request = SamplingRequest(Setting.parse("easy"), 500, 0, require_test=True, sampler=sampler)
    instances = sample_instances(WORLD, request).instances
    hits: Counter[str] = Counter()
    for number, instance in enumerate(instances):
        guesses = guess_by_text(instance, template_book(WORLD, instance, number, (PLAIN,)))
        hits.update(guess for guess, truth in guesses.items() if truth in instance.valid_truths)
    p_values = {guess: binomtest(hits[guess], len(instances), 1 / 4).pvalue for guess in TEXT_GUESSES}
    assert (min(p_values.values()) > LEAST_P) == holds


TRUTHS = tuple(f"truth {number}" for number in range(16))


def action(name: str, *parts: set[int]) -> Outcome:
    """Return an action with a state for each part, which leaves only that part possible."""
    states = (
        OutcomeState(f"{name} {number}", None, None, tuple(t for i, t in enumerate(TRUTHS) if i not in part))
        for number, part in enumerate(parts)
    )
    return Outcome(name, "str", tuple(states))


EVEN, ODD = set(range(0, 16, 2)), set(range(1, 16, 2))
HALVES = (set(range(8)), set(range(8, 16)))
QUARTERS = tuple(set(range(first, first + 4)) for first in range(0, 16, 4))


def config(*outcomes: Outcome, **notes: str) -> SeedConfig:
    truth_notes = {name.replace("_", " "): note for name, note in notes.items()}
    return SeedConfig("Things", TRUTHS, tuple(o.action for o in outcomes), outcomes, truth_notes=truth_notes)


def redundancy(*outcomes: Outcome) -> dict[str, DomainCheck]:
    return {check.name: check for check in check_redundancy(encode_config(config(*outcomes)))}


def test_actions_that_are_independent_repeat_nothing() -> None:
    found = redundancy(action("parity", EVEN, ODD), action("half", *HALVES))
    assert (found["equal_or_nested"].value, found["equal_or_nested"].verdict) == (0, "good")
    assert found["most_shared_information"].value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "other", [action("again", *HALVES), action("turned", *HALVES[::-1]), action("fine", *QUARTERS)]
)
def test_equal_and_nested_partitions_are_found(other: Outcome) -> None:
    found = redundancy(action("parity", EVEN, ODD), action("half", *HALVES), other)
    nested = found["equal_or_nested"]
    assert (nested.value, nested.verdict) == (1, "bad")
    assert f"'half' and '{other.action}'" in nested.text
    assert found["most_shared_information"].value == pytest.approx(1)
    assert found["most_shared_information"].verdict == "bad"


def test_shared_information_is_that_of_its_definition() -> None:
    # Truths 0 to 3 leave both states of the second action possible; H(X) = H(Y) = 1 bit.
    open_ended = Outcome(
        "open",
        "str",
        (OutcomeState("low", None, None, TRUTHS[8:]), OutcomeState("high", None, None, TRUTHS[4:8])),
    )
    found = redundancy(action("half", *HALVES), open_ended)["most_shared_information"]
    joint = np.array([[6, 2], [0, 8]]) / 16  # truths 0 to 3: half each; 4 to 7: low; 8 to 15: high

    def entropy(shares: "np.ndarray") -> float:  # type: ignore[type-arg]
        return -sum(share * np.log2(share) for share in shares if share)

    first, second = entropy(joint.sum(axis=1)), entropy(joint.sum(axis=0))
    expected = (first + second - entropy(joint.ravel())) / min(first, second)
    assert found.value == pytest.approx(expected)


def test_a_state_that_leaves_one_truth_is_found() -> None:
    sound = check_single_states(encode_config(config(action("half", *HALVES))))
    assert (sound.value, sound.verdict) == (0, "good")
    one = check_single_states(
        encode_config(config(action("half", *HALVES), action("one", {0}, set(range(1, 16)))))
    )
    assert (one.value, one.verdict) == (0.25, "bad")


def test_words_that_give_a_rule_away_are_found() -> None:
    half = action("half", *HALVES)
    assert check_words(config(half, truth_1="It is kept on a shelf.")).value == 0
    label = check_words(config(half, truth_1="It is of Half 0, they say."))
    assert label.value == pytest.approx(1 / 16)
    assert "'half 0' of 'half'" in label.text
    # The state rules truth 9 out: to say it of that one gives no rule away.
    assert check_words(config(half, truth_9="It is of half 0.")).value == 0
    assert "the name 'truth 3'" in check_words(config(half, truth_1="Found beside truth 3.")).text


def instances(places: list[int], answers: list[int]) -> list[Instance]:
    """Return instances of four truths: the answer of each, and the place where it is listed."""
    drawn = []
    for number, (place, answer) in enumerate(zip(places, answers, strict=True)):
        others = [name for i, name in enumerate(TRUTHS) if i != answer]
        listed = [others[(number * 7 + step * 4) % 15] for step in range(3)]
        listed.insert(place, TRUTHS[answer])
        drawn.append(Instance(tuple(listed), (), (), (), (TRUTHS[answer],), 0, number))
    return drawn


def test_frequent_answers_and_places_are_found_and_fair_ones_pass() -> None:
    rng = np.random.default_rng(15)
    number = 2_000
    fair_places = rng.integers(0, 4, number).tolist()
    fair_answers = rng.integers(0, 16, number).tolist()
    by_truth, by_place = check_frequencies(instances(fair_places, fair_answers))
    assert (by_truth.verdict, by_place.verdict) == ("good", "good")
    assert by_truth.value == pytest.approx(1, abs=0.35)
    by_truth, by_place = check_frequencies(instances(fair_places, [answer % 2 for answer in fair_answers]))
    assert (by_truth.verdict, by_place.verdict) == ("bad", "good")
    assert "truth 0" in by_truth.text
    by_truth, by_place = check_frequencies(instances([place // 2 for place in fair_places], fair_answers))
    assert (by_truth.verdict, by_place.verdict) == ("good", "bad")


@pytest.mark.slow
@pytest.mark.parametrize(("sampler", "verdict"), [(AS_PUBLISHED, "look"), (BALANCED, "good")])
def test_guesses_by_the_rules_are_found_and_balanced_instances_pass(sampler: str, verdict: str) -> None:
    encoded = encode_config(draw_world(15, 0).config)
    drawn = sample_instances(encoded, SamplingRequest(Setting.parse("easy"), 1_500, 0, sampler=sampler))
    found = check_guesses(encoded, drawn.instances)
    assert found.verdict == verdict
    boards = [encode_instance(encoded, one) for one in drawn.instances]
    rates = {}
    for guess in GUESSES:
        rates[guess] = (
            sum(rank_valid_truth(board, count_survivals(board))[guess] == 0 for board in boards)
            / len(boards)
            * 4
        )
    assert found.value == pytest.approx(max(rates.values()))
    assert (found.value > 1.5) == (sampler == AS_PUBLISHED)
    assert f"by fewest states {rates['fewest states']:.2f}" in found.text


@pytest.mark.slow
def test_a_world_scores_well_and_a_spoilt_one_does_not() -> None:
    world = draw_world(15, 0).config
    checks = {check.name: check for check in score_domain(world, 6)}
    assert [check.name for check in checks.values() if check.verdict == "bad"] == []
    assert checks["hard_out_of_range"].value == 0
    # The second action becomes the first under another name.
    first, second = world.outcomes[:2]
    spoilt = replace(world, outcomes=(first, replace(first, action=second.action), *world.outcomes[2:]))
    again = {check.name: check for check in score_domain(spoilt, 6)}
    assert checks["equal_or_nested"].value + 1 == again["equal_or_nested"].value
    assert again["most_shared_information"].value > checks["most_shared_information"].value
