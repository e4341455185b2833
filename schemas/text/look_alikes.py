"""Characters that look like others: one form for what models write for the same thing.

Models write U+2011 for a hyphen, U+2019 for an apostrophe, full-width letters, spaces that do not break,
entities of HTML, and characters that nobody sees. `plain_text` brings them to the usual ones. Superscripts,
fractions and circled signs stay as they are, since they say something else than the digits in them.
"""

import html
import re
import unicodedata

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
# Letters of other scripts that look like Latin ones.
_LATIN = str.maketrans("АВСасΑΒ", "ABCacAB")


class _Plain(dict[int, str]):
    """The plain form of each character, found when it is first asked for."""

    def __missing__(self, code: int) -> str:
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
