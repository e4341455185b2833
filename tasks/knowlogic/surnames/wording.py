"""Texts about surnames: the introduction, and the words of sentences.

People are called by what tells no surname: by first names in English, in Chinese by 小 and the given name.
"""

from collections.abc import Mapping, Sequence

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import Argument, Language
from perennial.tasks.knowlogic.domain import Intro
from perennial.tasks.knowlogic.kinship.terms import Term
from perennial.tasks.knowlogic.people import Person
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.wording.phrasebook import Phrasebook, split_names

SCENARIO = "surnames"
_FAMILIAR = "小"


def make_phrasebook(
    people: Sequence[Person],
    surnames: Mapping[str, Mapping[Language, str]],
    terms: Mapping[str, Term],
    language: Language,
) -> Phrasebook:
    """Return the sentences in a language."""
    sentences = {name: each for name, each in load_sentences("surnames").items() if name != "intro"}
    names: dict[Argument, str] = {
        each.id: _FAMILIAR + each.given if language == "zh" else each.names["en"] for each in people
    }
    lexicon: dict[str, Mapping[Argument, str]] = {
        "person": names,
        "surname": {id_: of[language] for id_, of in surnames.items()},
        "term": {id_: term.words[language] for id_, term in terms.items()},
    }
    return Phrasebook(sentences, language, lexicon)


def write_intro(book: Phrasebook, problem: Problem) -> str:
    """Return who the text is about, their surnames, and the conventions."""
    return _intro(book.language).format(
        people=book.join([book.call("person", each) for each in problem.entities]),
        surnames=book.join([book.call("surname", each) for each in problem.details]),
    )


def read_intro(book: Phrasebook, text: str) -> Intro:
    """Return what an introduction says; raise ValueError for any other text."""
    people, surnames = _split(_intro(book.language), text)
    listed = [
        tuple(book.id_of(kind, name) for name in split_names(names, book.language))
        for kind, names in (("person", people), ("surname", surnames))
    ]
    if any(len(set(each)) < len(each) for each in listed):
        raise ValueError("the introduction names somebody, or a surname, twice")
    return Intro(SCENARIO, *listed)


def _split(pattern: str, text: str) -> tuple[str, str]:
    """Return what stands in the two places of the pattern; raise ValueError for another text."""
    before, rest = pattern.split("{people}")
    between, after = rest.split("{surnames}")
    if not (text.startswith(before) and text.endswith(after) and between in text):
        raise ValueError("the introduction is not that of surnames")
    people, _, surnames = text[len(before) : len(text) - len(after)].partition(between)
    return people, surnames


def _intro(language: Language) -> str:
    return str(load_sentences("surnames")["intro"][language])
