"""One run on one code (`perennial.schemas.game.Game`), what a person sees, and the programs that play."""

import random
from dataclasses import dataclass, field

from perennial.prompts.render import render
from perennial.schemas.game import EpisodeStatus, Move, Opening, Program, Result, Sheet
from perennial.schemas.model_calls import Message
from perennial_mastermind.codes import COLORS, GUESSES, Answer, all_codes, answer, read_guess

OPENING = "mastermind/opening.md.j2"
FEEDBACK = "mastermind/feedback.md.j2"


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
        """Return the question; there is one way to ask it."""
        return Opening(({"role": "user", "content": self.text},), OPENING)

    def take(self, reply: str) -> str | None:
        """Answer the guess in the reply; end the game by the right one, the last one, or none at all."""
        guess = read_guess(reply, len(self.code))
        if guess is None:
            self.end("unparsed")
            return None
        self.guesses.append((guess, answer(self.code, guess)))
        if guess == self.code:
            self.end("solved")
        elif len(self.guesses) == GUESSES:
            self.end("turn_limit")
        return None if self.ended else self._feedback()

    def next_message(self) -> Message:
        """Return the answer to the last guess, as a model is shown it."""
        return {"role": "user", "content": self._feedback()}

    def end(self, status: EpisodeStatus) -> None:
        """End the game; the score is the share of pegs in place in the best guess."""
        best = max((answer.in_place for _, answer in self.guesses), default=0)
        self.ended = Result(status, status == "solved", best / len(self.code))

    def result(self) -> Result | None:
        """Return how the game ended, None while it continues."""
        return self.ended

    def _feedback(self) -> str:
        _, last = self.guesses[-1]
        return render(FEEDBACK, answer=last, left=GUESSES - len(self.guesses))


def draw_sheet(game: CodeGame) -> Sheet:
    """Return what a person is shown: the question, to which guesses are typed."""

    def fault(typed: str) -> str:
        good = read_guess(f"GUESS: {typed}", len(game.code))
        return (
            ""
            if good
            else f"expected {len(game.code)} letters of {COLORS}, such as {'ABCDEF'[: len(game.code)]}"
        )

    return Sheet(
        goal="Find the hidden code.",
        book=game.text,
        truths=(),
        actions=(),
        truth_noun="code",
        action_noun="guess",
        reply=lambda typed: f"GUESS: {typed}",
        ask="In the terminal, the letters alone are enough.",
        fault=fault,
    )


def solve(game: CodeGame, _rng: random.Random) -> Move:
    """Start the program that guesses the first code that fits all answers so far."""

    def move() -> str:
        codes = iter(all_codes(len(game.code)))
        fits = (code for code in codes if all(answer(code, g) == told for g, told in game.guesses))
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
