"""Grow the questions of one scenario: of the asked difficulties, types and letters, distinct, and new.

Where a type with so many right options gives nothing new in many draws, it is left out for that difficulty
and the next one is tried; a question for which nothing is left is counted as missing.
"""

import random
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple, TypeVar

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import (
    DIFFICULTIES,
    LANGUAGES,
    LETTERS,
    RATIO,
    Difficulty,
    EngineDecision,
    Language,
    Proposition,
    Question,
    QuestionText,
    QuestionType,
)
from perennial.tasks.knowlogic.answers import letter_sets, read_answer, write_answer
from perennial.tasks.knowlogic.layout import (
    instance_id,
    pair_id,
    read_text,
    says_the_same,
    split_prompt,
    write_questions,
)
from perennial.tasks.knowlogic.phrasebook import find_foreign
from perennial.tasks.knowlogic.problem import Domain, Problem, Request, problem_of, right_letters

# How many questions of each scenario, difficulty, type and set of right letters an edition holds.

K = TypeVar("K")

# Turns of a type of statements and of a vague gap for one of a precise gap. With them the best guess from the
# form alone is right in less than one of twelve: statements have 15 sets of letters, a precise gap has 4.
_STATEMENTS, _GAPS = 20, 5


def split_total(total: int, weights: Mapping[K, float]) -> dict[K, int]:
    """Whole numbers that add up to the total, by largest remainders; ties in the weights' order."""
    whole = sum(weights.values())
    if not whole:
        return dict.fromkeys(weights, 0)
    exact = {key: total * weight / whole for key, weight in weights.items()}
    shares = {key: int(value + 1e-9) for key, value in exact.items()}
    order = sorted(exact, key=lambda key: shares[key] - exact[key])
    for key in order[: total - sum(shares.values())]:
        shares[key] += 1
    return shares


def plan_scenarios(domain: Domain, questions: int) -> dict[str, dict[Difficulty, int]]:
    """How many questions of each difficulty each scenario has: easy, medium, hard as 1:2:3."""
    counts: dict[str, dict[Difficulty, int]] = {scenario: {} for scenario in domain.shares}
    for difficulty, number in split_total(questions, RATIO).items():
        weights = {scenario: shares.get(difficulty, 0.0) for scenario, shares in domain.shares.items()}
        for scenario, share in split_total(number, weights).items():
            if share:
                counts[scenario][difficulty] = share
    return {
        scenario: {name: numbers[name] for name in DIFFICULTIES if name in numbers}
        for scenario, numbers in counts.items()
        if numbers
    }


def is_precise(type_: QuestionType) -> bool:
    """Whether exactly one choice fits what questions of this type ask for."""
    return type_.startswith("precise")


class RightLetters(NamedTuple):
    """The right letters of a question, and how many options it has beside 'none of the above'."""

    letters: str
    option_count: int

    @property
    def right(self) -> int:
        """How many of its own options are right."""
        return sum(letter in LETTERS[: self.option_count] for letter in self.letters)


@lru_cache
def list_answers(type_: QuestionType) -> tuple[RightLetters, ...]:
    """The answers that questions of a type may have; of a gap, with three own options too."""
    four, three = len(LETTERS), len(LETTERS) - 1
    answers = [RightLetters(letters, four) for letters in letter_sets(four)]
    if not type_.endswith("statements"):
        answers += [RightLetters(letters, three) for letters in [*letter_sets(three), LETTERS[three]]]
    return tuple(answer for answer in answers if answer.right <= 1 or not is_precise(type_))


def weigh_type(type_: QuestionType) -> int:
    """How often a type has its turn: an answer to a precise question is guessed once in four."""
    return 1 if is_precise(type_) else _GAPS if type_.startswith("vague") else _STATEMENTS


