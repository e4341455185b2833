"""How good a domain is: difficulty, early decisions, redundancy of actions, what gives answers away."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from perennial.schemas.kumo.things import AS_PUBLISHED, DEFAULT_SAMPLER, Instance, SeedConfig, Setting
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config, encode_instance
from perennial.tasks.kumo.guessing import GUESSES, count_survivals, judge_ranks, rank_valid_truth
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search.solve import solve_exactly

Verdict = Literal["good", "look", "bad"]


@dataclass(frozen=True, slots=True)
class DomainCheck:
    """A figure of a domain, what it means, its verdict, and what to do where that is not `good`."""

    name: str
    value: float
    text: str
    verdict: Verdict
    remedy: str = ""


def judge(value: float, look: float, bad: float) -> Verdict:
    """The verdict on a value that is the worse the larger it is: from where it is to be looked at."""
    return "bad" if value >= bad else "look" if value >= look else "good"


# How hard a domain's instances are, and how many are decided early, by the optimum under the promise.


PROMISED = (2.0, 6.0)  # promise steps that a Hard instance should have
_LEAST_SPREAD = 0.15


@dataclass(frozen=True, slots=True)
class Solved:
    """Of so many instances of a setting: expected tests of the optimum, of Algorithm 3, and tests played."""

    setting: str
    steps: tuple[float, ...]
    expected: tuple[float, ...]
    tests: tuple[int, ...]


def solve_sample(encoded: EncodedConfig, setting: str, number: int, seed: int, threads: int) -> Solved:
    """What the exact search finds of instances that need a test, as a refresh draws them.

    Instances of which the search knows bounds only count by their steps; less than `number` may exist.
    """
    request = SamplingRequest(Setting.parse(setting), number, seed, 1.0, True, sampler=DEFAULT_SAMPLER)
    boards = [encode_instance(encoded, instance) for instance in sample_instances(encoded, request).instances]
    solutions = solve_exactly(boards, request.is_balanced, threads)
    optima = [solution.optimum for solution in solutions if solution.optimum is not None]
    return Solved(
        setting,
        tuple(optimum.steps for optimum in optima),
        tuple(solution.expected_steps for solution in solutions if solution.expected_steps is not None),
        tuple(len(optimum.actions) for optimum in optima if optimum.status == "exact"),
    )


def check_difficulty(easy: Solved, hard: Solved) -> list[DomainCheck]:
    """The spread of difficulty and the shares that are decided early.

    - `hard_in_range`: the share of Hard instances whose promise steps are outside of 2 to 6.
    - `hard_spread`: the standard deviation of the promise steps of Hard instances.
    - `SETTING_decided_early`: the share of instances that the optimum's play decides with its first test
      (0 or 1 tests), on the observations that the instance has.
    """
    low, high = PROMISED
    outside = 1 - _share([low <= steps <= high for steps in hard.steps])
    spread = float(np.std(hard.steps)) if hard.steps else 0.0
    return [
        DomainCheck(
            "hard_out_of_range",
            outside,
            f"of Hard instances need less than {low:g} or more than {high:g} expected tests; "
            f"{_describe(hard.steps)}; Algorithm 3 {_describe(hard.expected)}",
            judge(outside, 0.05, 0.2),
            "below 2: let states rule out fewer truths, or leave more cells empty; above 6: more, fewer",
        ),
        DomainCheck(
            "hard_spread",
            spread,
            "is the standard deviation of the optimum's tests over Hard instances",
            "good" if spread >= _LEAST_SPREAD else "look",
            "let some actions tell much and others little",
        ),
        _check_early(hard, 0.1, 0.3),
        _check_early(easy, 0.6, 0.8),
    ]


def _check_early(solved: Solved, look: float, bad: float) -> DomainCheck:
    share = _share([tests <= 1 for tests in solved.tests])
    none = _share([tests == 0 for tests in solved.tests])
    return DomainCheck(
        f"{solved.setting}_decided_early",
        share,
        f"of {solved.setting.capitalize()} instances end with the optimum's first test "
        f"({none:.0%} need none); {_describe(solved.steps)}",
        judge(share, look, bad),
        "let the states of the most telling actions rule out fewer truths",
    )


def _share(holds: Sequence[bool]) -> float:
    return sum(holds) / len(holds) if holds else 0.0


def _describe(steps: Sequence[float]) -> str:
    if not steps:
        return "no instance"
    least, lower, median, upper, most = np.quantile(steps, (0, 0.25, 0.5, 0.75, 1))
    return f"tests {least:.1f} to {most:.1f}, median {median:.1f}, half in {lower:.1f} to {upper:.1f}"


# What gives answers away without a rule: frequencies, places in lists, single states, words in notes.


_NAMED = 3
_GUESSED = 1.5
_LIKELY = 1e-3  # below this probability a difference is not chance
_WORD = re.compile(r"\w+")


def check_frequencies(instances: Sequence[Instance]) -> list[DomainCheck]:
    """Whether a guess from the list of truths alone does better than chance.

    - `guess_by_truth`: a guesser who knows from half of the instances how often each truth t was valid where
      it was listed, (valid + 1) / (listed + n), and names the most frequent one of each list of the other
      half. The value is its success rate times n, the number of truths per list: 1 is chance. p is binomial.
    - `guess_by_place`: the share of valid truths at the commonest place of the list, times n; p is that of
      the chi-squared test that all places are equally frequent.
    """
    from scipy.stats import binomtest, chisquare

    n = len(instances[0].truths)
    half = len(instances) // 2
    listed, valid = Counter[str](), Counter[str]()
    for instance in instances[:half]:
        listed.update(instance.truths)
        valid.update(instance.valid_truths)
    rates = {truth: (valid[truth] + 1) / (listed[truth] + n) for truth in listed}
    others = instances[half:]
    right = sum(max(board.truths, key=lambda t: rates.get(t, 0.0)) in board.valid_truths for board in others)
    lift = right / len(others) * n
    chance = float(binomtest(right, len(others), 1 / n, alternative="greater").pvalue)
    often = sorted(rates, key=lambda truth: -rates[truth])[:_NAMED]
    places = Counter(instance.truths.index(instance.valid_truths[0]) for instance in instances)
    counts = [places[position] for position in range(n)]
    uneven = float(chisquare(counts).pvalue)
    by_place = max(counts) / len(instances) * n
    return [
        DomainCheck(
            "guess_by_truth",
            lift,
            f"times the success of chance has a guesser who knows how often each truth is the answer (p = "
            f"{chance:.2g}); most often: {', '.join(often)}",
            judge(lift, 1.5, 3.0) if chance < _LIKELY else "good",
            "give those truths fewer empty cells, so that more states rule them out",
        ),
        DomainCheck(
            "guess_by_place",
            by_place,
            f"times its share of the answers has the commonest place of the list (p = {uneven:.2g})",
            judge(by_place, 1.2, 1.5) if uneven < _LIKELY else "good",
            "report it: places are drawn, so this is a fault of the sampler",
        ),
    ]


def check_guesses(encoded: EncodedConfig, instances: Sequence[Instance]) -> DomainCheck:
    """Whether guesses by the rules alone do better than chance, which balanced instances rule out.

    The value is the better guess's success rate times n, the number of truths per list: 1 is chance. p is
    that of the chi-squared test over all ranks of the valid truth, the smaller one of the two guesses.
    """
    n = len(instances[0].truths)
    ranks = {guess: [0] * n for guess in GUESSES}
    for instance in instances:
        board = encode_instance(encoded, instance)
        for guess, rank in rank_valid_truth(board, count_survivals(board)).items():
            ranks[guess][rank] += 1
    lifts = {guess: counts[0] / len(instances) * n for guess, counts in ranks.items()}
    tests = [judge_ranks({"": counts}) for counts in ranks.values()]
    p = min((test for test in tests if test is not None), default=1.0)
    best = max(lifts, key=lambda guess: lifts[guess])
    return DomainCheck(
        "guess_by_rules",
        lifts[best],
        f"times the success of chance has a guesser without a test, by {best} (p = {p:.2g}); "
        + ", ".join(f"by {guess} {lift:.2f}" for guess, lift in lifts.items()),
        "look" if p < _LIKELY and lifts[best] >= _GUESSED else "good",
        "draw with `--sampler balanced`, or let states rule the truths out about equally often",
    )


def check_single_states(encoded: EncodedConfig) -> DomainCheck:
    """The share of states that rule out all truths but one, or exactly one truth."""
    sizes = [mask.bit_count() for states in encoded.masks for mask in states]
    single = sum(size == len(encoded.truths) - 1 for size in sizes)
    share = single / len(sizes) if sizes else 0.0
    only_one = sum(size == 1 for size in sizes) / len(sizes) if sizes else 0.0
    return DomainCheck(
        "single_out",
        share,
        f"of the states rule out all truths but one; {only_one:.0%} rule out exactly one",
        judge(share, 0.001, 0.05),
        "widen those states, or test something that more truths have",
    )


def check_words(config: SeedConfig) -> DomainCheck:
    """The share of truths whose name or note gives a rule away by its words.

    It does where it holds the label of a state that leaves the truth possible and that rules out others, or
    the name of another truth; words are compared whole, in their order, case aside.
    """
    leaks = list(_leaks(config))
    truths = {truth for truth, _ in leaks}
    named = "; ".join(f"{truth!r} has {what}" for truth, what in leaks[:_NAMED])
    share = len(truths) / len(config.truths) if config.truths else 0.0
    return DomainCheck(
        "words_in_notes",
        share,
        "of the truths have a state's label or another truth's name in their name or note"
        + (f": {named}" if named else ""),
        judge(share, 0.05, 0.3),
        "say it in the note in other words, or leave it out",
    )


def _leaks(config: SeedConfig) -> Iterator[tuple[str, str]]:
    notes = {truth: _spell(config.truth_notes.get(truth, "")) for truth in config.truths}
    names = {truth: _spell(truth) for truth in config.truths}
    labels = [
        (outcome.action, state.label, _spell(state.label), frozenset(state.rules_out))
        for outcome in config.outcomes
        for state in outcome.states
        if state.label is not None and state.rules_out
    ]
    for truth, note in notes.items():
        for action, label, words, ruled_out in labels:
            if (words in note or words in names[truth]) and truth not in ruled_out:
                yield truth, f"{label!r} of {action!r}"
        for other, name in names.items():
            if name in note and name not in names[truth]:
                yield truth, f"the name {other!r}"


def _spell(text: str) -> str:
    """The text's words, folded, with a space on either side of each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


