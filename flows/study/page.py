"""The page of a study: what a participant sees."""

import streamlit as st


def show(study_file: str, root: str) -> None:
    """Show the study of that file, whose data is in that data root."""
    st.title("Study")
    st.text("This study has not begun.")
