"""KnowLogic's figures against plain loops over the rows, scipy, and hand counts."""

import math
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from itertools import product
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from scipy import stats

from perennial.tasks.knowlogic.statistics import QuestionColumns, estimate_mean
from perennial.tasks.statistics.multiplicity import holm
from tests.knowlogic.figures import made_edition
from tests.knowlogic.figures.made_edition import DOMAINS, LANGUAGES, MODELS, PROGRAMS, Row, Rows

Key = tuple[str, ...]


@pytest.fixture(scope="module")
def edition() -> Rows:
    return made_edition.rows()


@pytest.fixture(scope="module")
def figures(edition: Rows) -> dict[Key, Row]:
    return by_key(edition)


def by_key(edition: Rows) -> dict[Key, Row]:
    names = ("statistic", "setting", "domain", "player", "other")
    return {tuple(row[name] for name in names): row for row in made_edition.statistics(edition)}


def replies(edition: Rows) -> list[Row]:
    """Return the scored replies with all that is known of each, joined by plain dictionaries."""
    questions = {row["instance_id"]: row for row in edition["knowlogic_questions"]}
    answers = {row["episode_id"]: row for row in edition["knowlogic_answers"]}
    tokens = {row["call_id"]: row["completion_tokens"] for row in edition["calls"]}
    calls = {row["episode_id"]: row["call_id"] for row in edition["turns"]}
    return [
        {
            **questions[row["instance_id"]],
            "player": row["player"],
            "right": row["success"],
            "unread": answers[row["episode_id"]]["letters"] is None,
            "class": answers[row["episode_id"]]["error_class"],
            "reply_tokens": tokens.get(calls[row["episode_id"]]),
        }
        for row in edition["episodes"]
        if row["status"] != "api_error"
    ]


def question_means(rows: list[Row], value: Any) -> dict[tuple[str, str], float]:
    """Return the mean over runs by pair and language."""
    runs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        runs[row["pair"], row["language"]].append(float(value(row)))
    return {key: fmean(values) for key, values in runs.items()}


def is_right(row: Row) -> bool:
    return bool(row["right"])


def is_of_class(name: str, row: Row) -> bool:
    return bool(row["class"] == name)


SHARES: dict[str, Callable[[Row], bool]] = {
    "accuracy": is_right,
    "unextracted_rate": lambda row: bool(row["unread"]),
    **{f"error_{name}": partial(is_of_class, name) for name in ("subset", "superset", "overlap", "disjoint")},
}


@pytest.mark.slow
def test_each_share_is_the_mean_over_questions_of_the_mean_over_runs(
    edition: Rows, figures: dict[Key, Row]
) -> None:
    known: dict[str, list[Row]] = defaultdict(list)
    for each in replies(edition):
        known[each["player"]].append(each)
    compared = 0
    for (statistic, setting, domain, player, other), row in figures.items():
        if statistic not in SHARES:
            continue
        rows = [
            each
            for each in known[player]
            if setting in ("all", each["difficulty"])
            and domain in ("all", each["domain"])
            and other in ("", each["language"])
        ]
        means = question_means(rows, SHARES[statistic])
        assert (row["n"], row["value"]) == (len(means), pytest.approx(fmean(means.values())))
        assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1
        compared += 1
    # Four settings x all and five domains x three languages; `other` has no answer in mix. Six shares.
    assert compared == 6 * (4 * 72 + 60)


@pytest.mark.slow
def test_shares_of_all_kinds_of_replies_make_one(figures: dict[Key, Row]) -> None:
    for (statistic, *rest), row in figures.items():
        if statistic == "accuracy":
            total = sum(figures[(name, *rest)]["value"] for name in SHARES)
            assert total == pytest.approx(1), rest
            assert row["n"] == figures[("unextracted_rate", *rest)]["n"]


def test_the_average_is_the_papers_mean_of_columns(figures: dict[Key, Row]) -> None:
    averages = {key[3]: row for key, row in figures.items() if key[0] == "average"}
    # `other` has no answer in domain mix.
    assert sorted(averages) == ["exact", "m-large", "m-small", "single"]
    for player, row in averages.items():
        cells = product(DOMAINS, LANGUAGES)
        columns = [figures["accuracy", "all", domain, player, language] for domain, language in cells]
        assert row["value"] == pytest.approx(fmean(each["value"] for each in columns))
    assert (averages["exact"]["value"], averages["exact"]["high"]) == (1, 1)
    # Sixty pairs without a failure are no surety: Wilson's interval with Student's t of 12 per domain.
    assert averages["exact"]["low"] == pytest.approx(1 / (1 + stats.t.ppf(0.975, 55) ** 2 / 60))


