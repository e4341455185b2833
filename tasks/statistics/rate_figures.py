"""The rates of every player in every setting and domain: solved, actions, attempts, statuses, tokens, cost.

A rate is the mean over instances of the mean over runs: an instance weighs the same, however often it was
tried. Intervals resample whole instances, all groups at once; the majority label is a plain proportion of
instances and has Wilson's interval.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

from schemas.game import EPISODE_STATUSES, EpisodeStatus
from tasks.statistics.attempts import pass_at_k, pass_hat_k
from tasks.statistics.cells import Cell, Group
from tasks.statistics.figure import Figure
from tasks.statistics.intervals import METHOD, WILSON_METHOD, intervals_of_sums, wilson_interval


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over instances of the mean over runs: its sum and its number of episodes on each instance."""

    statistic: str
    of: Callable[[Any], tuple[float, int]]
    convention: str = "any"


def _share(status: EpisodeStatus) -> Callable[[Cell], tuple[float, int]]:
    """Return the count of a status among all attempted episodes, API errors included."""
    return lambda cell: (cell.statuses.get(status, 0), cell.attempted)


_MEANS = (
    Mean("success_rate", lambda cell: (cell.solved, cell.runs)),
    Mean("mean_score", lambda cell: (cell.score, cell.runs)),
    Mean("mean_tokens", lambda cell: (cell.tokens, cell.runs_with_tokens)),
    Mean("mean_cost_usd", lambda cell: (cell.cost_usd, cell.runs_with_cost)),
    *(Mean(f"status_{status}", _share(status)) for status in EPISODE_STATUSES),
)
_PROPORTION = f"{WILSON_METHOD}; n counts instances"


def rate_figures(
    groups: Mapping[Group, Sequence[Cell]], seed: int, own: Sequence[Mean] = ()
) -> Iterator[Figure]:
    """Yield the figures of every group (setting, domain, player) of cells; `own` are a benchmark's means."""
    yield from _means(groups, seed, (*_MEANS, *own))
    for group, cells in groups.items():
        yield from _attempts(group, cells)


def _means(groups: Mapping[Group, Sequence[Cell]], seed: int, means: Sequence[Mean]) -> Iterator[Figure]:
    wanted = [(group, mean, *_sums(mean, cells)) for group, cells in groups.items() for mean in means]
    intervals = intervals_of_sums([(sums, sizes) for _, _, sums, sizes, _ in wanted], seed)
    for ((setting, domain, player), mean, sums, sizes, number), interval in zip(
        wanted, intervals, strict=True
    ):
        if not sizes and mean.statistic in ("mean_tokens", "mean_cost_usd"):
            continue  # nothing is known of players that are no models
        low, high = interval or (None, None)
        yield Figure(
            statistic=mean.statistic,
            convention=mean.convention,
            setting=setting,
            domain=domain,
            player=player,
            n=number,
            value=sum(sums) / sum(sizes) if sizes else None,
            low=low,
            high=high,
            method=f"{METHOD}; n counts episodes",
        )


def _sums(mean: Mean, cells: Sequence[Cell]) -> tuple[list[float], list[float], int]:
    """Return sums and sizes by instance, all of one size, and the number of episodes.

    The size is the least common multiple of all numbers of runs, so that whole sums stay whole and exact.
    """
    known = [(total, number) for total, number in map(mean.of, cells) if number]
    unit = lcm(*(number for _, number in known))
    sums = [float(total * (unit // number)) for total, number in known]
    return sums, [float(unit)] * len(known), sum(number for _, number in known)


def _attempts(group: Group, cells: Sequence[Cell]) -> Iterator[Figure]:
    """Yield the majority label and, for the number of runs that all instances have, pass@k and pass^k."""
    setting, domain, player = group
    scored = [cell for cell in cells if cell.runs]
    if not scored:
        return
    solved = sum(cell.has_majority for cell in scored)
    low, high = wilson_interval(solved, len(scored)) or (None, None)
    yield Figure(
        "majority_success",
        setting,
        domain,
        player,
        len(scored),
        solved / len(scored),
        f"solved in more than half of its runs; {_PROPORTION}",
        low=low,
        high=high,
    )
    runs = min(cell.runs for cell in scored)
    for k in range(2, runs + 1):
        for name, measure in (("pass_at", pass_at_k), ("pass_hat", pass_hat_k)):
            values = [measure(cell.runs, cell.solved, k) for cell in scored]
            yield Figure(
                f"{name}_{k}",
                setting,
                domain,
                player,
                len(values),
                sum(values) / len(values),
                "mean over instances; n counts instances",
            )