@dataclass
class Quotas:
    """What is to be drawn next of a scenario.

    Types take turns by their weights in each difficulty. Of a type every answer is as likely as another one
    (with three own options, half as likely), as far as the scenario has it: neither the form of a question
    nor the number of its right letters gives an answer away. Each question's is drawn for itself: if they
    were dealt from a deck, those that are rarest among public questions would be right of private ones.
    """

    types: Sequence[QuestionType]
    rng: random.Random
    starts: dict[QuestionType, float] = field(init=False)
    turns: Counter[tuple[Difficulty, QuestionType]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.starts = {type_: self.rng.random() for type_ in self.types}

    def choices(self, difficulty: Difficulty) -> list[tuple[QuestionType, RightLetters]]:
        """Types and answers to try for the next question, the wanted one first."""
        turns = sorted(self.types, key=lambda type_: self._count_turns(difficulty, type_))
        return [(type_, answer) for type_ in turns for answer in self._draw_answers(type_)]

    def add(self, difficulty: Difficulty, type_: QuestionType) -> None:
        """Count a problem that was drawn."""
        self.turns[difficulty, type_] += 1

    def _count_turns(self, difficulty: Difficulty, type_: QuestionType) -> float:
        # What starts between two turns is drawn: else a few questions would always have the same types.
        return (self.turns[difficulty, type_] + self.starts[type_]) / weigh_type(type_)

    def _draw_answers(self, type_: QuestionType) -> list[RightLetters]:
        def draw(answer: RightLetters) -> float:
            is_rare = answer.option_count < len(LETTERS) and not is_precise(type_)
            return self.rng.expovariate(0.5 if is_rare else 1)

        return sorted(list_answers(type_), key=draw)


# The gate's test of one question in all its languages, before anybody plays: proof, texts, labels.


@dataclass
class TestedQuestion:
    """What was proved of a question and tried on it, and what does not hold (`faults`, in words)."""

    domain: Domain
    questions: Sequence[Question]
    texts: int = 0
    is_proved: bool = False
    options: int = 0
    changes: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)

    def read_problem(self, languages: Sequence[Language]) -> Problem | None:
        """The problem of all rows; None, with a fault, where they have not the same one."""
        written = [question.language for question in self.questions]
        if sorted(written) != sorted(languages):
            self.faults.append(f"the pair has texts in {', '.join(written)}, expected {', '.join(languages)}")
        payloads = {question.payload for question in self.questions}
        if len(payloads) != 1 or len({question.pair for question in self.questions}) != 1:
            self.faults.append("the texts of the pair are of different problems")
            return None
        try:
            return problem_of(payloads.pop())
        except ValueError as error:
            self.faults.append(f"the payload is no problem ({error})")
            return None

    def check_proof(self, problem: Problem) -> EngineDecision | None:
        """What both engines find; None, with a fault, where they differ or fail."""
        if len(set(problem.options)) < len(problem.options):
            self.faults.append("two options are the same")
        if set(problem.options) & set(problem.statements):
            self.faults.append("an option repeats a statement")
        if len(set(problem.statements)) < len(problem.statements):
            self.faults.append("a statement is repeated")
        if len(problem.options) not in (len(LETTERS) - 1, len(LETTERS)):
            self.faults.append(f"there are {len(problem.options)} options, expected 3 or 4")
        try:
            decision, second = self.domain.decide(problem), self.domain.check(problem)
        except (ValueError, LookupError, ArithmeticError) as error:
            self.faults.append(f"an engine fails ({type(error).__name__}: {error})")
            return None
        if decision != second:
            self.faults.append(f"the engines differ: {decision} and {second}")
            return None
        if decision.arrangements != 1:
            self.faults.append(f"the statements allow {decision.arrangements} arrangements, expected 1")
        decided, options = len(decision.verdicts), len(problem.options)
        if decided != options:
            self.faults.append(f"the engines decide {decided} options, expected {options}")
            return None
        for letter, verdict in zip(LETTERS, decision.verdicts, strict=False):
            if verdict is None:
                self.faults.append(f"option {letter} is neither forced true nor forced false")
        self.is_proved = decision.arrangements == 1
        self.options = sum(verdict is not None for verdict in decision.verdicts)
        return decision if self.options == options else None

    def check_rows(self, problem: Problem, decision: EngineDecision) -> None:
        """Find columns that differ from those that the problem gives when it is written once more."""
        right, labels = right_letters(problem, decision.verdicts), self.domain.labels(problem)
        if not right:
            self.faults.append("no option is right")
        if is_precise(problem.type) and len(right) != 1:
            self.faults.append(f"{problem.type} has the right letters {right}, expected one")
        for question in self.questions:
            if question.letters != right:
                self.faults.append(f"the letters are {question.letters!r}, expected {right!r}")
        if labels.chain_length < 1:
            self.faults.append("no statement is needed to decide the options")
        for question in self.questions:
            (again,) = write_questions(
                self.domain, problem, labels, right, [question.language], question.rejected_draws
            )
            for name in Question.__slots__:
                stored, expected = getattr(question, name), getattr(again, name)
                if stored != expected and name != "letters":
                    self.faults.append(f"{name} ({question.language}) is not what the problem gives")

    def check_text(self, problem: Problem, question: Question) -> None:
        """Read the text back, and find words of another language in it."""
        language = question.language
        try:
            printed = split_prompt(question.prompt)
            if printed != (question.as_text, language):
                self.faults.append(f"the prompt ({language}) shows another text")
            if not says_the_same(problem, read_text(self.domain, printed[0], language)):
                self.faults.append(f"the text ({language}) says something else than the problem")
            else:
                self.texts += 1
        except (ValueError, LookupError) as error:
            self.faults.append(f"the text ({language}) cannot be read back ({error})")
        if foreign := find_foreign(question.prompt, language):
            self.faults.append(f"the text ({language}) holds {foreign!r} of another language")

    def try_changes(self, problem: Problem, question: Question) -> None:
        """Change the text, and count the changes and those of them that reading it back finds."""
        for text, language in _change_text(question):
            self.changes += 1
            try:
                is_found = not says_the_same(problem, read_text(self.domain, text, language))
            except (ValueError, LookupError):
                is_found = True
            self.refused += is_found
            if not is_found:
                self.faults.append(f"a changed text ({question.language}) is read as the same problem")

    def try_replies(self, question: Question) -> None:
        """Give every set of letters as a reply: all are read, and all but the right one are refused."""
        for letters in letter_sets():
            answer = read_answer(f"[ABCD] 【A】 ...\n{write_answer(letters, question.language)}.")
            if answer is None or answer.letters != letters:
                self.faults.append(f"the reply {letters} is not read")
            elif letters != question.letters:
                self.changes += 1
                self.refused += 1


