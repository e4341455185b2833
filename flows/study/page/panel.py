"""The panel of a task: lists, observations, buttons and the clock, drawn by a component in the browser.

A click runs the fragment alone: the move is stored, the panel gets its new data, and the book beside it is
not sent again. The clock counts in the browser; the server's time decides.
"""

import secrets
from functools import partial
from importlib.resources import files

import streamlit as st

from perennial.flows.study.desk import StudyDesk
from perennial.flows.study.page.safe_text import as_sentence
from perennial.flows.study.page.trouble import report_trouble, show_trouble
from perennial.schemas.errors import InvalidOption, PerennialError
from perennial.schemas.rows import JsonObject
from perennial.schemas.text import Screen

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
    """Make the move that the browser sent, if it is one."""
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
