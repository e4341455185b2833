"""Tags in a model's reply, such as <ANSWER> and </ANSWER>, in any case, also with entities of HTML."""

import re
from typing import Literal

_TAG = re.compile(r"(?:<|&lt;|＜)(/?)(book|answer)(?:>|&gt;|＞)", re.IGNORECASE | re.ASCII)


def find_tagged(content: str, name: Literal["book", "answer"]) -> list[slice]:
    """Return where each pair of the named tags holds its text, of nested pairs the innermost one's.

    Time is proportional to the length of the content.
    """
    texts: list[slice] = []
    opened: int | None = None
    for tag in _TAG.finditer(content):
        if tag[2].lower() != name:
            continue
        if not tag[1]:
            opened = tag.end()
        elif opened is not None:
            texts.append(slice(opened, tag.start()))
            opened = None
    return texts
