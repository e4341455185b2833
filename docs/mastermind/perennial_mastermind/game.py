"""The rules of the game, a code as it is played (`perennial.schemas.game`), and the programs that play."""

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from perennial.prompts.render import render
from perennial.schemas.game import Episode, EpisodeStatus, Move, Opening, Program, Result
from perennial.schemas.ids import content_id
from perennial.schemas.model_calls import Message
from perennial.schemas.rows import Rows
from perennial.tasks.play import InstanceSeat

COLORS = "ABCDEF"
PEGS = {"short": 4, "long": 5}  # by setting
GUESSES = 10  # allowed in a game
OPENING, FEEDBACK = "mastermind/opening.md.j2", "mastermind/feedback.md.j2"


class Answer(NamedTuple):
    """How near a guess is: pegs of the right color in the right place, and in another place."""

    in_place: int
    elsewhere: int


def answer(code: str, guess: str) -> Answer:
    """Pegs in place, then of what is left the colors that both have; equal lengths."""
    in_place = sum(one == other for one, other in zip(code, guess, strict=True))
    return Answer(in_place, (Counter(code) & Counter(guess)).total() - in_place)


def all_codes(pegs: int) -> list[str]:
    """All codes of a length, in alphabetical order."""
    return ["".join(code) for code in product(COLORS, repeat=pegs)]


@dataclass
class CodeGame:
    """A game of several turns: a guess and its answer each, until the code is found or no guess is left."""

    code: str
    guesses: list[tuple[str, Answer]] = field(default_factory=list)
    ended: Result | None = None

    @property
    def text(self) -> str:
        """The question, as models and people read it."""
        return render(OPENING, pegs=len(self.code), colors=COLORS, guesses=GUESSES)

    def opening(self, _variant: str) -> Opening:
        return Opening(({"role": "user", "content": self.text},), OPENING)

    def read(self, reply: str) -> str | None:
        """The guess on the last line `GUESS: ...` of a reply; None: there is none."""
        guesses = re.findall(rf"^\s*GUESS:\s*([{COLORS}]{{{len(self.code)}}})\s*$", reply, re.MULTILINE)
        return guesses[-1] if guesses else None

    def take(self, reply: str) -> str | None:
        """Answer the guess in the reply; end the game by the right one, the last one, or none at all."""
        guess = self.read(reply)
        if guess is None:
            self.end("unparsed")
            return None
        self.guesses.append((guess, answer(self.code, guess)))
        if guess == self.code:
            self.end("solved")
        elif len(self.guesses) == GUESSES:
            self.end("turn_limit")
        return None if self.ended else self.next_message()["content"]

    def next_message(self) -> Message:
        _, last = self.guesses[-1]
        feedback = render(FEEDBACK, answer=last, left=GUESSES - len(self.guesses))
        return {"role": "user", "content": feedback}

    def end(self, status: EpisodeStatus) -> None:
        """End the game; the score is the share of pegs in place in the best guess."""
        best = max((answer.in_place for _, answer in self.guesses), default=0)
        self.ended = Result(status, status == "solved", best / len(self.code))

    def result(self) -> Result | None:
        return self.ended


@dataclass(frozen=True, slots=True)
class CodeSeat(InstanceSeat):
    """A code of an edition."""

    instance_id: str
    code: str

    def start(self) -> CodeGame:
        return CodeGame(self.code)

    def own_rows(self, episode_id: str, episode: Episode[CodeGame]) -> dict[str, Rows]:
        rows: Rows = [
            {"episode_id": episode_id, "number": number, "guess": guess, **answer._asdict()}
            for number, (guess, answer) in enumerate(episode.game.guesses, start=1)
        ]
        return {"mastermind_guesses": rows}


def code_id(code: str) -> str:
    """The content id of a code as an instance."""
    return content_id("mastermind", code)


def solve(game: CodeGame, _rng: random.Random) -> Move:
    """Start the program that guesses the first code that fits all answers so far."""

    def move() -> str:
        fits = (c for c in all_codes(len(game.code)) if all(answer(c, g) == near for g, near in game.guesses))
        return f"GUESS: {next(fits)}"

    return move


def guess_blindly(game: CodeGame, rng: random.Random) -> Move:
    """Start the program that reads no answer: its success rate is the floor."""
    codes = rng.sample(all_codes(len(game.code)), GUESSES)
    return lambda: f"GUESS: {codes[len(game.guesses)]}"


PROGRAMS = {
    "solver": Program("solver", False, "guesses the first code that fits all answers", solve),
    "guesser": Program("guesser", True, "guesses without reading an answer", guess_blindly),
}
