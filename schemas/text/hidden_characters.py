"""Characters that nobody sees in a text: control characters, and marks that turn the direction of reading."""

import unicodedata

# Zero-width joiners are part of correct spelling in several scripts.
_SPELLING_JOINERS = "\u200c\u200d"
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def hidden_character(text: str) -> str | None:
    """Return the first control or other invisible character, None where there is none."""
    if text.isascii() and text.isprintable():
        return None
    categories = ((c, unicodedata.category(c)) for c in text if c not in _SPELLING_JOINERS)
    return next((c for c, category in categories if category in _INVISIBLE), None)
