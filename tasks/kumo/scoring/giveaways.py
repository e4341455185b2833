"""What gives answers away without a rule: frequencies, places in lists, single states, words in notes."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from perennial.schemas.kumo.things import Instance, SeedConfig
from perennial.tasks.kumo.encoding import EncodedConfig, encode_instance
from perennial.tasks.kumo.guessing import GUESSES, count_survivals, judge_ranks, rank_valid_truth
from perennial.tasks.kumo.scoring.check import Check, judge

_NAMED = 3
_GUESSED = 1.5
_LIKELY = 1e-3  # below this probability a difference is not chance
_WORD = re.compile(r"\w+")


def check_frequencies(instances: Sequence[Instance]) -> list[Check]:
    """Return whether a guess from the list of truths alone does better than chance.

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
    for one in instances[:half]:
        listed.update(one.truths)
        valid.update(one.valid_truths)
    rates = {truth: (valid[truth] + 1) / (listed[truth] + n) for truth in listed}
    others = instances[half:]
    right = sum(max(one.truths, key=lambda t: rates.get(t, 0.0)) in one.valid_truths for one in others)
    lift = right / len(others) * n
    chance = float(binomtest(right, len(others), 1 / n, alternative="greater").pvalue)
    often = sorted(rates, key=lambda truth: -rates[truth])[:_NAMED]
    places = Counter(one.truths.index(one.valid_truths[0]) for one in instances)
    counts = [places[place] for place in range(n)]
    uneven = float(chisquare(counts).pvalue)
    by_place = max(counts) / len(instances) * n
    return [
        Check(
            "guess_by_truth",
            lift,
            f"times the success of chance has a guesser who knows how often each truth is the answer (p = "
            f"{chance:.2g}); most often: {', '.join(often)}",
            judge(lift, 1.5, 3.0) if chance < _LIKELY else "good",
            "give those truths fewer empty cells, so that more states rule them out",
        ),
        Check(
            "guess_by_place",
            by_place,
            f"times its share of the answers has the commonest place of the list (p = {uneven:.2g})",
            judge(by_place, 1.2, 1.5) if uneven < _LIKELY else "good",
            "report it: places are drawn, so this is a fault of the sampler",
        ),
    ]


def check_guesses(encoded: EncodedConfig, instances: Sequence[Instance]) -> Check:
    """Return whether guesses by the rules alone do better than chance, which balanced instances rule out.

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
    return Check(
        "guess_by_rules",
        lifts[best],
        f"times the success of chance has a guesser without a test, by {best} (p = {p:.2g}); "
        + ", ".join(f"by {guess} {lift:.2f}" for guess, lift in lifts.items()),
        "look" if p < _LIKELY and lifts[best] >= _GUESSED else "good",
        "draw with `--sampler balanced`, or let states rule the truths out about equally often",
    )


def check_single_states(encoded: EncodedConfig) -> Check:
    """Return the share of states that rule out all truths but one, or exactly one truth."""
    sizes = [mask.bit_count() for states in encoded.masks for mask in states]
    single = sum(size == len(encoded.truths) - 1 for size in sizes)
    share = single / len(sizes) if sizes else 0.0
    only_one = sum(size == 1 for size in sizes) / len(sizes) if sizes else 0.0
    return Check(
        "single_out",
        share,
        f"of the states rule out all truths but one; {only_one:.0%} rule out exactly one",
        judge(share, 0.001, 0.05),
        "widen those states, or test something that more truths have",
    )


def check_words(config: SeedConfig) -> Check:
    """Return the share of truths whose name or note gives a rule away by its words.

    It does where it holds the label of a state that leaves the truth possible and that rules out others, or
    the name of another truth; words are compared whole, in their order, case aside.
    """
    found = list(_leaks(config))
    truths = {truth for truth, _ in found}
    named = "; ".join(f"{truth!r} has {what}" for truth, what in found[:_NAMED])
    share = len(truths) / len(config.truths) if config.truths else 0.0
    return Check(
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
    """Return the text's words, folded, with a space on either side of each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
