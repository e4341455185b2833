"""Where a visitor comes from, for the limit of wrong codes."""

import streamlit as st


def visitor_origin() -> str:
    """Return the visitor's address.

    The server reads it from a proxy's header where it was started with --behind-proxy, and from the
    connection otherwise.
    """
    return st.context.ip_address or "this machine"
