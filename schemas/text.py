"""What a text may hold."""

import html
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Literal

# Characters that nobody sees in a text: control characters, marks that turn the direction of reading, blanks.

# Zero-width joiners and variation selectors are part of correct spelling after some characters. Rows of them
# hide messages.
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe0e\ufe0f"
_SPELLING = _JOINERS + _SELECTORS
_KEYCAPS = "#*0123456789"
_INVISIBLE = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
# In these scripts no letter joins the next one or has a second form.
_UNJOINED = ("LATIN", "GREEK", "CYRILLIC", "CJK", "HIRAGANA", "KATAKANA", "HANGUL")
# Marks and letters without a shape, no characters at all, and the selectors that no usual spelling has.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0d\ufdd0-\ufdef\U000e0100-\U000e01ef]"
)


def hidden_character(text: str) -> str | None:
    """Return the first control or other invisible character, None where there is none."""
    if text.isascii() and text.isprintable():
        return None
    return next((c for before, c in zip(" " + text, text, strict=False) if _is_hidden(before, c)), None)


def _is_hidden(before: str, character: str) -> bool:
    if character in _SPELLING:
        repeated = before in (_SPELLING if character in _SELECTORS else _JOINERS)
        is_keycap = character in _SELECTORS and before in _KEYCAPS
        is_letter = before.isascii() or unicodedata.name(before, "").startswith(_UNJOINED)
        return repeated or (is_letter and not is_keycap)
    if ord(character) & 0xFFFE == 0xFFFE or _BLANK.match(character):
        return True
    return unicodedata.category(character) in _INVISIBLE


_LINES = str.maketrans("", "", "\n\t")
# What stands around answers, books, reasoning and mappings in any benchmark, as a parser or a model might
# read it; what divides a chat; and comments, which a reader of rendered Markdown does not see.
_TAG = (
    r"(?:(?:final[_\s-]?)?answer|book|thinks?|thinking|thoughts?|reasoning|solution|rule_outs|probability)"
    r"(?![\w-])"
)
_FRAME = re.compile(
    rf"(</?{_TAG}|<[\s|/\\-]{{1,20}}{_TAG}(?=\s*+[^<>]{{0,80}}>))"
    r"|(<\|(?=[^<>|\n]{1,40}\|>)|</?s>|<</?sys>>|\[/?(?:inst|answer)\]|\\f?box(?:ed)?\s?\{|[\"']answer[\"']\s{0,4}:)"
    r"|(<!--|^ {0,3}\[[^\]\n]{0,80}\]:(?=\s))",
    re.IGNORECASE | re.ASCII | re.MULTILINE,
)
# Letters that look like Latin ones beside Latin ones. Greek letters of units and formulas stay.
_OTHER_ALPHABET = (
    "[\u0400-\u052f\u0531-\u0587\u13a0-\u13fd\uab70-\uabbf"
    "\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf]"
)
_MIXED = re.compile(f"[A-Za-z]{_OTHER_ALPHABET}|{_OTHER_ALPHABET}[A-Za-z]")


def unfit_part(text: str) -> str | None:
    """Name what makes a model's text unfit for models to read: hidden characters, marks, mixed alphabets.

    The name holds nothing of the text but the mark itself: the author of a repair reads it.
    """
    # Twice: an entity may stand for the beginning of another one.
    unescaped = html.unescape(html.unescape(text))
    hidden = hidden_character(unescaped.replace("\r\n", "\n").translate(_LINES))
    if hidden is not None:
        return f"the invisible character U+{ord(hidden):04X}"
    mark = _FRAME.search(without_accents(plain_text(unescaped)).translate(_BRACKETS))
    if mark is not None:
        return "a comment" if mark[3] else f"the mark {' '.join((mark[1] or mark[2]).split())}"
    mixed = _MIXED.search(unescaped)
    return None if mixed is None else f"the letters {mixed[0]}, which mix alphabets"


def expect_plain(text: str) -> str:
    """Return the text; raise ValueError where it is unfit for other models to read."""
    if (unfit := unfit_part(text)) is not None:
        raise ValueError(f"expected plain text, got {unfit}")
    return text


# Characters that look like others: one form for what models write for the same thing.
#
# Models write U+2011 for a hyphen, U+2019 for an apostrophe, full-width letters, spaces that do not break,
# entities of HTML, and characters that nobody sees. `plain_text` brings them to the usual ones. Superscripts,
# fractions and circled signs stay as they are, since they say something else than the digits in them.

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_USUAL = {
    **dict.fromkeys("−⁃˗", "-"),
    **dict.fromkeys("‘’‚‛′ʹʻʼʽˈ´", "'"),
    **dict.fromkeys("“”„‟″«»〝〞〟", '"'),
    **dict.fromkeys("⁄∕", "/"),
    **dict.fromkeys("\u034f\u115f\u1160\u3164\uffa0", ""),
}
# What decompositions are taken: of another width or font, not of another meaning.
_SAME = ("<wide>", "<narrow>", "<font>", "<noBreak>", "<compat>")
# What looks like the brackets of a tag.
_BRACKETS = str.maketrans("‹›〈〉⟨⟩◁▷❮❯❬❭˂˃ᐸᐳ﹤﹥", "<>" * 9)
# Letters of other scripts that look like Latin ones.
_LATIN = str.maketrans("АВСасΑΒ", "ABCacAB")


