"""Figures of KnowLogic: accuracy by the labels of questions, errors, tokens, languages paired."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.knowlogic.things import DIFFICULTIES, DOMAINS, ERROR_CLASSES, LANGUAGES
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.clusters import (
    FEW,
    LEVEL,
    Interval,
    exact_interval,
    is_near_an_end,
    ratio_and_error,
)
from perennial.tasks.statistics.correlation import PEARSON_METHOD, SPEARMAN_METHOD, pearson, spearman
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rate_figures import mcnemar_p, rates_in_units

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers


# Means over questions with intervals in which a pair counts once: its two texts are no independent draws.


METHOD = "R -+ t s(R), not below 0, pairs being clusters (t of their number - 1)"
EXACT = f"Clopper-Pearson over pairs where fewer than {FEW} pairs' worth is one or the other"
GAP_METHOD = (
    f"mean -+ t s / sqrt(n); where fewer than {FEW} pairs' worth differ, Clopper-Pearson of gains and of "
    "losses joined by the squares of their arms"
)


class QuestionMean(NamedTuple):
    """A mean over `n` questions with its 95% interval, None where that is undefined."""

    n: int
    value: float
    interval: Interval | None


class Clusters(NamedTuple):
    """Of each pair the sum of its questions' values and their number."""

    sums: "Numbers"
    sizes: "Numbers"


def cluster(values: "Numbers", pair: "Column") -> Clusters:
    """Return the clusters of values whose pairs are these; those of one pair stand side by side."""
    import numpy as np

    starts = np.flatnonzero(np.r_[True, pair[1:] != pair[:-1]])
    return Clusters(np.add.reduceat(values, starts), np.diff(np.r_[starts, len(values)]).astype(float))


def estimate_mean(
    totals: "Column", numbers: "Column", pair: "Column", *, is_share: bool
) -> QuestionMean | None:
    """Return the mean over questions of totals / numbers, which are counts; None where all numbers are 0.

    The unit is the question: each weighs the same, however often it was run. Of a share near 0 or 1 the
    interval is Clopper and Pearson's, as if a pair were one trial: where both texts of every pair are
    solved, they say no more than one of them.
    """
    counted = numbers > 0
    if not counted.any():
        return None
    rates, unit = rates_in_units(totals[counted], numbers[counted])
    sums, sizes = cluster(rates, pair[counted])
    value = float(sums.sum()) / (unit * len(rates))
    return QuestionMean(len(rates), value, _interval(Clusters(sums / unit, sizes), value, is_share))


def _interval(clusters: Clusters, value: float, is_share: bool) -> Interval | None:
    n = len(clusters.sums)
    if is_share and is_near_an_end(value * n, n):
        return exact_interval(value * n, n)
    if n < 2:
        return None
    half = _quantile(n - 1) * ratio_and_error(*clusters)[1]
    low, high = value - half, value + half
    return max(0.0, low), min(1.0, high) if is_share else high


def interval_of_average(parts: "Sequence[tuple[Numbers, Column]]", value: float) -> Interval:
    """Return the interval of the unweighted mean of cells (domain x language) whose value this is.

    A part is a domain: of each of its questions (x - m) / (C n), x being the question's value, m and n mean
    and number of its cell, C the number of cells; and its pair, those of a pair side by side. The variance
    of a domain is that of sums over pairs, and domains share no pair: the interval is normal. Near 0 and 1
    it is Clopper and Pearson's, a pair being one trial.
    """
    n, variance = 0, 0.0
    for deviations, pair in parts:
        sums = cluster(deviations, pair).sums
        n += len(sums)
        variance += float((sums**2).sum()) * len(sums) / max(1, len(sums) - 1)
    if is_near_an_end(value * n, n):
        return exact_interval(value * n, n)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(variance)
    return max(0.0, value - half), min(1.0, value + half)


def interval_of_gap(gaps: "Numbers") -> Interval:
    """Return the interval of the mean of differences in -1..1, one per pair.

    Where fewer than 10 pairs' worth differ, Student's interval is too narrow, and a point where none does:
    there gains p and losses q each have Clopper and Pearson's interval, and the arms of p - q are the
    roots of the sums of squares of theirs (G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008)
    1693-1702). Of 60 pairs without a difference that is [-0.060, 0.060].
    """
    import numpy as np

    n, mean = len(gaps), float(gaps.mean())
    if float(np.abs(gaps).sum()) >= FEW:
        half = _quantile(n - 1) * float(gaps.std(ddof=1)) / sqrt(n)
        return max(-1.0, mean - half), min(1.0, mean + half)
    totals = float(gaps[gaps > 0].sum()), float(-gaps[gaps < 0].sum())
    (gain, (gain_low, gain_high)), (loss, (loss_low, loss_high)) = (
        (total / n, exact_interval(total, n)) for total in totals
    )
    low = mean - sqrt((gain - gain_low) ** 2 + (loss_high - loss) ** 2)
    high = mean + sqrt((gain_high - gain) ** 2 + (loss - loss_low) ** 2)
    return max(-1.0, low), min(1.0, high)


