"""Visits of the explorer's pages without a server or a browser."""

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from perennial.flows.web import explorer
from perennial.flows.web.address import Site, serve_site

# Each visit would search all installed packages for components again.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

SCRIPT = Path(explorer.__file__).with_name("app.py")


def visit(root: Path, page: str, **parameters: str) -> AppTest:
    """Return the page in this state, after its script ran."""
    st.cache_data.clear()
    st.cache_resource.clear()
    serve_site(Site(str(root)))
    tested = AppTest.from_file(str(SCRIPT), default_timeout=240)
    if page != "editions":
        tested._page_hash = calc_hash(page)
    for name, value in parameters.items():
        tested.query_params[name] = value
    return tested.run()


def run_sql(root: Path, sql: str) -> AppTest:
    """Return the page for SQL after its button was pressed."""
    return visit(root, "sql", sql=sql).button[0].click().run()


def errors_of(tested: AppTest) -> list[str]:
    """Return what the page says went wrong, an uncaught exception among it."""
    return [error.value for error in tested.error] + [error.message for error in tested.exception]
