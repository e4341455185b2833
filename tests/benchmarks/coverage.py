"""How often the 95% intervals of the shared statistics hold the truth.

By hand: `python -m tests.benchmarks.coverage [--release trajectories.parquet] [--draws 400]`. Of made
answers: rates, differences and means of skewed values, in drawn clusters and in fixed domains. Of the release
of KUMO's authors: rates of all models and differences of their pairs over random subsets of its domains, the
truth being that of all. These are a finite population, of which 30 domains are nearly half: intervals are
also tried narrowed by sqrt(1 - subset / all), as a sample without replacement has it.
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from perennial.schemas.beyondbench.things import SUITES
from perennial.tasks.beyondbench.registry import TASKS
from perennial.tasks.beyondbench.statistics import CellMean, bound_mean, estimate_cell, mean_of
from perennial.tasks.statistics.clusters import (
    ClusterDraw,
    Estimate,
    estimate_ratio,
    gap_interval,
    mean_interval,
    share_interval,
)
from perennial.tasks.statistics.correlation import (
    Corrected,
    Correlation,
    disattenuate,
    estimate_reliability,
    pearson,
)

Numbers = NDArray[np.float64]
_CORRELATION = 0.05  # of instances of a domain, as the release has it
_SUBSETS = (6, 12, 30)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.coverage")
    parser.add_argument("--draws", type=int, default=400, help="draws of each cell")
    parser.add_argument("--release", help="trajectories.parquet of the authors' release")
    chosen = parser.parse_args()
    for title, rows in (
        ("rates, clusters drawn (correlation .05): clusters x instances, p", drawn_rates(chosen.draws)),
        (
            "rates, domains fixed: domains x instances, mean p (rates of domains spread widely)",
            fixed_rates(chosen.draws),
        ),
        ("BeyondBench's nested means, instances per cell: easy, medium, hard, overall", nested(chosen.draws)),
        ("differences: clusters x instances, p of one and the other", differences(chosen.draws)),
        ("means of skewed values: clusters", skewed_means(chosen.draws)),
        (
            "correlations, 50 instances per side: models, truth; Pearson's, corrected; mean r; share with it",
            correlations(chosen.draws),
        ),
    ):
        print(title)
        for name, *covered in rows:
            print(f"  {name:<28}" + " ".join(f"{figure:.3f}" for figure in covered))
    if chosen.release:
        print("release: domains, rates of models and differences of pairs; the same narrowed; mean widths")
        for name, *figures in release_subsets(chosen.release, chosen.draws):
            print(f"  {name:<6}" + " ".join(f"{figure:.3f}" for figure in figures))


def hold(draws: int, draw: Callable[[], tuple[float, float]], truth: float) -> float:
    """Return the share of the drawn intervals that hold the truth."""
    ends = (draw() for _ in range(draws))
    return sum(low <= truth + 1e-12 and truth - 1e-12 <= high for low, high in ends) / draws


def draw_chances(generator: np.random.Generator, p: float, count: int) -> Numbers:
    """Return the chances of clusters: of mean p, instances of one being correlated by .05."""
    spread = 1 / _CORRELATION - 1
    return generator.beta(p * spread, (1 - p) * spread, count)


def drawn_rates(draws: int) -> Iterator[tuple[str, float]]:
    """Yield the coverage of rates over new clusters."""
    generator = np.random.default_rng(1)
    for clusters, size in ((5, 50), (6, 50), (12, 25), (20, 15), (40, 7), (100, 3)):
        cluster, n = np.repeat(np.arange(clusters), size), clusters * size
        for p in (0.02, 0.1, 0.5, 0.8, 0.98):

            def draw(
                p: float = p, clusters: int = clusters, cluster: Numbers = cluster, n: int = n
            ) -> tuple[float, float]:
                solved = generator.random(n) < draw_chances(generator, p, clusters)[cluster]
                return share_interval(
                    estimate_ratio(solved.astype(float), np.ones(n), ClusterDraw(cluster)), n
                )

            yield f"{clusters} x {size}, {p}", hold(draws, draw, p)


def fixed_rates(draws: int) -> Iterator[tuple[str, float]]:
    """Yield the coverage of rates over domains that stay; pairs of instances are one half the same."""
    generator = np.random.default_rng(2)
    for domains, pairs in ((5, 1), (5, 2), (5, 10), (5, 40), (44, 1), (44, 3), (44, 10)):
        cluster = np.repeat(np.arange(domains * pairs), 2)
        domain, n = cluster // pairs, domains * pairs * 2
        for p in (0.5, 0.9, 0.97):
            chances = generator.beta(p * 2, (1 - p) * 2, domains)

            def draw(
                chances: Numbers = chances, cluster: Numbers = cluster, domain: Numbers = domain, n: int = n
            ) -> tuple[float, float]:
                drawn = generator.random(n)
                same = generator.random(n // 2) < 0.5
                drawn[1::2] = np.where(same, drawn[::2], drawn[1::2])
                solved = (drawn < chances[domain]).astype(float)
                return share_interval(estimate_ratio(solved, np.ones(n), ClusterDraw(cluster, domain)), n)

            yield f"{domains} x {pairs} pairs, {p}", hold(draws, draw, float(chances.mean()))


def nested(draws: int) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield the coverage of the mean of each suite and of all three, of the registry's tasks and variations.

    Chances scatter by task, less by variation, and are drawn again for every tenth player.
    """
    generator = np.random.default_rng(8)
    counts = {
        suite: [len(task.variations) for task in TASKS.values() if task.suite == suite] for suite in SUITES
    }
    for instances in (1, 2, 3, 5, 10):
        held = []
        for number in range(draws):
            if number % 10 == 0:
                chances = {
                    suite: [
                        1 / (1 + np.exp(-generator.normal(0, 1.5) - 0.7 * generator.standard_normal(count)))
                        for count in counts[suite]
                    ]
                    for suite in SUITES
                }
            suites, truths = [], []
            for tasks in chances.values():
                means = [
                    mean_of([_draw_cell(generator, chance, instances) for chance in cells]) for cells in tasks
                ]
                suites.append(mean_of(means))
                truths.append(np.mean([cells.mean() for cells in tasks]))
            held.append([])
            for mean, truth in zip(
                (*suites, mean_of(suites)), (*truths, float(np.mean(truths))), strict=True
            ):
                bounds = bound_mean(mean, is_share=True)
                held[-1].append(bounds.low <= truth <= bounds.high)
        yield str(instances), *np.mean(held, axis=0).tolist()


