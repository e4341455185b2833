"""Find the JSON document in a model's reply, whatever fences and prose are around it.

Nothing is repaired. Where a document begins and has a defect, no part of it is taken for the whole.
"""

import json
import re
from collections.abc import Iterator

from perennial.schemas.errors import UnreadableInput

_FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)[ \t]*$", re.MULTILINE)
# Where an object, or a list of objects, lists or texts, is meant to begin: brackets in prose are not. Pairs
# with nothing within are left out: nothing is shorter, and they may be many.
_BEGINNING = re.compile(r"""\{(?!\})(?=\s*(?:["'}]|//|\w+\s*:|\Z))|\[(?!\])(?=\s*(?:[\[{"'\]]|\Z))""")
_ANY_BRACKET = re.compile(r"\s*[\[{]")
# Beginnings of a literal, a number's fraction or exponent, and an escape: what a cut leaves of a token.
_CUT_TOKEN = re.compile(r"t(r(ue?)?)?|f(a(l(se?)?)?)?|n(u(ll?)?)?|-|\.|[eE][+-]?")
_CUT_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{0,4})?\Z")
_DECODER = json.JSONDecoder()


def json_text(content: str) -> str:
    """Return the JSON document that the reply holds, as it is written there.

    That is what the last block fenced as json holds; without one, the last unnamed block that begins with
    a bracket; without both, the whole text. Of several outermost objects or lists (of objects, lists or
    texts) there it is the longest, of equals the last. `perennial.tasks.kumo.configuration.parse_json` reads
    it strictly; here only its ends are found.
    Raises UnreadableInput, in one line, where the reply holds no document, or a cut off or broken one.
    """
    body = _find_fenced_body(content)
    text = content if body is None else body
    document = _longest_document(text)
    if document is None:
        raise UnreadableInput("the reply holds no JSON document; give one JSON object and nothing else")
    return document


def is_cut_off(content: str) -> bool:
    """Return whether a JSON document begins in the reply and ends, in the middle, with the reply."""
    body = _find_fenced_body(content)
    text = content if body is None else body
    try:
        _longest_document(text)
    except _Broken as broken:
        return broken.is_cut
    return False


class _Broken(UnreadableInput):
    """A document that begins as JSON and is none; `is_cut`: it only lacks its end."""

    def __init__(self, message: str, is_cut: bool) -> None:
        super().__init__(message)
        self.is_cut = is_cut


def _find_fenced_body(content: str) -> str | None:
    """Return what is in the last json block, or the last unnamed block that holds a document, if any.

    A fence is on a line of its own, which no string of a JSON document can hold.
    """
    named, unnamed = None, None
    for name, body in _blocks(content):
        if name.lower() == "json":
            named = body
        elif not name and _ANY_BRACKET.match(body):
            unnamed = body
    return unnamed if named is None else named


def _blocks(content: str) -> Iterator[tuple[str, str]]:
    """Yield (name, body) of each fenced block; the last one may lack its end."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(content):
        if opened is None or fence[1]:
            opened = fence
        else:
            yield opened[1], content[opened.end() : fence.start()]
            opened = None
    if opened is not None:
        yield opened[1], content[opened.end() :]


def _longest_document(text: str) -> str | None:
    """Return the longest outermost document of the text, of equals the last; raise _Broken at a defect."""
    first = max(text.rfind("{}"), text.rfind("[]"))
    last = first + 2 if first >= 0 else -1
    beginning = _BEGINNING.search(text)
    while beginning is not None:
        start = beginning.start()
        end = _end_of_document(text, start)
        if end - start >= last - first:
            first, last = start, end
        beginning = _BEGINNING.search(text, end)
    return None if last < 0 else text[first:last]


def _end_of_document(text: str, start: int) -> int:
    try:
        return _DECODER.raw_decode(text, start)[1]
    except json.JSONDecodeError as error:
        is_cut = _is_cut_at(text, error)
        line = text.count("\n", start, error.pos) + 1
        problem = "it ends in the middle" if is_cut else f"line {line} of it: {error.msg}"
        message = f"the reply's JSON document is {'cut off' if is_cut else 'broken'}: {problem}"
        raise _Broken(message + "; give the whole document as valid JSON", is_cut) from None
    except RecursionError:
        raise _Broken("the reply's JSON document is nested too deeply; expected five levels", False) from None
    except ValueError:  # a whole number of more digits than Python converts
        raise _Broken("the reply's JSON document holds a number of thousands of digits", False) from None


def _is_cut_at(text: str, error: json.JSONDecodeError) -> bool:
    rest = text[error.pos :].strip()
    if error.msg.startswith("Unterminated string") or not rest:
        return True
    if error.msg.startswith("Invalid \\"):
        return _CUT_ESCAPE.search(text.rstrip()) is not None
    return _CUT_TOKEN.fullmatch(rest) is not None
