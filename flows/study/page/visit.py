"""A visit: the code, then the screen that the desk draws for it."""

import gc
from collections.abc import Callable
from functools import lru_cache, partial
from html import escape
from importlib.resources import files
from pathlib import Path
from threading import Lock

import streamlit as st

from perennial.flows.study.desk import StudyDesk
from perennial.flows.study.page.tasks import (
    as_sentence,
    markdown_html,
    report_trouble,
    show_end,
    show_task,
    show_trouble,
    task_name,
)
from perennial.schemas.errors import InvalidOption, LimitReached, PerennialError
from perennial.schemas.text import Screen
from perennial.warehouse.store.store import Store

# Where a visitor comes from, for the limit of wrong codes.


def visitor_origin() -> str:
    """Return the visitor's address.

    The server reads it from a proxy's header where it was started with --behind-proxy, and from the
    connection otherwise.
    """
    return st.context.ip_address or "this machine"


# What is asked before the first task: consent, age band, education, and gender and major where listed.

Act = Callable[..., None]


def show_consent(screen: Screen, act: Act) -> None:
    """Show what the participant is to agree to, and ask."""
    with st.container(key="study-consent"):
        st.html(f'<div class="study-text">{markdown_html(screen.texts.get("consent", ""))}</div>')
        with st.container(horizontal=True):
            st.button(
                "I have read this, and agree", type="primary", on_click=act, args=(StudyDesk.consent, True)
            )
            st.button("I do not agree", on_click=act, args=(StudyDesk.consent, False))


def show_profile(screen: Screen, act: Act) -> None:
    """Ask for age band and education, and for gender and major where the study's file lists choices."""
    questions = (
        ("Your age", screen.age_bands),
        ("The highest level of education that you completed", screen.education),
        ("Your gender", screen.genders),
        ("Your field of study", screen.majors),
    )
    count = {2: "Two", 3: "Three", 4: "Four"}[sum(bool(choices) for _, choices in questions)]
    with st.container(key="study-profile"):
        st.html(f'<p class="study-text">{count} questions about you. Your name is not asked for.</p>')
        answers = [
            st.selectbox(label, choices, index=None, placeholder="Choose one") if choices else ""
            for label, choices in questions
        ]
        st.button(
            "Continue",
            type="primary",
            disabled=None in answers,
            on_click=act,
            args=(StudyDesk.describe, *answers),
        )


_STYLE = (files(__package__) / "page.css").read_text(encoding="utf-8")
_CODE = "study_code"
_SCREEN = "study_screen"  # what the last click gave, until it is shown
_REFUSAL = "study_refusal"
_FAREWELL = "study_farewell"
_opening = Lock()
_WITHDRAW = (
    "You may stop at any time, without giving a reason. What you did so far is then deleted, and your code "
    "opens nothing any more."
)


def show(study_file: str, root: str) -> None:
    """Show the study of that file, whose data is in that data root, to whoever has a code."""
    st.set_page_config(page_title="Study", layout="wide", initial_sidebar_state="collapsed")
    st.html(f"<style>{_STYLE}</style>")
    try:
        desk = _open_desk(study_file, root)
        screen = _next_screen(desk)
        show_trouble()
        if screen is None:
            _show_entry(desk)
        else:
            _show_screen(desk, screen)
    except PerennialError as error:
        report_trouble(error)
        show_trouble()


def _open_desk(study_file: str, root: str) -> StudyDesk:
    """Return the desk of the study, one for all visits.

    It is not among Streamlit's resources: any browser can ask for these to be forgotten, and with them the
    attempts to enter that failed.
    """
    with _opening:
        return _open_once(study_file, root)


@lru_cache(1)
def _open_once(study_file: str, root: str) -> StudyDesk:
    desk = StudyDesk(Path(study_file), Store(root))
    # Streamlit collects garbage after every click: without this it would go through all libraries each time.
    gc.collect()
    gc.freeze()
    return desk