def _draw_cell(generator: np.random.Generator, chance: float, instances: int) -> CellMean:
    return estimate_cell((generator.random(instances) < chance).astype(int), np.ones(instances, int))


def differences(draws: int) -> Iterator[tuple[str, float]]:
    """Yield the coverage of differences of two players on the same instances."""
    generator = np.random.default_rng(3)
    for clusters, size in ((6, 50), (12, 25), (40, 7), (20, 1), (50, 1), (150, 1), (300, 1)):
        cluster, n = np.repeat(np.arange(clusters), size), clusters * size
        for one, other in ((1.0, 0.99), (0.98, 0.95), (0.8, 0.7), (0.5, 0.5)):

            def draw(
                one: float = one,
                other: float = other,
                clusters: int = clusters,
                cluster: Numbers = cluster,
                n: int = n,
            ) -> tuple[float, float]:
                chances = [
                    np.ones(clusters) if p == 1 else draw_chances(generator, p, clusters)
                    for p in (one, other)
                ]
                solved = [(generator.random(n) < chance[cluster]).astype(float) for chance in chances]
                gaps = solved[0] - solved[1]
                estimate = estimate_ratio(gaps, np.ones(n), ClusterDraw(cluster))
                return gap_interval(estimate, float((gaps**2).mean())) or (-1, 1)

            yield f"{clusters} x {size}, {one} and {other}", hold(draws, draw, one - other)


def skewed_means(draws: int) -> Iterator[tuple[str, float]]:
    """Yield the coverage of means of skewed values, one per cluster, wherever they have an interval."""
    generator = np.random.default_rng(4)
    kinds: dict[str, tuple[float, Callable[[int], Numbers]]] = {
        "excess tests": (
            0.8,
            lambda n: (generator.random(n) < 0.4) * generator.geometric(0.5, n).astype(float),
        ),
        "action counts": (
            0.85 * 2.5 + 0.15 * 7,
            lambda n: np.where(generator.random(n) < 0.15, 7, generator.integers(1, 5, n)).astype(float),
        ),
        "exponential": (1.0, generator.standard_exponential),
    }
    for name, (mean, values) in kinds.items():
        for n in (3, 5, 6, 10, 20, 40):
            found = [
                mean_interval(estimate_ratio(values(n), np.ones(n), ClusterDraw()), 0) for _ in range(draws)
            ]
            known = [interval for interval in found if interval is not None]
            if known:
                yield f"{name}, {n}", sum(low <= mean <= high for low, high in known) / len(known)
            else:
                yield f"{name}, {n}: no interval", float("nan")


