"""The explorer: its pages, and which of them a link names."""

import streamlit as st


def show_explorer(root: str) -> None:
    """Show the page that the URL names, with the list of pages beside it."""
    st.set_page_config(page_title="perennial", layout="wide")
    st.title("perennial")
    st.text(f"data root {root}")
