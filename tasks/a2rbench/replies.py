"""How replies are read: strict JSON first, then JSON as people write it, then other unambiguous forms."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isinf
from typing import Any, Literal, NamedTuple

from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.item_text import (
    LONGEST,
    FoundValue,
    OutputForm,
    fit,
    fit_text,
    read_matrix,
    read_value,
    unwrap,
)

# Find the JSON objects with a key in a text, in time that is linear in the text's length.
#
# Objects are looked for from left to right, and what is inside one that was read is not looked at again.
# An object that begins and is none is scanned once: what closed within it is read from that scan, and what
# did not close fails where it failed. A brace within one of its strings may begin another scan; of two scans
# that go on at one place one is in a string there and the other is not, so no character is met a third time.

# What is nested deeper is no answer, and Python reads it only as deep as its own stack allows.
MOST_NESTED = 400

_STRING = r'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"'
_BLANKS = r"[ \t\n\r]*+"
_KEY = re.compile(rf"{_BLANKS}(?:{_STRING}{_BLANKS}:|(\}}))")
_VALUE = re.compile(
    rf"{_BLANKS}(?:([{{\[\]])|{_STRING}|-?(0|[1-9][0-9]*+)((?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+)"
    r"|true|false|null)"
)
_AFTER = re.compile(rf"{_BLANKS}([,\]}}])")
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


@dataclass(slots=True)
class _Opened:
    """A list or an object that is not closed yet; one that is unfit closes, but can be no answer."""

    start: int
    keys: set[str] | None
    nested: int = 1
    is_unfit: bool = False


@dataclass(slots=True)
class _Scans:
    """What is known of each brace that was met outside of strings: None where no object begins there."""

    text: str
    ends: dict[int, int | None] = field(default_factory=dict)
    keys: dict[int, set[str]] = field(default_factory=dict)


class FoundObject(NamedTuple):
    """An outermost JSON object and its place in the text."""

    start: int
    end: int
    value: dict[str, Any]


def objects_with(key: str, text: str) -> list[FoundObject]:
    """Return the outermost JSON objects that have the key, from left to right.

    No JSON here are NaN and infinities, one key twice, whole numbers that Python refuses, half of a surrogate
    pair, and what is nested deeper than MOST_NESTED.
    """
    scans, objects, start = _Scans(text), [], text.find("{")
    while start >= 0:
        if start not in scans.ends:
            _scan(scans, start)
        end = scans.ends[start]
        if end is not None and key in scans.keys[start]:
            objects.append(FoundObject(start, end, json.loads(text[start:end])))
        start = text.find("{", start + 1 if end is None else end)
    return objects


def _scan(scans: _Scans, start: int) -> None:
    """Note what begins at a brace and at those within; stop where it ends or is no JSON."""
    text, position, opened = scans.text, start + 1, [_Opened(start, set())]
    scans.ends[start] = None
    wanted, may_close = _KEY, True
    while match := wanted.match(text, position):
        inner, position = opened[-1], match.end()
        if wanted is _AFTER:
            if match[1] == ",":
                wanted, may_close = _VALUE if inner.keys is None else _KEY, False
                continue
            if (match[1] == "]") != (inner.keys is None):
                return
        elif wanted is _KEY:
            if inner.keys is not None and match[2] is None:
                name = _read_text(match[1], inner)
                if name in inner.keys:
                    return
                inner.keys.add(name)
                wanted, may_close = _VALUE, False
                continue
            if not may_close:
                return
        elif match[1] == "{" or match[1] == "[":
            is_object = match[1] == "{"
            opened.append(_Opened(position - 1, set() if is_object else None))
            if is_object:
                scans.ends[position - 1] = None
            wanted, may_close = _KEY if is_object else _VALUE, True
            continue
        elif match[1] is None:
            if not _takes_scalar(match, inner):
                return
            wanted = _AFTER
            continue
        elif inner.keys is not None or not may_close:
            return
        opened.pop()
        if inner.keys is not None:
            is_fit = not inner.is_unfit and inner.nested <= MOST_NESTED
            scans.ends[inner.start], scans.keys[inner.start] = position if is_fit else None, inner.keys
        if not opened:
            return
        opened[-1].nested = max(opened[-1].nested, inner.nested + 1)
        opened[-1].is_unfit |= inner.is_unfit
        wanted = _AFTER


def _takes_scalar(match: re.Match[str], inner: _Opened) -> bool:
    """Return whether a text, number or word is JSON, and mark what holds it where that can be no answer."""
    if match[2] is not None:
        _read_text(match[2], inner)
    elif match[4]:
        inner.is_unfit |= isinf(float(match[0]))
    elif match[3]:
        return not 0 < sys.get_int_max_str_digits() < len(match[3])
    return True


def _read_text(written: str, inner: _Opened) -> str:
    """Return the text that was written between quotes, and mark what holds half of a character."""
    text: str = json.loads(f'"{written}"') if "\\" in written else written
    if _HALF_CHARACTER.search(written):
        try:
            text.encode()
        except UnicodeEncodeError:
            inner.is_unfit = True
    return text


# Where a reply states its answer: members of objects that are nearly JSON, sentences, boxes, fences.
#
# Statements are weighed in ranks. A lower rank is read only where the ranks above it hold nothing.

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


def find_named(text: str, form: OutputForm) -> list[Statement]:
    """Return what is named as the answer: members of objects, whole or not, sentences and boxes; outputs."""
    statements = list(_find_anchored(text, form))
    for box in _last(_BOXED, text):
        value = read_value(text, box.start()) or read_matrix(text, box.end())
        if value is not None:
            statements += _state(text, form, "said", value, box.start())
    return statements


def find_shown(text: str, form: OutputForm) -> list[Statement]:
    """Return fences and a value that is the whole reply."""
    statements: list[Statement] = []
    for start, block in _fences(text):
        statements += _whole(block, form, start)
    return [*statements, *_whole(text.strip(), form, 0)]


def is_denied(text: str, start: int, end: int) -> bool:
    """Return whether words before or after a place in the text say that it is no answer."""
    before = text[max(0, start - 60) : start].rpartition("\n")[2]
    return bool(_NO_BEFORE.search(before) or _NO_AFTER.match(text, end))


def find_other(text: str, end: int) -> FoundValue | None:
    """Return the value that is offered behind an `or`."""
    offered = _OR.match(text, end)
    return None if offered is None else read_value(text, offered.end())


def _find_anchored(text: str, form: OutputForm) -> Iterator[Statement]:
    for anchor in _last(_ANCHOR, text):
        start = anchor.start()
        stated_value = read_value(text, anchor.end())
        if stated_value is not None and _is_member(text, anchor, stated_value):
            yield from _state(text, form, "member", stated_value, start)
            continue
        rank: Rank = "said" if anchor["final"] or anchor["noun"].lower() == "answer" else "shown"
        if stated_value is not None:
            yield from _state(text, form, rank, stated_value, start)
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


def _state(
    text: str, form: OutputForm, rank: Rank, stated_value: FoundValue, start: int
) -> Iterator[Statement]:
    """Yield the statement, and another one where the reply offers a second value behind an `or`."""
    denied = is_denied(text, start, stated_value.end)
    for candidate in (stated_value, find_other(text, stated_value.end)):
        if candidate is None:
            continue
        value, is_exact = candidate.value, True
        if value is not None:
            fitted = fit_text(value, form) if candidate.is_bare else fit(value, form)
            if fitted is None and rank != "member":
                continue
            if candidate.value is not unwrap(candidate.value):
                is_exact = False
            elif fitted is not None:
                is_exact = fitted.is_exact
            value = value if fitted is None else fitted.value
        yield Statement(rank, value, is_exact, start, candidate.end, denied)


def _rest(text: str, form: OutputForm, rank: Rank, start: int, end: int) -> Iterator[Statement]:
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


def _whole(block: str, form: OutputForm, start: int) -> Iterator[Statement]:
    listed_value = read_value(block, 0) if block.startswith("[") else None
    if listed_value is not None:
        if not block[listed_value.end :].strip():
            yield from _state(block, form, "shown", listed_value, 0)
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


# What is read of a reply: one final answer, and how strictly it was written (its level).
#
# 1: a JSON object with `final_answer` in the form of the item's outputs, as the paper asks for. 2: the same
# in what is nearly JSON (single quotes, trailing commas, broken text in other members, no end, the key
# spelt otherwise). 3: another form with one meaning: rows as texts, digits as numbers, JSON in a text, a
# value one object deeper, a sentence, a box, a fence.
#
# Two different answers are none, and so is one that the reply denies. Of a longer reply only the end is read.

KEY = "final_answer"
_MOST_READ = 100_000
_RULE_CHARACTERS = 2_000


class Answer(NamedTuple):
    """The final answer as JSON, the rule in the player's words (None where it is no text), and the level."""

    answer: str
    rule: str | None
    level: int = 1


