"""A problem of any domain: all that a question is, without a language (section 2.2 of the paper)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from perennial.schemas.knowlogic.things import GAP, LETTERS, Argument, Proposition, QuestionType, Verdict

if TYPE_CHECKING:
    from pydantic import TypeAdapter


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
        """Return what fills the gap of `asked` in this option."""
        assert self.asked is not None
        return option.arguments[self.asked.arguments.index(GAP)]


def right_letters(problem: Problem, verdicts: Sequence[Verdict]) -> str:
    """Return the right letters in order, such as "AC"; "D" alone where none of three options is right.

    Raises ValueError for an option that is neither true nor false in all arrangements.
    """
    if None in verdicts:
        place = LETTERS[list(verdicts).index(None)]
        raise ValueError(f"option {place} is neither forced true nor forced false by the statements")
    wanted = problem.type != "incorrect_statements"
    found = "".join(letter for letter, value in zip(LETTERS, verdicts, strict=False) if value is wanted)
    return found or (LETTERS[-1] if problem.has_none else "")


def fill(asked: Proposition, choice: Argument) -> Proposition:
    """Return a proposition whose gap is filled."""
    return Proposition(asked.template, tuple(choice if each == GAP else each for each in asked.arguments))


@lru_cache(maxsize=1)
def _problems() -> "TypeAdapter[Problem]":
    # Imported here: pydantic costs what a command that lists commands should not pay.
    from pydantic import TypeAdapter

    return TypeAdapter(Problem)


def payload_of(problem: Problem) -> str:
    """Return the problem as JSON text."""
    return _problems().dump_json(problem).decode()


def problem_of(payload: str) -> Problem:
    """Return the problem of JSON text; raise ValueError where it is none."""
    return _problems().validate_json(payload)