def _quantile(degrees: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + LEVEL) / 2))


# The questions of an edition as columns, and the groups of them that figures are of.


# What accuracy is grouped by, and whether the groups are also made of all domains together: scenarios,
# properties and relations are named within a domain, and levels of two domains are no values of one formula.
LABELS = {
    "scenario": False,
    "type": True,
    "precision": True,
    "right_letters": True,
    "chain_length": True,
    "slots": True,
    "slots_precision": True,
    "level": False,
    "property": False,
    "relation": False,
}
# By which a question counts as many times as it has of them.
LISTS = ("property", "relation")


@dataclass(frozen=True, slots=True)
class QuestionColumns:
    """The questions of an edition, an element each, sorted by pair: those of one pair stand side by side.

    `labels` has for each of `LABELS` the values of each question: none where it is unknown, and several
    where it uses several properties. `level` is nan where it is unknown.
    """

    pair: "Column"
    language: "Column"
    domain: "Column"
    difficulty: "Column"
    level: "Column"
    labels: Mapping[str, Sequence[Sequence[str]]]

    def __len__(self) -> int:
        return len(self.pair)


class QuestionGroup(NamedTuple):
    """Some questions: their places, and setting (difficulty), domain, language and label that they share."""

    setting: str
    domain: str
    language: str
    value: str
    rows: "Column"


def cells_of(
    questions: QuestionColumns, settings: Sequence[str] = (ALL, *DIFFICULTIES)
) -> Iterator[QuestionGroup]:
    """Yield the questions of each difficulty, domain and language, and of all of them; empty ones not."""
    import numpy as np

    for setting in settings:
        of_setting = _all_or(questions.difficulty, setting)
        for domain in (ALL, *DOMAINS):
            of_domain = of_setting & _all_or(questions.domain, domain)
            for language in (ALL, *LANGUAGES):
                rows = np.flatnonzero(of_domain & _all_or(questions.language, language))
                if len(rows):
                    yield QuestionGroup(setting, domain, language, "", rows)


def labelled_groups(questions: QuestionColumns, label: str) -> Iterator[QuestionGroup]:
    """Yield the questions of each value of a label, by domain (and in all, see `LABELS`) and language."""
    import numpy as np

    by_value: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, (domain, values) in enumerate(
        zip(questions.domain.tolist(), questions.labels[label], strict=True)
    ):
        for value in dict.fromkeys(values):
            by_value[domain, value].append(row)
            if LABELS[label]:
                by_value[ALL, value].append(row)
    for (domain, value), listed in sorted(by_value.items()):
        rows = np.array(listed)
        for language in (ALL, *LANGUAGES):
            chosen = rows[_all_or(questions.language, language)[rows]]
            if len(chosen):
                yield QuestionGroup(ALL, domain, language, value, chosen)


def _all_or(column: "Column", value: str) -> "Column":
    import numpy as np

    return np.ones(len(column), bool) if value == ALL else column == value


# The two languages on the same questions: a pair is as hard in one as in the other, but for its language.
#
# Only pairs count in both of whose texts the player has a scored run.


DIFFERENCE, PAIRED_ACCURACY = "language_difference", "paired_accuracy"
MCNEMAR, MCNEMAR_IN_DOMAIN = "language_mcnemar", "language_mcnemar_in_domain"
_ONE, _OTHER = LANGUAGES
_DIFFERENCE = (
    f"mean over pairs of accuracy in {_ONE} minus accuracy in {_OTHER}; {GAP_METHOD}; n counts pairs"
)
_ACCURACY = (
    f"accuracy in one language on the pairs with scored runs in both; {METHOD}; {EXACT}; n counts pairs"
)
_MCNEMAR = (
    f"share solved in {_ONE} of the pairs solved in one language alone, by the majority of runs; "
    "McNemar exact, two-sided; n counts these pairs"
)