def test_tokens_and_their_correlation_with_the_level(edition: Rows, figures: dict[Key, Row]) -> None:
    wanted = {"all": (True, False), "right": (True,), "wrong": (False,)}
    own = {key: row for key, row in figures.items() if key[0].startswith(("reply_tokens", "tokens_level"))}
    assert {key[3] for key in own} == set(MODELS)
    known = [row for row in replies(edition) if row["reply_tokens"] is not None]
    checked = set()
    for (statistic, setting, domain, player, other), figure in own.items():
        language, which, *band = other.split("/")
        rows = [
            row
            for row in known
            if row["player"] == player
            and setting in ("all", row["difficulty"])
            and domain in ("all", row["domain"])
            and language in ("all", row["language"])
            and row["right"] in wanted[which]
            and (not band or band == [f"{math.floor(4 * row['level']) / 4:.2f}"])
        ]
        means = question_means(rows, lambda row: row["reply_tokens"])
        assert (statistic == "reply_tokens_by_level") == bool(band)
        if statistic.startswith("reply_tokens"):
            assert (figure["n"], figure["value"]) == (len(means), pytest.approx(fmean(means.values())))
            continue
        levels = {row["pair"]: row["level"] for row in rows}
        tokens = {
            pair: fmean(value for (of, _), value in means.items() if of == pair) for pair in sorted(levels)
        }
        x, y = [levels[pair] for pair in tokens], list(tokens.values())
        correlate = stats.pearsonr if statistic == "tokens_level_pearson" else stats.spearmanr
        assert figure["n"] == len(x)
        assert figure["value"] == pytest.approx(correlate(x, y).statistic)
        assert domain != "all"
        checked.add((statistic, language, which))
    assert len(checked) == 2 * 3 * 3


def test_the_paired_comparison_of_languages(edition: Rows, figures: dict[Key, Row]) -> None:
    known = replies(edition)
    for player in (*PROGRAMS, *MODELS):
        for domain in ("all", *DOMAINS):
            rows = [row for row in known if row["player"] == player and domain in ("all", row["domain"])]
            means = question_means(rows, is_right)
            pairs = sorted({pair for pair, _ in means if {(pair, "zh"), (pair, "en")} <= means.keys()})
            if not pairs:
                assert ("language_mcnemar", "all", domain, player, "") not in figures
                continue
            gaps = [means[pair, "zh"] - means[pair, "en"] for pair in pairs]
            in_domain = "" if domain == "all" else "_in_domain"
            difference = figures[f"language_difference{in_domain}", "all", domain, player, ""]
            assert (difference["n"], difference["value"]) == (len(pairs), pytest.approx(fmean(gaps)))
            assert difference["low"] <= fmean(gaps) <= difference["high"]
            assert (difference["p_value"] < 0.05) == (not difference["low"] <= 0 <= difference["high"])
            for language in LANGUAGES:
                own = figures["paired_accuracy", "all", domain, player, language]
                assert own["value"] == pytest.approx(fmean(means[pair, language] for pair in pairs))
            only_zh = sum(means[pair, "zh"] > 0.5 >= means[pair, "en"] for pair in pairs)
            only_en = sum(means[pair, "en"] > 0.5 >= means[pair, "zh"] for pair in pairs)
            test = figures["language_mcnemar", "all", domain, player, ""]
            discordant = only_zh + only_en
            assert test["n"] == discordant
            expected = stats.binomtest(only_zh, discordant).pvalue if discordant else 1.0
            assert test["p_value"] == pytest.approx(expected)
    # The first Chinese reply of m-large was lost: its pair is none.
    assert figures["language_difference", "all", "all", "m-large", ""]["n"] == 59


def test_holm_over_the_models_of_one_question_alone(figures: dict[Key, Row]) -> None:
    for statistic, number in (("language_difference", 3), ("language_difference_in_domain", 14)):
        rows = [row for key, row in figures.items() if key[0] == statistic and key[3] in MODELS]
        assert len(rows) == number
        assert [row["p_adjusted"] for row in rows] == pytest.approx(
            [float(p) for p in holm([row["p_value"] for row in rows]) if p is not None]
        )
        assert all("Holm over models" in row["method"] for row in rows)
    # 15 pairs in Chinese alone, none in English alone.
    assert figures["language_mcnemar", "all", "all", "m-large", ""]["p_value"] == pytest.approx(2 * 0.5**15)


def _estimate(solved: list[int], pair: list[int], *, is_share: bool = True) -> Any:
    same = np.full(len(pair), "space")
    questions = QuestionColumns(np.array(pair), same, same, same, np.zeros(len(pair)), {})
    rows, runs = np.arange(len(pair)), np.ones(len(pair), int)
    return estimate_mean(questions, rows, np.array(solved), runs, is_share=is_share)


def test_tokens_are_not_below_0() -> None:
    bounds = _estimate([5_000] * 6 + [10], list(range(7)), is_share=False).bounds
    assert (bounds.low, bounds.high > 5_000) == (0, True)


def test_two_texts_of_a_pair_count_as_one_draw() -> None:
    """Where both texts of each pair fare alike, the interval is that of one of them alone."""
    solved = [1, 0] * 30
    once = _estimate(solved, list(range(60)))
    twice = _estimate([right for right in solved for _ in range(2)], [pair // 2 for pair in range(120)])
    assert (once.n, twice.n) == (60, 120)
    assert (twice.bounds.low, twice.bounds.high) == pytest.approx(
        (once.bounds.low, once.bounds.high), abs=0.003
    )
