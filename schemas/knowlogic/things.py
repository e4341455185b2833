"""What KnowLogic talks about: languages, domains, question types, propositions, labels."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal, NamedTuple, get_args

from perennial.schemas.analysts import AnalysisForm
from perennial.schemas.rows import JsonObject

# The knowledge base as values: what the tables of `warehouse/knowlogic` hold, a dataclass a domain.

Row = Mapping[str, str]


@dataclass(frozen=True)
class Knowledge:
    """All tables of the knowledge base: rows of text by `folder/table`, such as `nature/entities`.

    A domain's `build` makes what it needs of its own tables. `content_id` names this state of all tables.
    """

    tables: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    content_id: str = ""

    def rows(self, table: str) -> tuple[Row, ...]:
        """The rows of a table; raise KeyError where there is none."""
        return self.tables[table]


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
class EngineDecision:
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

# Why wrong letters came about: the seven categories of section 5.2 and appendix H, as analysts choose them,
# and one for what is none of them. Replies without letters are not analysed.
ANALYSIS = AnalysisForm(
    "knowlogic",
    "knowlogic/analyst.md.j2",
    wrong=(
        "Commonsense_Error-Entity_Property",
        "Commonsense_Error-Entity_Relation",
        "Reasoning_Error-Logical_Contradiction",
        "Reasoning_Error-Imprecision",
        "Reasoning_Error-Inference",
        "Overthinking",
        "Answer_Aggregation",
        "Other",
    ),
    skipped=("api_error", "unparsed"),
)

Brackets = Literal["square", "lenticular", "boxed"]
BRACKETS: tuple[Brackets, ...] = get_args(Brackets)

# What the engine says of an imported question: its key follows or another does, some option is true in some
# arrangements only, no arrangement is allowed, or the text is not read.
ItemVerdict = Literal["agrees", "differs", "open", "impossible", "undecided"]
ITEM_VERDICTS: tuple[ItemVerdict, ...] = get_args(ItemVerdict)


# KnowLogic's own part of an edition's plan.


@dataclass(frozen=True, slots=True)
class KnowLogicPlan:
    """What of KnowLogic decides an edition's questions.

    `questions` of each of the `domains`, each in all `languages`; `knowledge` is the content id of the
    knowledge base that they are drawn from, "" for an imported edition.
    """

    domains: tuple[DomainName, ...]
    questions: int
    languages: tuple[Language, ...]
    knowledge: str

    def as_json(self) -> JsonObject:
        """The plan's part in `plan.json`."""
        return asdict(self) | {"domains": list(self.domains), "languages": list(self.languages)}

    @classmethod
    def from_json(cls, values: JsonObject) -> "KnowLogicPlan":
        """Read what `as_json` wrote."""
        return cls(**{**values, **{name: tuple(values[name]) for name in ("domains", "languages")}})


# A question in one language, as a row of `knowlogic_questions` holds it.


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was grown here: its fields are the columns of the table, in their order."""

    instance_id: str
    pair: str
    language: Language
    domain: DomainName
    scenario: str
    type: QuestionType
    precision: Precision
    text: str
    question: str
    options: list[str]
    letters: str
    has_none: bool
    properties: list[str]
    relations: list[str]
    rules: list[str]
    chain_length: int
    variables: str
    level: float
    difficulty: Difficulty
    statements: int
    entities: int
    payload: str
    prompt: str
    template_hash: str
    rejected_draws: int

    @property
    def as_text(self) -> QuestionText:
        """What a reader is shown of it."""
        return QuestionText(self.text, self.question, tuple(self.options))
