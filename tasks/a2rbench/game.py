"""One run on one item (`perennial.schemas.game.Game`): it ends at the first reply, which a judge may read."""

from dataclasses import dataclass, field
from typing import NamedTuple

from perennial.tasks.a2rbench.catalogue.rule import Value
from perennial.tasks.a2rbench.replies.answers import Answer, read_answer
from perennial.tasks.a2rbench.replies.form import form_of
from perennial.tasks.a2rbench.wording import TEMPLATE
from perennial.tasks.authors.reply import Unusable
from perennial.tasks.play.one_shot import OneShotGame


class Form(NamedTuple):
    """What is known of an item without its tokens: its cell, its kind, and how many parts its query has.

    `shape` is the number of parts of each axis, by the first part of each.
    """

    domain: str = ""
    variation: int = 0
    is_remapped: bool = False
    shape: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """The form in one line."""
        copy = " copy" if self.is_remapped else ""
        return f"{self.domain} V{self.variation}{copy} {'x'.join(map(str, self.shape))}"


def shape_of(query: Value) -> tuple[int, ...]:
    """Return the numbers of parts of a query, by the first part of each axis."""
    if not isinstance(query, list):
        return ()
    return (len(query), *(shape_of(query[0]) if query else ()))


@dataclass
class ItemGame(OneShotGame):
    """An item as it is played: the prompt, the right answer as canonical JSON, and what was read.

    `form` is for a program that reads no token.
    `judge_call_id` is the call by which a judge was asked, `refused` why its quotation is not used.
    """

    prompt: str
    right: str
    template_hash: str = ""
    form: Form = field(default_factory=Form)
    answer: Answer | None = None
    judge_call_id: str | None = field(default=None, init=False)
    refused: tuple[Unusable, str] | None = field(default=None, init=False)

    @property
    def template(self) -> str:
        """The template of the prompt."""
        return TEMPLATE

    def take(self, reply: str) -> None:
        """Read the reply and compare its answer exactly. The game ends."""
        self.answer = read_answer(reply, form_of(self.prompt))
        if self.answer is None:
            self.end("unparsed")
        else:
            self.end("solved" if self.answer.answer == self.right else "wrong")

    def take_quote(self, answer: str | None, call_id: str) -> None:
        """Compare what the judge quotes of the reply by this call, None where it says that there is none."""
        self.judge_call_id = call_id
        if answer is not None:
            self.answer = Answer(answer, None, 0)
            self.end("solved" if answer == self.right else "wrong")

    def refuse_quote(self, fault: Unusable, call_id: str) -> None:
        """Keep why what the judge said by this call is not used: the reply stays unread."""
        self.judge_call_id, self.refused = call_id, (fault, call_id)
