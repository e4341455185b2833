"""Guesses without a test: their ranks by enumeration, and the test of an edition."""

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import product
from operator import or_

import pytest
from scipy.stats import binomtest, chi2, chisquare

from perennial.schemas.kumo.things import AS_PUBLISHED, BALANCED, PLAIN, Setting
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config, encode_instance
from perennial.tasks.kumo.guessing import GUESSES, LEAST_P, count_survivals, judge_ranks, rank_valid_truth
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.worlds import draw_world
from tests.benchmarks.guessers import TEXT_GUESSES, guess_by_text, template_book

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
