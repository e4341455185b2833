"""The sentences of each scenario: which predicate a template says, and where it may be used."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.tasks.knowlogic.space.geometry import SCENES, Family
from perennial.tasks.knowlogic.space.relations import predicates

# The files of each family; those of the shelf serve both shelves.
FILES: Mapping[Family, tuple[str, ...]] = {
    "ring": ("space_ring",),
    "booth": ("space_booth",),
    "shelf": ("space_shelf", "space_shelf_places"),
    "plots": ("space_plots",),
}
# "The thing is in this slot": no predicate of distinct slots.
IS_AT = "is_at"


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence: its name, the predicate that it says, and for each place whether a slot fills it.

    `needs` has a property for each place (or fewer): without it, what the sentence speaks of is not there,
    as the right-hand neighbor of what stands at the right end.
    """

    name: str
    predicate: str
    is_slot: tuple[bool, ...]
    needs: tuple[str, ...] = ()


@lru_cache(maxsize=16)
def sentences(scenario: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the sentences of a scenario by name, each with its places in the order of their letters."""
    found: dict[str, Mapping[str, Any]] = {}
    known = predicates(scenario)
    for file in FILES[SCENES[scenario].family]:
        for name, sentence in load_sentences(file).items():
            said = sentence.get("property") or sentence["relation"]
            if (said in known or said == IS_AT) and sentence.get("only", scenario) == scenario:
                places = [letter for letter in "abc" if f"{{{letter}:" in sentence["zh"]]
                found[name] = {**sentence, "places": places}
    return found


@lru_cache(maxsize=16)
def templates(scenario: str) -> Mapping[str, Template]:
    """Return the templates of a scenario by name."""
    return {
        name: Template(
            name,
            sentence.get("property") or sentence["relation"],
            tuple(f"{{{place}:slot}}" in sentence["zh"] for place in sentence["places"]),
            tuple(sentence.get("needs", ())),
        )
        for name, sentence in sentences(scenario).items()
    }
