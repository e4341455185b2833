"""Invent names: pronounceable, no word that means something, and none like another one of its world."""

import random
import re

from perennial.prompts.kumo.world_kinds import WorldKind, refused_words

_LONGEST = 12
_LEAST_DISTANCE = 4
_WITH_CODA = 0.4  # the others have one more vowel instead
_OPENING = 4  # letters at its beginning that no two names of a world share
_ILL_SOUNDING = re.compile(
    r"[aeiouy]{3}|[^aeiouy]{4}|(.)\1\1|(..+)\2|[aeiouy]y[aeiouy]|uu|iw|q(?!u)[^aeiou]|wu|[jqvwx][^aeiou]"
)


class NameMaker:
    """Invents the names of one world, each unlike all before it."""

    def __init__(self, kind: WorldKind, rng: random.Random) -> None:
        self._kind = kind
        self._rng = rng
        self._names: list[str] = []

    def invent(self, *, long: bool = False) -> str:
        """Return another name: at least four letters must change to make it one of those before.

        There are 500,000 to 10 million names of a kind, and 50 million `long` ones.
        """
        from rapidfuzz.distance import Levenshtein

        while True:
            name = self._draw(long)
            if not is_fit(name):
                continue
            near = (
                other[:_OPENING] == name[:_OPENING]
                or Levenshtein.distance(name, other, score_cutoff=_LEAST_DISTANCE - 1) < _LEAST_DISTANCE
                for other in self._names
            )
            if not any(near):
                self._names.append(name)
                return name.capitalize()

    def _draw(self, long: bool) -> str:
        kind, choice = self._kind, self._rng.choice
        inner = [onset for onset in kind.onsets if onset]
        coda = long or self._rng.random() < _WITH_CODA
        middle = long or not coda
        name = choice(kind.onsets) + choice(kind.vowels)
        name += choice(kind.codas) if coda else ""
        name += choice(inner) + choice(kind.vowels) if middle else ""
        return name + choice(inner) + choice(kind.endings)


def is_fit(name: str) -> bool:
    """Whether a name can be spoken, is no longer than a reader keeps in mind, and says nothing."""
    if len(name) > _LONGEST or _ILL_SOUNDING.search(name):
        return False
    return not any(word in name for word in refused_words())
