"""Descriptions that stand for a thing: "the sweet drink", said of the one of six that is a sweet drink.

A description has one property or two. It denotes a thing only where the cells of its properties are sure for
all six things and exactly one thing fits. Its id is `is:category=drink&taste=sweet`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

from perennial.schemas.knowlogic.things import Argument, Language
from perennial.tasks.knowlogic.nature.tables import NOT_APPLY, Nature

_PREFIX, _PREFIX_OF_PART = "is:", "part_"
_NOUN, _BEFORE = "noun", "before"
# Things of one kind that has a name of its own are "the animal ..."; others are "the thing ...".
_ANIMAL = ("animal",)

Sentences = Mapping[str, Mapping[str, Any]]
# A property and its value.
Part = tuple[str, str]


@dataclass(frozen=True)
class Descriptions:
    """The descriptions that tables and words allow."""

    nature: Nature
    words: Sentences

    @cached_property
    def properties(self) -> tuple[str, ...]:
        """The properties that descriptions use, in the order of the words' file."""
        names = (
            name.removeprefix(_PREFIX_OF_PART) for name in self.words if name.startswith(_PREFIX_OF_PART)
        )
        return tuple(name for name in names if name in self.nature.properties)

    @cached_property
    def parts(self) -> Mapping[str, tuple[Part, ...]]:
        """The sure parts of each entity, in the order of the properties."""
        cells = self.nature.cells
        return {
            entity: tuple(
                (name, cell)
                for name in self.properties
                if (cell := cells[entity][name]) is not None and cell != NOT_APPLY
            )
            for entity in self.nature.entities
        }

    @cached_property
    def all(self) -> Mapping[str, tuple[Part, ...]]:
        """Every description that fits some entity, by id, sorted."""
        found = {
            tuple(parts)
            for own in self.parts.values()
            for count in (1, 2)
            for parts in combinations(own, count)
            if self._is_sayable(parts)
        }
        return {identify(parts): parts for parts in sorted(found)}

    @cached_property
    def _implications(self) -> frozenset[tuple[Part, ...]]:
        return frozenset((rule.premise, rule.conclusion) for rule in self.nature.rules)

    def of(self, entities: Sequence[str], place: int) -> list[tuple[Part, ...]]:
        """Return the descriptions that denote this one of the entities, shorter ones first."""
        own = [part for part in self.parts[entities[place]] if self._is_usable(part[0], entities)]
        candidates = [
            parts for count in (1, 2) for parts in combinations(own, count) if self._is_sayable(parts)
        ]
        return [parts for parts in candidates if self._count(parts, entities) == 1]

    def denote(self, id_: Argument, entities: Sequence[Argument]) -> int | None:
        """Return the place of the entity that a name or a description stands for; None where it is none."""
        if id_ in entities:
            return entities.index(id_)
        parts = self.all.get(str(id_))
        ids = [str(entity) for entity in entities]
        if parts is None or not all(self._is_usable(name, ids) for name, _ in parts):
            return None
        fitting = [place for place, entity in enumerate(ids) if self._fits(parts, entity)]
        return fitting[0] if len(fitting) == 1 else None

    def say(self, parts: Sequence[Part], language: Language) -> str:
        """Return the words of a description, with "the" in English."""
        nouns, before, after = list[str](), list[str](), list[str]()
        for name, value in parts:
            keys = self.words[_PREFIX_OF_PART + name]
            pattern = keys.get("value", {}).get(value, keys)[language]
            text = pattern.replace("{v}", self.nature.value_names[name, value][language])
            {_NOUN: nouns, _BEFORE: before}.get(keys["place"], after).append(text)
        head = nouns or [self._head(parts, language)]
        if language == "zh":
            return "".join((*after, *before, *head))
        return " ".join(("the", *before, *head, *after))

    def notes(self, parts: Sequence[Part]) -> set[str]:
        """Return the conventions that a description needs."""
        return {
            self.words[_PREFIX_OF_PART + name]["note"]
            for name, _ in parts
            if "note" in self.words[_PREFIX_OF_PART + name]
        }

    def _head(self, parts: Sequence[Part], language: Language) -> str:
        kinds = [self.nature.properties[name].kinds for name, _ in parts]
        return str(self.words["head_animal" if _ANIMAL in kinds else "head_thing"][language])

    def _is_sayable(self, parts: Sequence[Part]) -> bool:
        """Whether the parts make one phrase: not two nouns or clauses, nor one that implies the other."""
        places = [self.words[_PREFIX_OF_PART + name]["place"] for name, _ in parts]
        return len(set(places)) == len(places) and not self._implications & set(permutations(parts, 2))

    def _is_usable(self, name: str, entities: Sequence[str]) -> bool:
        """Whether the property is sure for all entities, and no entity is of a kind that it must not meet."""
        unless = self.words[_PREFIX_OF_PART + name].get("unless")
        if unless and any(self.nature.entities[entity].kind == unless for entity in entities):
            return False
        return all(self.nature.cells[entity][name] is not None for entity in entities)

    def _fits(self, parts: Sequence[Part], entity: str) -> bool:
        return all(self.nature.cells[entity][name] == value for name, value in parts)

    def _count(self, parts: Sequence[Part], entities: Sequence[str]) -> int:
        return sum(self._fits(parts, entity) for entity in entities)


def identify(parts: Sequence[Part]) -> str:
    """Return the id of a description."""
    return _PREFIX + "&".join(f"{name}={value}" for name, value in parts)
