"""What a benchmark shows of itself on public pages: its words, and how it draws an example.

Shared code chooses published games, none of a private question, and draws what a benchmark returns: pages are
escaped, printed and read aloud in one place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Mark = Literal["", "struck", "gone", "right", "wrong"]
"""Of a card: what is ruled out now, what was before, what is right or wrong."""


@dataclass(frozen=True, slots=True)
class Card:
    """A short text in a box; cards of one `tint` (a number) have the same color."""

    text: str
    mark: Mark = ""
    tint: int | None = None


CardGrid = tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of an example from top to bottom: heading, a sentence that is quoted, a text, cards, grids.

    Cards follow each other in lines; grids, each of rows of cards, stand side by side.
    """

    heading: str
    quote: str = ""
    text: str = ""
    cards: tuple[Card, ...] = ()
    grids: tuple[CardGrid, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenGame:
    """A game that may be drawn. `reply` is the last one, `answer` what was read of it; None: none was.

    `ended` says in words how it ended, `fault` what kind of fault its answer has, where that is known.
    """

    evaluation: str
    episode_id: str
    instance_id: str
    player: str
    is_won: bool
    ended: str
    reply: str | None
    answer: str | None
    right_answer: str | None
    fault: str | None


@dataclass(frozen=True, slots=True)
class DrawnGame:
    """A game as it is drawn; `why` says why it was lost, "" of a game that was won."""

    game: ChosenGame
    panels: tuple[Panel, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A question, and games over it that stand side by side: one that was won, one that was lost."""

    question: tuple[Panel, ...]
    games: tuple[DrawnGame, ...]


ReadRows = Callable[[str], tuple[Sequence[str], Sequence[tuple[Any, ...]]]]
"""Column names and rows of SQL over one edition."""
DrawExample = Callable[[ReadRows, Sequence[tuple[ChosenGame, ...]]], Example | None]
"""Draws one of several choices, the best first: each the games over one question, a won one first."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """How a benchmark introduces itself to readers who have never met it.

    - `title`: its name as it is written in a text.
    - `asks`: paragraphs: what a player is shown, what it must do, and what counts as right.
    - `best`: a sentence: what the best possible result is, and who reaches it.
    - `best_player`: the program whose success rate is shown as the best possible, "" where none is.
    - `cite`: who is to be cited for it, as one line, "" where only the software is.
    - `draw`: draws an example; None: its transcript is shown.
    """

    title: str
    asks: tuple[str, ...]
    best: str
    best_player: str = ""
    cite: str = ""
    draw: DrawExample | None = field(default=None, repr=False)
