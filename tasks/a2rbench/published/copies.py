"""Symbol remapping of published items: letters and digits become other letters, all else stays.

As the authors do it: spaces, separators and other signs may be structure. An item of tokens of several
characters is remapped character by character.
"""

import random
from collections.abc import Mapping, Sequence

from perennial.tasks.a2rbench.catalogue.rule import Value
from perennial.tasks.a2rbench.remapping import SIGNS
from perennial.tasks.a2rbench.values import map_tokens, tokens_of

# A text may have all 62 letters and digits: Latin letters with accents too.
_SIGNS = (*SIGNS, *"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ")


def draw_character_remapping(values: Sequence[Value], rng: random.Random) -> dict[str, str] | None:
    """Return a sign for each letter and digit of the values; None where there are more than signs.

    No sign stands in the values already.
    """
    characters = {character for token in tokens_of(list(values)) for character in str(token)}
    replaced = sorted(character for character in characters if character.isalnum())
    signs = [sign for sign in _SIGNS if sign not in characters]
    if len(replaced) > len(signs):
        return None
    return dict(zip(replaced, rng.sample(signs, len(replaced)), strict=True))


def remap_characters(value: Value, phi: Mapping[str, str]) -> Value:
    """Return the value with each character replaced; a number becomes a text."""
    return map_tokens(value, lambda token: "".join(phi.get(each, each) for each in str(token)))
