"""What is asked before the first task: consent, age band, education, and gender and major where listed."""

from collections.abc import Callable

import streamlit as st

from perennial.flows.study.desk import StudyDesk
from perennial.flows.study.page.safe_text import markdown_html
from perennial.schemas.text import Screen

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
