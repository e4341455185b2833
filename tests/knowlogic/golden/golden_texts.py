"""The golden texts: what each domain's tables of sentences give in both languages.

`python -m tests.knowlogic.golden.golden_texts DOMAIN` writes those of a domain again; read them by
eye before they are kept.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from perennial.schemas.knowlogic.things import LANGUAGES, Language
from tests.knowlogic.kinship import kinship_golden
from tests.knowlogic.mix import mix_golden
from tests.knowlogic.nature import nature_golden
from tests.knowlogic.social import social_golden
from tests.knowlogic.space import space_golden
from tests.knowlogic.surnames import surnames_golden
from tests.knowlogic.time import time_golden

WRITERS: dict[str, Callable[[Language], str]] = {
    "kinship": kinship_golden.write,
    "social": social_golden.write,
    "space": space_golden.write,
    "surnames": surnames_golden.write,
    "time": time_golden.write,
    "nature": nature_golden.write,
    "mix": mix_golden.write,
}


def golden_file(domain: str, language: Language) -> Path:
    """Return the file of a domain and language."""
    return Path(__file__).parent / f"{domain}_{language}.txt"


if __name__ == "__main__":
    for domain in sys.argv[1:]:
        for each in LANGUAGES:
            golden_file(domain, each).write_text(WRITERS[domain](each), encoding="utf-8")