def language_figures(
    questions: QuestionColumns, player: str, columns: "Mapping[str, Column]"
) -> Iterator[Statistic]:
    """Yield the player's paired comparison in all domains and in each: difference, accuracies, McNemar."""
    import numpy as np

    runs, solved = columns["runs"], columns["solved"]
    played = {name: np.flatnonzero((questions.language == name) & (runs > 0)) for name in LANGUAGES}
    pair_one, pair_other = (questions.pair[played[name]] for name in LANGUAGES)
    _, shared_one, other = np.intersect1d(pair_one, pair_other, return_indices=True)
    rows = {_ONE: played[_ONE][shared_one], _OTHER: played[_OTHER][other]}
    for domain in (ALL, *DOMAINS):
        chosen = np.ones(len(shared_one), bool) if domain == ALL else questions.domain[rows[_ONE]] == domain
        if not chosen.any():
            continue
        here = {name: indices[chosen] for name, indices in rows.items()}
        cell = ALL, domain, player, int(chosen.sum())
        rates = {name: solved[indices] / runs[indices] for name, indices in here.items()}
        gaps = rates[_ONE] - rates[_OTHER]
        low, high = interval_of_gap(gaps)
        yield Statistic(DIFFERENCE, *cell, float(gaps.mean()), _DIFFERENCE, low=low, high=high)
        for name, indices in here.items():
            estimate = estimate_mean(solved[indices], runs[indices], questions.pair[indices], is_share=True)
            assert estimate is not None
            assert estimate.interval is not None
            low, high = estimate.interval
            yield Statistic(PAIRED_ACCURACY, *cell, estimate.value, _ACCURACY, other=name, low=low, high=high)
        labels = {name: 2 * solved[indices] > runs[indices] for name, indices in here.items()}
        only_one = int((labels[_ONE] & ~labels[_OTHER]).sum())
        only_other = int((labels[_OTHER] & ~labels[_ONE]).sum())
        discordant = only_one + only_other
        # One question a reader asks, one family of tests: over all domains, and domain by domain.
        yield Statistic(
            MCNEMAR if domain == ALL else MCNEMAR_IN_DOMAIN,
            *(ALL, domain, player, discordant, only_one / discordant if discordant else None, _MCNEMAR),
            p_value=mcnemar_p(only_one, only_other),
        )


# Tokens of replies against difficulty, right and wrong replies apart (the paper's appendix G, figure 12).
#
# Levels of two domains are values of different formulas: a correlation with the level is of one domain.


TOKENS = "reply_tokens"
PEARSON, SPEARMAN = "tokens_level_pearson", "tokens_level_spearman"
_MEASURES = ((PEARSON, PEARSON_METHOD, pearson), (SPEARMAN, SPEARMAN_METHOD, spearman))
# Which replies: the columns of their tokens and numbers that are added.
REPLIES = {"all": ("right", "wrong"), "right": ("right",), "wrong": ("wrong",)}


def token_figures(
    questions: QuestionColumns,
    player: str,
    columns: "Mapping[str, Column]",
    groups: Sequence[QuestionGroup],
    bands: Sequence[QuestionGroup],
) -> Iterator[Statistic]:
    """Yield mean tokens of the player's replies in each group and band of the level; their correlation."""
    for which, parts in REPLIES.items():
        totals = sum((columns[f"{part}_tokens"] for part in parts[1:]), columns[f"{parts[0]}_tokens"])
        numbers = sum((columns[f"{part}_replies"] for part in parts[1:]), columns[f"{parts[0]}_replies"])
        if not numbers.any():
            continue  # a program, or a person
        for group in (*groups, *bands):
            statistic = f"{TOKENS}_by_level" if group.value else TOKENS
            rows, other = group.rows, "/".join(filter(None, (group.language, which, group.value)))
            estimate = estimate_mean(totals[rows], numbers[rows], questions.pair[rows], is_share=False)
            if estimate is None:
                continue
            low, high = estimate.interval or (None, None)
            position = group.setting, group.domain, player, estimate.n, estimate.value
            method = (
                f"tokens of a reply with its reasoning, {which} replies: mean over questions of the mean "
                f"over runs; {METHOD}; n counts questions"
            )
            yield Statistic(statistic, *position, method, other=other, low=low, high=high)
            if group.setting == ALL and group.domain != ALL and not group.value:
                yield from _correlations(questions, player, group, other, totals, numbers)


def _correlations(
    questions: QuestionColumns,
    player: str,
    group: QuestionGroup,
    other: str,
    totals: "Column",
    numbers: "Column",
) -> Iterator[Statistic]:
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
        correlation = measure(level.tolist(), tokens.tolist())
        if correlation.r is not None:
            yield Statistic(
                statistic,
                *(group.setting, group.domain, player, correlation.n, correlation.r),
                f"mean tokens of the replies to a pair and its level; {method}; n counts pairs",
                other=other,
                low=correlation.low,
                high=correlation.high,
                p_value=correlation.p_value,
            )


# Figures of players by the labels of questions: accuracy, unextracted rate, error classes.
#
# `setting` is the difficulty, `domain` the domain. `other` is the language, empty for both together; of
# accuracy by a label it is `LANGUAGE/VALUE`, of tokens `LANGUAGE/WHICH`, with language `all` for both. A
# question that a player has no scored run on is in none of its figures: `n` says how many are.


