"""Tokens of replies against difficulty, right and wrong replies apart (the paper's appendix G, figure 12).

Levels of two domains are values of different formulas: a correlation with the level is of one domain.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from perennial.tasks.knowlogic.statistics.estimates import METHOD, cluster, estimate_mean
from perennial.tasks.knowlogic.statistics.questions import Group, Questions
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.correlation import PEARSON_METHOD, SPEARMAN_METHOD, pearson, spearman
from perennial.tasks.statistics.figure import Figure

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column

TOKENS = "reply_tokens"
PEARSON, SPEARMAN = "tokens_level_pearson", "tokens_level_spearman"
_MEASURES = ((PEARSON, PEARSON_METHOD, pearson), (SPEARMAN, SPEARMAN_METHOD, spearman))
# Which replies: the columns of their tokens and numbers that are added.
REPLIES = {"all": ("right", "wrong"), "right": ("right",), "wrong": ("wrong",)}


def token_figures(
    questions: Questions,
    player: str,
    columns: "Mapping[str, Column]",
    groups: Sequence[Group],
    bands: Sequence[Group],
) -> Iterator[Figure]:
    """Yield mean tokens of the player's replies in each group and band of the level; their correlation."""
    for which, parts in REPLIES.items():
        totals = sum((columns[f"{part}_tokens"] for part in parts[1:]), columns[f"{parts[0]}_tokens"])
        numbers = sum((columns[f"{part}_replies"] for part in parts[1:]), columns[f"{parts[0]}_replies"])
        if not numbers.any():
            continue  # a program, or a person
        for group in (*groups, *bands):
            statistic = f"{TOKENS}_by_level" if group.value else TOKENS
            rows, other = group.rows, "/".join(filter(None, (group.language, which, group.value)))
            found = estimate_mean(totals[rows], numbers[rows], questions.pair[rows], is_share=False)
            if found is None:
                continue
            low, high = found.interval or (None, None)
            place = group.setting, group.domain, player, found.n, found.value
            method = (
                f"tokens of a reply with its reasoning, {which} replies: mean over questions of the mean "
                f"over runs; {METHOD}; n counts questions"
            )
            yield Figure(statistic, *place, method, other=other, low=low, high=high)
            if group.setting == ALL and group.domain != ALL and not group.value:
                yield from _correlations(questions, player, group, other, totals, numbers)


def _correlations(
    questions: Questions, player: str, group: Group, other: str, totals: "Column", numbers: "Column"
) -> Iterator[Figure]:
    import numpy as np

    rows = group.rows[(numbers[group.rows] > 0) & ~np.isnan(questions.level[group.rows])]
    if not len(rows):
        return
    pair = questions.pair[rows]
    tokens, level = (
        sums / sizes
        for sums, sizes in (cluster(totals[rows] / numbers[rows], pair), cluster(questions.level[rows], pair))
    )
    for statistic, method, measure in _MEASURES:
        found = measure(level.tolist(), tokens.tolist())
        if found.r is not None:
            yield Figure(
                statistic,
                *(group.setting, group.domain, player, found.n, found.r),
                f"mean tokens of the replies to a pair and its level; {method}; n counts pairs",
                other=other,
                low=found.low,
                high=found.high,
                p_value=found.p_value,
            )
