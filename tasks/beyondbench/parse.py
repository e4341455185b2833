"""Read an answer from a reply: four levels, strict to loose, the last match wins (App. B of the paper).

1. The container that the prompt asks for, the last one that is not empty, with exactly the required format.
2. The same container with another notation in it; the other container, or one that is not closed; a known
   phrase ("the answer is ..", "therefore x = .."); a code fence.
3. The last emphasised text that is an answer, for answers that are a number; what the form finds in the text.
4. The last number, for answers that are a number.

What a container holds was meant as the answer: prose around it is not searched for another one. A container
or phrase with two different answers, or with what the answer is not, is no answer. Thinking was split off
before (`perennial.tasks.llm.reasoning`). Time is linear in the reply's length, whatever it holds: no
unbounded repetition begins at many places.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import itemgetter

from perennial.schemas.beyondbench.things import Answer, Parsed
from perennial.schemas.text import plain_text
from perennial.tasks.beyondbench.forms.form import Form

# Texts that commit to no answer: they state two different ones, or only what the answer is not.

Reader = Callable[[str], Answer | None]
# No more alternatives or sentences of one text are read.
_MOST_HEDGES = 20
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
_SENTENCE_END_HEDGES = re.compile(
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
    """Whether the text offers one container or another."""
    return _TWO.search(text) is not None


def denies_container(text: str) -> bool:
    """Whether the last container of the text holds what the answer is not."""
    last = (deque(pattern.finditer(text), 1) for pattern in (_OPENED, _DENIED))
    opened, denied = (max((match.end() for match in matches), default=0) for matches in last)
    return 0 < opened == denied


def leaves_open(text: str, read: Reader) -> bool:
    """Whether the text, which has no container, ends undecided or lists different options."""
    if _UNDECIDED.search(text):
        return True
    listed = _OPTION.split(text)[1:][-_MOST_HEDGES:]
    return differ(map(read, listed))


def joins_answers(text: str, read: Reader) -> bool:
    """Whether the text, of several lines perhaps, has words such as "or" between different answers."""
    return differ(map(read, _OR_WORD.split(text)[:_MOST_HEDGES]))


def is_hedged(text: str, read: Reader) -> bool:
    """Whether the last sentence of the text that holds an answer offers several, or denies it.

    `read` returns the answer that a piece of text states, None where it states none. What follows "but" or
    "instead" corrects what stands before it.
    """
    stated = [sentence for sentence in _last_sentences(text) if read(sentence) is not None]
    committed = [sentence for sentence in stated if not _is_rejected(sentence, read)]
    if stated and not committed:
        return True
    sentence = _CORRECTION.split(committed[0] if committed else "")[-1]
    if _ONE_OF.search(sentence):
        return True
    if denied := _NEGATION.search(sentence):
        before, after = sentence[: denied.start()], sentence[denied.end() :]
        if read(before) is None and read(after) is not None:
            return True
    return differ(map(read, _OR.split(sentence)[:_MOST_HEDGES]))


def _is_rejected(sentence: str, read: Reader) -> bool:
    """Whether a sentence says of its answer that it is wrong, and names no other."""
    rejection = _REJECTION.search(sentence)
    if rejection is None or read(sentence[rejection.end() :]) is not None:
        return False
    *before, clause = _REASON.split(sentence[: rejection.start()])
    return read(clause) is not None and all(read(part) is None for part in before)


def differ(answers: Iterable[Answer | None]) -> bool:
    """Whether two of the answers are not equal; None is no answer."""
    stated = [answer for answer in answers if answer is not None]
    return any(answer != stated[0] for answer in stated)


def _last_sentences(text: str) -> Iterator[str]:
    return reversed([part for part in _SENTENCE_END_HEDGES.split(text) if part.strip()][-_MOST_HEDGES:])


NOTHING = Parsed(None, 0)
# No answer is longer, no more containers or phrases are tried, and prose is searched no further from its end.
_LONGEST, _MOST, _TAIL = 50_000, 20, 40_000

_ANSWER_TAG = re.compile(r"<(/?)(?:final_)?answer>", re.IGNORECASE)
# Braces that close at once are met as one: they change nothing for the boxes around them.
_BOX_OR_BRACES = re.compile(r"(\\boxed\s{0,5}\{)|\\[\\{}]|\{[^{}\\]*+\}|(\{++)|(\}++)")
# A box without a backslash or braces, with escaped braces, or never closed (\b is a backspace in JSON).
_LOOSE_BOX = re.compile(
    r"(?:\\(?:boxed|fbox)|\bboxed|\x08oxed)\s{0,5}\\?\{([^{}\n]{1,2000})|\\boxed\s{1,5}([^\s{}]{1,400})"
)
_IS = r"(?:\b(?:is|are|equals|(?:would|should|must)\sbe)\b|[:=→⇒]|->|=>)[\s*_:\"']{0,20}"
_ADVERB = r"(?:(?:therefore|thus|hence|simply|exactly|equal\sto|then|clearly)\b[\s,:*_]{0,5})?"
_PHRASE = re.compile(
    rf"\b(?:answer|result|solution)s?\b(?:[*_ \t]{{0,10}}\n[\s*_]{{0,20}}|[^\n.:=]{{0,60}}?{_IS}{_ADVERB})",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(rf"\b(?:therefore|thus|hence|so)\b[^\n.:=]{{0,60}}?{_IS}{_ADVERB}", re.IGNORECASE)
_FENCE = re.compile(r"```[^\n`]*+\n(.*?)(?:```|\Z)", re.DOTALL)
_EMPHASIZED = re.compile(
    r"\*\*([^*\n]{1,400})\*\*|\$([^$]{1,400})\$|\\\[([^\\]{1,400})\\\]|\\\(([^\\]{1,400})\\\)"
)
_SENTENCE_END = re.compile(r"[.;!](?=\s)|,?\s(?:because|since|as|which|where|so)\b")
_NUMBER = re.compile(
    r"(?<![\w.,^\\])[-+]?(?:[0-9]++(?:[.,][0-9]++)*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+"
    r"(?:\s?/\s?[0-9]++)?+(?!\w)"
)
# What may not follow the number that begins a phrase: an operation on it, or the next number of a list.
_GOES_ON = re.compile(r"\s{0,5}(?:[-+*/×÷·^=<>≤≥:\\]|,?\s{0,5}[-+0-9]|(?:and|or|times|plus|minus|to)\b)")

# What prompts and replies write in a container in place of an answer.
_PLACEHOLDER = re.compile(
    r"(?:(?:the |your |final )*(?:answer|result|number|integer|value|next[ _]term|term|relation|count|sum"
    r"|maximum|minimum|second[ _]maximum|range|index|difference|length|mean value|median value|mode\(s\)"
    r"|sorted list)|[.…?_]*|\\[lc]?dots)",
    re.IGNORECASE,
)
_WRAPPED = re.compile(
    r"\\(?:text|textbf|textit|texttt|textrm|mathrm|mathbf|mathit|mathsf|mathtt|bm|emph|underline|mbox)\s{0,5}"
    r"\{([^{}]*+)\}"
)
_FRACTION = re.compile(
    r"\\[dt]?frac\s{0,5}\{\s{0,5}([-+]?[0-9]++)\s{0,5}\}\s{0,5}\{\s{0,5}([0-9]++)\s{0,5}\}"
)
_MIXED_NUMBER = re.compile(r"(?<=[0-9])(?=\\[dt]?frac)")
_SPACE = re.compile(r"\\q?quad(?![a-zA-Z])|\\ |~")
_MARKS = re.compile(
    r"\\(?:displaystyle|left|right|[Bb]igg?[lr]?)(?![a-zA-Z])\s{0,5}|\\[()\[\],;:!]|\$+|\*\*|__|`+"
    r"|</?(?:b|i|strong|em|code|br|p)\s?/?>|<\|[a-z_]{1,30}\|>"
)
_ESCAPED = re.compile(r"\\([{}_%#&])")


def parse_reply(text: str, form: Form) -> Parsed:
    """The answer of a reply, None where none can be read, and the level at which it was read."""
    inside = _contents(text, form.container)
    if joins_containers(text) and differ(_read(part, form) for part in inside[-2:]):
        return NOTHING
    if inside and denies_container(text):
        return NOTHING
    if inside and (answer := form.read(inside[-1])) is not None:
        return Parsed(answer, 1)
    if _commits_to_none(text, inside, form):
        return NOTHING
    text = inside[-1] if inside else text[-_TAIL:]
    if (answer := _first(chain(reversed(inside), _find_marked(text, form)), form)) is not None:
        return Parsed(answer, 2)
    if form.is_scalar and (answer := _first(_find_emphasized(text), form)) is not None:
        return Parsed(answer, 3)
    plain = strip_markup(text)
    if (answer := form.find_last(plain)) is not None:
        return Parsed(answer, 3)
    if form.is_scalar and (numbers := deque(_NUMBER.finditer(plain), 1)):
        answer = form.read_loosely(numbers[0][0])
        return NOTHING if answer is None else Parsed(answer, 4)
    return NOTHING


def _commits_to_none(text: str, inside: list[str], form: Form) -> bool:
    """Whether a reply that is not exact offers several answers, or only what the answer is not."""

    def read(part: str) -> Answer | None:
        return _read(part, form)

    if inside:
        if is_hedged(inside[-1], read) or joins_answers(inside[-1], read):
            return True
        plain = strip_markup(inside[-1])
        numbers = (form.read_loosely(match[0]) for match in _NUMBER.finditer(plain))
        return form.is_scalar and form.read_loosely(plain) is None and differ(numbers)
    text = text[-_TAIL:]
    phrases = (match for pattern in (_PHRASE, _CONCLUSION) for match in deque(pattern.finditer(text), 1))
    last = max(phrases, key=re.Match.end, default=None)
    if last is None:
        return is_hedged(text, read) or leaves_open(text, read)
    line, _, after = text[last.end() :].partition("\n")
    if WRONG.search(text[: last.start()][-20:]) or leaves_open(text[last.end() :], read):
        return True
    return read(after) is None and is_hedged(last[0] + line, read)


def _read(part: str, form: Form) -> Answer | None:
    """The answer that a part of a reply states, in any notation."""
    plain = strip_markup(part)
    answer = form.read_loosely(plain)
    if answer is None:
        answer = form.find_last(plain)
    if answer is None and form.is_scalar and (numbers := deque(_NUMBER.finditer(plain), 1)):
        answer = form.read_loosely(numbers[0][0])
    return answer


def strip_markup(text: str) -> str:
    """The text without Markdown, LaTeX and HTML around it, with the usual signs and fractions a/b."""
    text = plain_text(text).replace("{,}", ",")
    text = _MIXED_NUMBER.sub(" ", _WRAPPED.sub(r"\1", _WRAPPED.sub(r"\1", text)))
    text = _FRACTION.sub(r"\1/\2", text)
    text = _ESCAPED.sub(r"\1", _MARKS.sub("", _SPACE.sub(" ", text))).strip()
    text = text.strip("*").strip().removesuffix(".").rstrip()
    for quote in ("''", '""', "“”", "‘’"):
        if len(text) > 1 and text[0] == quote[0] and text.find(quote[1], 1) == len(text) - 1:
            text = text[1:-1].strip()
    return text


def _first(candidates: Iterable[str], form: Form) -> Answer | None:
    for candidate in candidates:
        if (answer := form.read_loosely(strip_markup(candidate[:_LONGEST]))) is not None:
            return answer
    return None


def _contents(text: str, container: str) -> list[str]:
    """What the last containers hold, in their order, without empty ones and placeholders."""
    spans = _blocks(text) if container == "answer" else _boxes(text)
    held = [text[start:end].strip() for start, end in spans if end - start <= _LONGEST]
    return [content for content in held if not _PLACEHOLDER.fullmatch(strip_markup(content[:100]))]


def _blocks(text: str) -> list[tuple[int, int]]:
    """The last <answer> blocks: from the last opening tag before a closing one."""
    spans: deque[tuple[int, int]] = deque(maxlen=_MOST)
    start: int | None = None
    for tag in _ANSWER_TAG.finditer(text):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            spans.append((start, tag.start()))
            start = None
    return list(spans)


def _boxes(text: str) -> list[tuple[int, int]]:
    r"""Return the last \boxed{..} by where they begin; one within another follows it."""
    spans: deque[tuple[int, int]] = deque(maxlen=_MOST)
    opened: list[int] = []  # where the content of each open box begins, negated counts of other braces
    for match in _BOX_OR_BRACES.finditer(text if "\\boxed" in text else ""):
        if match[1]:
            opened.append(match.end())
        elif match[2]:
            opened.append(-len(match[2]))
        closed = len(match[3] or "")
        while closed and opened:
            last = opened.pop()
            if last >= 0:
                spans.append((last, match.end() - closed))
                closed -= 1
            elif -last > closed:
                opened.append(last + closed)
                closed = 0
            else:
                closed += last
    return sorted(spans)


def _find_marked(text: str, form: Form) -> Iterator[str]:
    """Texts that are marked as the answer otherwise than by the container, the likeliest first."""
    yield from reversed(_contents(text, "boxed" if form.container == "answer" else "answer"))
    *_, unclosed = _ANSWER_TAG.split(text)[::2]
    if unclosed is not text and "<" not in unclosed:
        yield unclosed
    yield from ((match[1] or match[2]).rstrip("\\") for match in _last(_LOOSE_BOX, text))
    fences = [(match.start(1), match[1]) for match in _last(_FENCE, text)]
    phrases = [(match.end(), match) for match in _last(_PHRASE, text)]
    for _, marked in sorted((*fences, *phrases), key=itemgetter(0), reverse=True):
        yield from (marked,) if isinstance(marked, str) else _after(text, marked, form)
    for match in _last(_CONCLUSION, text):
        yield from _after(text, match, form)


def _last(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return reversed(deque(pattern.finditer(text), _MOST))


def _after(text: str, phrase: re.Match[str], form: Form) -> Iterator[str]:
    """What a phrase may announce: the line's rest, its sentence, the paragraph, all that follows.

    Where a part of an answer would read as an answer, the longest comes first, and no line of several.
    """
    start = phrase.end()
    line, paragraph = (text[start:].partition(end)[0] for end in ("\n", "\n\n"))
    if not form.is_scalar:
        yield text[start:]
        yield paragraph
        if "\n" in phrase[0]:
            return
    yield line
    yield _SENTENCE_END.split(line, maxsplit=1)[0]
    if form.is_scalar:
        plain = strip_markup(line)
        if (number := _NUMBER.match(plain)) and not _GOES_ON.match(plain, number.end()):
            yield number[0]
        yield paragraph


def _find_emphasized(text: str) -> Iterator[str]:
    for match in _last(_EMPHASIZED, text):
        yield next(group for group in match.groups() if group)
