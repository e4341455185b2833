"""What BeyondBench's public page says of it, and how a problem is drawn with the answers to it."""

from collections.abc import Sequence

from perennial.flows.website.examples import choose_question
from perennial.schemas.presentation import Card, ChosenGame, DrawnGame, Example, Panel, Presentation, ReadRows


def draw_example(read: ReadRows, choices: Sequence[tuple[ChosenGame, ...]]) -> Example | None:
    """Draw the games of the problem with the shortest text."""
    select = "SELECT instance_id, prompt, reference, solutions, solutions_complete FROM beyondbench_instances"
    if (chosen := choose_question(read, choices, select, "length(prompt)")) is None:
        return None
    row, games = chosen
    is_only = row["solutions_complete"] and row["solutions"] == 1
    panels = (
        Panel("The problem", text=row["prompt"]),
        Panel("The right answer" if is_only else "A right answer", cards=(Card(row["reference"], "right"),)),
    )
    return Example(panels, tuple(map(_draw_game, games)))


def _draw_game(game: ChosenGame) -> DrawnGame:
    reply = Panel("Its reply", text=game.reply or "")
    if game.answer is None:
        return DrawnGame(game, (reply,), f"No answer could be read: {game.ended}.")
    answer = Panel("Its answer", cards=(Card(game.answer, "right" if game.is_won else "wrong"),))
    why = f"The grader refused it: {(game.fault or game.ended).replace('_', ' ')}."
    return DrawnGame(game, (answer, reply), "" if game.is_won else why)


PRESENTATION = Presentation(
    "BeyondBench",
    (
        "A problem states all that is needed and asks for one answer in a given format: a number, a list, "
        "the next term of a sequence, the moves of a puzzle, a filled grid. There are 44 algorithmic tasks "
        "in three suites: easy, medium and hard.",
        "The player replies once. Its answer is checked against the constraints of the problem, so any right"
        " solution counts, whatever its wording.",
    ),
    "Every problem has a solution that its own rules verify, so the best possible success rate is 1: program"
    " exact computes it.",
    "exact",
    "Srivastava et al., BeyondBench, 2025, arXiv 2509.24210",
    draw_example,
)