def check_pair(
    domain: Domain, questions: Sequence[Question], languages: Sequence[Language]
) -> TestedQuestion:
    """What holds of a question, given as its rows in all languages.

    Two engines find one arrangement and decide each option alike; the letters follow. Each text is read back
    to exactly the problem and holds no word of the other language. Ids, labels, level and class are those
    that are computed again. Changed texts are found, and all wrong sets of letters are refused.
    """
    tested = TestedQuestion(domain, questions)
    problem = tested.read_problem(languages)
    if problem is None:
        return tested
    if decision := tested.check_proof(problem):
        tested.check_rows(problem, decision)
    for question in questions:
        tested.check_text(problem, question)
    for question in () if tested.faults else questions:
        tested.try_changes(problem, question)
        tested.try_replies(question)
    return tested


def _change_text(question: Question) -> Iterator[tuple[QuestionText, Language]]:
    """The text without its last statement, with two options swapped, and as the other language's."""
    printed, language = question.as_text, question.language
    yield printed._replace(text=printed.text.rpartition("\n")[0]), language
    first, second, *others = printed.options
    yield printed._replace(options=(second, first, *others)), language
    yield printed, "en" if language == "zh" else "zh"


def find_repeats(questions: Sequence[Question]) -> list[str]:
    """The ids of questions whose prompt another one before them shows."""
    seen: set[str] = set()
    repeats = []
    for question in questions:
        if question.prompt in seen:
            repeats.append(question.instance_id)
        seen.add(question.prompt)
    return repeats


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
    """The questions of a scenario; deterministic in seed, domain, scenario, difficulty and number."""
    stream = f"knowlogic/{request.domain.name}/{request.scenario}"
    quotas = Quotas(request.domain.types(request.scenario), derive_rng(request.seed, stream, 0))
    growth, grown = _Growth(request, quotas), GrownScenario()
    for difficulty, number in request.counts.items():
        for index in range(number):
            questions = _draw_new(growth, difficulty, index)
            if questions:
                grown.drawn[difficulty, index] = questions
            else:
                grown.missing[difficulty] += 1
    return grown


def _draw_new(growth: _Growth, difficulty: Difficulty, index: int) -> list[Question]:
    """The next question in each language; nothing where no choice gives a new one."""
    request, attempt = growth.request, 0
    domain, scenario = request.domain, request.scenario
    purpose = f"knowlogic/{domain.name}/{scenario}/{difficulty}/{index}"
    for type_, answer in growth.quotas.choices(difficulty):
        choice = difficulty, type_, answer.right, answer.option_count
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
    growth: _Growth, problem: Problem, asked: Request, answer: RightLetters, rejected: int, rng: random.Random
) -> list[Question]:
    """The questions of a problem that is new and keeps the request, else nothing."""
    request, domain = growth.request, growth.request.domain
    pair = pair_id(domain, problem)
    if pair in growth.pairs or any(
        instance_id(pair, language).removeprefix("kl_") in request.issued for language in LANGUAGES
    ):
        return []
    verdicts = domain.decide(problem).verdicts
    wanted = problem.type != "incorrect_statements"
    if None in verdicts or (verdicts.count(wanted), len(verdicts)) != (asked.right, asked.option_count):
        return []
    problem = _place(problem, [verdict is wanted for verdict in verdicts], answer, rng)
    labels = domain.labels(problem)
    # Without any step the options are true or false of every arrangement: the statements would be idle.
    if labels.difficulty != asked.difficulty or labels.chain_length < 1:
        return []
    growth.pairs.add(pair)
    return write_questions(domain, problem, labels, answer.letters, request.languages, rejected)


def _place(problem: Problem, is_right: Sequence[bool], answer: RightLetters, rng: random.Random) -> Problem:
    """The problem with its right options at the letters of the answer."""
    pools: dict[bool, list[Proposition]] = {True: [], False: []}
    for index in rng.sample(range(answer.option_count), answer.option_count):
        pools[is_right[index]].append(problem.options[index])
    options = (pools[letter in answer.letters].pop() for letter in LETTERS[: answer.option_count])
    return replace(problem, options=tuple(options))
