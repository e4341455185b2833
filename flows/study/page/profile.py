"""What is asked before the first task: consent, age band and education."""

from collections.abc import Callable

import streamlit as st

from flows.study.desk import StudyDesk
from flows.study.page.safe_text import markdown_html
from schemas.screen import Screen

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
    """Ask for age band and education."""
    with st.container(key="study-profile"):
        st.html('<p class="study-text">Two questions about you. Your name is not asked for.</p>')
        age = st.selectbox("Your age", screen.age_bands, index=None, placeholder="Choose one")
        education = st.selectbox(
            "The highest level of education that you completed",
            screen.education,
            index=None,
            placeholder="Choose one",
        )
        st.button(
            "Continue",
            type="primary",
            disabled=age is None or education is None,
            on_click=act,
            args=(StudyDesk.describe, age, education),
        )
