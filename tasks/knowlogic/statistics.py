"""Figures of KnowLogic: accuracy by the labels of questions, errors, tokens, languages paired."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import NamedTuple

import numpy as np

from perennial.schemas.knowlogic.things import DIFFICULTIES, DOMAINS, ERROR_CLASSES, LANGUAGES
from perennial.schemas.statistics import THESE_DOMAINS
from perennial.tasks.statistics.cells import ALL, Column
from perennial.tasks.statistics.clusters import (
    GAP_METHOD,
    MEAN_METHOD,
    SHARE_METHOD,
    ClusterDraw,
    PopulationInterval,
    bound_ratio,
    estimate_gap,
)
from perennial.tasks.statistics.correlation import PEARSON_METHOD, SPEARMAN_METHOD, pearson, spearman
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rank_figures import mcnemar_p
from perennial.tasks.statistics.rate_figures import rates_in_units

# Means over questions with intervals in which a pair counts once: its two texts are no independent draws.
#
# They are the shared ones of these domains (`perennial.tasks.statistics.clusters`), pairs being the clusters.

_PAIRS = "pairs being clusters in domains that stay"
METHOD = f"{SHARE_METHOD}; {_PAIRS}"


class QuestionMean(NamedTuple):
    """A mean over `n` questions with its 95% interval."""

    n: int
    value: float
    bounds: PopulationInterval


def estimate_mean(
    questions: "QuestionColumns", rows: Column, totals: Column, numbers: Column, *, is_share: bool
) -> QuestionMean | None:
    """The mean over the questions in these rows of totals / numbers; None where all numbers are 0.

    Both are counts, one per question. The unit is the question: each weighs the same, however often it was
    run.
    """
    rows = rows[numbers[rows] > 0]
    if not len(rows):
        return None
    scaled, unit = rates_in_units(totals[rows], numbers[rows])
    rates, pair, domain = scaled / unit, questions.pair[rows], questions.domain_number[rows]
    runs = float(numbers[rows].sum()) if is_share else None
    bounds = bound_ratio(rates, rates * 0 + 1, ClusterDraw(pair, domain), THESE_DOMAINS, runs, least=0)
    return QuestionMean(len(rows), float(scaled.sum()) / (unit * len(rows)), bounds)


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
    "level_class": False,
    "property": False,
    "relation": False,
}
# By which a question counts as many times as it has of them.
LISTS = ("property", "relation")


@dataclass(frozen=True)
class QuestionColumns:
    """The questions of an edition, an element each, sorted by pair: those of one pair stand side by side.

    `labels` has for each of `LABELS` the values of each question: none where it is unknown, and several
    where it uses several properties. `level` is nan where it is unknown.
    """

    pair: Column
    language: Column
    domain: Column
    difficulty: Column
    level: Column
    labels: Mapping[str, Sequence[Sequence[str]]]

    def __len__(self) -> int:
        return len(self.pair)

    @cached_property
    def domain_number(self) -> Column:
        """The domains as numbers from 0."""
        return np.unique(self.domain, return_inverse=True)[1]


class QuestionGroup(NamedTuple):
    """Some questions: their places, and setting (difficulty), domain, language and label that they share."""

    setting: str
    domain: str
    language: str
    value: str
    rows: Column


def cells_of(
    questions: QuestionColumns, settings: Sequence[str] = (ALL, *DIFFICULTIES)
) -> Iterator[QuestionGroup]:
    """The questions of each difficulty, domain and language, and of all of them; empty ones not."""
    for setting in settings:
        of_setting = _all_or(questions.difficulty, setting)
        for domain in (ALL, *DOMAINS):
            of_domain = of_setting & _all_or(questions.domain, domain)
            for language in (ALL, *LANGUAGES):
                rows = np.flatnonzero(of_domain & _all_or(questions.language, language))
                if len(rows):
                    yield QuestionGroup(setting, domain, language, "", rows)


def labelled_groups(questions: QuestionColumns, label: str) -> Iterator[QuestionGroup]:
    """The questions of each value of a label, by domain (and in all, see `LABELS`) and language."""
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


def _all_or(column: Column, value: str) -> Column:
    return np.ones(len(column), bool) if value == ALL else column == value


# The two languages on the same questions: a pair is as hard in one as in the other, but for its language.
#
# Only pairs count in both of whose texts the player has a scored run.

DIFFERENCE, DIFFERENCE_IN_DOMAIN = "language_difference", "language_difference_in_domain"
PAIRED_ACCURACY, MCNEMAR = "paired_accuracy", "language_mcnemar"
_ONE, _OTHER = LANGUAGES
_DIFFERENCE = (
    f"mean over pairs of accuracy in {_ONE} minus accuracy in {_OTHER}; {GAP_METHOD}; {_PAIRS}; p where an "
    "end is 0; n counts pairs"
)
_ACCURACY = f"accuracy in one language on the pairs with scored runs in both; {METHOD}; n counts pairs"
_MCNEMAR = (
    f"share solved in {_ONE} of the pairs solved in one language alone, by the majority of runs; "
    "McNemar exact, two-sided, of these pairs and labels alone; n counts these pairs"
)


def language_figures(
    questions: QuestionColumns, player: str, columns: Mapping[str, Column]
) -> Iterator[Statistic]:
    """The player's paired comparison in all domains and in each: difference, accuracies, McNemar."""
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
        gap = estimate_gap(
            gaps, questions.pair[here[_ONE]], questions.domain_number[here[_ONE]], THESE_DOMAINS
        )
        # One question a reader asks, one family of tests: over all domains, and domain by domain.
        yield Statistic(
            DIFFERENCE if domain == ALL else DIFFERENCE_IN_DOMAIN,
            *(*cell, float(gaps.mean()), _DIFFERENCE),
            p_value=gap.test(),
            **gap.bound()._asdict(),
        )
        for name, indices in here.items():
            estimate = estimate_mean(questions, indices, solved, runs, is_share=True)
            assert estimate is not None
            bounds = estimate.bounds._asdict()
            yield Statistic(PAIRED_ACCURACY, *cell, estimate.value, _ACCURACY, other=name, **bounds)
        labels = {name: 2 * solved[indices] > runs[indices] for name, indices in here.items()}
        only_one = int((labels[_ONE] & ~labels[_OTHER]).sum())
        only_other = int((labels[_OTHER] & ~labels[_ONE]).sum())
        discordant = only_one + only_other
        yield Statistic(
            MCNEMAR,
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
    columns: Mapping[str, Column],
    groups: Sequence[QuestionGroup],
    bands: Sequence[QuestionGroup],
) -> Iterator[Statistic]:
    """Mean tokens of the player's replies in each group and band of the level; their correlation."""
    for which, parts in REPLIES.items():
        totals = sum((columns[f"{part}_tokens"] for part in parts[1:]), columns[f"{parts[0]}_tokens"])
        numbers = sum((columns[f"{part}_replies"] for part in parts[1:]), columns[f"{parts[0]}_replies"])
        if not numbers.any():
            continue  # a program, or a person
        for group in (*groups, *bands):
            statistic = f"{TOKENS}_by_level" if group.value else TOKENS
            rows, other = group.rows, "/".join(filter(None, (group.language, which, group.value)))
            estimate = estimate_mean(questions, rows, totals, numbers, is_share=False)
            if estimate is None:
                continue
            position = group.setting, group.domain, player, estimate.n, estimate.value
            method = (
                f"tokens of a reply with its reasoning, {which} replies: mean over questions of the mean "
                f"over runs; {MEAN_METHOD}; {_PAIRS}; n counts questions"
            )
            yield Statistic(statistic, *position, method, other=other, **estimate.bounds._asdict())
            if group.setting == ALL and group.domain != ALL and not group.value:
                yield from _correlations(questions, player, group, other, totals, numbers)


