"""Split what a model says from the reasoning beside it: the one reader of every entrance.

Reasoning stands in fields or parts of the message, or between tags in its text. A tag is a word of
`_THINKING`, alone or with words of `_QUALIFIERS`, a namespace, and words that begin or end, in any case:

- `<think>` .. `</think>`, `</seed:think>`, `<inner_thoughts level="2">`, `<think/>`;
- `<|begin_of_thought|>`, `<|END_THINKING|>`, `◁think▷`; `<|begin_of_solution|>` and its kind end it too;
- `[THINK]` .. `[/THINK]`. Games use brackets, so an opening one counts only before a closing one, or where
  it stands in capitals at the beginning of the reply;
- the channels of gpt-oss and Gemma, of which only `final` is said, also with their signs lost
  (`analysisWe need .. assistantfinalC`); Kimi's `<|open|>think<|sep|>`; the two sentences of Granite.

Thinking that never ends is no answer. A closing tag that closes nothing ends what the text began with. A
block in another one ends with its own tag, or with any that ends the outer one. Everything else stays as it
is: answers, lists and names in brackets belong to the games.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_THINKING = _set(
    "think thinks thinking thought thoughts reason reasons reasoning reflect reflection reflections scratch "
    "scratchpad scratchwork monologue cot contemplation contemplate deliberation deliberate ponder pondering "
    "rumination musings analysis analyze analyse introspection brainstorm brainstorming rationale plan "
    "planning draft critique antthinking chainofthought 思考 推理 分析"
)
_QUALIFIERS = _set(
    "inner internal hidden private silent my self deep initial extended process block blocks trace chain by "
    "step steps pad content text details summary longcat ant model assistant redacted encrypted"
)
_ANSWER = _set("final answer response solution output text content")
_BEGIN, _END = _set("begin start open"), _set("end stop close")
_PAIRS = {"inner_prefix": "think", "inner_suffix": "/think", "unused16": "think", "unused17": "/think"}
_STOPS, _MARKS = _set("end return call end_message"), _set("message message_model")
_DEEPEST = 6  # levels of parts in parts that are read

_TAG = re.compile(
    r"<[|｜]channel[|｜]?>\s{0,3}+(?P<channel>final|analysis|commentary|\w{0,30}+)"
    r"(?:[^<]{0,100}+(?:<\|constrain\|>[^<]{0,50}+)?<\|message\|>)?"
    r"|(?P<stop><channel\|>|<\|/channel\|>|<\|start\|>(?:assistant)?)"
    r"|<\|(?P<opened>open|close)\|>(?P<part>\w{1,30}+)<\|sep\|>"
    r"|<(?P<bar>[|｜])?(?P<angle>(?:/\s?)?[^\W\d_][\w:▁\- ]{1,60}+)(?P<attributes>=[^<>|｜]{0,200}+|/)?"
    r"(?(bar)[|｜])>"
    r"|[\[【](?P<square>/?\s?[^\W\d_][\w▁\- ]{1,40}+)[\]】]"
    r"|◁(?P<triangle>/?[\w ]{2,40}+)▷"
    r"|^[\s*#>]{0,5}(?P<phrase>Here(?:['’]s|\sis)\smy\s(?:thought|thinking|reasoning)(?:\sprocess)?\s?:)"
    r"|(?P<response>Here(?:['’]s|\sis)\smy\s(?:final\s)?(?:response|answer)\s?:)",
    re.IGNORECASE | re.MULTILINE,
)
_BARE_CHANNEL, _BARE_FINAL = re.compile(r"\s{0,20}(?:assistant)?analysis(?=[A-Z])"), "assistantfinal"
_WORD = re.compile(r"[^\W_▁]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


_Kind = Literal["begin", "end", "answer", "stop", "mark"]


class _Tag(NamedTuple):
    """A tag: what it does, its words, the form of its brackets, and where it stands.

    `stop` ends a channel and nothing else; a `mark` says nothing.
    """

    kind: _Kind
    words: str
    form: str
    start: int
    end: int


def split_reasoning(text: str) -> tuple[str, str | None]:
    """The text without its reasoning, and the reasoning (None where there is none).

    Text without any tag is returned as it stands; pieces on both sides of a block are joined by a new line,
    and lose the white space beside it. What the text itself ends with stays: a reply may be cut at a space.
    """
    if bare := _BARE_CHANNEL.match(text):
        thought, final, tail = text[bare.end() :].rpartition(_BARE_FINAL)
        return (tail.lstrip(), thought.strip() or None) if final else ("", tail.strip())
    content: list[str] = []
    reasoning: list[str] = []
    opened: dict[str, str] = {}  # the blocks that are open, the innermost last: words and form
    start = 0
    for tag in _find_tags(text):
        if tag.form == "square" and tag.kind == "answer" and "square" not in opened.values():
            continue
        piece = text[start : tag.start]
        (reasoning if opened else content).append(piece.strip() if start else piece.rstrip())
        start = tag.end
        if tag.kind == "begin":
            opened.setdefault(tag.words, tag.form)
        elif opened:
            _close(opened, tag)
        # An end without a beginning: the template put that into the prompt, so all up to here is thought.
        elif tag.kind == "end" or (tag.kind, tag.form) == ("answer", "channel"):
            reasoning += content
            content.clear()
    if not start:
        return text, None
    (reasoning if opened else content).append(text[start:].lstrip())
    return _join(content), _join(reasoning).strip() or None


def _close(opened: dict[str, str], tag: _Tag) -> None:
    """Close the blocks that the tag ends: the innermost one of its words, or all."""
    if tag.kind == "end" and tag.words in opened:
        while opened.popitem()[0] != tag.words:
            pass
    elif tag.kind in ("end", "answer") or (tag.kind == "stop" and {"channel", "bar"} & {*opened.values()}):
        opened.clear()


def _join(pieces: Iterable[str]) -> str:
    return "\n".join(piece for piece in pieces if piece.strip())


def _find_tags(text: str) -> Iterator[_Tag]:
    """The tags of a text, without brackets and sentences that are not meant as tags."""
    spans = ((match.span(), _classify(match[0])) for match in _TAG.finditer(text))
    tags = [_Tag(*tag, *span) for span, tag in spans if tag is not None]
    last = {(tag.form, tag.kind): tag.start for tag in tags}
    # A bracketed word is ordinary prose unless it opens the reply in capitals or is closed further down.
    first = len(text) - len(text.lstrip())
    for tag in tags:
        if (tag.form, tag.kind) == ("square", "begin"):
            is_first = tag.start == first and text[tag.start : tag.end].isupper()
            is_meant = is_first or last.get(("square", "end"), -1) > tag.start
        elif (tag.form, tag.kind) == ("phrase", "begin"):
            is_meant = last.get(("phrase", "answer"), -1) > tag.start
        else:
            is_meant = tag.form != "phrase" or ("phrase", "begin") in last
        if is_meant:
            yield tag


@lru_cache(maxsize=512)
def _classify(tag: str) -> tuple[_Kind, str, str] | None:
    """The kind, words and form of something in brackets, None where it is no tag."""
    match = _TAG.match(tag)
    assert match is not None
    if match["channel"] is not None:
        return "answer" if match["channel"].casefold() == "final" else "begin", "channel", "channel"
    if match["stop"] is not None:
        return "stop", "", "channel"
    if match["phrase"] or match["response"]:
        return "begin" if match["phrase"] else "answer", "phrase", "phrase"
    form = next(form for form in ("part", "square", "triangle", "angle") if match[form] is not None)
    name = match[form].strip()
    form = "bar" if match["bar"] or form == "part" else form
    if match["attributes"] is not None and match["attributes"] != "/":
        name = name.rpartition(" ")[0]
    if form == "bar" and name.casefold() in _STOPS | _MARKS:
        return "stop" if name.casefold() in _STOPS else "mark", "", form
    name = _PAIRS.get(name.casefold(), name)
    is_end = name.startswith("/") or (match["opened"] or "").casefold() == "close"
    for segment in name.split(":"):
        words = _words(segment)
        is_end = is_end or not words.isdisjoint(_END)
        words -= _BEGIN | _END | {"of", "the"}
        if _is_thinking(words):
            is_empty = match["attributes"] is not None and tag.endswith("/>")
            kind: _Kind = "mark" if is_empty else "end" if is_end else "begin"
            return kind, " ".join(sorted(words & _THINKING)), form
        # Not of plain angles, which answers in XML or HTML use for what they mean.
        if form in ("bar", "square") and words and words <= _ANSWER:
            return "mark" if is_end else "answer", "", form
    return None


def _words(name: str) -> set[str]:
    return {word.casefold() for part in _WORD.findall(name) for word in _HUMP.split(part)}


def _is_thinking(words: set[str]) -> bool:
    return not words.isdisjoint(_THINKING) and words <= _THINKING | _QUALIFIERS


# ---- fields and parts of a message


def read_parts(content: str | Sequence[Any] | None) -> tuple[str, str, bool]:
    """The text of a message's content, the reasoning in its parts, and whether a part is a refusal.

    Parts are texts, or objects with a type: `text`, `output_text` and any other with a text; thinking by its
    name, with its text in a field or in parts of its own. What has no text is left out.
    """
    texts: list[str] = []
    thoughts: list[str] = []
    is_refused = False
    parts = [content] if isinstance(content, str) else content or ()
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "refusal":
            is_refused = True
        elif isinstance(part, dict) and (
            part.get("thought") is True or any(map(_is_reasoning_name, (kind, *part)))
        ):
            thoughts.append(_text_in(part))
        else:
            texts.append(_text_in(part))
    return "".join(texts), _join(thoughts), is_refused


def read_reasoning_field(message: Mapping[str, Any]) -> str | None:
    """The reasoning in a field such as `reasoning` or `thinking_blocks`, None where there is none.

    Servers repeat it under several names: the first text counts, and a list only where there is no text.
    """
    fields = [value for name, value in message.items() if _is_reasoning_name(name)]
    # Texts before lists; the sort is stable, so the server's order decides between equals.
    fields.sort(key=lambda value: not isinstance(value, str))
    return next((text for value in fields if (text := _text_in(value)).strip()), None)


def _is_reasoning_name(name: object) -> bool:
    return isinstance(name, str) and _is_thinking(_words(name[:80]))


def _text_in(value: object, depth: int = _DEEPEST) -> str:
    """The text that a field or part holds, "" where it holds none."""
    if isinstance(value, str):
        return value
    if not depth:
        return ""
    if isinstance(value, list):
        return "".join(_text_in(part, depth - 1) for part in value)
    if not isinstance(value, dict):
        return ""
    names = [name for name in value if _is_reasoning_name(name)]
    held = (_text_in(value.get(name), depth - 1) for name in (*names, "text", "content", "summary", "value"))
    return next(filter(None, held), "")
