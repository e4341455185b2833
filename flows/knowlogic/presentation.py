"""What KnowLogic's public page says of it, and how a question is drawn: options with the letters chosen."""

from collections.abc import Sequence

from perennial.flows.website.examples import choose_question
from perennial.schemas.knowlogic.things import LETTERS
from perennial.schemas.presentation import (
    Card,
    ChosenGame,
    DrawnGame,
    Example,
    Mark,
    Panel,
    Presentation,
    ReadRows,
)
from perennial.schemas.rows import Row


def draw_example(read: ReadRows, choices: Sequence[tuple[ChosenGame, ...]]) -> Example | None:
    """Draw the games of the shortest question, in English where there is one."""
    select = "SELECT instance_id, text, question, options, letters FROM knowlogic_questions"
    if (chosen := choose_question(read, choices, select, "language <> 'en', length(text)")) is None:
        return None
    row, games = chosen
    panels = (
        Panel("The text", text=row["text"]),
        Panel(row["question"], cards=_draw_options(row, row["letters"])),
    )
    return Example(panels, tuple(_draw_game(game, row) for game in games))


def _draw_options(row: Row, letters: str) -> tuple[Card, ...]:
    """Draw the options: of these letters, right ones and wrong ones are marked."""

    def mark(letter: str) -> Mark:
        return "" if letter not in letters else "right" if letter in row["letters"] else "wrong"

    return tuple(
        Card(f"{letter}. {option}", mark(letter))
        for letter, option in zip(LETTERS, row["options"], strict=False)
    )


def _draw_game(game: ChosenGame, row: Row) -> DrawnGame:
    reply = Panel("Its reply", text=game.reply or "")
    if game.answer is None:
        return DrawnGame(
            game, (reply,), f"No letters could be read: {game.ended}. Right is {row['letters']}."
        )
    chosen = Panel(f"It chose {game.answer or 'no letter'}", cards=_draw_options(row, game.answer))
    why = f"{(game.fault or game.ended).capitalize()}: right is {row['letters']}."
    return DrawnGame(game, (chosen, reply), "" if game.is_won else why)


PRESENTATION = Presentation(
    "KnowLogic",
    (
        "A question is a short text with an introduction and statements, from which it follows where "
        "everybody stands, what happened when, or who is who. Solving it takes logic and common knowledge: "
        "directions, dates, kinship, properties of animals and things.",
        "Four options follow, of which one or more are right. The player replies once, with letters in "
        "brackets, and gets no partial credit. Each question is written in Chinese and in English.",
    ),
    "Statements and options are checked by two independent engines, so the best possible success rate is 1: "
    "program exact reads every question and finds all right letters.",
    "exact",
    "KnowLogic: A Benchmark for Commonsense Reasoning via Knowledge-Driven Data Synthesis, 2025",
    draw_example,
)