class _Stated(NamedTuple):
    answer: str | None
    level: int


def read_answer(reply: str, form: OutputForm | None = None) -> Answer | None:
    """Return the one answer that a reply gives to an item of this form; None without one.

    Without a form only strict JSON counts, and values are taken as they are written.
    """
    _, answer = _read(reply, form)
    return answer


def has_answer(reply: str, form: OutputForm | None = None) -> bool:
    """Return whether the program reads what the reply says of its answer: one, several, or `null`."""
    has_any, _ = _read(reply, form)
    return has_any


def write_answer(answer: object, rule: str = "", reasoning: str = "") -> str:
    """Return a reply in the form that the prompt asks for."""
    return json.dumps({"rule": rule, "reasoning": reasoning, KEY: answer}, ensure_ascii=False)


def _read(reply: str, form: OutputForm | None) -> tuple[bool, Answer | None]:
    """Whether the reply says anything of an answer, and the one that counts."""
    text = reply[-_MOST_READ:]
    objects = objects_with(KEY, text)
    if form is None:
        plain = [_Stated(_as_json(json_object.value[KEY]), 1) for json_object in objects]
        return bool(objects), _decide(plain, _find_stated_rule(objects, text))
    stated = [claim for json_object in objects for claim in _of_object(text, json_object, form)]
    # What stands in an object that was read, such as its reasoning, is no statement beside it.
    named = find_named(_blank(text, objects), form)
    members = [claim for claim in named if claim.rank == "member"]
    claims = [claim for claim in named if claim.rank == "said"]
    if objects or members:
        # Behind its last object a reply may still take it back.
        end = max([claim.end for claim in objects] + [claim.end for claim in members])
        stated += _weigh(members, 2) + _weigh([claim for claim in claims if claim.start >= end], 3)
        return True, _decide(stated, _find_stated_rule(objects, text))
    if not claims:
        # What the prompt shows is the puzzle, and no answer.
        claims = [*named, *find_shown(text, form)]
        claims = [claim for claim in claims if claim.value is None or not form.is_shown(claim.value)]
    return bool(claims), _decide(_weigh(claims, 3), _find_stated_rule(objects, text))


