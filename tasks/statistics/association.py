"""Does the topology of an instance predict success? Tests of independence, category x correctness.

The paper's study ('Details of Chi-square test'): a category is the signature of an instance's
truth-action graph (`tasks.kumo.topology.signature`), its label whether the majority of a player's runs
on it succeeded. Many signatures occur once or twice, so beside the paper's V and p, which are too
large and unreliable on such a sparse table, stand a corrected V and a p-value by permutation.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.ids import derive_seed

METHOD = "chi-square test of independence; Cramer's V = sqrt(X2 / (n * min(r-1, c-1)))"
CORRECTED_METHOD = "Cramer's V, bias-corrected (Bergsma 2013)"
RESAMPLES = 9_999
# Draws held at once times categories: 8 MB for each of the few arrays made of them.
_CELLS = 1_000_000
# Sums of the same terms in another order differ by less than this share; such draws count as equal.
_ROUNDING = 1e-12

# For each category: its number of instances, and how many of them are labelled correct.
_Table = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Association:
    """A test of independence over `n` instances in `categories` categories; None where undefined."""

    n: int
    categories: int
    chi2: float | None
    dof: int | None
    p_value: float | None
    cramers_v: float | None
    corrected_v: float | None


def chi_square(categories: Sequence[str], labels: Sequence[bool]) -> Association:
    """Return Pearson's chi-square test of independence, category x label (the paper's equation 6).

    `categories` and `labels` are of one length, one of each an instance. X2 = sum of (observed -
    expected)^2 / expected over the r x 2 table, without Yates' correction; dof = r - 1;
    p = 1 - F(X2; dof). With a single category, or labels all alike, nothing but the counts is defined.
    Raises ValueError where the lengths differ.
    """
    table = _table(categories, labels)
    n, rows = len(categories), len(table)
    if not _is_testable(table):
        return Association(n, rows, None, None, None, None, None)
    from scipy.stats import chi2_contingency

    result = chi2_contingency([(correct, size - correct) for size, correct in table], correction=False)
    chi2 = float(result.statistic)
    return Association(
        n=n,
        categories=rows,
        chi2=chi2,
        dof=int(result.dof),
        p_value=float(result.pvalue),
        cramers_v=cramers_v(chi2, n, rows, 2),
        corrected_v=compute_corrected_cramers_v(chi2, n, rows, 2),
    )


def cramers_v(chi2: float, n: int, rows: int, columns: int) -> float | None:
    """Return V = sqrt(X2 / (n * min(r-1, c-1))), in 0..1 (the paper's equation 7).

    None without an observation, or where a side of the table has a single category.
    """
    smaller = min(rows, columns) - 1
    return min(1.0, math.sqrt(chi2 / (n * smaller))) if n > 0 and smaller > 0 else None


def compute_corrected_cramers_v(chi2: float, n: int, rows: int, columns: int) -> float | None:
    """Return the bias-corrected V, in 0..1: about 0 under independence, however sparse the table.

    With k~ = k - (k-1)^2 / (n-1) for r and c: V~ = sqrt(max(0, X2/n - (r-1)(c-1)/(n-1)) / min(r~-1, c~-1)).
    W. Bergsma, A bias-correction for Cramer's V and Tschuprow's T, Journal of the Korean Statistical
    Society 42 (2013) 323-328. None where V is undefined, and where as many categories as observations
    leave nothing to compare (min(r~-1, c~-1) = 0).
    """
    if n < 2 or min(rows, columns) < 2 or max(rows, columns) >= n:
        return None
    excess = chi2 / n - (rows - 1) * (columns - 1) / (n - 1)
    smaller = min(k - 1 - (k - 1) ** 2 / (n - 1) for k in (rows, columns))
    return min(1.0, math.sqrt(max(0.0, excess) / smaller))


def permutation_p_value(
    categories: Sequence[str], labels: Sequence[bool], seed: int, resamples: int = RESAMPLES
) -> float | None:
    """Return p = (1 + number of permutations with X2 >= the observed X2) / (1 + resamples).

    Labels are permuted over instances, categories stay: exact up to Monte Carlo error however sparse the
    table is (Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010) 39).
    None with a single category or labels all alike. Depends on the table and the seed alone: not on the
    order of instances, on names of categories, or on which label is called correct. Raises ValueError
    where the lengths differ.
    """
    table = _table(categories, labels)
    if not _is_testable(table):
        return None
    import numpy as np

    sizes, correct = np.array(table, dtype=np.int64).T
    # Both margins are fixed, so X2 grows with sum of correct^2 / size; and a permuted label vector, counted
    # by category, is one multivariate hypergeometric draw.
    weights = 1 / sizes
    observed = float(correct**2 @ weights) * (1 - _ROUNDING)
    stream = derive_seed(seed, "permutation_p_value", len(categories))
    generator = np.random.Generator(np.random.PCG64(stream))
    block = max(1, _CELLS // len(sizes))
    reached = 0
    for start in range(0, resamples, block):
        drawn = generator.multivariate_hypergeometric(
            sizes, int(correct.sum()), size=min(block, resamples - start), method="count"
        )
        reached += int(np.count_nonzero(drawn**2 @ weights >= observed))
    return (1 + reached) / (1 + resamples)


def _table(categories: Sequence[str], labels: Sequence[bool]) -> _Table:
    """Return the table's rows, sorted: the order of instances and the categories' names drop out."""
    sizes = Counter(categories)
    correct = Counter(category for category, label in zip(categories, labels, strict=True) if label)
    return sorted((size, correct[category]) for category, size in sizes.items())


def _is_testable(table: _Table) -> bool:
    """Whether both margins have two categories or more."""
    correct = sum(correct for _, correct in table)
    return len(table) > 1 and 0 < correct < sum(size for size, _ in table)
