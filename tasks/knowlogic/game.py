"""One run on one question: it ends at the first reply (`perennial.schemas.game.Game`)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from perennial.schemas.knowlogic.things import ErrorClass, Language
from perennial.tasks.knowlogic.answers import Answer, classify_error, read_answer
from perennial.tasks.knowlogic.domain import Domain
from perennial.tasks.knowlogic.lenient import read_leniently
from perennial.tasks.knowlogic.wording.layout import prompt_template
from perennial.tasks.play.one_shot import OneShotGame


class Form(NamedTuple):
    """What is known of a question without its text; an imported one has no type."""

    domain: str = ""
    type: str | None = None
    difficulty: str = ""
    has_none: bool = False

    @property
    def key(self) -> str:
        """The form in one line."""
        return f"{self.domain} {self.type} {self.difficulty}{' none' if self.has_none else ''}"


@dataclass
class QuestionGame(OneShotGame):
    """A question as it is played: the prompt, the right letters, and what was read of the reply.

    `find_domain` returns the domain that the text is of, for a program that reads it; `form` is for one that
    does not.
    """

    prompt: str
    letters: str
    language: Language
    find_domain: Callable[[], Domain]
    template_hash: str = ""
    form: Form = field(default_factory=Form)
    answer: Answer | None = None
    lenient: str | None = None

    @property
    def template(self) -> str:
        """The template of the prompt."""
        return prompt_template(self.language)

    def take(self, reply: str) -> None:
        """Read the reply and grade it: right is exactly the set of right letters. The game ends.

        The lenient reading is kept beside the strict one, which alone counts.
        """
        self.answer, self.lenient = read_answer(reply), read_leniently(reply)
        if self.answer is None:
            self.end("unparsed")
        else:
            self.end("solved" if self.answer.letters == self.letters else "wrong")

    @property
    def error_class(self) -> ErrorClass | None:
        """What wrong letters are to the right ones, None where they are right or none were read."""
        return None if self.answer is None else classify_error(self.answer.letters, self.letters)
