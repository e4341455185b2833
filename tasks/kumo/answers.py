"""Read a player's move out of its reply: the one name between <ANSWER> and </ANSWER>.

A name is read in any case and spacing, and in what writers of Markdown put around it: `**X**`, `- X`, `"X"`,
`X.`. No words are left out, so that a negation or a second name is never read as a name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tasks.kumo.tags import find_tagged
from tasks.kumo.validation.names import fold_name
from tasks.kumo.validation.texts import MAX_NAME, PLACEHOLDER


@dataclass(frozen=True, slots=True)
class Move:
    """One move: an action or a truth by its listed name, or none where the reply named neither."""

    kind: Literal["action", "truth", "none"]
    name: str | None


NO_MOVE = Move("none", None)
_LONGEST = 2 * MAX_NAME  # a text between tags that is longer is no name in marks
# Quotes, emphasis, bullets, `${}` and full stops, which stand around a name and belong to no word.
_MARKS = " \t\r\n$.-*•_`\"'“”‘’«»{}"


def parse_answer(reply: str, truths: Sequence[str], actions: Sequence[str]) -> Move:
    """Return the move that the reply makes; none where it names two different ones.

    The last complete pair of tags has to hold a listed name, and every other pair the same one or no listed
    name. Tags count in any case, and of nested pairs the inner one. A name matches exactly, or else, with
    letters case-folded and spaces collapsed, when it matches one listed name only. Time is proportional to
    the reply's length.
    """
    contents = [reply[place] for place in find_tagged(reply, "answer")]
    if not contents:
        return NO_MOVE
    move = read_name(contents[-1], truths, actions)
    others = (read_name(content, truths, actions) for content in dict.fromkeys(contents))
    return move if all(other in (move, NO_MOVE) for other in others) else NO_MOVE


def read_name(content: str, truths: Sequence[str], actions: Sequence[str]) -> Move:
    """Return the move that a text between tags makes: a listed name, maybe in Markdown, and nothing else.

    The text itself counts before the text without marks, and case before no case: `"X"` is the name with
    quotes where that is listed.
    """
    text = content.strip()
    if text == PLACEHOLDER or len(text) > _LONGEST:
        return NO_MOVE
    names = (*actions, *truths)
    for form in (str, _without_marks, fold_name, _fold_without_marks):
        alike = _by_form(names, form).get(form(text), ())
        if len(alike) == 1:
            # A name in both lists is an action: naming a truth ends the game, so that reading would cost
            # a player who meant the action everything. The validator refuses such domains.
            return Move("action" if alike[0] in actions else "truth", alike[0])
    return NO_MOVE


def _without_marks(text: str) -> str:
    return text.strip(_MARKS)


def _fold_without_marks(text: str) -> str:
    return fold_name(_without_marks(text))


@lru_cache(maxsize=256)
def _by_form(names: tuple[str, ...], form: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    """Return the different names by their form, without those of which nothing is left."""
    found: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(names):
        if key := form(name):
            found[key] = (*found.get(key, ()), name)
    return found
