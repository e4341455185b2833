"""Where a reply states its answer: members of objects that are nearly JSON, sentences, boxes, fences.

Statements are weighed in ranks. A lower rank is read only where the ranks above it hold nothing.
"""

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from perennial.tasks.a2rbench.replies.form import Form, fit, fit_text, unwrap
from perennial.tasks.a2rbench.replies.json_values import LONGEST, FoundValue, read_matrix, read_value

# Of statements of one kind: the last ones are read.
_MOST = 20
# member: of an object; said: named as the answer; shown: an output, a fence or a value alone.
Rank = Literal["member", "said", "shown"]

_ANCHOR = re.compile(
    r"(?P<open>[\"'`\u201c\u2018]?)(?<![A-Za-z])(?P<final>final[ _-]{0,2})?(?P<noun>answer|output)"
    r"(?P<close>[\"'`\u201d\u2019]?)(?: (?:of|for|to) (?:the )?query)?(?:\*\*|__|\*|_)?[ \t]?"
    r"(?P<link>:|=>|=|->|\u2192|is(?:[ \t]?:)?(?![a-z])|(?:would be|becomes)\b)",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\\(?:boxed|fbox) ?\{")
_MEMBER_END = re.compile(r"\s{0,200}+(?:[,}]|/[/*]|\Z)")
_KEY_BEFORE = re.compile(r"[{,]\s{0,20}\Z")
_REST = re.compile(r"[ \t*_`]{0,10}([^\n]{0,2000})")
_NO_BEFORE = re.compile(
    r"(?:\b(?:not|never|no longer|wrong|incorrect)\b|n['\u2019]t\b)[^.\n;:,]{0,25}\Z|"
    r"\b(?:not|wrong|incorrect)(?: (?:the|my|a|an|right|correct|final|answer|output)){0,4}\s?:?\s{0,3}\Z",
    re.IGNORECASE,
)
_NO_AFTER = re.compile(
    r"[\s*_`$\\)\]}\"'.,]{0,8}(?:(?:that|this|it|which)? ?(?:is|was|are|would be|seems|looks) "
    r"(?:not|wrong|incorrect|false|invalid)\b|(?:that |this |it |which )?isn['\u2019]t\b)",
    re.IGNORECASE,
)
_OR = re.compile(
    r"[\s*_`$}\"']{0,8},? ?(?:or(?: maybe| perhaps| possibly| else)?|alternatively|and/or)\b[\s,:]{0,3}", re.I
)


class Statement(NamedTuple):
    """A value that the reply states, None where it says that there is none; where it begins and ends.

    `is_exact`: it is written in the form of the item's outputs. `is_denied`: the reply says that it is no
    answer.
    """

    rank: Rank
    value: Any
    is_exact: bool
    start: int
    end: int
    is_denied: bool


def find_named(text: str, form: Form) -> list[Statement]:
    """Return what is named as the answer: members of objects, whole or not, sentences and boxes; outputs."""
    found = list(_find_anchored(text, form))
    for box in _last(_BOXED, text):
        value = read_value(text, box.start()) or read_matrix(text, box.end())
        if value is not None:
            found += _state(text, form, "said", value, box.start())
    return found


def find_shown(text: str, form: Form) -> list[Statement]:
    """Return fences and a value that is the whole reply."""
    found: list[Statement] = []
    for start, block in _fences(text):
        found += _whole(block, form, start)
    return [*found, *_whole(text.strip(), form, 0)]


def is_denied(text: str, start: int, end: int) -> bool:
    """Return whether words before or after a place in the text say that it is no answer."""
    before = text[max(0, start - 60) : start].rpartition("\n")[2]
    return bool(_NO_BEFORE.search(before) or _NO_AFTER.match(text, end))


def find_other(text: str, end: int) -> FoundValue | None:
    """Return the value that is offered behind an `or`."""
    offered = _OR.match(text, end)
    return None if offered is None else read_value(text, offered.end())


def _find_anchored(text: str, form: Form) -> Iterator[Statement]:
    for anchor in _last(_ANCHOR, text):
        start = anchor.start()
        found = read_value(text, anchor.end())
        if found is not None and _is_member(text, anchor, found):
            yield from _state(text, form, "member", found, start)
            continue
        rank: Rank = "said" if anchor["final"] or anchor["noun"].lower() == "answer" else "shown"
        if found is not None:
            yield from _state(text, form, rank, found, start)
        else:
            yield from _rest(text, form, rank, start, anchor.end())


def _is_member(text: str, anchor: re.Match[str], value: FoundValue) -> bool:
    """Return whether the place is a member of an object, which may be cut off behind it."""
    named = bool(anchor["final"]) or anchor["noun"].lower() == "answer"
    if not named or value.is_bare or anchor["link"] not in (":", "="):
        return False
    if (anchor["final"] or "").endswith("_") and anchor["link"] == ":":
        return bool(_MEMBER_END.match(text, value.end))
    is_key = (anchor["open"] and anchor["close"]) or _KEY_BEFORE.search(
        text, max(0, anchor.start() - 22), anchor.start()
    )
    return bool(is_key) and anchor["link"] == ":" and bool(_MEMBER_END.match(text, value.end))


def _state(text: str, form: Form, rank: Rank, found: FoundValue, start: int) -> Iterator[Statement]:
    """Yield the statement, and another one where the reply offers a second value behind an `or`."""
    denied = is_denied(text, start, found.end)
    for each in (found, find_other(text, found.end)):
        if each is None:
            continue
        value, is_exact = each.value, True
        if value is not None:
            fitted = fit_text(value, form) if each.is_bare else fit(value, form)
            if fitted is None and rank != "member":
                continue
            if each.value is not unwrap(each.value):
                is_exact = False
            elif fitted is not None:
                is_exact = fitted.is_exact
            value = value if fitted is None else fitted.value
        yield Statement(rank, value, is_exact, start, each.end, denied)


def _rest(text: str, form: Form, rank: Rank, start: int, end: int) -> Iterator[Statement]:
    """Yield tokens without brackets: on the line of a list, and for more dimensions to the reply's end."""
    if form.dimension == 1:
        rest = _REST.match(text, end)
        written, stop = (rest[1], rest.end()) if rest else ("", end)
    else:
        written, stop = text[end : end + LONGEST], len(text)
        written = written.replace("```", "\n")
    fitted = fit_text(written.strip(" \t*_`$.").rstrip(), form)
    if fitted is not None:
        yield Statement(
            rank, fitted.value, is_exact=False, start=start, end=stop, is_denied=is_denied(text, start, stop)
        )


def _whole(block: str, form: Form, start: int) -> Iterator[Statement]:
    found = read_value(block, 0) if block.startswith("[") else None
    if found is not None:
        if not block[found.end :].strip():
            yield from _state(block, form, "shown", found, 0)
    else:
        fitted = fit_text(block, form)
        if fitted is not None:
            yield Statement(
                rank="shown",
                value=fitted.value,
                is_exact=False,
                start=start,
                end=start + len(block),
                is_denied=False,
            )


def _fences(text: str) -> list[tuple[int, str]]:
    """Return the fenced blocks without the word behind the fence; none where a fence is not closed."""
    parts = text.split("```")
    if len(parts) % 2 == 0:
        return []
    blocks = []
    for block in parts[1::2][-_MOST:]:
        first, line, rest = block.partition("\n")
        blocks.append((0, (rest if line and first.strip().isalnum() and len(first) < 12 else block).strip()))
    return blocks


def _last(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return list(pattern.finditer(text))[-_MOST:]