# Which actions of a domain say the same: equal and nested partitions, mutual information of outcomes.


_Matrix = np.ndarray[Any, np.dtype[np.float64]]
_LEAST_BOTH = 0.5  # of the truths


def check_redundancy(encoded: EncodedConfig) -> list[DomainCheck]:
    """How much the actions repeat each other.

    - The partition of an action puts two truths together that the same states rule out. Two actions are
      `equal_or_nested` where, among the truths that both of them can rule out (half at least), every part of
      one lies within a part of the other, which has two parts at least.
    - `most_shared_information`: I(X; Y) / min(H(X), H(Y)), the largest over all pairs, of the outcomes X and
      Y of two actions: the truth is uniform, and each outcome uniform over the states that leave it possible,
      independently: P(x, y) = mean over truths of P(x | truth) P(y | truth).
    """
    masks = encoded.masks
    parts = [_partition(states, len(encoded.truths)) for states in masks]
    pairs = list(combinations(range(len(masks)), 2))
    nested = [pair for pair in pairs if _are_nested(*(parts[action] for action in pair))]
    outcomes = [_outcome_given_truth(states, len(encoded.truths)) for states in masks]
    shared = [(_shared_information(outcomes[first], outcomes[other]), first, other) for first, other in pairs]
    most, first, other = max(shared, default=(0.0, 0, 0))
    strong = sum(value >= 0.3 for value, _, _ in shared)
    return [
        DomainCheck(
            "equal_or_nested",
            len(nested),
            f"of {len(pairs):,} pairs of actions group the truths equally, or one more finely than the other"
            + _name_pairs(encoded, nested),
            judge(len(nested) / max(1, len(pairs)), 0.01, 0.1),
            "remove one of the two, or give it states that other truths differ in",
        ),
        DomainCheck(
            "most_shared_information",
            most,
            "of what one action says is said by another, at most"
            + (_name_pairs(encoded, [(first, other)]) if shared else "")
            + f"; from 0.3 on: {strong} pairs",
            judge(most, 0.5, 0.85),
            "replace one of the two by an action that tests something else",
        ),
    ]


