"""What the words and the length of an option give away of whether it is true, without text or question.

By hand: `python -m tests.benchmarks.knowlogic_giveaways [DOMAIN ...]`. For each domain and language two
logistic regressions learn from the options of 2,000 questions and are tried on those of 1,000 others: one
knows which words an option has (in Chinese, which characters and pairs of them), one its length and whether
it is the longest or shortest of its question. Chance is the share of the more frequent verdict among the
options tried: it is what a constant answer gives.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import DOMAINS, LANGUAGES, LETTERS, DomainName, Language, Question
from perennial.tasks.knowlogic.growing import ScenarioRequest, grow_scenario, plan_scenarios
from perennial.tasks.knowlogic.problem import find_domain
from perennial.warehouse.knowlogic.knowledge import load_knowledge

TRAIN, TEST = 2_000, 1_000
# How far above chance an accuracy may be.
BAR = 0.03
_WORDS, _LEAST, _RIDGE, _STEPS = 500, 10, 3.0, 8
Array = np.ndarray[Any, np.dtype[np.float64]]


class Option(NamedTuple):
    """An option: its words, features of its length, and whether it is true."""

    kind: str
    words: frozenset[str]
    length: tuple[float, ...]
    is_true: bool


class Score(NamedTuple):
    """How a classifier did on options that it did not learn from."""

    options: int
    chance: float
    accuracy: float
    auc: float


def main(names: Sequence[str]) -> None:
    """Print a line for each domain, language, kind of question and classifier."""
    for name in names or DOMAINS:
        assert name in DOMAINS
        for language, questions in draw(name, TRAIN + TEST).items():
            for kind in ("all", *sorted({kind_of(each) for each in questions})):
                for what, score in measure(questions, TRAIN, kind).items():
                    mark = "" if score.accuracy <= score.chance + BAR else "  above the bar"
                    print(
                        f"{name} {language} {kind:<22} {what:<7} chance {score.chance:.3f}, accuracy "
                        f"{score.accuracy:.3f}, AUC {score.auc:.3f} of {score.options:,}{mark}",
                        flush=True,
                    )


def draw(name: DomainName, number: int) -> dict[Language, list[Question]]:
    """Return so many questions of a domain by language, shuffled, pairs at equal places."""
    domain = find_domain(name, load_knowledge())
    pairs = []
    for scenario, counts in plan_scenarios(domain, number).items():
        seed = derive_rng(0, "knowlogic/giveaways", 0).getrandbits(32)
        pairs += grow_scenario(ScenarioRequest(domain, scenario, counts, LANGUAGES, seed)).drawn.values()
    random.Random(1).shuffle(pairs)
    return {language: [of[place] for of in pairs] for place, language in enumerate(LANGUAGES)}


def measure(questions: Sequence[Question], train: int, kind: str = "all") -> dict[str, Score]:
    """Return the scores of both classifiers, learned on the first so many questions."""
    learned = [each for each in questions[:train] if kind in ("all", kind_of(each))]
    tried = [each for each in questions[train:] if kind in ("all", kind_of(each))]
    first = [option for each in learned for option in options_of(each)]
    second = [option for each in tried for option in options_of(each)]
    words = Counter(word for each in first for word in each.words)
    known = [word for word, number in words.most_common(_WORDS) if number >= _LEAST]
    return {
        "words": _score(
            first, second, lambda each: [*(float(word in each.words) for word in known), *_kinds(each)]
        ),
        "length": _score(first, second, lambda each: [*each.length, *_kinds(each)]),
    }


def kind_of(question: Question) -> str:
    """Return the kind of question: statements to choose from, or a gap; kinship and surnames apart."""
    kind = "statements" if question.type.endswith("statements") else question.type.split("_")[0]
    return f"{question.scenario} {kind}" if question.scenario in ("kinship", "surnames") else kind


def options_of(question: Question) -> list[Option]:
    """Return the options of a question, without 'none of the above'."""
    own = question.options[: len(LETTERS) - question.has_none]
    lengths = [len(text) for text in own]
    wanted = question.type != "incorrect_statements"
    return [
        Option(
            question.type,
            frozenset(_words_of(text, question.language)),
            (
                len(text) / 20,
                (len(text) / 20) ** 2,
                float(len(text) == max(lengths)),
                float(len(text) == min(lengths)),
            ),
            (letter in question.letters) is wanted,
        )
        for letter, text in zip(LETTERS, own, strict=False)
    ]


def _words_of(text: str, language: Language) -> list[str]:
    if language == "en":
        return re.findall(r"[\w'-]+", text.lower())
    return [*text, *(text[place : place + 2] for place in range(len(text) - 1))]


def _kinds(_option: Option) -> list[float]:
    return [1.0]


def _score(first: Sequence[Option], second: Sequence[Option], features: Any) -> Score:
    """Learn on the first options, and return how the second ones are sorted."""
    weights = fit_logistic(
        np.array([features(each) for each in first]), np.array([float(each.is_true) for each in first])
    )
    found = np.array([features(each) for each in second]) @ weights
    truth = np.array([each.is_true for each in second])
    return Score(
        len(second),
        float(max(truth.mean(), 1 - truth.mean())),
        float(((found > 0) == truth).mean()),
        area_under_curve(found, truth),
    )


def fit_logistic(x: Array, y: Array) -> Array:
    """Return the weights of a logistic regression with a ridge, by Newton's steps; the last one is free."""
    weights = np.zeros(x.shape[1])
    ridge = np.full(x.shape[1], _RIDGE)
    ridge[-1] = 1e-6
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (p - y) + ridge * weights
        hessian = (x * (p * (1 - p))[:, None]).T @ x + np.diag(ridge)
        weights = weights - np.linalg.solve(hessian, gradient)
    return weights


def area_under_curve(found: Array, truth: Array) -> float:
    """Return how often a true option is ranked above a false one; ties count half."""
    _, place, count = np.unique(found, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    true = truth.sum()
    return float((rank[truth].sum() - true * (true + 1) / 2) / max(1, true * (len(truth) - true)))


if __name__ == "__main__":
    main(sys.argv[1:])
