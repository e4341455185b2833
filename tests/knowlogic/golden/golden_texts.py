"""The golden texts: what each domain's tables of sentences give in both languages.

`python -m tests.knowlogic.golden.golden_texts DOMAIN` writes those of a domain again; read them by
eye before they are kept.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import DIFFICULTIES, GAP, LANGUAGES, Argument, Language, Proposition
from perennial.tasks.knowlogic.kinship.domain import TYPES
from perennial.tasks.knowlogic.kinship.terms import Term, read_terms
from perennial.tasks.knowlogic.layout import write_text
from perennial.tasks.knowlogic.mix.sentences import Descriptions, item_sentences
from perennial.tasks.knowlogic.nature.meaning import HOLDS, Meaning, Nature, read_meanings, read_nature
from perennial.tasks.knowlogic.problem import Domain, Problem, Request
from perennial.tasks.knowlogic.space.reasoning import FILES, sentences
from perennial.tasks.knowlogic.space.scenes import SCENES
from perennial.tasks.knowlogic.surnames import keeps_surname
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import domain_of, say
from tests.knowlogic.kinship.kinship_items import terms
from tests.knowlogic.social.social_items import table
from tests.knowlogic.time import time_items

# A sentence of a scenario, a problem whose introduction is shown, or one that is shown whole.
Entry = tuple[str, Proposition] | Problem


def opening(scenario: str, entities: tuple[Argument, ...], details: tuple[Argument, ...] = ()) -> Problem:
    return Problem(scenario, entities, details, (), "correct_statements", None, ())


# Kinship: each template, each term, a question of each type.


def list_kinship() -> list[Entry]:
    said = [
        say("male", "m13"),
        say("female", "f13"),
        say("older", "m13", "f13"),
        say("holder_is", "m13", "wife_sister_husband", "f02", "tang_elder_male"),
        say("is_of_holder", "f02", "m13", "father_elder_brother", "wife"),
        say("holder_is_of_holder", "f02", "brother_son", "m13", "biao_younger_female", "husband"),
        say("is", GAP, "f02", "mother_brother"),
        say("is", "m13", GAP, "mother_brother"),
        say("is_of_holder", GAP, "m13", "daughter_husband", "younger_sister"),
        *map(_say_term, terms().values()),
    ]
    return [*(("kinship", proposition) for proposition in said), *_draw_kinship()]


def _say_term(term: Term) -> Proposition:
    """A sentence with a term, of people of the sexes that it needs."""
    has_husband = all(shape[0] == "h" for shape in term.shapes)
    return say("is", "m13" if term.sex == "m" else "f13", "f02" if has_husband else "m02", term.id)


def _draw_kinship() -> Iterator[Problem]:
    for number, type_ in enumerate(TYPES):
        request = Request("kinship", DIFFICULTIES[number % 3], type_, 1 + number // 3)
        rng = derive_rng(2, "golden", number)
        yield next(filter(None, (domain_of("social").draw(request, rng) for _ in range(300))))


# Surnames: the introduction, each template, each surname, each term of kin.


def surname_terms() -> dict[str, Term]:
    """The terms that statements use."""
    every = read_terms(load_knowledge()).items()
    return {name: term for name, term in every if term.used and keeps_surname(term)}


def surname_ids() -> list[str]:
    return [row["id"] for row in load_knowledge().rows("social/properties") if row["kind"] == "surname"]


def list_surnames() -> list[Entry]:
    first, second = "m13", "f13"
    said = [
        *(say("surname", first, surname) for surname in surname_ids()),
        say("surname_not", first, "surname_li"),
        *(say(name, first, second) for name in ("same", "different")),
        *(say(name, GAP, "surname_li") for name in ("surname", "surname_not")),
        *(say(name, GAP, second) for name in ("same", "different")),
        *(say("kin", first, second, term) for term in surname_terms()),
    ]
    problem = opening("surnames", ("m01", "f01", "m02"), ("surname_wang", "surname_li"))
    return [problem, *(("surnames", proposition) for proposition in said)]


# General social relations: each template, two questions, each relation in each form that its term can take.

# What fills the places of a template, by kind of the Chinese pattern; each takes the next one.
_FILLERS = {
    "person": ("f05", "m09", "m12"),
    "term": ("boss", "wife", "close_friend", "landlord", "idol"),
    "terms": ("ex_girlfriend", "colleague"),
    "mark": ("f12",),
}


def list_social() -> list[Entry]:
    said = [
        _fill(name, str(keys["zh"])) for name, keys in load_sentences("social").items() if name != "intro"
    ]
    said += [say("name_2", GAP, "m09", "teacher", "fan"), say("among", GAP, "m09", "fan")]
    for relation in table().by_id.values():
        id_ = relation.id
        said.append(say("ofof_2", "m01", id_, id_, "f01", id_, id_))
        if not relation.has_one_holder:
            said.append(say("among", "m01", "f01", id_))
    people = ("m01", "f01", "m02", "f02")
    return [opening("relations", people), *(("relations", proposition) for proposition in said)]


def _fill(name: str, pattern: str) -> Proposition:
    waiting = {kind: list(fillers) for kind, fillers in _FILLERS.items()}
    kinds = (part.split("}")[0].split(":")[1] for part in pattern.split("{")[1:])
    return Proposition(name, tuple(waiting[kind].pop(0) for kind in kinds))


# Time: each template, questions with a gap, each event and span in each form that it can take.

_FILES = {"cyclic": "time_week", "linear": "time_life"}
# What fills the places of a template, by its letter; `a` and `b` are events of the scenario.
_PLACES: dict[str, Argument] = {
    "p": time_items.PERSON,
    "d": 2,
    "h": "united_nations",
    "y": 1950,
    "k": 3,
    "s": "junior",
    "t": "university",
}
_EVENTS = {"cyclic": ("jog", "swim"), "linear": ("get_married", "graduate")}


def list_time() -> list[Entry]:
    entries: list[Entry] = []
    for scenario in _FILES:
        entries.append(opening(scenario, (time_items.PERSON,)))
        entries += [(scenario, proposition) for proposition in _say_times(scenario)]
    return entries


def _say_times(scenario: str) -> list[Proposition]:
    filled = _PLACES | dict(zip("ab", _EVENTS[scenario], strict=True))
    a, b, times = filled["a"], filled["b"], time_items.table()
    said = [
        Proposition(name, tuple(filled[letter] for letter in keys["places"]))
        for name, keys in load_sentences(_FILES[scenario]).items()
        if name != "intro"
    ]
    forms: list[tuple[Argument, ...]] = [("after", GAP, b, 1), ("before", a, GAP, 2), ("after", a, b, GAP)]
    if scenario == "cyclic":
        forms += [("on", "jog", GAP), ("same", GAP, "swim")]
        forms += [("same", event, event) for event in times.week]
    else:
        forms += [("year", "retire", GAP), ("lasts", "junior", GAP), ("gap", GAP, "retire", 1)]
        forms += [("same", event, event) for event in times.life]
        forms += [("anchor_same", "get_married", anchor) for anchor in times.history]
        forms += [("lasts", span, 1) for span in times.spans]
    return said + [time_items.say(str(template), *arguments) for template, *arguments in forms]


# Nature: introductions with all conventions, each template with each of its values, and once with a gap.

# Where a property of a kind is said, and a thing to compare with.
_COMPARED = {"animal": ("zoo", "goldfish"), "plant": ("farm", "banana"), "artefact": ("photos", "violin")}
_FOUR = {
    "farm": ("banana", "maize", "carrot", "ginkgo"),
    "zoo": ("goldfish", "ant", "elephant", "giant_panda"),
    "photos": ("goldfish", "banana", "pliers", "milk"),
}


def load_nature() -> tuple[Nature, dict[str, Meaning]]:
    """The real tables, and the meanings of the templates."""
    nature = read_nature(load_knowledge())
    return nature, read_meanings(load_sentences("nature"), nature)


def list_nature() -> list[Entry]:
    nature, meanings = load_nature()
    notes = tuple(sorted({meaning.note for meaning in meanings.values() if meaning.note}))
    entries: list[Entry] = [opening(scenario, four, notes) for scenario, four in _FOUR.items()]
    for name, meaning in meanings.items():
        if meaning.about is None:
            entries += [(scenario, say(HOLDS, 2, thing)) for scenario, thing in _COMPARED.values()]
            entries += [(scenario, say(HOLDS, GAP, thing)) for scenario, thing in _COMPARED.values()]
            continue
        scenario, thing = _COMPARED[nature.properties[meaning.about].kinds[-1]]
        forms: list[tuple[Argument, ...]]
        if meaning.with_entity:
            forms = [(3, GAP), (3, thing)]
        elif meaning.relation:
            forms = [(3, 1, 4) if meaning.relation in ("more", "fewer", "total") else (3, 1)]
        elif meaning.value is not None:
            forms = [(2,), (GAP,)]
        else:
            forms = [*((2, value) for value in meaning.values), (GAP, meaning.values[0])]
        entries += [(scenario, Proposition(name, arguments)) for arguments in forms]
    return entries


# Mix: introductions, each template of each shelf with names and descriptions, a sentence per description.

_THINGS = ("goldfish", "banana", "pliers", "milk", "komodo_dragon", "maize")
_SHELVES = ("shelf_3x2", "shelf_2x3")


def load_descriptions() -> Descriptions:
    """The real descriptions."""
    return Descriptions(read_nature(load_knowledge()), load_sentences("mix"))


def list_mix() -> list[Entry]:
    """Of descriptions there are all with one property, and the first of each pair of properties."""
    chosen: dict[tuple[str, ...], str] = {}
    for id_, parts in load_descriptions().all.items():
        names = tuple(name for name, _ in parts)
        chosen[names if len(parts) > 1 else (id_,)] = chosen.get(names, id_)
    notes = ("color", "edible_part", "plant_type")
    entries: list[Entry] = [opening(scenario, _THINGS, notes) for scenario in _SHELVES]
    entries += [(_SHELVES[0], say("left__1", id_, _THINGS[0])) for id_ in chosen.values()]
    items = cycle([*_THINGS, *chosen.values()])
    for scenario in _SHELVES:
        for name, keys in item_sentences(scenario).items():
            arguments: list[Argument] = [next(items) for _ in keys["places"]]
            entries += [(scenario, say(name, *arguments)), (scenario, say(name, GAP, *arguments[1:]))]
    return entries


# Space: `name<TAB>sentence` of every template, slot and introduction, in the order of the tables.

_EXAMPLES: dict[str, tuple[str, ...]] = {
    "ring": ("m01", "f01", "f16", "m02", "f17", "m12"),
    "booth": ("m01", "f01", "f16", "m02"),
    "shelf": ("teapot", "vase", "basket", "atlas", "tulip", "kite"),
    "plots": ("wheat", "potato", "onion", "cotton"),
}


def write_space(language: Language) -> str:
    return "".join(f"{name}\t{text}\n" for name, text in _list_space(language))


def _list_space(language: Language) -> Iterator[tuple[str, str]]:
    space = domain_of("space")
    for family, files in FILES.items():
        scenarios = [name for name, scene in SCENES.items() if scene.family == family]
        for file in files:
            for name in load_sentences(file):
                scenario = next(each for each in scenarios if name in sentences(each))
                yield f"{file}.{name}", space.phrasebook(scenario, language).write(example(scenario, name))
    for scenario, scene in SCENES.items():
        slots = space.phrasebook(scenario, language).lexicon["slot"]
        yield from ((f"{scenario}.{slot.id}", slots[slot.id]) for slot in scene.slots if slots)
    for setting, keys in load_sentences("space").items():
        if "scenario" in keys:
            intro = space.write_intro(_set_scene(setting, keys["scenario"], keys.get("group")), language)
            yield setting, intro.replace("\n", " / ")


def example(scenario: str, template: str) -> Proposition:
    """A template with examples of things, and of slots where it takes them."""
    scene = SCENES[scenario]
    sentence = sentences(scenario)[template]
    return Proposition(
        template,
        tuple(
            scene.slots[1].id if f"{{{letter}:slot}}" in sentence["zh"] else thing
            for letter, thing in zip(sentence["places"], _EXAMPLES[scene.family], strict=False)
        ),
    )


def _set_scene(setting: str, scenario: str, group: str | None) -> Problem:
    """A problem of a setting with examples of what belongs there."""
    fitting = [row["id"] for row in load_knowledge().rows("space/items") if row["setting"] == group]
    scene = SCENES[scenario]
    return opening(scenario, tuple(fitting[: scene.size]) or _EXAMPLES[scene.family], (setting,))


ENTRIES: dict[str, Callable[[], list[Entry]]] = {
    "kinship": list_kinship,
    "social": list_social,
    "surnames": list_surnames,
    "time": list_time,
    "nature": list_nature,
    "mix": list_mix,
}
TEXTS = (*ENTRIES, "space")


def golden_domain(name: str) -> Domain:
    """The domain that the texts of a name are of."""
    return domain_of("social" if name in ("kinship", "surnames") else name)


def list_said(name: str) -> list[tuple[str, Proposition]]:
    """The sentences among the entries, with their scenarios."""
    return [entry for entry in ENTRIES[name]() if not isinstance(entry, Problem)]


def write(name: str, language: Language) -> str:
    """The golden texts of a name."""
    if name == "space":
        return write_space(language)
    lines, domain = list[str](), golden_domain(name)
    for entry in ENTRIES[name]():
        if not isinstance(entry, Problem):
            lines.append(domain.phrasebook(entry[0], language).write(entry[1]))
        elif entry.options:
            text = write_text(domain, entry, language)
            lines += ["", text.text, text.question, *text.options]
        else:
            lines.append(domain.write_intro(entry, language))
    return "\n".join(lines) + "\n"


def golden_file(name: str, language: Language) -> Path:
    """The file of a name and language."""
    return Path(__file__).parent / f"{name}_{language}.txt"


if __name__ == "__main__":
    for chosen in sys.argv[1:]:
        for spoken in LANGUAGES:
            golden_file(chosen, spoken).write_text(write(chosen, spoken), encoding="utf-8")
