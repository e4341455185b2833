"""What is read of a reply: the letters in its last brackets, and how wrong letters differ from right ones.

The rule (section 4.1 of the paper): the last square [] or lenticular 【】 brackets that hold nothing but
letters A to D and what separates them count, whatever the language of the question. Order and repeats of
letters do not matter, nor do case and full width. Brackets with anything else in them are passed over.
"""

import re
from typing import NamedTuple

from schemas.knowlogic.things import LETTERS, Brackets, ErrorClass, Language

# Brackets without brackets in them, at most so long: what begins without end costs no more than it is long.
_FILLED = re.compile(r"\[([^\[\]【】]{1,60})\]|【([^\[\]【】]{1,60})】")
# Commas, the Chinese enumeration comma, spaces, and what Markdown or LaTeX put around a letter.
_SEPARATORS = re.compile(r"[\s,、;/.&*_$\\]+")
# Full-width letters, commas, brackets and spaces, as the usual ones.
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_LETTERS_ONLY = re.compile(r"[A-Da-d]+")
_WRITTEN: dict[Language, str] = {"zh": "【{}】", "en": "[{}]"}


class Answer(NamedTuple):
    """The letters that were read, sorted and each once, and the brackets that they stood in."""

    letters: str
    brackets: Brackets


def read_answer(reply: str) -> Answer | None:
    """Return what the last brackets with letters say, None where there are none."""
    found: Answer | None = None
    for match in _FILLED.finditer(reply.translate(_NARROW)):
        square, lenticular = match.groups()
        letters = _SEPARATORS.sub("", square if lenticular is None else lenticular)
        if _LETTERS_ONLY.fullmatch(letters):
            found = Answer(
                "".join(sorted(set(letters.upper()))), "square" if lenticular is None else "lenticular"
            )
    return found


def write_answer(letters: str, language: Language) -> str:
    """Return the letters in the brackets that the prompt of this language asks for."""
    return _WRITTEN[language].format(letters)


def classify_error(letters: str, right: str) -> ErrorClass | None:
    """Return what these letters are to the right ones, None where they are the same."""
    chosen, wanted = set(letters), set(right)
    if chosen == wanted:
        return None
    if not chosen & wanted:
        return "disjoint"
    return "subset" if chosen < wanted else "superset" if chosen > wanted else "overlap"


def letter_sets(number: int = len(LETTERS)) -> tuple[str, ...]:
    """Return all sets of one letter or more of the first so many, as sorted texts."""
    return tuple(
        "".join(letter for place, letter in enumerate(LETTERS) if bits >> place & 1)
        for bits in range(1, 1 << number)
    )
