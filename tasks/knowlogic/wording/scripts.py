"""Words of another language in a text: Chinese characters in English, Latin words in Chinese."""

import re

from perennial.schemas.knowlogic.things import Language

# Chinese characters, and punctuation that only Chinese texts have.
_CHINESE = re.compile(r"[　-〿一-鿿㐀-䶿豈-﫿＀-￯]+")
# Chinese texts name options A to D, and may hold short names in capitals, such as DNA.
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]*[a-zÀ-ɏ][A-Za-zÀ-ɏ]*|[A-Z]{6,}")


def find_foreign(text: str, language: Language) -> str:
    """Return the first words of the other language in a text, "" where there are none."""
    match = (_LATIN if language == "zh" else _CHINESE).search(text)
    return match[0] if match else ""
