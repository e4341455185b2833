"""One run on one problem: it ends at the first reply (`schemas.game.Game`)."""

from dataclasses import dataclass, field

from schemas.beyondbench.things import Parsed
from schemas.calls import Message
from schemas.game import EpisodeStatus, Opening, Result
from tasks.beyondbench.parse import NOTHING
from tasks.beyondbench.problem import Problem


@dataclass
class TaskGame:
    """A problem as it is played: what was read of the reply, and the grader's detail code."""

    problem: Problem
    prompt: str
    template_hash: str = ""
    parsed: Parsed = NOTHING
    detail: str = ""
    _ended: Result | None = field(default=None, init=False)

    def opening(self, _variant: str) -> Opening:
        """Return the prompt as the only message."""
        message: Message = {"role": "user", "content": self.prompt}
        return Opening((message,), self.problem.task.template, self.template_hash)

    def take(self, reply: str) -> None:
        """Read the reply and grade it; the game ends."""
        self.parsed = self.problem.parse(reply)
        if self.parsed.answer is None:
            self.end("unparsed")
            return
        self.detail = self.problem.verify(self.parsed.answer)
        self.end("wrong" if self.detail else "solved")

    def next_message(self) -> Message:
        """Raise: there is one reply."""
        raise AssertionError("a problem is answered once")

    def end(self, status: EpisodeStatus) -> None:
        """End with this status."""
        self._ended = Result(status, status == "solved", float(status == "solved"))

    def result(self) -> Result | None:
        """Return how it ended, None before the reply."""
        return self._ended
