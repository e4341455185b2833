"""An instance as it is played: what players are shown, and what the grader knows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perennial.schemas.kumo.protocol import PaperMessages
from perennial.schemas.kumo.things import Instance, Rule, SeedConfig
from perennial.tasks.kumo.encoding import EncodedInstance
from perennial.tasks.kumo.reliability.case import Reports

if TYPE_CHECKING:
    from perennial.tasks.kumo.search import Solution


@dataclass(frozen=True)
class Board:
    """An instance with its book (which models and the reader read) and its rules (the symbolic variant).

    `solution` is the exact search's, for the players of its golden plays. `protocol` are the messages by
    which the KUMO authors asked; None: perennial's own. `guidebooks` are all books that models are shown
    where it stands among those of other domains; (): they are shown it alone. `reports` are shown in place of
    the outcomes; None: the outcomes are.
    """

    config: SeedConfig
    instance: Instance
    encoded: EncodedInstance
    book: str = ""
    rules: Sequence[Rule] = ()
    solution: "Solution | None" = None
    protocol: PaperMessages | None = None
    guidebooks: tuple[str, ...] = ()
    reports: Reports | None = None
