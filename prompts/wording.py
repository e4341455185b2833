"""Small matters of English that the templates need: plurals, capitals, sentences on one line."""

import re
from functools import lru_cache

_IRREGULAR = {
    "bacterium": "bacteria",
    "child": "children",
    "criterion": "criteria",
    "echo": "echoes",
    "epoch": "epochs",
    "foot": "feet",
    "fungus": "fungi",
    "genus": "genera",
    "half": "halves",
    "hero": "heroes",
    "knife": "knives",
    "leaf": "leaves",
    "life": "lives",
    "loaf": "loaves",
    "man": "men",
    "matrix": "matrices",
    "monarch": "monarchs",
    "mouse": "mice",
    "nucleus": "nuclei",
    "person": "people",
    "phenomenon": "phenomena",
    "potato": "potatoes",
    "quiz": "quizzes",
    "shelf": "shelves",
    "spectrum": "spectra",
    "stimulus": "stimuli",
    "stomach": "stomachs",
    "thief": "thieves",
    "tomato": "tomatoes",
    "tooth": "teeth",
    "wolf": "wolves",
    "woman": "women",
}
_UNCHANGED = {"aircraft", "equipment", "evidence", "means", "offspring", "series", "species"}
_NOT_A_MAN = ("caiman", "german", "human", "norman", "ottoman", "roman", "shaman", "talisman")
_SINGULAR_S = ("as", "ens", "is", "os", "ss", "us")
# What follows the head of a noun of several words: `cause of failure`, `test (in vitro)`.
_AFTER_HEAD = re.compile(r" (?=(?:about|against|at|behind|by|for|from|in|of|on|to|under|with)\b|\()")
# First sounds: vowels, a silent h, single letters and abbreviations ("an X-ray"), but for vowels that sound
# like "you" or "one".
_VOWEL_SOUND = re.compile(
    r"\W*(?:(?i:[aeiouàáâäåæèéêëìíîïòóôöøœùúûü]|hour|hono|hones|heir|8|18\b|11\b)"
    r"|[FHLMNRSX](?:[A-Z0-9]|\b)|[fhlmnrsx]\b)"
)
_CONSONANT_SOUND = re.compile(
    r"\W*(?:(?i:eu|ewe|ones?\b|once|uni(?![mn])|us[aeu]|ut[ei]|ubi|ur[aiu]|uk|u\b|ouija)|U[A-Z])"
)
# How headings, lists, quotations, rules and tables begin in Markdown.
_BLOCK_MARKS = ("#", "-", "* ", "+ ", ">", "|")


@lru_cache(maxsize=1024)
def with_article(noun: str) -> str:
    """Put "a" or "an" before the noun, by how its first letters sound."""
    sounds_like_vowel = _VOWEL_SOUND.match(noun) and not _CONSONANT_SOUND.match(noun)
    return f"{'an' if sounds_like_vowel else 'a'} {noun}"


def plural(noun: str) -> str:
    """The plural of an English noun of one or more words; a plural comes back unchanged."""
    head, *rest = _AFTER_HEAD.split(noun, maxsplit=1)
    before, space, word = head.rpartition(" ")
    return " ".join([before + space + _plural_word(word), *rest])


def _plural_word(word: str) -> str:
    lower = word.lower()
    if not lower or lower in _UNCHANGED:
        return word
    if word[-1].isupper() or not word[-1].isalpha():
        return word + "s"
    if lower in _IRREGULAR:
        return word[0] + _IRREGULAR[lower][1:]
    if lower.endswith("man") and not lower.endswith(_NOT_A_MAN):
        return word[:-2] + "en"
    if lower.endswith(("sis", "xis")):
        return word[:-2] + "es"
    if lower.endswith("s") and not lower.endswith(_SINGULAR_S):
        return word
    if lower.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if lower.endswith("y") and lower[-2:-1] not in ("", "a", "e", "i", "o", "u"):
        return word[:-1] + "ies"
    return word + "s"


def singular(noun: str) -> str:
    """The singular of a plural that ends in -s; anything else, such as `ms`, comes back unchanged."""
    one = noun[:-1]
    return one if len(noun) > 3 and noun.isalpha() and noun.endswith("s") and plural(one) == noun else noun


def capital(text: str) -> str:
    """Capitalize the first letter and leave the rest as it is."""
    return text[:1].upper() + text[1:]


def one_line(text: str) -> str:
    """The text with every run of white space, line ends included, as one space."""
    return " ".join(text.split())


def sentence(text: str) -> str:
    """The text on one line, ended by a full stop where it has no end of its own."""
    line = one_line(text)
    return line if line.endswith((".", "!", "?", "…")) else line + "."


def paragraph(text: str) -> str:
    """The text as a sentence that Markdown takes for a paragraph, whatever it begins with."""
    line = sentence(text)
    return "\\" + line if line.startswith(_BLOCK_MARKS) else line
