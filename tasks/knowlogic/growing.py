"""Grow the questions of one scenario: of the asked difficulties, types and letters, distinct, and new.

Where a type with so many right options gives nothing new in many draws, it is left out for that difficulty
and the next one is tried; a question for which nothing is left is counted as missing.
"""

import random
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.question import Question
from perennial.schemas.knowlogic.things import (
    LANGUAGES,
    LETTERS,
    Difficulty,
    Language,
    Proposition,
    QuestionType,
)
from perennial.tasks.knowlogic.domain import Domain, Request
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.question import instance_id, pair_id, write_questions
from perennial.tasks.knowlogic.quotas import Answer, Quotas

# Draws that may give nothing new before a choice of type and right options is left out: of one that never
# gave anything; of one that did, at least the second number, and as many as there are questions.
_FIRST_DRAWS, _LATER_DRAWS = 100, 200

# Difficulty, type, right options, own options.
_Choice = tuple[Difficulty, QuestionType, int, int]


@dataclass(frozen=True, slots=True)
class ScenarioRequest:
    """What to grow: so many questions of each difficulty of a scenario, in these languages.

    `issued` holds the content hashes of earlier editions' questions.
    """

    domain: Domain
    scenario: str
    counts: Mapping[Difficulty, int]
    languages: tuple[Language, ...]
    seed: int
    issued: Container[str] = frozenset()


@dataclass
class GrownScenario:
    """The questions by difficulty and number, one in each language, and how many are missing."""

    drawn: dict[tuple[Difficulty, int], list[Question]] = field(default_factory=dict)
    missing: Counter[Difficulty] = field(default_factory=Counter)


@dataclass
class _Growth:
    request: ScenarioRequest
    quotas: Quotas
    pairs: set[str] = field(default_factory=set)
    fruitful: set[_Choice] = field(default_factory=set)
    barren: set[_Choice] = field(default_factory=set)


def grow_scenario(request: ScenarioRequest) -> GrownScenario:
    """Return the questions of a scenario; deterministic in seed, domain, scenario, difficulty and number."""
    place = f"knowlogic/{request.domain.name}/{request.scenario}"
    quotas = Quotas(request.domain.types(request.scenario), derive_rng(request.seed, place, 0))
    growth, grown = _Growth(request, quotas), GrownScenario()
    for difficulty, number in request.counts.items():
        for index in range(number):
            found = _draw_new(growth, difficulty, index)
            if found:
                grown.drawn[difficulty, index] = found
            else:
                grown.missing[difficulty] += 1
    return grown


def _draw_new(growth: _Growth, difficulty: Difficulty, index: int) -> list[Question]:
    """Return the next question in each language; nothing where no choice gives a new one."""
    request, attempt = growth.request, 0
    domain, scenario = request.domain, request.scenario
    purpose = f"knowlogic/{domain.name}/{scenario}/{difficulty}/{index}"
    for type_, answer in growth.quotas.choices(difficulty):
        choice = difficulty, type_, answer.right, answer.own
        if choice in growth.barren:
            continue
        asked = Request(scenario, *choice)
        for _ in range(_most_draws(growth, choice)):
            rng = derive_rng(request.seed, purpose, attempt)
            attempt += 1
            problem = domain.draw(asked, rng)
            questions = _accept(growth, problem, asked, answer, attempt - 1, rng) if problem else []
            if questions:
                growth.quotas.add(difficulty, type_)
                growth.fruitful.add(choice)
                return questions
        growth.barren.add(choice)
    return []


def _most_draws(growth: _Growth, choice: _Choice) -> int:
    return max(_LATER_DRAWS, len(growth.pairs)) if choice in growth.fruitful else _FIRST_DRAWS


def _accept(
    growth: _Growth, problem: Problem, asked: Request, answer: Answer, rejected: int, rng: random.Random
) -> list[Question]:
    """Return the questions of a problem that is new and keeps the request, else nothing."""
    request, domain = growth.request, growth.request.domain
    pair = pair_id(domain, problem)
    if pair in growth.pairs or any(
        instance_id(pair, language).removeprefix("kl_") in request.issued for language in LANGUAGES
    ):
        return []
    verdicts = domain.decide(problem).verdicts
    wanted = problem.type != "incorrect_statements"
    if None in verdicts or (verdicts.count(wanted), len(verdicts)) != (asked.right, asked.own):
        return []
    problem = _place(problem, [verdict is wanted for verdict in verdicts], answer, rng)
    labels = domain.labels(problem)
    # Without any step the options are true or false of every arrangement: the statements would be idle.
    if labels.difficulty != asked.difficulty or labels.chain_length < 1:
        return []
    growth.pairs.add(pair)
    return write_questions(domain, problem, labels, answer.letters, request.languages, rejected)


def _place(problem: Problem, is_right: Sequence[bool], answer: Answer, rng: random.Random) -> Problem:
    """Return the problem with its right options at the letters of the answer."""
    pools: dict[bool, list[Proposition]] = {True: [], False: []}
    for place in rng.sample(range(answer.own), answer.own):
        pools[is_right[place]].append(problem.options[place])
    options = (pools[letter in answer.letters].pop() for letter in LETTERS[: answer.own])
    return replace(problem, options=tuple(options))
