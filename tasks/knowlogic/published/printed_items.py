"""Read the questions that KnowLogic's paper prints, from its text: those of table 7 and of figures 13 to 23.

Nothing is repaired: an item that the text does not have whole is returned with what is missing.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.ids import canonical_json
from perennial.schemas.knowlogic.things import DOMAINS, LETTERS, Language
from perennial.tasks.knowlogic.published.published_form import Imported, read_questions

_TAGS = re.compile(r"<br\s*/?>|</?p>|\*\*", re.IGNORECASE)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_ASKED = r"(?:问题|[Qq]uestion)\s*[:：]\s*(?P<question>.*?)\s*"
_KEY = r"(?:答案|Answer)\s*[:：]\s*(?P<key>[A-D]+)\)?\s*"
_SHOWN = r"(?:选项|Options|options)\s*[:：]\s*(?P<options>A.*?D\s*\.?[^\n]*)\s*"
# In some items of table 7 the answer is printed before the options; in some nothing introduces the question.
_ITEMS = (
    re.compile(_ASKED + _SHOWN + _KEY, re.DOTALL),
    re.compile(_ASKED + _KEY + _SHOWN, re.DOTALL),
    re.compile(r"\n(?P<question>[^\n]*_[^\n]*)\s*" + _SHOWN + _KEY, re.DOTALL),
)
_OPTIONS = re.compile(r"\s*".join(rf"{letter}\s*\.(.*?)" for letter in LETTERS) + r"\s*\Z", re.DOTALL)
_PART = re.compile(r"^\s*(Question|Options|Correct Answer|Model Name)(?:-(EN|CN))?\s*$", re.MULTILINE)
_CAPTION = re.compile(r"^Figure (\d+): ", re.MULTILINE)
_NOT_WHOLE = "the text at hand has no whole question of it"
# Longer ones than a paper prints are not searched: a search takes time by the square of the length.
_LONGEST, _LONGEST_OPTIONS = 20_000, 2_000
_FIGURES = range(13, 24)
# Signs of a domain in a text, the first that is met; figures do not name theirs.
_SIGNS = (
    ("mix", "items are placed on|种商品"),
    ("nature", "enclosure|场馆|fields|块田|photos|照片"),
    ("space", "circle|圆圈|hexagon|六边形|tier"),
    ("time", "weekly plans|每周|life of|一生"),
    ("social", "前妻|挚友|同级生|朋友|外孙|哥哥"),
)


class PrintedItem(NamedTuple):
    """A printed question in one language; None, with the reason, where the text does not have all of it."""

    place: str
    domain: str
    kind: str
    language: Language
    question: Imported | None
    missing: str


def read_printed_items(text: str, name: str) -> list[PrintedItem]:
    """Return the items in the order of the text; raise UnreadableInput, naming `name`, where it has none."""
    found = [*_items_of_table(text), *_items_of_figures(_TAGS.sub("\n", text))]
    if not found:
        raise UnreadableInput(
            f"{name}: no printed question in it; expected the text of KnowLogic's paper, with table 7"
        )
    return found


def _items_of_table(text: str) -> Iterator[PrintedItem]:
    """Yield the items of table 7: a row whose third cell is filled begins a pair of texts."""
    domain = kind = ""
    pair: list[str] = []
    before, caption, _ = text.partition("\nTable 7:")
    rows = [line.strip().strip("|").split("|") for line in before.split("\n") if line.startswith("|")]
    for row in (*(rows if caption else ()), ["", "", "end", ""]):  # which ends the last pair
        cells = [_TAGS.sub("\n", cell).strip() for cell in row]
        is_heading = "".join(cells).strip("-") == "" or cells[-1].startswith("Example of question")
        if is_heading or len(cells) != len(LETTERS) or not (pair or _CHINESE.search(cells[3])):
            continue
        if cells[2] and pair:
            yield from _items_of_pair("table 7", domain, kind, "\n".join(pair))
            pair = []
        if cells[0].lower() in DOMAINS:
            domain = cells[0].lower()
        if cells[2]:
            kind = " ".join(cells[2].split())
        pair.append(cells[3])


def _items_of_pair(place: str, domain: str, kind: str, text: str) -> Iterator[PrintedItem]:
    start = 0
    languages: list[Language] = ["zh", "en"]
    for language in languages:
        patterns = _ITEMS if len(text) <= _LONGEST else ()
        matches = [match for item in patterns if (match := item.search(text, start))]
        if not matches:
            yield PrintedItem(place, domain, kind, language, None, _NOT_WHOLE)
            continue
        found = min(matches, key=lambda match: (match.start(), match.end()))
        body = re.sub(r"^\s*\(?(?:Known:)?", "", text[start : found.start()])
        start = found.end()
        yield _item(
            place,
            domain,
            kind,
            language,
            body,
            question=found["question"],
            shown=found["options"],
            key=found["key"],
        )


def _items_of_figures(text: str) -> Iterator[PrintedItem]:
    ends = [(int(caption[1]), caption.start(), caption.end()) for caption in _CAPTION.finditer(text)]
    start = 0
    for number, end, after in ends:
        if number in _FIGURES:
            yield from _items_of_figure(f"figure {number}", text[start:end])
        start = after


def _items_of_figure(place: str, text: str) -> Iterator[PrintedItem]:
    parts: dict[tuple[str, str], str] = {}
    marks = list(_PART.finditer(text))
    for mark, following in zip(marks, (*marks[1:], None), strict=False):
        parts[mark[1], mark[2] or ""] = text[mark.end() : following.start() if following else None].strip()
    key = re.sub(r"[^A-D]", "", parts.get(("Correct Answer", ""), ""))
    languages: list[Language] = ["zh", "en"]
    for language in languages:
        suffix = "CN" if language == "zh" else "EN"
        asked, shown = (
            parts.get((name, suffix)) or _in_language(parts.get((name, ""), ""), language)
            for name in ("Question", "Options")
        )
        if not asked:
            continue  # Most figures have one language.
        everything = parts.get(("Question", suffix)) or parts[("Question", "")]
        domain = next((name for name, signs in _SIGNS if re.search(signs, everything)), "")
        # The last sentence is the question: it has the gap.
        body, _, question = asked.rstrip(" \n.。").rpartition("\n")
        if language == "en" and "_" in question and ". " in question:
            told, _, question = question.rpartition(". ")
            body = f"{body}\n{told}"
        elif language == "zh" and "。" in question.strip(" 。"):
            told, _, question = question.strip(" 。").rpartition("。")
            body = f"{body}\n{told}"
        yield _item(place, domain, "", language, body, question, shown, key)


def _in_language(text: str, language: Language) -> str:
    """Return the lines of a text in both languages that are in this one: English stands in brackets.

    A word in brackets behind another is that word in English.
    """
    if not _CHINESE.search(text):
        return text if language == "en" else ""
    paragraphs = re.split(r"\n(?=\s*\()|(?<=\))\s*\n", text)
    english = [
        part.strip()[1:-1]
        for part in paragraphs
        if part.strip().startswith("(") and part.strip().endswith(")")
    ]
    if language == "en":
        lines = english or [
            re.sub(r"^\s*([A-D])\s*\..*\(([^()]*)\)\s*$", r"\1. \2", line) for line in text.split("\n")
        ]
        return "\n".join(line for line in lines if not _CHINESE.search(line))
    chinese = [part for part in paragraphs if not part.strip().startswith("(")]
    return re.sub(r"\([^()\u4e00-\u9fff]*\)", "", "\n".join(chinese))


def _item(
    place: str, domain: str, kind: str, language: Language, body: str, question: str, shown: str, key: str
) -> PrintedItem:
    options = _OPTIONS.match(shown.strip()) if len(shown) <= _LONGEST_OPTIONS else None
    if not domain or not options or not key:
        lacking = "domain" if not domain else "options" if not options else "answer"
        return PrintedItem(place, domain, kind, language, None, f"its {lacking} is not readable in this text")
    value = {
        "id": place,
        "text": body.strip(),
        "question": question.strip(),
        "options": [option.strip(" ;；\n") for option in options.groups()],
        "answer": key,
        "domain": domain,
        "language": language,
        "difficulty": "medium",  # The paper does not print it, and no verdict looks at it.
    }
    try:
        (found,) = read_questions(canonical_json(value), place)
    except UnreadableInput as error:
        return PrintedItem(place, domain, kind, language, None, str(error))
    return PrintedItem(place, domain, kind, language, found, "")
