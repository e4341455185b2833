"""A problem of any domain: all that a question is, without a language (section 2.2 of the paper)."""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Literal, NamedTuple

from perennial.schemas.knowlogic.things import (
    GAP,
    LETTERS,
    Argument,
    Difficulty,
    DomainName,
    EngineDecision,
    Knowledge,
    Labels,
    Language,
    Proposition,
    QuestionType,
    Verdict,
)
from perennial.tasks.knowlogic.phrasebook import Phrasebook, capitalize, split_names

if TYPE_CHECKING:
    from pydantic import TypeAdapter


# Difficulty classes: easy, medium and hard by the work that a question asks for.
#
# The paper's level (Appendix D) counts what a question looks like: in space the proof plays no part in it. So
# the level is kept as a column, and the class comes from the *effort* of a question: its chain length, and
# half a step for each option to decide. Where exactly one of four choices fits, one option is to decide;
# elsewhere each of the own options is. Each domain has two cuts.

_MOST_STEPS = 40


def count_decisions(type_: QuestionType, option_count: int) -> int:
    """How many options a reader has to decide, of so many beside 'none of the above'."""
    return 1 if type_.startswith("precise") and option_count == len(LETTERS) else option_count


def measure_effort(chain: int, type_: QuestionType, option_count: int) -> float:
    """The steps of the hardest option and half the number of options to decide."""
    return chain + count_decisions(type_, option_count) / 2


