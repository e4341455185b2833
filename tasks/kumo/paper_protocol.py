"""The game as the KUMO authors asked for it: their messages in their order, and their reading of replies.

The first call sends the system message and the lists. Later calls send the system message, a line that begins
the game, and each reply with the observation that it gave; the lists stand at the end of the last message
alone. The texts come from a clone of their release (`perennial.schemas.kumo.protocol`).
"""

from collections.abc import Sequence

from perennial.schemas.game import Opening
from perennial.schemas.kumo.protocol import PaperMessages, fill
from perennial.schemas.kumo.things import Step
from perennial.schemas.model_calls.calls import Message
from perennial.tasks.kumo.answers import NO_MOVE, Move


def open_as_published(
    messages: PaperMessages, truths: Sequence[str], actions: Sequence[str], book: str | None
) -> Opening:
    """Return the first messages, with the book where there is one."""
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
    """Return the message that shows what an action gave."""
    shown = repr({"action": step.move, "observation": step.observation})
    return _message("user", fill(messages.observed, {"observation": shown}))


def parse_as_published(reply: str, truths: Sequence[str], actions: Sequence[str]) -> Move:
    """Return the move as the authors read it: an exact name, or none.

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
