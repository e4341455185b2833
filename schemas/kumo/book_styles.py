"""The styles in which the template writes knowledge books; all say the same rules."""

from typing import Literal, get_args

BookStyle = Literal[
    "list",
    "prose",
    "passive",
    "table",
    "by-truth",
    "scattered",
    "cross-references",
    "distractors",
]
BOOK_STYLES: tuple[BookStyle, ...] = get_args(BookStyle)
MIXED = "mixed"
"""Each book in a style that is drawn for it."""
PLAIN: BookStyle = "list"
"""The style in which any name can be written and read back."""
