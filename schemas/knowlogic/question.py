"""A question in one language, as a row of `knowlogic_questions` holds it."""

from dataclasses import dataclass

from perennial.schemas.knowlogic.things import (
    Difficulty,
    DomainName,
    Language,
    Precision,
    QuestionText,
    QuestionType,
)


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
