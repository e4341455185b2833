"""Texts that commit to no answer: they state two different ones, or only what the answer is not."""

import re
from collections.abc import Callable, Iterator

from schemas.beyondbench.things import Answer

Reader = Callable[[str], Answer | None]
# No more alternatives or sentences of one text are read.
_MOST = 20
_OR = re.compile(
    r"(?:\b(?:and/or|or|either|alternatively|maybe|perhaps|possibly|versus|vs)\b|\|{1,2}|\\lor\b|∨)",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"(?:\b(?:not|never|neither|nor|cannot|rather\sthan|except)\b|n['’]t\b|≠|!=|\\neq?\b)", re.I
)
_CORRECTION = re.compile(r"\b(?:but|instead|rather(?!\sthan))\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.;!?](?=\s)|\n")
# Two containers with "or" between them.
_TWO = re.compile(
    r"(?:\}|</(?:final_)?answer>)[\s$*.,)]{0,10}\b(?:or|alternatively)\b[\s$*.,:(]{0,10}"
    r"(?:\\boxed|<(?:final_)?answer>)",
    re.IGNORECASE,
)


def joins_containers(text: str) -> bool:
    """Return whether the text offers one container or another."""
    return _TWO.search(text) is not None


def is_hedged(text: str, read: Reader) -> bool:
    """Return whether the last sentence of the text that holds an answer offers several, or denies it.

    `read` returns the answer that a piece of text states, None where it states none. What follows "but" or
    "instead" corrects what stands before it.
    """
    sentence = next((one for one in _last_sentences(text) if read(one) is not None), "")
    sentence = _CORRECTION.split(sentence)[-1]
    if denied := _NEGATION.search(sentence):
        before, after = sentence[: denied.start()], sentence[denied.end() :]
        if read(before) is None and read(after) is not None:
            return True
    parts = _OR.split(sentence)[:_MOST]
    return len(parts) > 1 and differ(map(read, parts))


def differ(answers: Iterator[Answer | None]) -> bool:
    """Return whether two of the answers are not equal; None is no answer."""
    stated = [answer for answer in answers if answer is not None]
    return any(answer != stated[0] for answer in stated)


def _last_sentences(text: str) -> Iterator[str]:
    """Yield the last sentences, the last first."""
    return reversed([one for one in _SENTENCE_END.split(text) if one.strip()][-_MOST:])
