"""What a participant is shown when the study's own files fail; the server's terminal names them."""

import logging

import streamlit as st

from flows.study.page.safe_text import plain_html
from schemas.errors import PerennialError

_TROUBLE = "study_trouble"
_TEXT = (
    "The study cannot be reached right now, and your last click may not have counted. Wait a minute, then "
    "reload this page and enter your code again: what was stored is not lost."
)


def report_trouble(error: PerennialError) -> None:
    """Write the error to the server's terminal, and let the page say that there is trouble."""
    logging.getLogger(__name__).error("%s", error)
    st.session_state[_TROUBLE] = True


def show_trouble() -> None:
    """Say that there is trouble, if there is."""
    if st.session_state.pop(_TROUBLE, False):
        st.html(f'<p class="study-refusal" role="alert">{plain_html(_TEXT)}</p>')
