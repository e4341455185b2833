"""What BeyondBench adds to the explorer: its leaderboard by suite, its problems, and their solutions."""

import streamlit as st

from flows.web.page import ALL, Opened, OwnPages, Page, Visit, choose
from flows.web.plain_text import show_text
from flows.web.tables import show_query
from schemas.beyondbench.things import SUITES
from schemas.errors import UnreadableInput
from schemas.rows import Row
from warehouse.catalog.sql.confinement import quote

_FACTS = (
    *("task", "variation", "suite", "size", "solutions", "solutions_complete", "space_log10", "space_exact"),
    *("prompt_tokens", "solution_tokens", "context_tokens", "rejected_draws", "reused"),
)


def show_levels(visit: Visit) -> None:
    """Show the players in one suite or overall, and in its tasks."""
    columns = st.columns(3)
    with columns[0]:
        edition = visit.choose_edition("beyondbench")
    played = edition.query("SELECT DISTINCT suite FROM beyondbench_scores").column("suite")
    suites = [name for name in ("overall", *SUITES) if name in played]
    if not suites:
        raise UnreadableInput(f"edition {edition.name} has no scored answers yet")
    with columns[1]:
        suite = choose("Suite", suites, "suite")
    tasks = edition.query(
        f"SELECT DISTINCT task FROM beyondbench_scores WHERE suite = {quote(suite)} ORDER BY 1"
    )
    with columns[2]:
        task = choose("Task", [ALL, *(name for name in tasks.column("task") if name != ALL)], "task")
    where = f"WHERE suite = {quote(suite)} AND task = {quote(task)}"
    show_query(
        "beyondbench_scores",
        edition.snapshot,
        f"SELECT * EXCLUDE (edition, suite, task) FROM beyondbench_scores {where} "
        "ORDER BY accuracy DESC, player",
    )
    st.caption(
        "A task is the unweighted mean of its cells (task x variation), a suite that of its tasks; overall "
        "is the mean of the three suites, for players with answers in each. Intervals (95%) are for "
        "instances that vary."
    )
    _show_unasked(edition)
    st.header("Accuracy by size")
    chosen = "true" if suite == "overall" else f"suite = {quote(suite)}"
    chosen += "" if task == ALL else f" AND task = {quote(task)}"
    show_query(
        "beyondbench_sizes",
        edition.snapshot,
        f"SELECT * EXCLUDE (edition) FROM beyondbench_sizes WHERE {chosen} "
        "ORDER BY task, size, accuracy DESC, player",
    )


def _show_unasked(edition: Opened) -> None:
    """Show what players were not asked, where there is something."""
    if not edition.query("FROM beyondbench_unasked LIMIT 1").rows:
        return
    st.header("Not asked")
    show_query("beyondbench_unasked", edition.snapshot, "SELECT * EXCLUDE (edition) FROM beyondbench_unasked")
    st.caption(
        "Problems that a model's own budget of tokens does not hold, by size. Its accuracy is over the "
        "others; common_accuracy compares players on the problems that all with at least half of a suite "
        "have."
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


PAGES = OwnPages(
    (
        Page("beyondbench-levels", "BeyondBench: levels", show_levels),
        Page("beyondbench-problems", "BeyondBench: problems", show_problems),
    ),
    instance=show_problem,
    reference=show_solution,
)