def _next_screen(desk: StudyDesk) -> Screen | None:
    """Return what the participant sees now, None where a code is to be entered first."""
    state = st.session_state
    if _FAREWELL in state:
        return state[_FAREWELL]  # type: ignore[no-any-return]
    if _CODE not in state:
        return None
    drawn: Screen | None = state.pop(_SCREEN, None)
    try:
        return drawn or desk.screen(state[_CODE])
    except InvalidOption as error:
        _leave(error)
        return None


def _show_screen(desk: StudyDesk, screen: Screen) -> None:
    act = partial(_act, desk)
    name = task_name(screen)
    title = f"{screen.title}: {name}" if name else screen.title
    st.html(f'<h1 class="study-title">{escape(title)}</h1>')
    if screen.notice and screen.view is None:
        st.html(f'<p class="study-notice" role="status">{escape(as_sentence(screen.notice))}</p>')
    match screen.kind:
        case "consent":
            show_consent(screen, act)
        case "profile":
            show_profile(screen, act)
        case "tutorial" | "task":
            show_task(desk, st.session_state[_CODE], screen, act)
        case "end":
            show_end(screen)
        case "closed":
            st.html(f'<div class="study-text">{markdown_html(screen.texts.get("closed", ""))}</div>')
    if screen.kind != "closed":
        _show_foot(desk, screen)


def _show_foot(desk: StudyDesk, screen: Screen) -> None:
    contact = screen.texts.get("contact")
    with st.container(key="study-foot"):
        lines = ["If you close or reload this page, enter your code again: you return to where you were."]
        if contact:
            lines.append(f"Questions: {contact}")
        st.html(f'<p class="study-small">{"<br>".join(map(escape, lines))}</p>')
        with st.popover("Withdraw from the study"):
            st.html(f'<p class="study-small">{escape(_WITHDRAW)}</p>')
            st.button("Withdraw, and delete my data", on_click=_withdraw, args=(desk,))


def _show_entry(desk: StudyDesk) -> None:
    state = st.session_state
    with st.container(key="study-entry"):
        st.html(f'<h1 class="study-title">{escape(desk.study.title)}</h1>')
        with st.form("study_entry", border=False):
            st.html(
                '<p class="study-text">Enter the code that you were given, with or without its dashes.</p>'
            )
            typed = st.text_input("Your code", autocomplete="off", max_chars=200)
            submitted = st.form_submit_button("Enter", type="primary")
        refusal = state.pop(_REFUSAL, None)
        if submitted:
            refusal = _enter(desk, typed)
            if refusal is None:
                st.rerun()
        if refusal is not None:
            st.html(f'<p class="study-refusal" role="alert">{escape(as_sentence(refusal))}</p>')


def _enter(desk: StudyDesk, typed: str) -> str | None:
    """Let the visitor in, or return why not."""
    try:
        desk.enter(typed, visitor_origin())
    except (InvalidOption, LimitReached) as error:
        return str(error)
    st.session_state[_CODE] = typed
    return None


def _act(desk: StudyDesk, click: Callable[..., Screen], *values: object) -> None:
    """Give the desk what was clicked, and keep the screen that it returns until it is shown."""
    state = st.session_state
    if _CODE not in state:
        return
    try:
        state[_SCREEN] = click(desk, state[_CODE], *values)
    except InvalidOption as error:
        _leave(error)
    except PerennialError as error:
        report_trouble(error)


def _withdraw(desk: StudyDesk) -> None:
    state = st.session_state
    state.pop(_SCREEN, None)
    _act(desk, StudyDesk.withdraw)
    if _SCREEN in state:
        state[_FAREWELL] = state.pop(_SCREEN)
        state.pop(_CODE)


def _leave(error: InvalidOption) -> None:
    """Forget a code that opens nothing any more, as another tab withdrew."""
    st.session_state.pop(_CODE, None)
    st.session_state[_REFUSAL] = str(error)
