"""What a role of the scripted server is: it recognises its requests and answers them, well or badly."""

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tests.server.faults import Completion


@dataclass(frozen=True)
class Asked:
    """A chat completion that was asked for: its model, its messages, and all else of the body."""

    model: str
    messages: tuple[dict[str, Any], ...]
    params: dict[str, Any]

    @property
    def system(self) -> str:
        """The content of the first message, by which roles are distinguished."""
        return self.messages[0]["content"]


class Script(Protocol):
    """One role. A module of `tests.server.roles` offers one as `SCRIPT`.

    `faults` names what it can do badly. With fault None the reply is right; with one of them it has that
    fault. A completion is sent as it is, without faults of the server's own. `rng` is derived from the
    server's seed and the request, so that equal requests get equal replies.
    """

    role: str
    faults: tuple[str, ...]

    def recognises(self, asked: Asked) -> bool: ...

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> "str | Completion": ...
