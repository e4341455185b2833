"""Words of mix: the shelf's sentences with names and descriptions, and the introductions.

There are too many descriptions for patterns that list them all: here a sentence is read by finding the names
in it, longest first, and looking up what is left.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import GAP, LANGUAGES, Argument, Language, Proposition
from perennial.tasks.knowlogic.domain import Intro
from perennial.tasks.knowlogic.mix.descriptions import Descriptions
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.space.sentences import sentences
from perennial.tasks.knowlogic.wording.phrasebook import Phrasebook, split_names

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
        found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for name, keys in self.sentences.items():
            pattern = keys[self.language]
            skeleton = _begin_small(_PLACE.sub(_MARK, pattern))
            found.setdefault(skeleton, []).append((name, tuple(_PLACE.findall(pattern))))
        return found

    def _readings(self, sentence: str) -> Iterator[Proposition]:
        small = _begin_small(sentence)
        names = self._finder.findall(small)
        for template, places in self._skeletons.get(self._finder.sub(_MARK, small), ()):
            ids = {
                place: GAP if name == GAP else self.id_of(ITEM, name)
                for place, name in zip(places, names, strict=True)
            }
            yield Proposition(template, tuple(ids[place] for place in self.sentences[template]["places"]))


@dataclass(frozen=True)
class Wording:
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

    def write_intro(self, problem: Problem, language: Language) -> str:
        """Return the introduction, the shelf's conventions, and a line for each convention of words."""
        book = self.books[problem.scenario, language]
        names = book.join([book.call(LISTED, entity) for entity in problem.entities])
        lines = [self._texts(problem.scenario, language).replace("{names}", names)]
        return "\n".join(lines + [self._notes(language)[str(note)] for note in problem.details])

    def read_intro(self, text: str, language: Language) -> Intro:
        """Return what an introduction says; raise ValueError for any other text."""
        for scenario in SCENARIOS:
            before, after = map(re.escape, self._texts(scenario, language).split("{names}"))
            if match := re.fullmatch(f"{before}(.*?){after}((?:\n.*)*)", text):
                book = self.books[scenario, language]
                entities = tuple(book.id_of(LISTED, name) for name in split_names(match[1], language))
                notes = {line: name for name, line in self._notes(language).items()}
                lines = match[2].split("\n")[1:]
                if any(line not in notes for line in lines):
                    break
                return Intro(scenario, entities, tuple(notes[line] for line in lines))
        raise ValueError("the introduction is that of no scenario of mix")

    def _texts(self, scenario: str, language: Language) -> str:
        convention = load_sentences("space")[f"convention_{scenario}"][language]
        return f"{self.descriptions.words[f'intro_{scenario}'][language]}\n{convention}"

    def _notes(self, language: Language) -> dict[str, str]:
        words, prefix = load_sentences("nature"), "note_"
        return {
            name.removeprefix(prefix): keys[language]
            for name, keys in words.items()
            if name.startswith(prefix)
        }

    def _name(self, language: Language) -> dict[str, dict[Argument, str]]:
        entities = self.descriptions.nature.entities.values()
        items: dict[Argument, str] = {each.id: _define(each.names[language], language) for each in entities}
        items |= {id_: self.descriptions.say(parts, language) for id_, parts in self.descriptions.all.items()}
        return {ITEM: items, LISTED: {each.id: each.singles[language] for each in entities}}


def item_sentences(scenario: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the sentences of a shelf all of whose places take an item."""
    return {name: keys for name, keys in sentences(scenario).items() if ":slot}" not in keys["zh"]}


def _define(name: str, language: Language) -> str:
    return f"the {name}" if language == "en" else name


def _begin_small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
