"""Read a player's move out of its reply: the one name between <ANSWER> and </ANSWER>.

A name is read in any case and spacing, in what writers of Markdown put around it (`**X**`, `- X`, `"X"`,
`X.`), with characters that look the same (a typesetter's hyphen or apostrophe, entities of HTML), and without
accents: each only where one listed name is meant. No words are left out, so that a negation or a second name
is never read as a name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from perennial.schemas.text.look_alikes import plain_text, without_accents
from perennial.tasks.kumo.tags import find_tagged
from perennial.tasks.kumo.validation.names import fold_name, match_name
from perennial.tasks.kumo.validation.texts import MAX_NAME, PLACEHOLDER


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

    The text itself counts before the text without marks, case before no case, and accents before none:
    `"X"` is the name with quotes where that is listed.
    """
    text = content.strip()
    if text == PLACEHOLDER or len(text) > _LONGEST:
        return NO_MOVE
    name = match_name(text, (*actions, *truths), _FORMS)
    if name is None:
        return NO_MOVE
    # A name in both lists is an action: naming a truth ends the game, so that reading would cost a player who
    # meant the action everything. The validator refuses such domains.
    return Move("action" if name in actions else "truth", name)


def _without_marks(text: str) -> str:
    return text.strip(_MARKS)


def _fold_without_marks(text: str) -> str:
    return fold_name(_without_marks(text))


def _fold_look_alikes(text: str) -> str:
    return fold_name(_without_marks(plain_text(text)))


def _fold_without_accents(text: str) -> str:
    return without_accents(_fold_look_alikes(text))


_FORMS = (str, _without_marks, fold_name, _fold_without_marks, _fold_look_alikes, _fold_without_accents)