def _partition(states: Sequence[int], n_truths: int) -> tuple[tuple[bool, ...], ...]:
    """For each truth which of the states rule it out: equal for truths that are put together."""
    return tuple(tuple(bool(mask >> truth & 1) for mask in states) for truth in range(n_truths))


def _are_nested(matrix: Sequence[tuple[bool, ...]], other: Sequence[tuple[bool, ...]]) -> bool:
    """Whether one of the two partitions refines the other, over the truths that both can rule out."""
    both = [pair for pair in zip(matrix, other, strict=True) if all(map(any, pair))]
    sizes = [len(set(parts)) for parts in zip(*both, strict=True)]
    return len(both) >= _LEAST_BOTH * len(matrix) and min(sizes) > 1 and len(set(both)) == max(sizes)


def _outcome_given_truth(states: Sequence[int], n_truths: int) -> _Matrix:
    """P(state | truth), a row per truth."""
    left = np.array(
        [[not mask >> truth & 1 for mask in states] for truth in range(n_truths)], np.float64
    ).reshape(n_truths, len(states))
    shares: _Matrix = left / np.maximum(left.sum(axis=1, keepdims=True), 1.0)
    return shares


def _shared_information(matrix: _Matrix, other: _Matrix) -> float:
    joint = matrix.T @ other / len(matrix)
    first, second = joint.sum(axis=1), joint.sum(axis=0)
    least = min(_entropy(first), _entropy(second))
    shared = _entropy(first) + _entropy(second) - _entropy(joint.ravel())
    return max(0.0, float(shared / least)) if least > 0 else 0.0


