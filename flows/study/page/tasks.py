"""A task: before its clock starts, while it runs, and what a participant is shown at the end."""

from collections.abc import Callable

import streamlit as st

from perennial.flows.study.desk import StudyDesk
from perennial.flows.study.page.panel import show_panel
from perennial.flows.study.page.safe_text import markdown_html, plain_html
from perennial.schemas.people import Study
from perennial.schemas.text import Screen

Act = Callable[..., None]
_BOOK = ("Guidebook", "Question")
_RULES = """
In each task one thing of a list is to be found. A guidebook says what you can do to find out, and which
things each result **rules out**. Results only ever rule out; they never confirm.

1. Read the guidebook on the left (on a phone: above).
2. Choose an action on the right. Its result appears at once, and stays on the page.
3. When you know which one is left, name it. That ends the task. You win if no result of any action, taken or
   not, rules it out.

Use as few actions as you can, and go by the guidebook alone, even where you know otherwise.
"""
_LAST = {
    "answered": "Your answer is stored.",
    "time": "The time for that task is over. What you did is stored.",
    "right": "That was right. From now on you are not told whether an answer was right.",
    "wrong": "That was not right: a result rules it out. From now on you are not told whether an answer was "
    "right.",
}


def task_name(screen: Screen) -> str:
    """Return the name of the task that is next or open, "" elsewhere."""
    if not screen.task:
        return ""
    return "Tutorial" if screen.kind == "tutorial" else f"Task {screen.task} of {screen.of}"


def show_task(desk: StudyDesk, code: str, screen: Screen, act: Act) -> None:
    """Show the task that is open, or what comes before its start."""
    if screen.view is None:
        _show_before(screen, desk.study, act)
        return
    book, panel = st.columns([11, 9], gap="large")
    with book, st.container(key="study-book"):
        st.html(
            f'<details class="study-text study-book" open><summary>{_BOOK[screen.view.is_typed]}</summary>'
            f"{markdown_html(screen.view.book)}</details>"
        )
    with panel, st.container(key="study-panel"):
        show_panel(desk, code, screen)


def show_end(screen: Screen) -> None:
    """Show thanks and earnings."""
    with st.container(key="study-end"):
        lines = [f"You have finished all {screen.of} tasks. **Thank you for taking part.**"]
        if screen.done < screen.of:
            lines = [f"The time is over: {screen.done} of {screen.of} tasks. **Thank you for taking part.**"]
        st.html(f'<div class="study-text">{markdown_html(lines[0])}</div>')
        if screen.earnings is not None:
            amount = f"{screen.earnings:.2f} {screen.currency}".strip()
            st.html(
                f'<p class="study-earnings">You earned <strong>{plain_html(amount)}</strong></p>'
                f'<p class="study-text">{screen.solved} of {screen.of} answers were right, with '
                f"{screen.actions} actions in all.</p>"
            )
        st.html('<p class="study-text">You can close this page now.</p>')


def _show_before(screen: Screen, study: Study, act: Act) -> None:
    with st.container(key="study-before"):
        if screen.last:
            st.html(f'<p class="study-notice" role="status">{plain_html(_LAST[screen.last])}</p>')
        if screen.kind == "tutorial":
            st.html(f'<div class="study-text">{markdown_html(_RULES)}</div>')
            if instructions := screen.texts.get("instructions"):
                st.html(f'<div class="study-text">{markdown_html(instructions)}</div>')
            st.html(
                f'<p class="study-text">{plain_html(_pay(study))}</p>'
                '<p class="study-text">First a tutorial, which does not count and has no time limit.</p>'
            )
        else:
            st.html(f'<p class="study-text">{_times(screen)}</p>')
        label = "Start the tutorial" if screen.kind == "tutorial" else "Start the clock"
        st.button(label, type="primary", on_click=act, args=(StudyDesk.start, screen.task))


def _pay(study: Study) -> str:
    pay = study.earnings
    unit = f" {study.currency}" if study.currency else ""
    return (
        f"You earn {pay.base:g}{unit}, and {pay.per_success:g}{unit} times the share of your {study.tasks} "
        f"tasks that you answer rightly, less {pay.per_action:g}{unit} for each action."
    )


def _times(screen: Screen) -> str:
    parts = []
    if screen.seconds_left is not None:
        parts.append(f"You have {_minutes(screen.seconds_left)} for this task once its clock runs.")
    if screen.total_seconds_left is not None:
        left = _minutes(screen.total_seconds_left)
        parts.append(f"{left} are left for the whole study, whose clock keeps running between tasks.")
    return " ".join(parts)


def _minutes(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes"
