"""Read a player's move out of its reply: the one name between <ANSWER> and </ANSWER>.

A name is read in any case and spacing, in what writers of Markdown put around it (`**X**`, `- X`, `"X"`,
`X.`), with characters that look the same (a typesetter's hyphen or apostrophe, entities of HTML), and without
accents: each only where one listed name is meant. No words are left out, so that a negation or a second name
is never read as a name.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from perennial.schemas.game import Opening
from perennial.schemas.kumo.plan import PaperMessages
from perennial.schemas.kumo.things import Step
from perennial.schemas.model_calls import Message
from perennial.schemas.text import fill, plain_text, without_accents
from perennial.tasks.kumo.validation.rules import MAX_NAME, PLACEHOLDER
from perennial.tasks.kumo.validation.validate import fold_name, match_name

# Tags in a model's reply, such as <ANSWER> and </ANSWER>, in any case, also with entities of HTML.


_TAG = re.compile(r"(?:<|&lt;|＜)(/?)(book|answer)(?:>|&gt;|＞)", re.IGNORECASE | re.ASCII)


def find_tagged(content: str, name: Literal["book", "answer"]) -> list[slice]:
    """Where each pair of the named tags holds its text, of nested pairs the innermost one's.

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
    """The move that the reply makes; none where it names two different ones.

    The last complete pair of tags has to hold a listed name, and every other pair the same one or no listed
    name. Tags count in any case, and of nested pairs the inner one. A name matches exactly, or else, with
    letters case-folded and spaces collapsed, when it matches one listed name only. Time is proportional to
    the reply's length.
    """
    contents = [reply[span] for span in find_tagged(reply, "answer")]
    if not contents:
        return NO_MOVE
    move = read_name(contents[-1], truths, actions)
    others = (read_name(content, truths, actions) for content in dict.fromkeys(contents))
    return move if all(other in (move, NO_MOVE) for other in others) else NO_MOVE


def read_name(content: str, truths: Sequence[str], actions: Sequence[str]) -> Move:
    """The move that a text between tags makes: a listed name, maybe in Markdown, and nothing else.

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


def _fold_look_alikes(text: str) -> str:
    return fold_name(plain_text(text).strip(_MARKS))


_FORMS: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: text.strip(_MARKS),
    fold_name,
    lambda text: fold_name(text.strip(_MARKS)),
    _fold_look_alikes,
    lambda text: without_accents(_fold_look_alikes(text)),
)


# The game as the KUMO authors asked for it: their messages in their order, and their reading of replies.
#
# The first call sends the system message and the lists. Later calls send the system message, a line that
# begins the game, and each reply with the observation that it gave; the lists stand at the end of the last
# message alone. The texts come from a clone of their release (`perennial.schemas.kumo.plan`).


def open_as_published(
    messages: PaperMessages, truths: Sequence[str], actions: Sequence[str], book: str | None
) -> Opening:
    """The first messages, with the book where there is one."""
    # As their f-strings show lists: as Python writes them.
    values = {"truths": repr(list(truths)), "actions": repr(list(actions)), "book": book or ""}
    system = fill(messages.closed if book is None else messages.system, values)
    first = [_message("system", system), _message("user", fill(messages.first, values))]
    kept = [first[0], _message("user", fill(messages.begin, {}))]
    return Opening(
        tuple(first),
        messages.template,
        messages.template_hash,
        kept=tuple(kept),
        tail=fill(messages.tail, values),
    )


def show_as_published(messages: PaperMessages, step: Step) -> Message:
    """The message that shows what an action gave."""
    pair = repr({"action": step.move, "observation": step.observation})
    return _message("user", fill(messages.observed, {"observation": pair}))


def parse_as_published(reply: str, truths: Sequence[str], actions: Sequence[str]) -> Move:
    """The move as the authors read it: an exact name, or none.

    The answer is what follows the last `<ANSWER>` up to the next `</ANSWER>`, and the whole reply where there
    are no tags; of one with `${` in it, what follows the last up to the next `}`. A name in both lists is a
    truth.
    """
    answer = reply.split("<ANSWER>")[-1].split("</ANSWER>")[0].strip()
    if "${" in answer:
        answer = answer.split("${")[-1].split("}")[0]
    if answer in truths:
        return Move("truth", answer)
    return Move("action", answer) if answer in actions else NO_MOVE


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}
