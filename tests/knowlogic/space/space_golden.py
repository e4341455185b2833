"""The golden texts of space: all sentences with example arguments."""

from collections.abc import Iterator

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import Language, Proposition
from perennial.tasks.knowlogic.problem import Domain, Problem
from perennial.tasks.knowlogic.space.reasoning import FILES, sentences
from perennial.tasks.knowlogic.space.scenes import SCENES
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import domain_of

EXAMPLES: dict[str, tuple[str, ...]] = {
    "ring": ("m01", "f01", "f16", "m02", "f17", "m12"),
    "booth": ("m01", "f01", "f16", "m02"),
    "shelf": ("teapot", "vase", "basket", "atlas", "tulip", "kite"),
    "plots": ("wheat", "potato", "onion", "cotton"),
}


def space() -> Domain:
    return domain_of("space")


def write(language: Language) -> str:
    """Return `name<TAB>sentence` of every template, slot and introduction, in the order of the tables."""
    return "".join(f"{name}\t{text}\n" for name, text in _lines(language))


def _lines(language: Language) -> Iterator[tuple[str, str]]:
    for family, files in FILES.items():
        scenarios = [name for name, scene in SCENES.items() if scene.family == family]
        for file in files:
            for name in load_sentences(file):
                scenario = next(each for each in scenarios if name in sentences(each))
                yield f"{file}.{name}", space().phrasebook(scenario, language).write(example(scenario, name))
    for scenario, scene in SCENES.items():
        slots = space().phrasebook(scenario, language).lexicon["slot"]
        yield from ((f"{scenario}.{slot.id}", slots[slot.id]) for slot in scene.slots if slots)
    for setting, table in load_sentences("space").items():
        if "scenario" in table:
            yield setting, write_intro(setting, language).replace("\n", " / ")


def example(scenario: str, template: str) -> Proposition:
    """Return a template with examples of things, and of slots where it takes them."""
    scene = SCENES[scenario]
    sentence = sentences(scenario)[template]
    return Proposition(
        template,
        tuple(
            scene.slots[1].id if f"{{{place}:slot}}" in sentence["zh"] else thing
            for place, thing in zip(sentence["places"], EXAMPLES[scene.family], strict=False)
        ),
    )


def write_intro(setting: str, language: Language) -> str:
    """Return the introduction of a setting with examples of what belongs there."""
    table = load_sentences("space")[setting]
    scene = SCENES[table["scenario"]]
    fitting = [
        row["id"] for row in load_knowledge().rows("space/items") if row["setting"] == table.get("group")
    ]
    entities = tuple(fitting[: scene.size]) or EXAMPLES[scene.family]
    problem = Problem(scene.name, entities, (setting,), (), "correct_statements", None, ())
    return space().write_intro(problem, language)
