"""One run on one problem: it ends at the first reply (`perennial.schemas.game.Game`)."""

from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Parsed
from perennial.tasks.beyondbench.parse import NOTHING
from perennial.tasks.beyondbench.problem import Problem
from perennial.tasks.play.one_shot import OneShotGame


@dataclass
class TaskGame(OneShotGame):
    """A problem as it is played: what was read of the reply, and the grader's detail code."""

    problem: Problem
    prompt: str
    template_hash: str = ""
    parsed: Parsed = NOTHING
    detail: str = ""

    @property
    def template(self) -> str:
        """The template of the prompt."""
        return self.problem.task.template

    def take(self, reply: str) -> None:
        """Read the reply and grade it; the game ends."""
        self.parsed = self.problem.parse(reply)
        if self.parsed.answer is None:
            self.end("unparsed")
            return
        self.detail = self.problem.verify(self.parsed.answer)
        self.end("wrong" if self.detail else "solved")
