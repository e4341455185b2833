"""The explorer: which pages there are, and which of them a link names."""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from perennial.flows.benchmark import find_benchmark
from perennial.flows.console.errors import translate_error
from perennial.flows.web.page import Page, Visit, parameter, plain_line, read_snapshot
from perennial.flows.web.shared_pages.compare import DRIFT, PAIRS, PROFILES, SCALE
from perennial.flows.web.shared_pages.editions import EDITIONS
from perennial.flows.web.shared_pages.instances import EPISODE, INSTANCES
from perennial.flows.web.shared_pages.leaderboard import DOMAINS, FIGURES, LEADERBOARD
from perennial.flows.web.shared_pages.lineage import LINEAGE
from perennial.flows.web.shared_pages.sql import SQL
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import PerennialError

_SHARED = (
    *(EDITIONS, LEADERBOARD, DOMAINS, FIGURES, INSTANCES, EPISODE, LINEAGE),
    *(PAIRS, DRIFT, SCALE, PROFILES, SQL),
)
_STYLE = """<style>
.block-container { padding: 2.2rem 1.2rem 2rem; }
h1 { font-size: 1.5rem !important; padding-bottom: .3rem !important; }
h2 { font-size: 1.15rem !important; } h3 { font-size: 1rem !important; }
[data-testid="stSidebar"] [data-testid="stPageLink"] p { font-size: .9rem; }
[data-testid="stSidebarUserContent"] [data-testid="stVerticalBlock"] { gap: .25rem; }
[data-testid="stCode"] code { font-size: .8rem; }
</style>"""


def all_pages() -> tuple[Page, ...]:
    """Return the shared pages, then those of each installed benchmark."""
    return (*_SHARED, *(page for name in benchmarks() for page in find_benchmark(name).pages()))


def show_explorer(root: str) -> None:
    """Show the page that the URL names, with the list of pages beside it."""
    st.set_page_config(page_title="perennial", layout="wide")
    st.html(_STYLE)
    pages = all_pages()
    linked: dict[str, Any] = {}
    for page in pages:
        linked[page.name] = st.Page(
            partial(show_page, page, root, linked),
            title=page.title,
            url_path=page.name,
            default=page is EDITIONS,
        )
    current = st.navigation(list(linked.values()), position="hidden")
    with st.sidebar:
        kept = {"edition": edition} if (edition := parameter("edition")) else {}
        for page in pages_of(root):
            st.page_link(linked[page.name], query_params=kept)
    st.set_page_config(page_title=f"{current.title} – perennial")
    current.run()


def pages_of(root: str) -> tuple[Page, ...]:
    """Return the shared pages and those of the benchmarks that the data root has editions of."""
    try:
        held = {edition["benchmark"] for edition in Visit(read_snapshot(root), {}).list_editions()}
    except PerennialError:
        held = set()  # The page itself says what is wrong.
    return (
        *_SHARED,
        *(page for name in benchmarks() if name in held for page in find_benchmark(name).pages()),
    )


def show_page(page: Page, root: str, linked: Mapping[str, Any]) -> None:
    """Show the page, which may link to others; an error is one line, and no traceback."""
    st.title(page.title)
    try:
        page.show(Visit(read_snapshot(root), linked))
    except Exception as error:
        ours = error if isinstance(error, PerennialError) else translate_error(error)
        if ours is None:
            logging.getLogger(__name__).error("page %s failed", page.name, exc_info=error)
            st.error(
                f"This page failed ({type(error).__name__}): the terminal of `perennial web` says where."
            )
        else:
            st.error(plain_line(ours))
