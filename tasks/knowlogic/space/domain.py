"""The domain space: scenarios, question types, and how the questions of a difficulty are shared out."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import (
    DIFFICULTIES,
    LANGUAGES,
    LETTERS,
    Argument,
    Difficulty,
    Knowledge,
    Labels,
    Language,
    QuestionType,
)
from perennial.tasks.knowlogic.phrasebook import Phrasebook
from perennial.tasks.knowlogic.problem import (
    Domain,
    IntroPattern,
    IntroPatterns,
    Problem,
    names_of,
    read_people,
)
from perennial.tasks.knowlogic.space.drawing import CUTS, draw, level
from perennial.tasks.knowlogic.space.reasoning import canonical, facts_of, rules_used, sentences
from perennial.tasks.knowlogic.space.scenes import SCENES, Family, Scene

# The labels of a space question (section 3.3 of the paper).


def labels(problem: Problem) -> Labels:
    """What is known of a problem beside its text."""
    facts = facts_of(problem)
    board, statements, options = facts
    used = {fact.predicate: board.predicates[fact.predicate] for fact in (*statements, *options)}
    named = {index for fact in statements for index in fact.places if index >= 0}
    nm, al = len(problem.entities), int(len(named) < len(problem.entities))
    precise = (
        problem.type.startswith("precise")
        if problem.asked
        else all(board.predicates[fact.predicate].is_precise for fact in options)
    )
    chain = facts.puzzle.count_steps()
    return Labels(
        properties=tuple(sorted(name for name, predicate in used.items() if predicate.arity == 1)),
        relations=tuple(sorted(name for name, predicate in used.items() if predicate.arity > 1)),
        rules=tuple(rules_used(board, statements, options)),
        chain_length=chain,
        precision="precise" if precise else "vague",
        level=level(nm, int(not precise), al),
        difficulty=CUTS.classify(chain, problem.type, len(options)),
        variables={"nm": nm, "pr": int(not precise), "al": al},
    )


# The texts of space questions: things and their names, introductions with conventions, phrasebooks.

# What fills the places of a scenario's sentences.
KINDS: Mapping[Family, str] = {"ring": "person", "booth": "person", "shelf": "item", "plots": "crop"}
_PEOPLE = "people"
_CROPS = "crops"

_TIERS: Mapping[str, dict[str, dict[Language, str]]] = {
    "shelf_3x2": {
        "bottom": {"zh": "一层", "en": "first"},
        "middle": {"zh": "二层", "en": "second"},
        "top": {"zh": "三层", "en": "third"},
    },
    "shelf_2x3": {"bottom": {"zh": "底层", "en": "bottom"}, "top": {"zh": "顶层", "en": "top"}},
}
_COLUMNS: dict[str, dict[Language, str]] = {
    "left": {"zh": "左边", "en": "left"},
    "center": {"zh": "中间", "en": "middle"},
    "right": {"zh": "右边", "en": "right"},
}
_CORNERS = {"north_west": "西北", "north_east": "东北", "south_west": "西南", "south_east": "东南"}


def name_slots(scene: Scene, language: Language) -> dict[Argument, str]:
    """What each slot of a shelf or a field is called; none where slots have no names."""
    if scene.family == "plots":
        called = {"zh": "{}角那块地", "en": "the {} plot"}[language]
        return {
            id_: called.format(zh if language == "zh" else id_.replace("_", "-"))
            for id_, zh in _CORNERS.items()
        }
    if scene.family != "shelf":
        return {}
    called = {"zh": "{}{}那一格", "en": "the {1} section of the {0} tier"}[language]
    parts = {slot.id: slot.id.split("_") for slot in scene.slots}
    return {
        id_: called.format(_TIERS[scene.name][tier][language], _COLUMNS[column][language])
        for id_, (tier, column) in parts.items()
    }


@dataclass(frozen=True, slots=True)
class ScenarioSetting:
    """Where a scenario plays: its id, the group of what is arranged there, and the text in each language."""

    id: str
    scenario: str
    group: str
    texts: dict[str, str]


@dataclass(frozen=True)
class SpaceWording:
    """What the knowledge base gives: the ids of each group, and names by kind and language."""

    groups: Mapping[str, tuple[str, ...]]
    names: Mapping[Language, Mapping[str, dict[Argument, str]]]

    @cached_property
    def settings(self) -> tuple[ScenarioSetting, ...]:
        """The settings of all scenarios; their texts end with the conventions."""
        tables, settings = load_sentences("space"), []
        for id_, table in tables.items():
            if scenario := table.get("scenario"):
                convention = f"convention_{scenario}"
                conventions = tables.get(convention) or tables[f"convention_{SCENES[scenario].family}"]
                texts: dict[str, str] = {
                    language: f"{table[language]}\n{conventions[language]}" for language in LANGUAGES
                }
                settings.append(ScenarioSetting(id_, scenario, table.get("group", _PEOPLE), texts))
        return tuple(settings)

    def cast(self, scenario: str, rng: random.Random) -> tuple[str, tuple[Argument, ...]]:
        """A setting of the scenario, and as many of its things as there are slots."""
        setting = rng.choice([setting for setting in self.settings if setting.scenario == scenario])
        return setting.id, tuple(rng.sample(self.groups[setting.group], SCENES[scenario].size))

    @cached_property
    def introductions(self) -> IntroPatterns:
        """The introductions of all settings."""
        return IntroPatterns(
            [
                IntroPattern(
                    setting.scenario,
                    setting.texts,
                    self.books[setting.scenario, language],
                    {"names": KINDS[SCENES[setting.scenario].family]},
                    details=(setting.id,),
                )
                for setting in self.settings
                for language in LANGUAGES
            ]
        )

    @cached_property
    def books(self) -> dict[tuple[str, Language], Phrasebook]:
        """The phrasebooks by scenario and language."""
        books = {}
        for (name, scene), language in product(SCENES.items(), LANGUAGES):
            kind = KINDS[scene.family]
            lexicon = {kind: self.names[language][kind], "slot": name_slots(scene, language)}
            books[name, language] = Phrasebook(sentences(name), language, lexicon)
        return books


def read_wording(knowledge: Knowledge) -> SpaceWording:
    """What tables `names/people` and `space/items` give.

    Raises ValueError where two things of a kind have the same name.
    """
    people = read_people(knowledge)
    rows = knowledge.rows("space/items")
    groups: dict[str, tuple[str, ...]] = {_PEOPLE: tuple(person.id for person in people)}
    for row in rows:
        groups[row["setting"]] = (*groups.get(row["setting"], ()), row["id"])
    names: dict[Language, dict[str, dict[Argument, str]]] = {
        language: {
            "person": names_of(people, language),
            "item": {row["id"]: row[language] for row in rows if row["setting"] != _CROPS},
            "crop": {row["id"]: row[language] for row in rows if row["setting"] == _CROPS},
        }
        for language in LANGUAGES
    }
    return SpaceWording(groups, names)


_TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "incorrect_statements",
    "precise_entity",
    "vague_entity",
)
_SLOT_TYPES: tuple[QuestionType, ...] = ("precise_slot", "vague_slot")


def types(scenario: str) -> tuple[QuestionType, ...]:
    """The question types of a scenario: of slots only where slots have names."""
    return _TYPES + (_SLOT_TYPES if SCENES[scenario].has_slot_questions else ())


def _shares() -> Mapping[str, Mapping[Difficulty, float]]:
    """The weights: four slots have few different questions, and hardly a chain of four steps."""
    four: dict[Difficulty, float] = {"easy": 0.5, "medium": 0.25}
    six: dict[Difficulty, float] = dict.fromkeys(DIFFICULTIES, 1.0)
    return {scenario: six if scene.size > len(LETTERS) else four for scenario, scene in SCENES.items()}


def build(knowledge: Knowledge) -> Domain:
    """The domain space."""
    wording = read_wording(knowledge)
    return Domain(
        "space",
        _shares(),
        types=types,
        draw=lambda request, rng: draw(request, rng, wording.cast),
        decide=lambda problem: facts_of(problem).puzzle.decide(),
        check=lambda problem: facts_of(problem).puzzle.check(),
        labels=labels,
        canonical=canonical,
        write_intro=wording.introductions.write,
        read_intro=wording.introductions.read,
        phrasebook=lambda scenario, language: wording.books[scenario, language],
    )
