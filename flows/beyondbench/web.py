"""What BeyondBench adds to the explorer: its problems, and their solutions."""

import streamlit as st

from perennial.flows.web.figures import show_query
from perennial.flows.web.page import Opened, Page, Visit, choose_rows, show_text
from perennial.schemas.beyondbench.things import SUITES
from perennial.schemas.rows import Row

_FACTS = (
    *("domain", "variation", "suite", "size", "solutions", "solutions_complete"),
    *("space_log10", "space_exact", "unlike_paper"),
    *("prompt_tokens", "solution_tokens", "context_tokens", "rejected_draws", "reused"),
)
_JOINED = "beyondbench_instances JOIN instances USING (edition, instance_id)"


def show_problems(visit: Visit) -> None:
    """List the problems of the edition."""
    first, *columns = st.columns(3)
    edition = visit.choose_edition("beyondbench", column=first)
    tasks = edition.values("domain", _JOINED)
    where = choose_rows(columns, (("Suite", "suite", "suite", SUITES), ("Task", "task", "domain", tasks)))
    show_query(
        "problems",
        edition.snapshot,
        "SELECT instance_id, domain, variation, suite, size, solutions, solutions_complete, reused, prompt "
        f"FROM {_JOINED} WHERE {where} ORDER BY suite, domain, variation, size, instance_id",
        lambda row: visit.go("instances", edition=edition.name, instance=row["instance_id"]),
    )


def show_problem(edition: Opened, instance_id: str) -> None:
    """Show what is asked, and what is known of the problem."""
    row = edition.require(_JOINED, "instance_id", instance_id)
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
    extent = "all" if row["solutions_complete"] else "not all"
    st.caption(f"{row['solutions']:,} known, which are {extent} there are")
    show_text(row["reference"])


PROBLEMS = Page("beyondbench-problems", "BeyondBench: problems", show_problems)
