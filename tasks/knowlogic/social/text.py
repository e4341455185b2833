"""Sentences of general social relations in both languages, and the introduction."""

from collections.abc import Mapping, Sequence

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import Argument, Language
from perennial.tasks.knowlogic.domain import Intro
from perennial.tasks.knowlogic.people import Person, names_of
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.social.relations import Relations
from perennial.tasks.knowlogic.wording.phrasebook import Lexicon, Phrasebook, join_names, split_names

SCENARIO = "relations"
_INTRO = "intro"


def make_phrasebook(relations: Relations, people: Sequence[Person], language: Language) -> Phrasebook:
    """Return the sentences of statements and options."""
    sentences = {name: each for name, each in load_sentences("social").items() if name != _INTRO}
    return Phrasebook(sentences, language, _lexicon(relations, people, language))


def _lexicon(relations: Relations, people: Sequence[Person], language: Language) -> Lexicon:
    """Return names and terms in the forms that the patterns need: English has possessives and plurals."""
    names = names_of(people, language)
    rows = relations.by_id.values()
    terms: dict[Argument, str] = {row.id: row.names[language] for row in rows}
    marks: dict[Argument, str] = {mark.person: mark.texts[language] for mark in relations.marks.values()}
    lexicon: dict[str, Mapping[Argument, str]] = {
        "person": names,
        "term": terms,
        "terms": terms,
        "mark": marks,
    }
    if language == "en":
        lexicon["whose"] = {id_: f"{name}'s" for id_, name in names.items()}
        lexicon["term_whose"] = {id_: f"{term}'s" for id_, term in terms.items()}
        lexicon["a_term"] = {row.id: f"{row.article} {row.names['en']}" for row in rows}
        lexicon["terms"] = {row.id: row.plural for row in rows}
    return lexicon


def write_intro(people: Sequence[Person], problem: Problem, language: Language) -> str:
    """Return who the text is about, and the conventions of a closed world."""
    names = names_of(people, language)
    listed = join_names([names[each] for each in problem.entities], language)
    return str(load_sentences("social")[_INTRO][language]).format(names=listed)


def read_intro(people: Sequence[Person], text: str, language: Language) -> Intro:
    """Return who the text is about; raise ValueError for another text."""
    before, after = str(load_sentences("social")[_INTRO][language]).split("{names}")
    if not (text.startswith(before) and text.endswith(after)):
        raise ValueError("the introduction is not that of social relations")
    listed = split_names(text[len(before) : len(text) - len(after)], language)
    ids = {name: id_ for id_, name in names_of(people, language).items()}
    if not set(listed) <= set(ids):
        raise ValueError(f"the introduction names people that nobody knows: {', '.join(listed)}")
    return Intro(SCENARIO, tuple(ids[each] for each in listed))
