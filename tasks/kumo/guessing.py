"""Guesses without a test, by the rules alone, and whether an edition lets them be better than chance.

Two guesses are known to work where instances are drawn around their valid truth: the truth that the fewest
outcome states rule out, and the truth with the most choices of one state an action that leave it alone.
"""

from collections.abc import Mapping, Sequence

from perennial.tasks.kumo.encoding import EncodedInstance

StateMasks = Sequence[Sequence[int]]
GUESSES = ("fewest states", "most choices")
LEAST_P = 1e-6
_EXPECTED = 10  # instances that a class of ranks should have for the chi-squared distribution to hold


def count_striking_states(masks: StateMasks, n_truths: int) -> list[int]:
    """For each truth the number of outcome states that rule it out."""
    return [sum(mask >> t & 1 for states in masks for mask in states) for t in range(n_truths)]


def is_guessed(board: EncodedInstance) -> bool:
    """Whether the truth that the fewest states rule out, the first of equals, is valid."""
    struck = count_striking_states(board.masks, board.n_truths)
    return bool(board.valid >> struck.index(min(struck)) & 1)


def count_survivals(board: EncodedInstance) -> list[float]:
    """For each truth the number of choices of one state an action that leave it alone.

    Counted by the compiled programme; all are positive exactly where the lists are balanced.
    """
    import numpy as np

    from perennial.tasks.kumo.sampling.balanced.boards import count_choices

    starts = np.cumsum([0, *map(len, board.masks)])
    masks = np.array([mask for states in board.masks for mask in states], np.int64)
    choices: list[float] = count_choices(board.n_truths, starts, masks).tolist()
    return choices


def rank_valid_truth(board: EncodedInstance, survivals: Sequence[float]) -> dict[str, int]:
    """At which place each guess names the valid truth, 0 for its first; ties in the order shown.

    `survivals` are those of `count_survivals`.
    """
    keys: tuple[Sequence[float], ...] = (
        count_striking_states(board.masks, board.n_truths),
        [-number for number in survivals],
    )
    valid = board.valid.bit_length() - 1
    return {
        guess: sorted(range(board.n_truths), key=key.__getitem__).index(valid)
        for guess, key in zip(GUESSES, keys, strict=True)
    }


def judge_ranks(by_setting: Mapping[str, Sequence[int]]) -> float | None:
    """P of the chi-squared test that each rank of the valid truth is equally probable.

    `by_setting` holds, for the settings, the number of instances by rank. Neighbouring ranks are one class
    where there are few instances; statistics and degrees of freedom add up over settings. None where there
    are too few instances in each.
    """
    from scipy.stats import chi2

    statistic, freedom = 0.0, 0
    for counts in by_setting.values():
        total, n = sum(counts), len(counts)
        classes = min(n, total // _EXPECTED)
        if classes < 2:
            continue
        seen, width = [0] * classes, [0] * classes
        for rank, count in enumerate(counts):
            seen[rank * classes // n] += count
            width[rank * classes // n] += 1
        expected = [total * of_class / n for of_class in width]
        statistic += sum((o - e) ** 2 / e for o, e in zip(seen, expected, strict=True))
        freedom += classes - 1
    return float(chi2.sf(statistic, freedom)) if freedom else None
