"""Sentences about times in both languages, and the introductions."""

from collections.abc import Mapping, Sequence

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import Argument, Language
from perennial.tasks.knowlogic.domain import Intro
from perennial.tasks.knowlogic.people import Person, names_of
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.time.claims import LIFE, WEEK
from perennial.tasks.knowlogic.time.search import FIRST_YEAR, LAST_YEAR
from perennial.tasks.knowlogic.time.tables import Times
from perennial.tasks.knowlogic.wording.phrasebook import Phrasebook

_FILES = {WEEK: "time_week", LIFE: "time_life"}
_INTRO = "intro"
_DAYS: dict[Language, tuple[str, ...]] = {
    "zh": tuple(f"星期{each}" for each in "一二三四五六日"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
_UNITS = {WEEK: ("天", "day"), LIFE: ("年", "year")}
# Numbers of days or years that a sentence may name.
_COUNTS = {WEEK: range(1, 7), LIFE: range(1, LAST_YEAR - FIRST_YEAR + 1)}


def make_phrasebook(times: Times, people: Sequence[Person], scenario: str, language: Language) -> Phrasebook:
    """Return the sentences of statements and options."""
    sentences = {name: each for name, each in load_sentences(_FILES[scenario]).items() if name != _INTRO}
    events = (times.week if scenario == WEEK else times.life).values()
    lexicon: dict[str, Mapping[Argument, str]] = {
        "person": names_of(people, language),
        "event": {event.id: event.names[language] for event in events},
        "gerund": {event.id: event.gerund for event in events},
        "anchor": {event.id: event.names[language] for event in times.history.values()},
        "span": {span.id: span.names[language] for span in times.spans.values()},
        "day": dict(enumerate(_DAYS[language])),
        "year": {year: _call_year(year, language) for year in range(FIRST_YEAR, LAST_YEAR + 1)},
        "count": {number: _call_count(number, scenario, language) for number in _COUNTS[scenario]},
    }
    return Phrasebook(sentences, language, lexicon)


def _call_year(year: int, language: Language) -> str:
    return f"{year}年" if language == "zh" else str(year)


def _call_count(number: int, scenario: str, language: Language) -> str:
    zh, en = _UNITS[scenario]
    return f"{number}{zh}" if language == "zh" else f"{number} {en}{'s' if number > 1 else ''}"


def write_intro(people: Sequence[Person], problem: Problem, language: Language) -> str:
    """Return who the text is about, and the conventions of its times."""
    name = names_of(people, language)[problem.entities[0]]
    return str(load_sentences(_FILES[problem.scenario])[_INTRO][language]).format(name=name)


def read_intro(people: Sequence[Person], scenario: str, text: str, language: Language) -> Intro:
    """Return who the text is about; raise ValueError for another text."""
    before, after = str(load_sentences(_FILES[scenario])[_INTRO][language]).split("{name}")
    if not (text.startswith(before) and text.endswith(after)):
        raise ValueError(f"the introduction is not that of scenario {scenario}")
    name = text[len(before) : len(text) - len(after)]
    ids = {called: id_ for id_, called in names_of(people, language).items()}
    if name not in ids:
        raise ValueError(f"the introduction is about {name!r}, whom nobody knows")
    return Intro(scenario, (ids[name],))
