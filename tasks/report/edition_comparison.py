"""Two editions compared by the players and settings that both have.

No instance is ever in two editions, so their rates are independent; what they may share are domains,
on which a player's rates are paired.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from schemas.ids import derive_seed
from tasks.report.content import Comparison, Record, ReportData, ReportTable
from tasks.statistics.multiplicity import holm

KEY = "edition_comparison"
_RESAMPLES = 9_999
_FEWEST_DOMAINS = 2
COLUMNS = (
    "setting",
    "player",
    "success_rate",
    "low",
    "high",
    "other_success_rate",
    "other_low",
    "other_high",
    "difference",
    "difference_low",
    "difference_high",
    "shared_domains",
    "mean_difference_by_domain",
    "p_value",
    "p_holm",
)


@dataclass(frozen=True, slots=True)
class Rate:
    """A success rate and its 95% interval, where it is known."""

    value: float
    low: float | None
    high: float | None


def comparison_table(data: ReportData, other: Comparison) -> ReportTable:
    """Return a row for each setting and player that both editions have, in the order of the headline.

    `difference` is this edition's rate minus the other's, with the interval of `difference_interval`;
    `p_value` is that of `sign_flip_p` over shared domains, `p_holm` the same after Holm's correction.
    """
    domains, other_domains = data.tables["domains"], other.domains
    others = {(row["setting"], row["player"]): _rate(row) for row in other.headline.records()}
    rows = []
    p_values = []
    for record in data.tables["headline"].records():
        rate, other_rate = _rate(record), others.get((record["setting"], record["player"]))
        if rate is None or other_rate is None:
            continue
        differences = _domain_differences(record["setting"], record["player"], domains, other_domains)
        mean = sum(differences) / len(differences) if differences else None
        p_values.append(sign_flip_p(differences))
        interval = difference_interval(rate, other_rate) or (None, None)
        rows.append(
            (
                record["setting"],
                record["player"],
                *(rate.value, rate.low, rate.high),
                *(other_rate.value, other_rate.low, other_rate.high),
                rate.value - other_rate.value,
                *interval,
                len(differences),
                mean,
            )
        )
    corrected = holm(p_values)
    whole = tuple((*row, p, q) for row, p, q in zip(rows, p_values, corrected, strict=True))
    computed = f"Joined with the rows of edition {data.edition} by setting and player."
    return ReportTable(KEY, COLUMNS, whole, other.headline.sql, computed)


def difference_interval(rate: Rate, other: Rate) -> tuple[float, float] | None:
    """Return the 95% interval of `rate - other` for independent rates; None where one has no interval.

    d -+ the root of summed squared distances from each rate to the end of its interval that counts:
    G. Y. Zou and A. Donner, Construction of confidence limits about effect measures, Statistics in
    Medicine 27 (2008) 1693-1702.
    """
    if rate.low is None or rate.high is None or other.low is None or other.high is None:
        return None
    difference = rate.value - other.value
    below = sqrt((rate.value - rate.low) ** 2 + (other.high - other.value) ** 2)
    above = sqrt((rate.high - rate.value) ** 2 + (other.value - other.low) ** 2)
    return difference - below, difference + above


def sign_flip_p(differences: Sequence[float]) -> float | None:
    """Return the two-sided p of paired differences when their signs are as good as any others.

    Exact for up to 13 differences, by 9,999 seeded draws beyond; 1 where all are 0; None for fewer than two.
    """
    if len(differences) < _FEWEST_DOMAINS:
        return None
    if not any(differences):
        return 1.0
    import numpy as np
    from scipy.stats import permutation_test

    found = permutation_test(
        (np.asarray(differences),),
        lambda sample, axis: np.mean(sample, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=_RESAMPLES,
        rng=np.random.default_rng(derive_seed(0, "sign_flip", len(differences))),
    )
    return float(found.pvalue)


def _rate(record: Record) -> Rate | None:
    value = record["success_rate"]
    return None if value is None else Rate(value, record["success_rate_low"], record["success_rate_high"])


def _domain_differences(
    setting: str, player: str, domains: ReportTable, other_domains: ReportTable
) -> list[float]:
    one, other = (_by_domain(setting, player, table) for table in (domains, other_domains))
    return [one[domain] - other[domain] for domain in sorted(one.keys() & other.keys())]


def _by_domain(setting: str, player: str, table: ReportTable) -> dict[str, float]:
    return {
        row["domain"]: row["success_rate"]
        for row in table.records()
        if (row["setting"], row["player"]) == (setting, player) and row["success_rate"] is not None
    }
