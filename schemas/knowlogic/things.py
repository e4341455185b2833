"""What KnowLogic talks about: languages, domains, question types, propositions, labels."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

DomainName = Literal["space", "time", "social", "nature", "mix"]
DOMAINS: tuple[DomainName, ...] = get_args(DomainName)

Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
# The paper's ratio of easy, medium and hard questions (section 3.4).
RATIO: dict[Difficulty, int] = {"easy": 1, "medium": 2, "hard": 3}

QuestionType = Literal[
    "correct_statements",
    "incorrect_statements",
    "precise_entity",
    "vague_entity",
    "precise_event",
    "vague_event",
    "precise_slot",
    "vague_slot",
]
QUESTION_TYPES: tuple[QuestionType, ...] = get_args(QuestionType)

Precision = Literal["precise", "vague"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)

LETTERS = "ABCD"
# What stands for the missing part of a proposition in a question.
GAP = "____"

# The id of an entity, event, person, slot or value; a number stands for itself.
Argument = str | int
# Whether an option holds in all arrangements (True), in none (False), or is left open (None).
Verdict = bool | None


class Proposition(NamedTuple):
    """A proposition: the template that says it, and the ids or numbers that fill its places, in order."""

    template: str
    arguments: tuple[Argument, ...]


class QuestionText(NamedTuple):
    """A question in one language: introduction and statements, what is asked, and the four options."""

    text: str
    question: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What an engine finds of a problem.

    `arrangements` is the number of arrangements, modulo symmetry, that the statements allow (a closed world
    has 1); `verdicts` has one for each own option, without 'none of the above'.
    """

    arrangements: int
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """What is known of a question beside its text (section 3.3 of the paper).

    `properties`, `relations` and `rules` are the names of those that its statements, options and derivation
    use, sorted. `chain_length` is the fewest steps that decide its hardest option. `variables` are those of
    the difficulty formula (Appendix D) by the paper's names; `level` is its value.
    """

    properties: tuple[str, ...]
    relations: tuple[str, ...]
    rules: tuple[str, ...]
    chain_length: int
    precision: Precision
    level: float
    difficulty: Difficulty
    variables: Mapping[str, float] = field(default_factory=dict)


# What a wrong reply's letters are to the right ones (the paper's section 4.4 sorts these by hand).
ErrorClass = Literal["subset", "superset", "overlap", "disjoint"]
ERROR_CLASSES: tuple[ErrorClass, ...] = get_args(ErrorClass)

Brackets = Literal["square", "lenticular", "boxed"]
BRACKETS: tuple[Brackets, ...] = get_args(Brackets)

# What the engine says of an imported question: its key follows or another does, some option is true in some
# arrangements only, no arrangement is allowed, or the text is not read.
ItemVerdict = Literal["agrees", "differs", "open", "impossible", "undecided"]
ITEM_VERDICTS: tuple[ItemVerdict, ...] = get_args(ItemVerdict)
