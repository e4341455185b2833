"""Does the topology of an instance predict success? Tests of independence, category x correctness.

The paper's study ('Details of Chi-square test'): a category is the signature of an instance's
truth-action graph (`perennial.tasks.kumo.encoding.signature`), its label whether the majority of a player's
runs on it succeeded. Many signatures occur once or twice, so beside the paper's V and p, which are too
large and unreliable on such a sparse table, stand a corrected V of pooled signatures and the trend of success
on the graph's edges. Domains differ in their signatures and in how hard they are, which alone makes an
association over all domains: both are tested by permutation within domains.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from perennial.schemas.ids import derive_seed
from perennial.tasks.statistics.cells import Counts, Mask, Numbers

Categories = Sequence[str] | NDArray[np.int64]
Labels = Sequence[bool] | Mask

METHOD = (
    "chi-square test of independence; Cramer's V = sqrt(X2 / (n * min(r-1, c-1))); 95% interval by "
    "noncentral X2"
)
RESAMPLES = 9_999
# Draws held at once times categories: 8 MB for each of the few arrays made of them.
_CELLS = 1_000_000
# Drawing instances one by one is quicker than category by category below this.
_SMALL_STRATUM = 2_000
# Sums of the same terms in another order differ by less than this share; such draws count as equal.
_ROUNDING = 1e-12
_TAIL = 0.025


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
    interval: tuple[float, float] | None = None


def chi_square(categories: Categories, labels: Labels) -> Association:
    """Return Pearson's chi-square test of independence, category x label (the paper's equation 6).

    `categories` and `labels` are of one length, one of each an instance. X2 = sum of (observed -
    expected)^2 / expected over the r x 2 table, without Yates' correction; dof = r - 1;
    p = 1 - F(X2; dof). With a single category, or labels all alike, nothing but the counts is defined.
    Raises ValueError where the lengths differ.
    """
    codes, marks = _codes(categories, labels)
    sizes, solved = _count(codes, marks)
    order = np.lexsort((solved, sizes))
    table = [(int(size), int(correct)) for size, correct in zip(sizes[order], solved[order], strict=True)]
    n, rows = len(codes), len(table)
    if not 0 < sum(correct for _, correct in table) < n or rows < 2:
        return Association(
            n, categories=rows, chi2=None, dof=None, p_value=None, cramers_v=None, corrected_v=None
        )
    from scipy.stats import chi2_contingency

    result = chi2_contingency([(correct, size - correct) for size, correct in table], correction=False)
    chi2 = float(result.statistic)
    low, high = _noncentralities(chi2, rows - 1)
    v, corrected = cramers_v(chi2, n, rows, 2), compute_corrected_cramers_v(chi2, n, rows, 2)
    return Association(
        n=n,
        categories=rows,
        chi2=chi2,
        dof=int(result.dof),
        p_value=float(result.pvalue),
        cramers_v=v,
        corrected_v=corrected,
        interval=_around(v, (low + rows - 1) / n, (high + rows - 1) / n),
    )


def _around(v: float | None, low_squared: float, high_squared: float) -> tuple[float, float] | None:
    """Return the interval of these squares in 0..1; V lies in it even where X2 is below its dof."""
    if v is None:
        return None
    return min(v, math.sqrt(min(1.0, low_squared))), max(v, math.sqrt(min(1.0, high_squared)))


def _noncentralities(chi2: float, dof: int) -> tuple[float, float]:
    """Return the noncentralities under which the observed X2 is at the 0.975 and the 0.025 quantile.

    0 where even the central distribution has it lower. V of the population is sqrt(noncentrality / n) for a
    table of two columns, and the sample's V squared is larger by dof / n: M. Smithson, Confidence Intervals
    (2003), chapter 5.
    """
    from scipy.optimize import brentq
    from scipy.special import chndtr

    def solve(quantile: float) -> float:
        def gap(noncentrality: float) -> float:
            return float(chndtr(chi2, dof, noncentrality)) - quantile

        if gap(0.0) <= 0:
            return 0.0
        # Far above any noncentrality that could give so small an X2: the root lies below.
        top = chi2 + 10 * math.sqrt(2 * chi2 + 1) + 50
        return float(brentq(gap, 0.0, top, xtol=1e-9))

    return solve(1 - _TAIL), solve(_TAIL)


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


def share_reaching(observed: float, permuted: Numbers) -> float:
    """The p-value, up to Monte Carlo error (Phipson, Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39)."""
    reached = int(np.count_nonzero(permuted >= observed * (1 - _ROUNDING)))
    # The observed labels are one of the permutations, so that p is never 0.
    return (1 + reached) / (1 + len(permuted))


def permute_sums(
    categories: Categories,
    labels: Labels,
    seed: int,
    resamples: int = RESAMPLES,
    strata: Categories | None = None,
) -> tuple[float, Numbers] | None:
    """The sum of correct^2 / size over categories, as observed and in each permutation within the strata.

    All margins are fixed, so X2 grows with this sum. Permuted labels, counted by category, are one
    multivariate hypergeometric draw in each stratum. None where no permutation changes anything. Neither the
    order of instances, nor names, nor which label is called correct matter. Raises ValueError where the
    lengths differ.
    """
    codes, marks = _codes(categories, labels)
    if not len(codes):
        return None
    sizes, correct = _count(codes, marks)
    groups = np.zeros(len(codes), np.int64) if strata is None else _codes(strata, marks)[0]
    tables = _stratum_tables(codes, marks, groups, sizes, correct)
    if not tables:
        return None
    stream = derive_seed(seed, "permutation_p_value", len(codes))
    generator = np.random.Generator(np.random.PCG64(stream))
    used = np.unique(np.concatenate([table.categories for table in tables]))
    row_of_category = np.full(len(sizes), -1)
    row_of_category[used] = np.arange(len(used))
    # Strata in which no permutation changes anything count alike in all draws.
    fixed = correct.copy()
    for table in tables:
        fixed[table.categories] -= table.correct
    weights = 1 / sizes[used]
    unchanged = np.setdiff1d(np.flatnonzero(sizes), used)
    beside = float(correct[unchanged] ** 2 @ (1 / sizes[unchanged]))
    # Its size orders the draws within the stream, and so decides p: it must not depend on the machine.
    block = max(1, _CELLS // len(used))
    sums = []
    for start in range(0, resamples, block):
        drawn = np.tile(fixed[used], (min(block, resamples - start), 1))
        for table in tables:
            drawn[:, row_of_category[table.categories]] += table.draw(generator, len(drawn))
        sums.append(drawn**2 @ weights + beside)
    return float(correct[used] ** 2 @ weights) + beside, np.concatenate(sums)


FEWEST_MEMBERS = 5


@dataclass(frozen=True, slots=True)
class PooledAssociation:
    """Bergsma's V of classes with enough members, the rest pooled in one; `undefined` is why V is None.

    `classes` counts the pooled one too. `permuted_v` is the mean V under permutation within strata.
    """

    n: int
    classes: int
    pooled_share: float
    undefined: str | None
    v: float | None = None
    permuted_v: float | None = None
    p_value: float | None = None


def compute_pooled_v(
    categories: Categories, labels: Labels, strata: Categories, seed: int, resamples: int = RESAMPLES
) -> PooledAssociation:
    """Measure the association of labels with categories, those with fewer than five instances as one class.

    Undefined for n < 5 K, for K < 2 classes, with more than half of the instances in the pooled class, and
    where all labels are alike.
    """
    codes, marks = _codes(categories, labels)
    sizes, _ = _count(codes, marks)
    is_rare = sizes < FEWEST_MEMBERS
    classes = np.unique(np.where(is_rare[codes], -1, codes), return_inverse=True)[1].astype(np.int64)
    n, k = len(codes), int(classes.max(initial=-1)) + 1
    share = float(np.mean(is_rare[codes])) if n else 0.0
    undefined = None
    if share > 0.5:
        undefined = f"more than half of the instances are in classes of fewer than {FEWEST_MEMBERS}"
    elif k < 2:
        undefined = "fewer than two classes"
    elif n < FEWEST_MEMBERS * k:
        undefined = f"fewer than {FEWEST_MEMBERS} instances per class"
    elif marks.all() or not marks.any():
        undefined = "all instances have the same outcome"
    if undefined:
        return PooledAssociation(n, k, share, undefined)
    solved = int(marks.sum())

    def corrected(sums: Numbers) -> Numbers:
        chi2 = (sums - solved**2 / n) * n**2 / (solved * (n - solved))
        smaller = min(size - 1 - (size - 1) ** 2 / (n - 1) for size in (k, 2))
        excess = np.maximum(0.0, chi2 / n - (k - 1) / (n - 1))
        return np.minimum(1.0, np.sqrt(excess / smaller))

    v = chi_square(classes, marks).corrected_v
    drawn = permute_sums(classes, marks, seed, resamples, strata)
    if drawn is None:
        return PooledAssociation(n, k, share, None, v)
    permuted_v = float(corrected(drawn[1]).mean())
    return PooledAssociation(n, k, share, None, v, permuted_v, share_reaching(*drawn))


FEWEST_INSTANCES = 50
FEWEST_DOMAINS = 10


@dataclass(frozen=True, slots=True)
class Trend:
    """A slope within strata, its interval and p; `undefined` and `no_interval` say why there is none."""

    n: int
    slope: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    undefined: str | None = None
    no_interval: str | None = None


def compute_trend(x: Numbers, y: Numbers, strata: Categories, seed: int, resamples: int = RESAMPLES) -> Trend:
    """Estimate the slope of y on x, both centered per stratum.

    p by permuting y within strata, two-sided; the 95% interval by resampling whole strata.
    """
    groups = _codes(strata, np.zeros(len(x), dtype=np.bool_))[0]
    counts = np.bincount(groups)
    across, up = (side - (np.bincount(groups, side) / counts)[groups] for side in (x, y))
    products, squares = np.bincount(groups, across * up), np.bincount(groups, across**2)
    n = len(x)
    if n < FEWEST_INSTANCES:
        return Trend(n, undefined=f"fewer than {FEWEST_INSTANCES} instances")
    if np.allclose(across, 0):
        return Trend(n, undefined="all instances of each domain have the same number of edges")
    if np.allclose(up, 0):
        return Trend(n, undefined="success does not differ within any domain")
    slope = float(products.sum() / squares.sum())
    generator = np.random.Generator(np.random.PCG64(derive_seed(seed, "compute_trend", n)))
    permuted = np.zeros(resamples)
    for group in range(len(counts)):
        inside = groups == group
        block = max(1, _CELLS // int(counts[group]))
        for start in range(0, resamples, block):
            # Rows are independent permutations of the stratum's values.
            rows = np.tile(up[inside], (min(block, resamples - start), 1))
            permuted[start : start + block] += generator.permuted(rows, axis=1) @ across[inside]
    p_value = share_reaching(abs(float(products.sum())), np.abs(permuted))
    if len(counts) < FEWEST_DOMAINS:
        return Trend(n, slope, p_value=p_value, no_interval=f"fewer than {FEWEST_DOMAINS} domains")
    chosen = generator.integers(0, len(counts), (resamples, len(counts)))
    # Values are centered within strata, so two sums of each stratum are all that a resample needs.
    bottom = squares[chosen].sum(axis=1)
    # Strata drawn without any difference in x have no slope.
    slopes = products[chosen].sum(axis=1)[bottom > 0] / bottom[bottom > 0]
    low, high = (float(end) for end in np.quantile(slopes, (_TAIL, 1 - _TAIL)))
    return Trend(n, slope, min(slope, low), max(slope, high), p_value)


class _Stratum(NamedTuple):
    """Of the categories of a stratum: how many instances each has in it, and how many correct ones."""

    categories: Counts
    sizes: Counts
    correct: Counts

    def draw(self, generator: np.random.Generator, size: int) -> Counts:
        """Return the correct ones by category in so many permutations of the labels."""
        n, solved = int(self.sizes.sum()), int(self.correct.sum())
        # The rarer label is drawn, so that either may be called correct.
        drawn = min(solved, n - solved)
        method: Literal["count", "marginals"] = "count" if n < _SMALL_STRATUM else "marginals"
        rarer = generator.multivariate_hypergeometric(self.sizes, drawn, size=size, method=method)
        return rarer if drawn == solved else self.sizes - rarer


def _stratum_tables(
    codes: Counts, marks: Mask, strata: Counts, sizes: Counts, correct: Counts
) -> list[_Stratum]:
    """Return the strata in which a permutation changes something, in an order that no name decides."""
    rarer = np.minimum(correct, sizes - correct)
    tables = []
    for stratum in np.unique(strata):
        inside = strata == stratum
        here = np.unique(codes[inside])
        if len(here) < 2 or marks[inside].all() or not marks[inside].any():
            continue
        of_size = np.bincount(codes[inside], minlength=len(sizes))[here]
        of_correct = np.bincount(codes[inside & marks], minlength=len(sizes))[here]
        turned = 2 * of_correct.sum() > of_size.sum()
        least = of_size - of_correct if turned else of_correct
        order = np.lexsort((rarer[here], sizes[here], least, of_size))
        tables.append(_Stratum(here[order], of_size[order], of_correct[order]))
    return sorted(
        tables,
        key=lambda table: (
            table.sizes.tolist(),
            np.minimum(table.correct, table.sizes - table.correct).tolist(),
        ),
    )


def _codes(categories: Categories, labels: Labels) -> tuple[Counts, Mask]:
    """Return the categories numbered from 0, and the labels, as arrays of one length."""
    marks = np.asarray(labels, dtype=np.bool_)
    # As objects: NumPy's own texts lose zero bytes at their end.
    values = categories if isinstance(categories, np.ndarray) else np.array(list(categories), dtype=object)
    if len(values) != len(marks):
        raise ValueError(f"{len(values)} categories, but {len(marks)} labels: give one of each an instance")
    return np.unique(values, return_inverse=True)[1].astype(np.int64), marks


def _count(codes: Counts, marks: Mask) -> tuple[Counts, Counts]:
    """Return the number of instances of each category, and of those labelled correct."""
    n = int(codes.max(initial=-1)) + 1
    return np.bincount(codes, minlength=n), np.bincount(codes[marks], minlength=n)