def correlations(draws: int) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield coverages of Pearson's interval and of that without chance, where there is one; mean r and share.

    Two settings of 50 instances each; abilities have a standard deviation of .4 logits, instances of 1.
    """
    generator = np.random.default_rng(6)
    for truth in (0.9, 0.0):
        for models in (5, 7, 10, 20):
            found = [_correlate(generator, models, truth) for _ in range(draws)]
            free = [corrected for _, corrected in found if corrected.low is not None]
            held = [one.low is not None and one.low <= truth <= (one.high or 0) for one, _ in found]
            freely = [one.low <= truth <= (one.high or 0) for one in free if one.low is not None]
            means = (float(np.mean(of)) for of in (held, freely, [one.r or 0 for one, _ in found]))
            yield f"{models} models, {truth}", *means, len(free) / draws


def _correlate(generator: np.random.Generator, models: int, truth: float) -> tuple[Correlation, Corrected]:
    ability = generator.standard_normal((2, models))
    ability[1] = truth * ability[0] + (1 - truth**2) ** 0.5 * ability[1]
    difficulty = generator.standard_normal((2, 1, 50))
    chances = 1 / (1 + np.exp(difficulty - 0.4 * ability[:, :, None]))
    solved = (generator.random(chances.shape) < chances).astype(float)
    linear = pearson(*(side.mean(axis=1).tolist() for side in solved))
    return linear, disattenuate(linear, *(estimate_reliability(side, ClusterDraw()) for side in solved))


def release_subsets(path: str, draws: int) -> Iterator[tuple[str, float, float, float, float, float, float]]:
    """Yield, for each number of domains, the coverage of rates and of differences, and their mean widths."""
    rates = read_rates(path)  # models x domains x instances
    truths = np.nanmean(np.nanmean(rates, axis=2), axis=1)
    generator = np.random.default_rng(5)
    pairs = [(i, (i + 1 + i // 2) % len(rates)) for i in range(len(rates))]
    pairs = [(i, j) for i, j in pairs if i != j]
    for number in _SUBSETS:
        narrower = (1 - number / rates.shape[1]) ** 0.5
        found: tuple[list[tuple[bool, bool, float]], ...] = ([], [])
        for _ in range(draws // 2):
            part = rates[:, generator.choice(rates.shape[1], number, replace=False)]
            for model, truth in zip(part, truths, strict=True):
                estimate, runs = _estimate(model)
                found[0].append(_judge(estimate.ratio, share_interval(estimate, runs), truth, narrower))
            for i, j in pairs:
                gaps = part[i] - part[j]
                estimate, _ = _estimate(gaps)
                interval = gap_interval(estimate, float(np.nanmean(gaps**2))) or (-1.0, 1.0)
                found[1].append(_judge(estimate.ratio, interval, truths[i] - truths[j], narrower))
        means = [np.mean(of, axis=0) for of in found]
        yield (str(number), *(float(mean[place]) for place in range(3) for mean in means))


def _judge(
    value: float, interval: tuple[float, float], truth: float, narrower: float
) -> tuple[bool, bool, float]:
    """Return whether the interval, and a narrower one, hold the truth, and its width."""
    low, high = interval
    inner = value - narrower * (value - low), value + narrower * (high - value)
    return low <= truth <= high, inner[0] <= truth <= inner[1], high - low


def _estimate(values: Numbers) -> tuple[Estimate, float]:
    """Return the estimate of domains x instances, and the number of runs."""
    known = ~np.isnan(values)
    cluster = np.nonzero(known)[0]
    return estimate_ratio(values[known], np.ones(len(cluster)), ClusterDraw(cluster)), 5.0 * len(cluster)


def read_rates(path: str) -> Numbers:
    """Return the share of solved runs by model, domain and instance (Easy), nan where there are none.

    Only models that played nearly all instances.
    """
    import duckdb

    rows = duckdb.execute(
        "SELECT model, domain, seed, avg(success::INT) FROM read_parquet($path) "
        "WHERE n_truths = 4 AND n_actions = 6 AND agent = 'VanillaAgent' GROUP BY ALL",
        {"path": path},
    ).fetchnumpy()
    places = [
        np.unique(np.asarray(rows[name], str), return_inverse=True) for name in ("model", "domain", "seed")
    ]
    rates = np.full([len(names) for names, _ in places], np.nan)
    rates[tuple(place for _, place in places)] = next(v for k, v in rows.items() if k.startswith("avg"))
    full: Numbers = rates[np.isnan(rates).mean(axis=(1, 2)) < 0.02]
    return full[:, ~np.isnan(full).all(axis=2).any(axis=0)]


if __name__ == "__main__":
    main()
