"""What BeyondBench's public page says of it, and how a problem is drawn with the answers to it."""

from collections.abc import Sequence

import streamlit as st

from perennial.flows.web.figures import show_query
from perennial.flows.web.page import ALL, Opened, Page, Visit, choose, show_text
from perennial.flows.website.examples import choose_question
from perennial.schemas.beyondbench.things import SUITES
from perennial.schemas.presentation import Card, ChosenGame, DrawnGame, Example, Panel, Presentation, ReadRows
from perennial.schemas.rows import Row
from perennial.warehouse.catalog.confinement import quote


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


# What BeyondBench adds to the explorer: its problems, and their solutions.


_FACTS = (
    *("task", "variation", "suite", "size", "solutions", "solutions_complete", "space_log10", "space_exact"),
    *("prompt_tokens", "solution_tokens", "context_tokens", "rejected_draws", "reused"),
)


def show_problems(visit: Visit) -> None:
    """List the problems of the edition."""
    columns = st.columns(3)
    with columns[0]:
        edition = visit.choose_edition("beyondbench")
    with columns[1]:
        suite = choose("Suite", [ALL, *SUITES], "suite")
    tasks = edition.query("SELECT DISTINCT task FROM beyondbench_instances ORDER BY 1").column("task")
    with columns[2]:
        task = choose("Task", [ALL, *tasks], "task")
    wanted = [("suite", suite), ("task", task)]
    where = " AND ".join(f"{column} = {quote(value)}" for column, value in wanted if value != ALL) or "true"
    show_query(
        "problems",
        edition.snapshot,
        "SELECT instance_id, task, variation, suite, size, solutions, solutions_complete, reused, prompt "
        f"FROM beyondbench_instances WHERE {where} ORDER BY suite, task, variation, size, instance_id",
        lambda row: visit.go("instances", edition=edition.name, instance=row["instance_id"]),
    )


def show_problem(edition: Opened, instance_id: str) -> None:
    """Show what is asked, and what is known of the problem."""
    row = edition.require("beyondbench_instances", "instance_id", instance_id)
    st.text(", ".join(f"{name} {row[name]}" for name in _FACTS))
    left, right = st.columns(2)
    with left:
        st.header("Problem")
        show_text(row["prompt"])
    with right:
        _show_solution(row)


def show_solution(edition: Opened, instance_id: str) -> None:
    """Show the reference solution of the problem."""
    _show_solution(edition.require("beyondbench_instances", "instance_id", instance_id))


def _show_solution(row: Row) -> None:
    st.header("Reference solution")
    known = "all" if row["solutions_complete"] else "not all"
    st.caption(f"{row['solutions']:,} known, which are {known} there are")
    show_text(row["reference"])


PROBLEMS = Page("beyondbench-problems", "BeyondBench: problems", show_problems)