class Cuts(NamedTuple):
    """Easy up to the first effort, medium up to the second, hard above; both inclusive."""

    easy: float
    medium: float

    def classify(self, chain: int, type_: QuestionType, option_count: int) -> Difficulty:
        """The class of a question with this chain length and so many own options."""
        effort = measure_effort(chain, type_, option_count)
        return "easy" if effort <= self.easy else "medium" if effort <= self.medium else "hard"

    def list_steps(self, difficulty: Difficulty, type_: QuestionType, option_count: int) -> range:
        """The chain lengths that questions of this class have; none where the range is empty."""
        chains = range(1, _MOST_STEPS)
        fitting = [chain for chain in chains if self.classify(chain, type_, option_count) == difficulty]
        return range(fitting[0], fitting[-1] + 1) if fitting else range(0)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: what its text says, and nothing that is hidden.

    - `entities`: ids of what is arranged (people, items, events), in the order in which the text lists them.
    - `details`: whatever else the introduction says, in the domain's own order.
    - `statements`: in the order of the text.
    - `asked`: the proposition with `GAP` for one argument; None where the options are statements.
    - `options`: three or four propositions; of a gap question, `asked` filled with each choice. Three options
      are followed by a fourth, 'none of the above'.
    """

    scenario: str
    entities: tuple[Argument, ...]
    details: tuple[Argument, ...]
    statements: tuple[Proposition, ...]
    type: QuestionType
    asked: Proposition | None
    options: tuple[Proposition, ...]

    @property
    def has_none(self) -> bool:
        """Whether the last option is 'none of the above'."""
        return len(self.options) < len(LETTERS)

    def filler(self, option: Proposition) -> Argument:
        """What fills the gap of `asked` in this option."""
        assert self.asked is not None
        return option.arguments[self.asked.arguments.index(GAP)]


def right_letters(problem: Problem, verdicts: Sequence[Verdict]) -> str:
    """The right letters in order, such as "AC"; "D" alone where none of three options is right.

    Raises ValueError for an option that is neither true nor false in all arrangements.
    """
    if None in verdicts:
        open_letter = LETTERS[list(verdicts).index(None)]
        raise ValueError(f"option {open_letter} is neither forced true nor forced false by the statements")
    wanted = problem.type != "incorrect_statements"
    letters = "".join(letter for letter, value in zip(LETTERS, verdicts, strict=False) if value is wanted)
    return letters or (LETTERS[-1] if problem.has_none else "")


def fill(asked: Proposition, choice: Argument) -> Proposition:
    """A proposition whose gap is filled."""
    arguments = (choice if argument == GAP else argument for argument in asked.arguments)
    return Proposition(asked.template, tuple(arguments))


@lru_cache(maxsize=1)
def _problems() -> "TypeAdapter[Problem]":
    # Imported here: pydantic costs what a command that lists commands should not pay.
    from pydantic import TypeAdapter

    return TypeAdapter(Problem)


def payload_of(problem: Problem) -> str:
    """The problem as JSON text."""
    return _problems().dump_json(problem).decode()


def problem_of(payload: str) -> Problem:
    """The problem of JSON text; raise ValueError where it is none."""
    return _problems().validate_json(payload)


# What a domain of KnowLogic is made of: the same few functions, whatever it is about.
#
# A domain is built from the tables of the knowledge base (`perennial.schemas.knowlogic.things`) by a
# function `build(knowledge)` of its folder; `perennial.tasks.knowlogic.problem` lists them.

# How often three options stand beside 'none of the above' without need.
_NONE = 0.2


@dataclass(frozen=True, slots=True)
class Request:
    """What to draw: a question of this scenario, difficulty and type with so many right options.

    `right` counts right options of the problem's own: 0 asks for 'none of the above' as the right answer.
    `option_count`: its own options, four, or three and 'none of the above'; None leaves it to the domain.
    """

    scenario: str
    difficulty: Difficulty
    type: QuestionType
    right: int
    option_count: int | None = None

    def pose(
        self,
        entities: Iterable[Argument],
        statements: Iterable[Proposition],
        options: Iterable[Proposition],
        asked: Proposition | None = None,
        details: Iterable[Argument] = (),
    ) -> Problem:
        """The problem of the requested scenario and type that says this."""
        return Problem(
            self.scenario,
            tuple(entities),
            tuple(details),
            tuple(statements),
            self.type,
            asked,
            tuple(options),
        )

    def list_truths(self, option_count: int) -> list[bool]:
        """The truth values of so many statements to choose from: those of the right ones first."""
        is_right = self.type != "incorrect_statements"
        return [is_right] * self.right + [not is_right] * (option_count - self.right)

    def count_options(self, rng: random.Random) -> int:
        """The number of own options; three, where it is left open, if none is right and at times."""
        if self.option_count is not None:
            return self.option_count
        has_none = self.right == 0 or (self.right < len(LETTERS) and rng.random() < _NONE)
        return len(LETTERS) - has_none


@dataclass(frozen=True, slots=True)
class Intro:
    """What an introduction says: scenario, entities in order, and details (`Problem`)."""

    scenario: str
    entities: tuple[str | int, ...]
    details: tuple[str | int, ...] = ()


@dataclass(frozen=True)
class IntroPattern:
    """The introduction of a scenario in the language of its book: a pattern with groups for lists of names.

    - `kinds`: the kind of what is listed in each group: the entities, then the details, if any.
    - `size`: how many entities the words count, if they do. `details`: what the words stand for.
    - `notes`: by id, lines that may follow.
    """

    scenario: str
    texts: Mapping[str, str]
    book: Phrasebook
    kinds: Mapping[str, str]
    size: int = 0
    details: tuple[Argument, ...] = ()
    notes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def fits(self, text: Problem | Intro) -> bool:
        """Whether a problem begins so."""
        begins_so = text.details[: len(self.details)] == self.details
        return text.scenario == self.scenario and begins_so and self.size in (0, len(text.entities))

    def write(self, problem: Problem) -> str:
        """The introduction of a problem."""
        lists = zip(self.kinds.items(), (problem.entities, problem.details), strict=False)
        names = {
            group: self.book.join([self.book.call(kind, id_) for id_ in ids]) for (group, kind), ids in lists
        }
        language = self.book.language
        lines = [capitalize(self.texts[language].format(**names), language)]
        return "\n".join(lines + [self.notes[str(note)][language] for note in problem.details if self.notes])

    def read(self, text: str) -> Intro | None:
        """What a text that begins so says; raise ValueError for an unknown name or line, or a repetition."""
        match = self._expression.fullmatch(text)
        if match is None:
            return None
        language, lists = self.book.language, list[tuple[Argument, ...]]()
        for group, kind in self.kinds.items():
            names = split_names(match[group], language)
            lists.append(tuple(self.book.id_of(kind, name) for name in names))
            if len(set(names)) < len(names):
                raise ValueError(f"the introduction names the same {kind} twice")
        ids, lines = {note[language]: id_ for id_, note in self.notes.items()}, match["notes"].split("\n")[1:]
        if not ids.keys() >= set(lines):
            raise ValueError("a line of the introduction is no convention")
        entities, *details = lists
        noted = (ids[line] for line in lines)
        return Intro(self.scenario, entities, (*self.details, *chain(*details), *noted))

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        pattern = re.escape(self.texts[self.book.language])
        return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", pattern) + r"(?P<notes>(?:\n.*)*)")


@dataclass(frozen=True)
class IntroPatterns:
    """All introductions of a domain."""

    patterns: Sequence[IntroPattern]

    def write(self, problem: Problem, language: Language) -> str:
        """The introduction of a problem."""
        fitting = (pattern for pattern in self.patterns if pattern.fits(problem))
        return next(pattern for pattern in fitting if pattern.book.language == language).write(problem)

    def read(self, text: str, language: Language) -> Intro:
        """What an introduction says; raise ValueError for any other text."""
        for pattern in self.patterns:
            if pattern.book.language == language and (intro := pattern.read(text)) and pattern.fits(intro):
                return intro
        raise ValueError("the text is no introduction of a scenario")


@dataclass(frozen=True)
class Domain:
    """A domain.

    - `shares`: for each scenario and difficulty, the weight of the domain's questions of that difficulty that
      it gets (weights are compared within a difficulty; a scenario without a weight gets none).
    - `types`: the question types of a scenario, in the order in which they take turns.
    - `draw(request, rng)`: returns a problem that keeps the request: its statements allow one arrangement
      modulo symmetry, every option is decided, no option repeats a statement. None where this draw failed.
    - `decide(problem)`: the first engine; reads what the problem says, in all arrangements.
    - `check(problem)`: the second engine, independent of the first (python-sat).
    - `labels(problem)`: properties, relations, rules, chain length, precision, level.
    - `canonical(problem)`: a JSON value that is equal for problems that differ by renaming, symmetry, order
      of statements or order of options alone.
    - `write_intro(problem, language)`: the introduction with the conventions that a reader needs; one line or
      more, without statements.
    - `read_intro(text, language)`: what it says; raises ValueError for any other text.
    - `phrasebook(scenario, language)`: the sentences of statements and options.
    """

    name: DomainName
    shares: Mapping[str, Mapping[Difficulty, float]]
    types: Callable[[str], tuple[QuestionType, ...]]
    draw: Callable[[Request, random.Random], Problem | None]
    decide: Callable[[Problem], EngineDecision]
    check: Callable[[Problem], EngineDecision]
    labels: Callable[[Problem], Labels]
    canonical: Callable[[Problem], object]
    write_intro: Callable[[Problem, Language], str]
    read_intro: Callable[[str, Language], Intro]
    phrasebook: Callable[[str, Language], Phrasebook]


# A domain whose scenarios are those of several parts, each a domain of its own.


def join_domains(name: DomainName, *parts: Domain) -> Domain:
    """A domain that hands each scenario to the part that has it (no scenario is in two parts)."""
    part_of = {scenario: part for part in parts for scenario in part.shares}

    def read_intro(text: str, language: Language) -> Intro:
        for part in parts:
            try:
                return part.read_intro(text, language)
            except ValueError:
                continue
        raise ValueError("the introduction is that of no scenario")

    return Domain(
        name,
        {scenario: shares for part in parts for scenario, shares in part.shares.items()},
        types=lambda scenario: part_of[scenario].types(scenario),
        draw=lambda request, rng: part_of[request.scenario].draw(request, rng),
        decide=lambda problem: part_of[problem.scenario].decide(problem),
        check=lambda problem: part_of[problem.scenario].check(problem),
        labels=lambda problem: part_of[problem.scenario].labels(problem),
        canonical=lambda problem: part_of[problem.scenario].canonical(problem),
        write_intro=lambda problem, language: part_of[problem.scenario].write_intro(problem, language),
        read_intro=read_intro,
        phrasebook=lambda scenario, language: part_of[scenario].phrasebook(scenario, language),
    )


# The people of all domains: names that fit the language, and a sex that is stated, never guessed.

Sex = Literal["m", "f"]


@dataclass(frozen=True, slots=True)
class Person:
    """A person: id, sex, and the name in each language (`given` is the Chinese given name)."""

    id: str
    sex: Sex
    names: dict[Language, str]
    given: str


def read_people(knowledge: Knowledge) -> tuple[Person, ...]:
    """The people of table `names/people`, in its order."""
    return tuple(
        Person(
            row["id"],
            "m" if row["sex"] == "m" else "f",
            {"zh": row["zh"], "en": row["en"]},
            row["given"],
        )
        for row in knowledge.rows("names/people")
    )


def names_of(people: Sequence[Person], language: Language) -> dict[str | int, str]:
    """The names by id: a part of a lexicon."""
    return {person.id: person.names[language] for person in people}


# The domains of KnowLogic by name, built from the knowledge base.

_built: dict[tuple[str, str], Domain] = {}


def find_domain(name: DomainName, knowledge: Knowledge) -> Domain:
    """The domain of that name for this state of the knowledge base, built once."""
    key = (name, knowledge.content_id)
    if key not in _built:
        _built[key] = resolve_name(f"perennial.tasks.knowlogic.{name}.domain:build")(knowledge)
    return _built[key]
