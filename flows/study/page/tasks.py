"""A task: before its clock starts, while it runs, and what a participant is shown at the end."""

import logging
import secrets
from collections.abc import Callable
from functools import lru_cache, partial
from html import escape
from importlib.resources import files

import streamlit as st
from markdown_it import MarkdownIt

from perennial.flows.study.desk import StudyDesk
from perennial.schemas.errors import InvalidOption, LedgerBusy, PerennialError
from perennial.schemas.people import Study
from perennial.schemas.rows import JsonObject
from perennial.schemas.text import Screen

# Text of books, instances and study files as HTML: Markdown's forms, without anything that loads or runs.
#
# Whoever wrote the text, a template, a model or a study's author, it is shown: HTML in it, images and links
# stay the characters that they are.

_FORMS = (
    "paragraph",
    "heading",
    "lheading",
    "list",
    "table",
    "blockquote",
    "code",
    "fence",
    "hr",
    "emphasis",
    "balance_pairs",
    "fragments_join",
    "backticks",
    "newline",
    "escape",
    "entity",
)
_BOOKS = 512  # each as long as some pages


def as_sentence(line: str) -> str:
    """Return an error's or a notice's line with a capital and a full stop."""
    return f"{line[:1].upper()}{line[1:].removesuffix('.')}." if line else ""


@lru_cache(_BOOKS)
def markdown_html(text: str) -> str:
    """Return Markdown as HTML; HTML, images and links in it are shown as text."""
    parser = MarkdownIt("zero", {"html": False, "linkify": False, "breaks": False}).enable(list(_FORMS))
    return str(parser.render(text))


# What a participant is shown when the study's own files fail; the server's terminal names them.

_TROUBLE = "study_trouble"
_BUSY = (
    "The study's file is in use by another program right now, and your last click was not stored. Wait a few "
    "seconds, then click again: everything before it is kept."
)
_TEXT = (
    "The study cannot be reached right now, and your last click may not have counted. Wait a minute, then "
    "reload this page and enter your code again: what was stored is not lost."
)


def report_trouble(error: PerennialError) -> None:
    """Write the error to the server's terminal, and let the page say that there is trouble."""
    logging.getLogger(__name__).error("%s", error)
    st.session_state[_TROUBLE] = _BUSY if isinstance(error, LedgerBusy) else _TEXT


def show_trouble() -> None:
    """Say that there is trouble, if there is."""
    text: str | None = st.session_state.pop(_TROUBLE, None)
    if text is not None:
        st.html(f'<p class="study-refusal" role="alert">{escape(text)}</p>')


# The panel of a task: lists, observations, buttons and the clock, drawn by a component in the browser.
#
# A click runs the fragment alone: the move is stored, the panel gets its new data, and the book beside it is
# not sent again. The clock counts in the browser; the server's time decides.

_KEY = "study_task_panel"
_DRAWN = "study_panel_screen"
_ASSETS = files(__package__)
_panel = st.components.v2.component(
    "perennial_study_panel",
    html='<div class="panel"></div>',
    css=(_ASSETS / "panel.css").read_text(encoding="utf-8"),
    js=(_ASSETS / "panel.js").read_text(encoding="utf-8"),
)


def show_panel(desk: StudyDesk, code: str, screen: Screen) -> None:
    """Show the panel of the task whose clock runs."""
    st.session_state[_DRAWN] = screen
    _show_fragment(desk, code, screen.task)


def _draw(desk: StudyDesk, code: str, task: str) -> None:
    show_trouble()
    drawn: Screen | None = st.session_state.pop(_DRAWN, None)
    try:
        screen = drawn or desk.screen(code)
    except InvalidOption:
        st.rerun()  # withdrawn in another tab: the whole page says so
        return
    except PerennialError as error:
        report_trouble(error)
        show_trouble()
        return
    if screen.view is None or screen.task != task:
        st.rerun()  # the whole page: this task is over
    _panel(
        key=_KEY,
        data=_panel_data(screen),
        on_move_change=partial(_move, desk, code, task),
        on_look_change=_look,
    )


_show_fragment = st.fragment(_draw)


def _move(desk: StudyDesk, code: str, task: str) -> None:
    sent = _read_sent("move")
    turn, name = sent.get("turn"), sent.get("name")
    if sent.get("task") != task or not isinstance(turn, int) or not isinstance(name, str):
        return
    try:
        st.session_state[_DRAWN] = desk.move(code, task, turn, name)
    except InvalidOption:
        st.session_state.pop(_DRAWN, None)
    except PerennialError as error:
        report_trouble(error)


def _look() -> None:
    """Draw the panel again: its time is over, or the tab was out of sight."""


def _read_sent(event: str) -> JsonObject:
    value = st.session_state[_KEY].get(event)
    return value if isinstance(value, dict) else {}


def _panel_data(screen: Screen) -> JsonObject:
    view = screen.view
    assert view is not None
    return {
        "stamp": secrets.token_hex(8),
        "task": screen.task,
        "turn": view.turn,
        "goal": view.goal,
        "truth_noun": view.truth_noun,
        "action_noun": view.action_noun,
        "truths": [choice.name for choice in view.truths],
        "actions": [{"name": choice.name, "used": choice.used} for choice in view.actions],
        "observations": [{"action": seen.action, "text": seen.text} for seen in view.observations],
        "is_typed": view.is_typed,
        "seconds_left": screen.seconds_left,
        "notice": as_sentence(screen.notice),
    }


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
                f'<p class="study-earnings">You earned <strong>{escape(amount)}</strong></p>'
                f'<p class="study-text">{screen.solved} of {screen.of} answers were right, with '
                f"{screen.actions} actions in all.</p>"
            )
        st.html('<p class="study-text">You can close this page now.</p>')


def _show_before(screen: Screen, study: Study, act: Act) -> None:
    with st.container(key="study-before"):
        if screen.last:
            st.html(f'<p class="study-notice" role="status">{escape(_LAST[screen.last])}</p>')
        if screen.kind == "tutorial":
            st.html(f'<div class="study-text">{markdown_html(_RULES)}</div>')
            if instructions := screen.texts.get("instructions"):
                st.html(f'<div class="study-text">{markdown_html(instructions)}</div>')
            st.html(
                f'<p class="study-text">{escape(_pay(study))}</p>'
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