def _entropy(shares: _Matrix) -> float:
    positive = shares[shares > 0]
    return float(-(positive * np.log2(positive)).sum())


def _name_pairs(encoded: EncodedConfig, pairs: Sequence[tuple[int, int]]) -> str:
    named = [f"{encoded.actions[first]!r} and {encoded.actions[other]!r}" for first, other in pairs[:_NAMED]]
    return ": " + "; ".join(named) if named else ""


# The score of a domain: every check, in the order in which an author looks at them.


_DRAWN = 4_000  # Easy instances whose answers are counted: drawing one takes a tenth of a millisecond


def score_domain(config: SeedConfig, instances: int, seed: int = 0, threads: int = 1) -> list[DomainCheck]:
    """The checks of a domain, over so many Easy and so many Hard instances drawn with the seed.

    Raises what sampling raises of a domain that has too few truths, actions or instances.
    """
    encoded = encode_config(config)
    easy, hard = (solve_sample(encoded, name, instances, seed, threads) for name in ("easy", "hard"))
    request = SamplingRequest(Setting.parse("easy"), _DRAWN, seed, 1.0, True, sampler=AS_PUBLISHED)
    drawn = sample_instances(encoded, request)
    return [
        *check_difficulty(easy, hard),
        *check_redundancy(encoded),
        *(check_frequencies(drawn.instances) if len(drawn.instances) > 1 else ()),
        *((check_guesses(encoded, drawn.instances),) if drawn.instances else ()),
        check_single_states(encoded),
        check_words(config),
    ]