class _Plain(dict[int, str]):
    """The plain form of each character, found when it is first asked for."""

    def __missing__(self, code: int) -> str:
        """Compute the plain form of the character with this code point, and keep it."""
        character = chr(code)
        category = unicodedata.category(character)
        if character in _USUAL:
            plain = _USUAL[character]
        elif category == "Pd":
            plain = "-"
        elif category == "Zs":
            plain = " "
        elif category == "Cf" or "\ufe00" <= character <= "\ufe0f":
            plain = ""
        elif unicodedata.decomposition(character).startswith(_SAME):
            composed = unicodedata.normalize("NFKC", character)
            plain = composed if composed.isascii() else "".join(self[ord(part)] for part in composed)
        else:
            plain = character
        self[code] = plain
        return plain


_PLAIN = _Plain()


def plain_text(text: str) -> str:
    """Return the text with the usual characters in place of those that look like them."""
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return text if text.isascii() else text.translate(_PLAIN)


def without_accents(text: str) -> str:
    """Return the text without the marks on its letters."""
    if text.isascii():
        return text
    return "".join(part for part in unicodedata.normalize("NFKD", text) if not unicodedata.combining(part))


def latin_letters(text: str) -> str:
    """Return the text with Latin letters for Cyrillic and Greek ones that look alike, if it has no others."""
    if text.isascii():
        return text
    latin = text.translate(_LATIN)
    rest = (character for character in set(latin) if character.isalpha() and not character.isascii())
    scripts = {unicodedata.name(character, "").partition(" ")[0] for character in rest}
    return text if scripts & {"CYRILLIC", "GREEK"} else latin


# What a participant of a study sees: one screen, and nothing that a participant must not know.

ScreenKind = Literal["consent", "profile", "tutorial", "task", "end", "closed"]


@dataclass(frozen=True, slots=True)
class ListedChoice:
    """An action or a truth by its listed name, and whether the participant has chosen it."""

    name: str
    used: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """An action that was taken, and what it showed, as models see it."""

    action: str
    text: str


@dataclass(frozen=True, slots=True)
class TaskView:
    """What a participant sees of a task once its clock runs.

    `book` is the text as models see it, or the whole question where an answer is typed. `turn` is the number
    of the next move, from 1: a click carries the turn of the screen that it was made on. `is_typed`: the
    answer is typed, and there are no lists. `n_valid` of the truths are right.
    """

    turn: int
    goal: str
    book: str
    truths: tuple[ListedChoice, ...]
    actions: tuple[ListedChoice, ...]
    observations: tuple[Observation, ...]
    truth_noun: str = "truth"
    action_noun: str = "action"
    is_typed: bool = False
    n_valid: int = 1


@dataclass(frozen=True, slots=True)
class Screen:
    """What a participant is shown, from the stored events alone; `notice` says why a click was no move.

    - `texts`: by name, what the study's file says: consent, instructions, contact, closed.
    - `done` of `of` tasks have ended; the tutorial does not count.
    - `task`: the task that is next or open, "tutorial" or its number from "1"; "" elsewhere.
    - `is_started`: its clock runs; `view` is None before. `seconds_left` is None where there is no limit.
    - `last`: how the task before ended, while the next one has not started: "" at the beginning, "answered",
      "time", and of the tutorial "right" or "wrong".
    - `earnings`, `solved`, `actions`: at the end alone, as they would say whether an answer was right.
    """

    kind: ScreenKind
    title: str
    texts: dict[str, str]
    participant: str = ""
    done: int = 0
    of: int = 0
    task: str = ""
    is_started: bool = False
    seconds_left: float | None = None
    total_seconds_left: float | None = None
    view: TaskView | None = None
    last: str = ""
    notice: str = ""
    age_bands: tuple[str, ...] = ()
    education: tuple[str, ...] = ()
    genders: tuple[str, ...] = ()
    majors: tuple[str, ...] = ()
    earnings: float | None = None
    currency: str = ""
    solved: int | None = None
    actions: int | None = None


# Templates that are read from others' programs: a text with slots `{name}`, whose other braces are doubled.


def escape(text: str) -> str:
    """Escape the text, so that as a template it has no slots."""
    return text.replace("{", "{{").replace("}", "}}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Fill the template's slots with these values."""
    parts = Formatter().parse(template)
    return "".join(literal + ("" if slot is None else values[slot]) for literal, slot, _, _ in parts)


def slots_of(template: str) -> set[str]:
    """The names in the template's slots."""
    return {slot for _, slot, _, _ in Formatter().parse(template) if slot is not None}
