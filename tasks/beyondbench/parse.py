"""Read an answer from a reply: four levels, strict to loose, the last match wins (App. B of the paper).

1. The container that the prompt asks for, the last one, with exactly the required format in it.
2. The same container with another notation in it; the other container; a known phrase ("the answer is ..");
   a code fence.
3. The last text anywhere that reads as an answer.
4. The last number, for answers that are a number.

Thinking is cut off first: what stands before a closing tag, or after an opening one that nobody closes.
"""

import re
from collections.abc import Iterator

from schemas.beyondbench.things import Answer, Parsed
from tasks.beyondbench.forms.form import Form

_THINKING = ("think", "thinking", "thought", "reasoning", "scratchpad")
_TAGS = "|".join(_THINKING)
_CLOSED = re.compile(rf"<({_TAGS})>.*?</\1>", re.IGNORECASE | re.DOTALL)
_CLOSING = re.compile(rf"</(?:{_TAGS})>", re.IGNORECASE)
_OPENING = re.compile(rf"<(?:{_TAGS})>", re.IGNORECASE)
_BLOCK = re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL)
_BOXED = re.compile(r"\\boxed\s*\{")
_PHRASE = re.compile(
    r"(?:final answer|answer|result|solution)\b[*_\s]*(?:\s+is|\s*[:=])[*_\s:]*([^\n]{1,2000})", re.IGNORECASE
)
_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
NOTHING = Parsed(None, 0)


def parse_reply(text: str, form: Form) -> Parsed:
    """Return the answer of a reply, None where none can be read, and the level at which it was read."""
    text = cut_thinking(text)
    inside = list(_contents(text, form.container))
    if inside and (answer := form.read(inside[-1].strip())) is not None:
        return Parsed(answer, 1)
    for candidate in _candidates(text, form, inside):
        if (answer := form.read_loosely(strip_markup(candidate))) is not None:
            return Parsed(answer, 2)
    # What a container holds was meant as the answer: prose around it is not searched for another one.
    for part in (*reversed(inside), text) if inside else (text,):
        if (answer := form.find_last(strip_markup(part))) is not None:
            return Parsed(answer, 3)
        if inside:
            break
    if form.is_scalar and (answer := _last_number(inside[-1] if inside else text, form)) is not None:
        return Parsed(answer, 4)
    return NOTHING


def cut_thinking(text: str) -> str:
    """Return the text without its thinking."""
    text = _CLOSED.sub(" ", text)
    *_, last = _CLOSING.split(text)
    return _OPENING.split(last)[0]


def strip_markup(text: str) -> str:
    """Return the text without Markdown emphasis, code ticks, math delimiters and a full stop at its end."""
    text = re.sub(r"\\(?:text|mathrm|mathbf|textbf|displaystyle)\b\s*", "", text)
    text = re.sub(r"\\[()\[\],;!]|\$+|\*\*|__|`+|[{}]?\\left\b|\\right\b", "", text)
    return text.strip().removesuffix(".").strip()


def _contents(text: str, container: str) -> Iterator[str]:
    """Yield what each of the containers holds, in their order."""
    if container == "answer":
        yield from (block[1] for block in _BLOCK.finditer(text))
        return
    for found in _BOXED.finditer(text):
        content = _braced(text, found.end())
        if content is not None:
            yield content


def _braced(text: str, start: int) -> str | None:
    """Return the text from `start` up to the brace that closes it, None where none does."""
    depth = 1
    for brace in re.finditer(r"[{}]", text[start : start + 100_000]):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return text[start : start + brace.start()]
    return None


def _candidates(text: str, form: Form, inside: list[str]) -> Iterator[str]:
    yield from reversed(inside)
    if inside:
        return
    yield from reversed(list(_contents(text, "boxed" if form.container == "answer" else "answer")))
    phrases = [found[1] for found in _PHRASE.finditer(text)]
    fences = [found[1] for found in _FENCE.finditer(text)]
    yield from reversed(phrases)
    yield from reversed(fences)


def _last_number(text: str, form: Form) -> Answer | None:
    numbers = _NUMBER.findall(text)
    return form.read_loosely(numbers[-1]) if numbers else None
