"""Whether an answer that a model says it has read is one piece of the reply, and not its own solution.

A piece is a run of words with nothing but brackets, quotation marks, commas, bars and blanks between them.
"""

import json
import re
from collections.abc import Iterator, Sequence

from perennial.tasks.a2rbench.catalogue.rule import Value
from perennial.tasks.a2rbench.replies.form import Form
from perennial.tasks.a2rbench.values import tokens_of

_MARKS = ",;|[](){}\"'“”‘’`*_&\\\\"
_WORD = re.compile(rf"[^\s{re.escape(_MARKS)}]+")
# At the end of a sentence, and before what "the output:" names.
_ENDS = ".:!?="
_OPENING, _CLOSING = re.compile(r"[\[({]|```|\n\s*\n"), re.compile(r"[\])}]|```|\n\s*\n")

# Short words that lead to an answer or on from it; no part of it unless they are its tokens.
_LINKS = {
    *("and", "are", "as", "be", "by", "for", "get", "in", "is", "it"),
    *("of", "or", "so", "that", "the", "then", "to", "was", "we"),
}


def is_quoted(answer: str, reply: str, form: Form | None = None) -> bool:
    """Return whether the answer (JSON) is one contiguous piece of the reply, which states nothing longer.

    Its tokens stand there in order, one by one, or the tokens of a row, or all of them, as one word. What is
    no longer than a token and goes on beside the piece belongs to it: `A B` is no quotation of `[A, B, C]`.
    What the form's prompt shows is the puzzle, and no answer. An answer without tokens must stand there as
    JSON, as one whose tokens are marks or hold blanks.
    """
    value = json.loads(answer)
    if form is not None and form.is_shown(value):
        return False
    tokens = list(_list_tokens(value))
    if not tokens or any(_WORD.fullmatch(token) is None or token[-1] in _ENDS for token in tokens):
        return answer in "".join(reply.split())
    words = list(_WORD.finditer(reply))
    longest = max(map(len, tokens))
    spellings = {tuple(tokens), tuple(_join_rows(value)), ("".join(tokens),)}
    return any(_has_run(reply, words, spelling, longest) for spelling in spellings)


def _list_tokens(value: object) -> Iterator[str]:
    """Yield the tokens of any JSON value, whose keys count as tokens."""
    if isinstance(value, list):
        for part in value:
            yield from _list_tokens(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from (key, *_list_tokens(part))
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def _join_rows(value: Value) -> Iterator[str]:
    """Yield each innermost list as one word."""
    if isinstance(value, list) and any(isinstance(part, list) for part in value):
        for part in value:
            yield from _join_rows(part)
    else:
        yield "".join(map(str, tokens_of(value)))


def _has_run(reply: str, words: Sequence[re.Match[str]], run: tuple[str, ...], longest: int) -> bool:
    """Return whether the reply's words hold the run, and the run does not go on before or after."""
    plain = [word[0].rstrip(_ENDS) for word in words]
    text, wanted = "\0" + "\0".join(plain) + "\0", "\0" + "\0".join(run) + "\0"
    longest = max(longest, *map(len, run))
    place, first, counted = text.find(wanted), 0, 0
    while place >= 0:
        # Words before this place: each has a mark before it.
        first += text.count("\0", counted, place)
        counted = place
        last = first + len(run) - 1
        inside = all(word[0][-1] not in _ENDS for word in words[first:last])
        before = first > 0 and _goes_on(reply, words[first - 1], words[first], longest, 0)
        after = last + 1 < len(words) and _goes_on(reply, words[last], words[last + 1], longest, 1)
        if inside and not before and not after:
            return True
        place = text.find(wanted, place + 1)
    return False


def _goes_on(reply: str, left: re.Match[str], right: re.Match[str], longest: int, beside: int) -> bool:
    """Return whether the word beside a run, the left (0) or the right one (1), may belong to it."""
    gap = reply[left.end() : right.start()]
    word = (left, right)[beside][0].rstrip(_ENDS)
    if len(word) > longest or word in _LINKS or left[0][-1] in _ENDS:
        return False
    # A bracket that opens before the run, or closes behind it, with none that does the opposite.
    if beside == 0:
        return _OPENING.search(gap) is None or re.search(r"[\])}]", gap) is not None
    return _CLOSING.search(gap) is None or re.search(r"[\[({]", gap) is not None
