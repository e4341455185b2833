"""What a benchmark's public page says of it, in words; figures and examples come from published editions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Presentation:
    """How a benchmark introduces itself to readers who have never met it.

    - `title`: its name as it is written in a text.
    - `asks`: paragraphs: what a player is shown, what it must do, and what counts as right.
    - `best`: a sentence: what the best possible result is, and who reaches it.
    - `best_player`: the program whose success rate is shown as the best possible, "" where none is.
    - `cite`: who is to be cited for it, as one line, "" where only the software is.
    """

    title: str
    asks: tuple[str, ...]
    best: str
    best_player: str = ""
    cite: str = ""
