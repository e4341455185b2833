"""Text of books, instances and study files as HTML: Markdown's forms, without anything that loads or runs.

Whoever wrote the text, a template, a model or a study's author, it is shown: HTML in it, images and links
stay the characters that they are.
"""

from functools import lru_cache
from html import escape

from markdown_it import MarkdownIt

_FORMS = (
    "paragraph",
    "heading",
    "lheading",
    "list",
    "table",
    "blockquote",
    "code",
    "fence",
    "hr",
    "emphasis",
    "balance_pairs",
    "fragments_join",
    "backticks",
    "newline",
    "escape",
    "entity",
)
_BOOKS = 512  # each as long as some pages


def plain_html(text: str) -> str:
    """Return the text as HTML that shows it character by character."""
    return escape(text)


def as_sentence(line: str) -> str:
    """Return an error's or a notice's line with a capital and a full stop."""
    return f"{line[:1].upper()}{line[1:].removesuffix('.')}." if line else ""


@lru_cache(_BOOKS)
def markdown_html(text: str) -> str:
    """Return Markdown as HTML; HTML, images and links in it are shown as text."""
    parser = MarkdownIt("zero", {"html": False, "linkify": False, "breaks": False}).enable(list(_FORMS))
    return str(parser.render(text))
