"""Descriptions that stand for a thing: "the sweet drink", said of the one of six that is a sweet drink.

A description has one property or two. It denotes a thing only where the cells of its properties are sure for
all six things and exactly one thing fits. Its id is `is:category=drink&taste=sweet`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import GAP, LANGUAGES, Argument, Language, Proposition
from perennial.tasks.knowlogic.nature.meaning import NOT_APPLY, Nature, notes_in
from perennial.tasks.knowlogic.phrasebook import Phrasebook, begin_small
from perennial.tasks.knowlogic.problem import IntroPattern, IntroPatterns
from perennial.tasks.knowlogic.space.reasoning import sentences

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
        describing = {
            tuple(parts)
            for entity_parts in self.parts.values()
            for count in (1, 2)
            for parts in combinations(entity_parts, count)
            if self._is_sayable(parts)
        }
        return {identify(parts): parts for parts in sorted(describing)}

    @cached_property
    def _implications(self) -> frozenset[tuple[Part, ...]]:
        return frozenset((rule.premise, rule.conclusion) for rule in self.nature.rules)

    def denoting(self, entities: Sequence[str], index: int) -> list[tuple[Part, ...]]:
        """The descriptions that denote this one of the entities, shorter ones first."""
        usable = [part for part in self.parts[entities[index]] if self._is_usable(part[0], entities)]
        candidates = [
            parts for count in (1, 2) for parts in combinations(usable, count) if self._is_sayable(parts)
        ]
        return [parts for parts in candidates if self._count(parts, entities) == 1]

    def denote(self, id_: Argument, entities: Sequence[Argument]) -> int | None:
        """The place of the entity that a name or a description stands for; None where it is none."""
        if id_ in entities:
            return entities.index(id_)
        parts = self.all.get(str(id_))
        ids = [str(entity) for entity in entities]
        if parts is None or not all(self._is_usable(name, ids) for name, _ in parts):
            return None
        fitting = [index for index, entity in enumerate(ids) if self._fits(parts, entity)]
        return fitting[0] if len(fitting) == 1 else None

    def say(self, parts: Sequence[Part], language: Language) -> str:
        """The words of a description, with "the" in English."""
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
        """The conventions that a description needs."""
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
    """The id of a description."""
    return _PREFIX + "&".join(f"{name}={value}" for name, value in parts)


# Words of mix: the shelf's sentences with names and descriptions, and the introductions.
#
# There are too many descriptions for patterns that list them all: here a sentence is read by finding the
# names in it, longest first, and looking up what is left.

SCENARIOS = ("shelf_3x2", "shelf_2x3")
ITEM, LISTED = "item", "listed"
_PLACE = re.compile(r"\{(\w+):\w+\}")
_MARK = "\0"


class NameBook(Phrasebook):
    """A phrasebook all of whose places take an item."""

    @cached_property
    def _finder(self) -> re.Pattern[str]:
        names = sorted((GAP, *self.lexicon[ITEM].values()), key=lambda name: (-len(name), name))
        return re.compile("|".join(map(re.escape, names)))

    @cached_property
    def _skeletons(self) -> Mapping[str, list[tuple[str, tuple[str, ...]]]]:
        """Templates, and their places in the order of the text, by the text without names."""
        by_skeleton: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for name, keys in self.sentences.items():
            pattern = keys[self.language]
            skeleton = begin_small(_PLACE.sub(_MARK, pattern))
            by_skeleton.setdefault(skeleton, []).append((name, tuple(_PLACE.findall(pattern))))
        return by_skeleton

    def _readings(self, sentence: str) -> Iterator[Proposition]:
        small = begin_small(sentence)
        names = self._finder.findall(small)
        for template, places in self._skeletons.get(self._finder.sub(_MARK, small), ()):
            ids = {
                slot: GAP if name == GAP else self.id_of(ITEM, name)
                for slot, name in zip(places, names, strict=True)
            }
            yield Proposition(template, tuple(ids[slot] for slot in self.sentences[template]["places"]))


@dataclass(frozen=True)
class MixWording:
    """All that is said in the domain."""

    descriptions: Descriptions

    @cached_property
    def books(self) -> Mapping[tuple[str, Language], NameBook]:
        """The phrasebooks by scenario and language."""
        return {
            (scenario, language): NameBook(item_sentences(scenario), language, self._name(language))
            for scenario in SCENARIOS
            for language in LANGUAGES
        }

    @cached_property
    def introductions(self) -> IntroPatterns:
        """The introductions, with the shelf's conventions and a line for each convention of words."""
        notes = notes_in(load_sentences("nature"))
        return IntroPatterns(
            [
                IntroPattern(scenario, self._texts(scenario), book, {"names": LISTED}, notes=notes)
                for (scenario, _), book in self.books.items()
            ]
        )

    def _texts(self, scenario: str) -> dict[str, str]:
        convention = load_sentences("space")[f"convention_{scenario}"]
        intro = self.descriptions.words[f"intro_{scenario}"]
        return {language: f"{intro[language]}\n{convention[language]}" for language in LANGUAGES}

    def _name(self, language: Language) -> dict[str, dict[Argument, str]]:
        entities = self.descriptions.nature.entities.values()
        items: dict[Argument, str] = {row.id: _define(row.names[language], language) for row in entities}
        items |= {id_: self.descriptions.say(parts, language) for id_, parts in self.descriptions.all.items()}
        return {ITEM: items, LISTED: {entity.id: entity.singles[language] for entity in entities}}


def item_sentences(scenario: str) -> Mapping[str, Mapping[str, Any]]:
    """The sentences of a shelf all of whose places take an item."""
    return {name: keys for name, keys in sentences(scenario).items() if ":slot}" not in keys["zh"]}


def _define(name: str, language: Language) -> str:
    return f"the {name}" if language == "en" else name
