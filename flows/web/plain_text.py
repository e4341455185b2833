"""Text of data on a page: shown as text, whatever it holds.

Streamlit reads titles, captions and messages as Markdown, in which a name could be a link or an image. Data
is therefore shown in tables and code blocks, which know no markup, or escaped here.
"""

import streamlit as st

from perennial.flows.console.terminal import escape_markdown, on_one_line, printable
from perennial.schemas.errors import shorten

_LONGEST_NAME = 120
_LONGEST_TEXT = 40_000


def plain(text: object) -> str:
    """Return the text so that Markdown shows it as it is: on one line, each sign of its syntax escaped."""
    return escape_markdown(shorten(on_one_line(str(text)), _LONGEST_NAME))


def plain_line(text: object) -> str:
    """Return a whole message so that Markdown shows it as it is."""
    return escape_markdown(" ".join(str(text).split()))


def show_text(text: str | None, height: int | None = None) -> None:
    """Show a text of a model, a program or a file as it is; of a very long one the beginning."""
    whole = "" if text is None else text
    shown = printable(whole[:_LONGEST_TEXT])
    st.code(
        shown or "(nothing)", language=None, wrap_lines=True, height="content" if height is None else height
    )
    if len(whole) > _LONGEST_TEXT:
        st.caption(f"the first {_LONGEST_TEXT:,} of {len(whole):,} characters")
