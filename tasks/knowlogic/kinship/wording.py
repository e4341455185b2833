"""Texts of kinship: the introduction with its conventions, and the words of sentences."""

import re
from collections.abc import Mapping
from functools import lru_cache

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import Argument, Language
from perennial.tasks.knowlogic.domain import Intro
from perennial.tasks.knowlogic.kinship.terms import Term
from perennial.tasks.knowlogic.people import Person, names_of
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.wording.phrasebook import Phrasebook, join_names, split_names

SCENARIO = "kinship"
_COUNTS: dict[Language, dict[int, str]] = {
    "zh": {3: "三", 4: "四", 5: "五", 6: "六", 7: "七", 8: "八"},
    "en": {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"},
}


def build_phrasebook(people: tuple[Person, ...], terms: Mapping[str, Term], language: Language) -> Phrasebook:
    """Return the sentences of kinship in a language."""
    sentences = {name: each for name, each in load_sentences("kinship").items() if name != "intro"}
    words: dict[Argument, str] = {term.id: term.words[language] for term in terms.values()}
    steps: dict[Argument, str] = {each: words[each] for each in words if terms[str(each)].length == 1}
    return Phrasebook(
        sentences, language, {"person": names_of(people, language), "term": words, "step": steps}
    )


def write_intro(names: Mapping[Argument, str], problem: Problem, language: Language) -> str:
    """Return the introduction: who is in the family, and the conventions."""
    people = join_names([names[person] for person in problem.entities], language)
    return _intro(language).format(people=people, count=_COUNTS[language][len(problem.entities)])


def read_intro(names: Mapping[Argument, str], text: str, language: Language) -> Intro:
    """Return what an introduction says; raise ValueError for any other text."""
    ids = {name: person for person, name in names.items()}
    for count, word in _COUNTS[language].items():
        match = _pattern(language, word).fullmatch(text)
        if match:
            people = split_names(match[1], language)
            if len(people) == count == len(set(people)) and all(name in ids for name in people):
                return Intro(SCENARIO, tuple(ids[name] for name in people))
    raise ValueError("the introduction is not that of a family")


def _intro(language: Language) -> str:
    return str(load_sentences("kinship")["intro"][language]).strip()


@lru_cache(maxsize=64)
def _pattern(language: Language, count: str) -> re.Pattern[str]:
    parts = _intro(language).replace("{count}", count).split("{people}")
    return re.compile("(.+)".join(map(re.escape, parts)))
