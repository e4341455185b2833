"""Read a player's move out of its reply: the name between the last <ANSWER> and </ANSWER>."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.kumo.tags import find_tagged
from tasks.kumo.validation.names import match_name


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
    pairs = find_tagged(reply, "answer")
    if not pairs:
        return NO_MOVE
    texts = _without_wrapping(reply[pairs[-1]])
    for text in texts:
        if text in actions:
            # A name in both lists is an action: naming a truth ends the game, so that reading would cost
            # a player who meant the action everything. The validator refuses such domains.
            return Move("action", text)
        if text in truths:
            return Move("truth", text)
    for text in texts:
        name = match_name(text, [*actions, *truths])
        if name is not None:
            return Move("action" if name in actions else "truth", name)
    return NO_MOVE


def _without_wrapping(content: str) -> list[str]:
    text = content.strip()
    if text.startswith("${") and text.endswith("}"):
        return [text, text[2:-1].strip()]
    return [text]
