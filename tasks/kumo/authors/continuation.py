"""Have a model continue a JSON document that was cut off, and put the pieces together.

The paper's authors found that output is often cut off: the model is asked whether it is complete and to
continue from the cut. Pieces are joined as they are. What a model writes around a piece, or repeats of
the one before, is left out, and only where the whole can then be read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from perennial.prompts.render import template_hash
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.model_calls.calls import CallStatus, Message, ModelRequest, Reply
from perennial.tasks.authors.reply import Unusable, unusable_status
from perennial.tasks.authors.request import message
from perennial.tasks.llm.asking import Ask
from perennial.tasks.llm.json_replies import is_cut_off, json_text

TEMPLATE = "kumo/authors/configure_continue.md.j2"

_ENDING_SHOWN = 200
_LONGEST_OVERLAP = 4000
# Text of this length stands twice in a row in no sound configuration; a shorter repeat may be meant.
_SURE_OVERLAP = 20
_LEAST_OVERLAP = 3

_OPENING_FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)[ \t]*\n", re.MULTILINE)
_CLOSING_FENCE = re.compile(r"\n[ \t]*```\s*\Z")
_FIRST_KEY = re.compile(r'\{\s*"([^"\\]+)"\s*:')


@dataclass(frozen=True, slots=True)
class Completed:
    """A reply with its continuations: the text merged so far, all calls, and why it is unusable, if it is."""

    text: str
    call_ids: tuple[str, ...]
    problem: Unusable | None


async def complete(ask: Ask, request: ModelRequest, reply: Reply, continuations: int) -> Completed:
    """Return the reply to the request, continued as long as it is cut off, `continuations` times at most.

    Cut off is a reply whose document ends in the middle, or that ran out of tokens before one began. The
    rules of `problem` are the statuses of a reply that is no text, `cut_off` where the limit is reached, and
    `not_continued` where a piece does not fit. Raises EndpointFailed where a call fails without an answer.
    """
    text, call_ids, messages = "", [reply.call_id], list(request.messages)
    for left in range(continuations, -1, -1):
        problem = None if _has_begun(reply) else unusable_status(reply)
        if problem is not None:
            return Completed(text, tuple(call_ids), problem)
        whole = merge(text, reply.content) if text else reply.content
        if whole is None:
            problem = Unusable("not_continued", _misfit(reply.content))
            return Completed(text, tuple(call_ids), problem)
        text = whole
        if not _needs_more(text, reply.status):
            return Completed(text, tuple(call_ids), None)
        if left:
            messages += [{"role": "assistant", "content": reply.content}, _continue_message(text)]
            hash_ = template_hash(TEMPLATE)
            asking = replace(request, messages=tuple(messages), template=TEMPLATE, template_hash=hash_)
            reply = await ask(asking)
            call_ids.append(reply.call_id)
    reason = f"the document is still cut off after {continuations} continuations; write it shorter"
    return Completed(text, tuple(call_ids), Unusable("cut_off", reason))


def merge(text: str, more: str) -> str | None:
    """Return a cut off reply and its continuation as one text, None where they do not fit.

    They fit where the result holds a whole document or one that is cut off further on. Left out of the
    continuation are a fence around it, and its beginning where it repeats the end of the text: a long
    repeat always, a short one (and line ends) only where the pieces do not fit as they are. A continuation
    that begins the document again replaces the text.
    """
    piece = _remove_fence(more)
    if _begins_anew(text, piece):
        return piece if _is_readable(piece) else None
    if not is_cut_off(text):
        return text + more  # nothing has begun yet
    candidates = _candidates(_CLOSING_FENCE.sub("", text), piece)
    return next((whole for whole in candidates if _is_readable(whole)), None)


def _candidates(text: str, piece: str) -> Iterator[str]:
    """Yield the ways to join the pieces, from the surest on."""
    pieces = dict.fromkeys((piece, piece.lstrip("\r\n")))
    overlaps = {piece: _overlap(text, piece) for piece in pieces}
    yield from (text + piece[overlaps[piece] :] for piece in pieces if overlaps[piece] >= _SURE_OVERLAP)
    yield from (text + piece for piece in pieces)
    yield from (text + piece[overlaps[piece] :] for piece in pieces if overlaps[piece] >= _LEAST_OVERLAP)


def _overlap(text: str, piece: str) -> int:
    """Return the length of the longest beginning of the piece with which the text ends."""
    longest = min(len(text), len(piece), _LONGEST_OVERLAP)
    return next((length for length in range(longest, 0, -1) if text.endswith(piece[:length])), 0)


def _remove_fence(more: str) -> str:
    """Return what is in a json block, or in any block that the text begins with; else all of it.

    A bare fence further on ends a block of the piece before, whose end cannot be in the document.
    """
    blanks = len(more) - len(more.lstrip())
    for fence in _OPENING_FENCE.finditer(more):
        if fence[1].lower() == "json" or fence.start() <= blanks:
            more = more[fence.end() :]
            break
    end = re.search(r"^[ \t]*```[ \t]*$", more, re.MULTILINE)
    return more if end is None else more[: end.start()].removesuffix("\n")


def _begins_anew(text: str, piece: str) -> bool:
    begun, again = _FIRST_KEY.search(text), _FIRST_KEY.match(piece.lstrip())
    return begun is not None and again is not None and begun[1] == again[1]


def _is_readable(text: str) -> bool:
    return is_cut_off(text) or _has_document(text)


def _needs_more(text: str, status: CallStatus) -> bool:
    return is_cut_off(text) or (status == "truncated" and not _has_document(text))


def _has_document(text: str) -> bool:
    try:
        json_text(text)
    except UnreadableInput:
        return False
    return True


def _has_begun(reply: Reply) -> bool:
    """Whether a reply that ran out of tokens has said anything that could be continued."""
    return reply.status == "truncated" and bool(reply.content.strip())


def _continue_message(text: str) -> Message:
    return message("user", TEMPLATE, ending=text[-_ENDING_SHOWN:])


def _misfit(content: str) -> str:
    return (
        f"the continuation, which begins with {content[:60]!r}, does not fit the cut off document; "
        "write the whole document in one piece, shorter"
    )