_MEAN = "mean over questions of the mean over scored runs"
_AVERAGE = (
    "unweighted mean of the cells, domain x language, of the edition; normal interval with the variance "
    f"between pairs of each domain; {EXACT}; n counts questions"
)


class RunShare(NamedTuple):
    """A share of scored runs: its statistic, the column that counts it, and what it is."""

    statistic: str
    total: str
    what: str


ACCURACY = RunShare("accuracy", "solved", "share of scored runs whose letters are all right and no others")
QUANTITIES = (
    ACCURACY,
    RunShare("unextracted_rate", "unread", "share of scored runs from which no letters were read"),
    *(
        RunShare(f"error_{name}", name, f"share of scored runs whose letters are wrong, and class: {name}")
        for name in ERROR_CLASSES
    ),
)
LENIENT = RunShare(
    "lenient_accuracy", "lenient", "share of scored runs whose letters are all right by the lenient reading"
)
_TELLING = 0.01  # From this difference between both readings on, of any player, the lenient one is shown.
COUNTS = (
    *("runs", "solved", "unread", "lenient", *ERROR_CLASSES),
    *("right_tokens", "right_replies", "wrong_tokens", "wrong_replies"),
)


class PlayedQuestions(NamedTuple):
    """What a player did: columns of counts (`COUNTS`), one element per question of the edition."""

    player: str
    columns: "Mapping[str, Column]"


def question_figures(questions: QuestionColumns, players: Iterable[PlayedQuestions]) -> Iterator[Statistic]:
    """Yield all figures of the players."""
    cells = list(cells_of(questions))
    labelled = {label: list(labelled_groups(questions, label)) for label in LABELS}
    whole = [group for group in cells if group.setting == ALL]
    players = list(players)
    quantities = (*QUANTITIES, LENIENT) if any(map(_readings_differ, players)) else QUANTITIES
    for played in players:
        for quantity in quantities:
            for group in cells:
                other = "" if group.language == ALL else group.language
                yield from _share(questions, played, quantity, group, quantity.statistic, other)
        for label, groups in labelled.items():
            for group in groups:
                other = f"{group.language}/{group.value}"
                yield from _share(questions, played, ACCURACY, group, f"accuracy_by_{label}", other)
        yield from _average(questions, played, whole)
        yield from token_figures(questions, played.player, played.columns, cells, labelled["level"])
        yield from language_figures(questions, played.player, played.columns)


def _readings_differ(played: PlayedQuestions) -> bool:
    columns = played.columns
    return bool((columns["lenient"] - columns["solved"]).sum() > _TELLING * columns["runs"].sum())


def _share(
    questions: QuestionColumns,
    played: PlayedQuestions,
    quantity: RunShare,
    group: QuestionGroup,
    statistic: str,
    other: str,
) -> Iterator[Statistic]:
    rows, columns = group.rows, played.columns
    estimate = estimate_mean(
        columns[quantity.total][rows], columns["runs"][rows], questions.pair[rows], is_share=True
    )
    if estimate is not None:
        low, high = estimate.interval or (None, None)
        position = group.setting, group.domain, played.player, estimate.n, estimate.value
        method = f"{quantity.what}: {_MEAN}; {METHOD}; {EXACT}; n counts questions"
        yield Statistic(statistic, *position, method, other=other, low=low, high=high)


def _average(
    questions: QuestionColumns, played: PlayedQuestions, groups: Iterable[QuestionGroup]
) -> Iterator[Statistic]:
    """Yield the mean of the paper's table 5, for a player with a scored run in each of its cells."""
    import numpy as np

    cells = [group for group in groups if ALL not in (group.domain, group.language)]
    runs, solved = played.columns["runs"], played.columns["solved"]
    scored = [group.rows[runs[group.rows] > 0] for group in cells]
    if not cells or not all(map(len, scored)):
        return
    deviations = np.zeros(len(questions))
    means = []
    for rows in scored:
        rates, unit = rates_in_units(solved[rows], runs[rows])
        mean = float(rates.sum()) / (unit * len(rows))
        deviations[rows] = (rates / unit - mean) / (len(cells) * len(rows))
        means.append(mean)
    parts = []
    for domain in dict.fromkeys(group.domain for group in cells):
        rows = np.flatnonzero((questions.domain == domain) & (runs > 0))
        parts.append((deviations[rows], questions.pair[rows]))
    value = fsum(means) / len(means)
    low, high = interval_of_average(parts, value)
    n = sum(map(len, scored))
    yield Statistic(
        statistic="average",
        setting=ALL,
        domain=ALL,
        player=played.player,
        n=n,
        value=value,
        method=_AVERAGE,
        low=low,
        high=high,
    )
