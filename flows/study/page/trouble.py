"""What a participant is shown when the study's own files fail; the server's terminal names them."""

import logging

import streamlit as st

from perennial.flows.study.page.safe_text import plain_html
from perennial.schemas.errors import LedgerBusy, PerennialError

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
        st.html(f'<p class="study-refusal" role="alert">{plain_html(text)}</p>')
