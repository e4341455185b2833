"""What games of one question and one reply share, whatever the benchmark (`perennial.schemas.game`)."""

from abc import ABC, abstractmethod

from perennial.schemas.game import EpisodeStatus, Opening, Result
from perennial.schemas.ids import content_id
from perennial.schemas.model_calls.calls import Message


class OneShotGame(ABC):
    """One run on one question: it shows the prompt and ends at the first reply, which `take` grades."""

    prompt: str
    template_hash: str
    _ended: Result | None = None

    @property
    @abstractmethod
    def template(self) -> str:
        """The template of the prompt."""

    @abstractmethod
    def take(self, reply: str) -> None:
        """Read the reply, grade it and end."""

    def opening(self, _variant: str) -> Opening:
        """Return the prompt as the only message."""
        message: Message = {"role": "user", "content": self.prompt}
        return Opening((message,), self.template, self.template_hash)

    def next_message(self) -> Message:
        """Raise: there is one reply."""
        raise AssertionError("a question is answered once")

    def end(self, status: EpisodeStatus) -> None:
        """End with this status."""
        self._ended = Result(status, status == "solved", float(status == "solved"))

    def result(self) -> Result | None:
        """Return how it ended, None before the reply."""
        return self._ended


class OneShotSeat:
    """A question of an edition as players meet it."""

    __slots__ = ()
    instance_id: str

    def episode_id(self, player: str, run: int) -> str:
        """Return the content id of question, player and run."""
        return content_id("ep", self.instance_id, player, run)