def _correlations(
    questions: QuestionColumns,
    player: str,
    group: QuestionGroup,
    other: str,
    totals: Column,
    numbers: Column,
) -> Iterator[Statistic]:
    rows = group.rows[(numbers[group.rows] > 0) & ~np.isnan(questions.level[group.rows])]
    if not len(rows):
        return
    # Questions of one pair stand side by side.
    starts = np.flatnonzero(np.diff(questions.pair[rows], prepend=-1))
    tokens, level = (
        np.add.reduceat(values, starts) / np.diff(np.r_[starts, len(rows)])
        for values in (totals[rows] / numbers[rows], questions.level[rows])
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
_AVERAGE = f"unweighted mean of the cells, domain x language, of the edition; {METHOD}; n counts questions"


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
    columns: Mapping[str, Column]


def question_figures(questions: QuestionColumns, players: Iterable[PlayedQuestions]) -> Iterator[Statistic]:
    """All figures of the players."""
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
    columns = played.columns
    estimate = estimate_mean(questions, group.rows, columns[quantity.total], columns["runs"], is_share=True)
    if estimate is not None:
        position = group.setting, group.domain, played.player, estimate.n, estimate.value
        method = f"{quantity.what}: {_MEAN}; {METHOD}; n counts questions"
        yield Statistic(statistic, *position, method, other=other, **estimate.bounds._asdict())


def _average(
    questions: QuestionColumns, played: PlayedQuestions, groups: Iterable[QuestionGroup]
) -> Iterator[Statistic]:
    """The means of the paper's table 5, for a player with a scored run in each of their cells."""
    cells = [group for group in groups if ALL not in (group.domain, group.language)]
    yield from _mean_of_cells(questions, played, "average", cells)
    # The paper has no social questions in English: nine columns.
    printed = [group for group in cells if (group.domain, group.language) != ("social", "en")]
    yield from _mean_of_cells(questions, played, "average_paper", printed)


def _mean_of_cells(
    questions: QuestionColumns, played: PlayedQuestions, statistic: str, cells: Sequence[QuestionGroup]
) -> Iterator[Statistic]:
    runs, solved = played.columns["runs"], played.columns["solved"]
    scored = [group.rows[runs[group.rows] > 0] for group in cells]
    if not cells or not all(map(len, scored)):
        return
    weights = np.zeros(len(questions))
    for rows in scored:
        weights[rows] = 1 / (len(cells) * len(rows))
    rows = np.flatnonzero(weights)
    draw = ClusterDraw(questions.pair[rows], questions.domain_number[rows])
    sums = weights[rows] * solved[rows] / runs[rows]
    bounds = bound_ratio(sums, weights[rows], draw, THESE_DOMAINS, float(runs[rows].sum()))
    value = fsum(float((solved[rows] / runs[rows]).mean()) for rows in scored) / len(scored)
    labels = (ALL, ALL, played.player, len(rows), value, _AVERAGE)
    yield Statistic(statistic, *labels, **bounds._asdict())