def _of_object(text: str, json_object: FoundObject, form: OutputForm) -> list[_Stated]:
    if is_denied(text, json_object.start, json_object.end):
        return []
    value, level = json_object.value[KEY], 1
    inner = unwrap(value)
    if inner is not value:
        value, level = inner, 3
    fitted = None if value is None else fit(value, form)
    if fitted is not None:
        value, level = fitted.value, level if fitted.is_exact else 3
    stated = [_Stated(_as_json(value), level)]
    other = find_other(text, json_object.end)
    return stated if other is None else [*stated, _Stated(_as_json(other.value), 3)]


def _weigh(statements: Sequence[Statement], level: int) -> list[_Stated]:
    return [
        _Stated(_as_json(claim.value), level if claim.is_exact else 3)
        for claim in statements
        if not claim.is_denied
    ]


def _decide(stated: Sequence[_Stated], rule: str | None) -> Answer | None:
    """Return the one answer of all that is stated; None where there are none or two, `null` being one."""
    answers = {stated_answer.answer for stated_answer in stated}
    if len(answers) != 1 or None in answers:
        return None
    (answer,) = answers
    assert answer is not None
    return Answer(answer, rule, min(stated_answer.level for stated_answer in stated))


def _find_stated_rule(objects: Sequence[FoundObject], text: str) -> str | None:
    """The value of "rule" in the last object, or after the last such key of a text without any object."""
    if objects:
        rule = objects[-1].value.get("rule")
    else:
        start = max(text.rfind('"rule":'), text.rfind("'rule':"))
        rule_value = read_value(text, start + len('"rule":')) if start >= 0 else None
        rule = None if rule_value is None else rule_value.value
    return rule.encode(errors="replace").decode()[:_RULE_CHARACTERS] if isinstance(rule, str) else None


def _as_json(value: Any) -> str | None:
    return None if value is None else canonical_json(value)


def _blank(text: str, objects: Sequence[FoundObject]) -> str:
    """Return the text with blanks in place of the objects, so that places stay."""
    parts, position = [], 0
    for json_object in objects:
        parts += [text[position : json_object.start], " " * (json_object.end - json_object.start)]
        position = json_object.end
    return "".join([*parts, text[position:]])
