"""Words of nature: the phrasebook of a scenario, and introductions with the conventions that apply."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from perennial.schemas.knowlogic.things import LANGUAGES, Argument, Language
from perennial.tasks.knowlogic.domain import Intro
from perennial.tasks.knowlogic.nature.meaning import HOLDS, SLOTS, Meaning
from perennial.tasks.knowlogic.nature.tables import Nature
from perennial.tasks.knowlogic.wording.phrasebook import Lexicon, Phrasebook, join_names, split_names

Sentences = Mapping[str, Mapping[str, Any]]

_SUBJECT = re.compile(r"<([sab])>")
# The order of a proposition's arguments: slots, then value or entity, then number (`Meaning`).
_PLACES = "sabvek"
# Counts of legs that sentences name: two animals with eight legs have 16 in total.
_NUMBERS = range(17)
# In farms one grows "apples" and "wheat"; elsewhere there is "an apple" and "wheat".
_GROWN = "farm"


class Wording:
    """All that is said in one scenario and language."""

    def __init__(
        self,
        sentences: Sentences,
        meanings: Mapping[str, Meaning],
        nature: Nature,
        scenario: str,
        kinds: Collection[str],
    ) -> None:
        self._scenario = scenario
        self._intros = sentences[f"intro_{scenario}"]
        self._notes = {
            name.removeprefix("note_"): keys for name, keys in sentences.items() if name.startswith("note_")
        }
        patterns = _expand(sentences, meanings, scenario)
        self.books = {
            language: Phrasebook(patterns, language, _name(sentences, nature, language, scenario, kinds))
            for language in LANGUAGES
        }

    def write_intro(
        self, entities: tuple[Argument, ...], notes: tuple[Argument, ...], language: Language
    ) -> str:
        """Return the introduction: the four things, then a line for each convention."""
        names = [self.books[language].call("name", entity) for entity in entities]
        first = self._intros[language].replace("{names}", join_names(names, language))
        return "\n".join((first, *(self._notes[str(note)][language] for note in notes)))

    def is_of(self, text: str, language: Language) -> bool:
        """Whether an introduction is of this scenario."""
        before, after = self._intros[language].split("{names}")
        first = text.split("\n")[0]
        return first.startswith(before) and first.endswith(after)

    def read_intro(self, text: str, language: Language) -> Intro:
        """Return what an introduction says; raise ValueError where it is not of this scenario."""
        if not self.is_of(text, language):
            raise ValueError("the introduction is that of another scenario")
        first, *lines = text.split("\n")
        before, after = self._intros[language].split("{names}")
        names = split_names(first[len(before) : len(first) - len(after)], language)
        entities = tuple(self.books[language].id_of("name", name) for name in names)
        notes = {keys[language]: name for name, keys in self._notes.items()}
        if any(line not in notes for line in lines):
            raise ValueError("a line of the introduction is no convention")
        return Intro(self._scenario, entities, tuple(notes[line] for line in lines))


def _expand(
    sentences: Sentences, meanings: Mapping[str, Meaning], scenario: str
) -> dict[str, dict[str, Any]]:
    """Return the patterns with the scenario's subjects, and the order of each proposition's arguments."""
    subject = sentences[f"subject_{scenario}"]
    patterns = {}
    for name in meanings:
        keys = sentences[f"{HOLDS}_{scenario}" if name == HOLDS else name]
        texts = {
            language: _SUBJECT.sub(
                lambda found, language=language: subject[language].replace("{x:", f"{{{found[1]}:"),  # type: ignore[misc]
                keys[language],
            )
            for language in LANGUAGES
        }
        used = set(re.findall(r"\{(\w):", texts["zh"]))
        patterns[name] = texts | {"places": [place for place in _PLACES if place in used]}
    return patterns


def _name(
    sentences: Sentences, nature: Nature, language: Language, scenario: str, kinds: Collection[str]
) -> Lexicon:
    """Return the lexicon: slots, numbers, the values of each property, and the entities of these kinds."""
    lexicon: dict[str, dict[Argument, str]] = {
        "slot": {slot: str(slot) for slot in SLOTS},
        "number": {number: str(number) for number in _NUMBERS},
        "name": {
            entity.id: (entity.plurals if scenario == _GROWN else entity.singles)[language]
            for entity in nature.entities.values()
            if entity.kind in kinds
        },
    }
    for (name, value), names in nature.value_names.items():
        keys = sentences.get(name, {})
        wants_article = keys.get("article") and language == "en" and value not in keys.get("mass", ())
        lexicon.setdefault(name, {})[value] = (
            add_article(names[language]) if wants_article else names[language]
        )
    return lexicon


def add_article(noun: str) -> str:
    """Return an English noun of these tables with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
