"""Read a player's move out of its reply: the name between the last <ANSWER> and </ANSWER>."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.kumo.validation.names import fold_name

_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Move:
    """One move: an action or a truth by its listed name, or none where the reply named neither."""

    kind: Literal["action", "truth", "none"]
    name: str | None


NO_MOVE = Move("none", None)


def parse_answer(reply: str, truths: Sequence[str], actions: Sequence[str]) -> Move:
    """Return the move that the reply's last complete pair of tags holds.

    Tags count in any case; the last opening tag that is closed wins, so that of nested pairs the inner
    one does. `${name}` is read as `name`. A name matches exactly, or else, with letters case-folded and
    spaces collapsed, when it matches one listed name only. Time is proportional to the reply's length.
    """
    content = _last_pair(reply)
    if content is None:
        return NO_MOVE
    for text in _without_wrapping(content):
        if text in actions:
            # A name in both lists is an action: naming a truth ends the game, so that reading would cost
            # a player who meant the action everything. The validator refuses such domains.
            return Move("action", text)
        if text in truths:
            return Move("truth", text)
    for text in _without_wrapping(content):
        wanted = fold_name(text)
        alike = [Move("action", name) for name in actions if fold_name(name) == wanted]
        alike += [Move("truth", name) for name in truths if fold_name(name) == wanted]
        if len(alike) == 1:
            return alike[0]
    return NO_MOVE


def _last_pair(reply: str) -> str | None:
    opened: int | None = None
    content: slice | None = None
    for tag in _TAG.finditer(reply):
        if not tag[1]:
            opened = tag.end()
        elif opened is not None:
            content = slice(opened, tag.start())
            opened = None
    return None if content is None else reply[content]


def _without_wrapping(content: str) -> list[str]:
    text = content.strip()
    if text.startswith("${") and text.endswith("}"):
        return [text, text[2:-1].strip()]
    return [text]
