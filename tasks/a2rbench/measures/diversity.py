"""How different the wrong answers to an item are (section 4.4 of the paper, and the authors' program)."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import log2
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import ratio


class Diversity(NamedTuple):
    """Of wrong answers: how many differ, entropy of their distribution in bits, and two mean distances.

    `to_truth` is the mean edit distance of an answer to the truth (the paper's words), `to_each_other` the
    mean of 100 - ratio over pairs of distinct answers (the authors' program); None without any.
    """

    distinct: int
    entropy: float
    to_truth: float | None
    to_each_other: float | None


def diversity_of(wrong: Sequence[str], truth: str) -> Diversity:
    """Return the diversity of wrong answers, as texts, of one item or variation."""
    counts = Counter(wrong)
    total = len(wrong)
    entropy = -sum(count / total * log2(count / total) for count in counts.values()) + 0.0
    pairs = [100 - ratio(one, other) for one, other in combinations(sorted(counts), 2)]
    distances = [Levenshtein.distance(answer, truth) for answer in wrong]
    return Diversity(
        len(counts),
        entropy,
        sum(distances) / total if total else None,
        sum(pairs) / len(pairs) if pairs else None,
    )
