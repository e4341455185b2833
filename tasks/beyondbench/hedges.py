"""Texts that commit to no answer: they state two different ones, or only what the answer is not."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from perennial.schemas.beyondbench.things import Answer

Reader = Callable[[str], Answer | None]
# No more alternatives or sentences of one text are read.
_MOST = 20
_WORDS = (
    r"\b(?:and/or|or|either|alternatively|maybe|perhaps|possibly|versus|vs|otherwise|else|unless|if\snot"
    r"|(?:al)?though(?=[^.\n]{0,200}\b(?:possible|also|could|might|may)\b))\b"
)
_OR_WORD = re.compile(_WORDS, re.IGNORECASE)
_OR = re.compile(rf"(?:{_WORDS}|\|{{1,2}}|\\lor\b|∨)", re.IGNORECASE)
_NEGATION = re.compile(
    r"(?:\b(?:not|never|neither|nor|cannot|rather\sthan|other\sthan|anything\sbut|except)\b|n['’]t\b"
    r"|≠|!=|\\neq?\b)",
    re.IGNORECASE,
)
_CORRECTION = re.compile(r"(?<!anything )\b(?:but|instead|rather(?!\sthan))\b", re.IGNORECASE)
_SENTENCE_END = re.compile(
    r"[.;!?](?=\s)(?!\s{1,3}(?:or|alternatively|maybe|perhaps|possibly)\b)|\n", re.IGNORECASE
)
# What is said of an answer that is none, behind it: 5 is wrong, 5 is not the answer.
_REJECTION = re.compile(
    r"(?:\b(?:is|are|was|were|be)\s(?:\w{1,12}ly\s)?|['’]s\s)"
    r"(?:wrong|incorrect|false|invalid|impossible|ruled\sout"
    r"|not\s(?:the\s|a\s)?(?:right|correct|answer|solution|result|possible))\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:since|because|while|whereas|as)\b", re.IGNORECASE)
_CONTAINER = r"(?:\\boxed|<(?:final_)?answer>)"
_OPENED = re.compile(_CONTAINER, re.IGNORECASE)
# Two containers with "or" between them, or of which each "could be".
_TWO = re.compile(
    r"(?:\}|</(?:final_)?answer>)[^.;!?\n\\<>{}]{0,10}\s{0,10}"
    r"(?:\b(?:or(?!\s(?:rather|better))|alternatively|maybe|perhaps|possibly)\b"
    rf"|\b(?:could|might|may)\s(?:also\s)?be\b)[^.;!?\n\\<>{{}}]{{0,30}}\s{{0,10}}{_CONTAINER}",
    re.IGNORECASE,
)
# A container of what the answer is not.
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot\sbe|rather\sthan|other\sthan|anything\sbut|except)|n['’]t(?:\sbe)?|≠)"
    rf"[\s$*:(]{{1,10}}(?:equal\sto\s|the\sanswer\s)?{_CONTAINER}",
    re.IGNORECASE,
)
# The reader is left with several: one of .., cannot tell which, option 1 and option 2.
_ONE_OF = re.compile(r"\bone\sof\b", re.IGNORECASE)
_UNDECIDED = re.compile(
    r"\b(?:cannot|can['’]t|can\snot|could\snot|couldn['’]t)\s(?:tell|decide|say|determine|choose)\b"
    r"|\b(?:not\ssure|unsure|don['’]t\sknow|do\snot\sknow)\swhich\b",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"\b(?:option|candidate|guess|possibility|alternative|choice)\s?#?(?:[1-9]|[A-D])\b"
    r"|\b(?:first|second|third|another|other|alternative)\s(?:option|candidate|guess|possibility|choice|answer)\b",
    re.IGNORECASE,
)
WRONG = re.compile(r"\b(?:wrong|incorrect|false)\s{1,5}\Z", re.IGNORECASE)


def joins_containers(text: str) -> bool:
    """Return whether the text offers one container or another."""
    return _TWO.search(text) is not None


def denies_container(text: str) -> bool:
    """Return whether the last container of the text holds what the answer is not."""
    last = (deque(pattern.finditer(text), 1) for pattern in (_OPENED, _DENIED))
    opened, denied = (max((found.end() for found in of), default=0) for of in last)
    return 0 < opened == denied


def leaves_open(text: str, read: Reader) -> bool:
    """Return whether the text, which has no container, ends undecided or lists different options."""
    if _UNDECIDED.search(text):
        return True
    listed = _OPTION.split(text)[1:][-_MOST:]
    return differ(map(read, listed))


def joins_answers(text: str, read: Reader) -> bool:
    """Return whether the text, of several lines perhaps, has words such as "or" between different answers."""
    return differ(map(read, _OR_WORD.split(text)[:_MOST]))


def is_hedged(text: str, read: Reader) -> bool:
    """Return whether the last sentence of the text that holds an answer offers several, or denies it.

    `read` returns the answer that a piece of text states, None where it states none. What follows "but" or
    "instead" corrects what stands before it.
    """
    stated = [one for one in _last_sentences(text) if read(one) is not None]
    committed = [one for one in stated if not _is_rejected(one, read)]
    if stated and not committed:
        return True
    sentence = _CORRECTION.split(committed[0] if committed else "")[-1]
    if _ONE_OF.search(sentence):
        return True
    if denied := _NEGATION.search(sentence):
        before, after = sentence[: denied.start()], sentence[denied.end() :]
        if read(before) is None and read(after) is not None:
            return True
    return differ(map(read, _OR.split(sentence)[:_MOST]))


def _is_rejected(sentence: str, read: Reader) -> bool:
    """Return whether a sentence says of its answer that it is wrong, and names no other."""
    found = _REJECTION.search(sentence)
    if found is None or read(sentence[found.end() :]) is not None:
        return False
    *before, clause = _REASON.split(sentence[: found.start()])
    return read(clause) is not None and all(read(one) is None for one in before)


def differ(answers: Iterable[Answer | None]) -> bool:
    """Return whether two of the answers are not equal; None is no answer."""
    stated = [answer for answer in answers if answer is not None]
    return any(answer != stated[0] for answer in stated)


def _last_sentences(text: str) -> Iterator[str]:
    """Yield the last sentences, the last first."""
    return reversed([one for one in _SENTENCE_END.split(text) if one.strip()][-_MOST:])
