"""The golden texts of mix: introductions, each template of the shelves, each value in a description.

The shelf's sentences are those of space; here they are seen with names and descriptions.
"""

from itertools import cycle

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import GAP, Argument, Language, Proposition
from perennial.tasks.knowlogic.mix.domain import TYPES, build
from perennial.tasks.knowlogic.mix.sentences import SCENARIOS, Descriptions, item_sentences
from perennial.tasks.knowlogic.nature.meaning import read_nature
from perennial.tasks.knowlogic.problem import Problem
from perennial.warehouse.knowlogic.knowledge import load_knowledge

THINGS = ("goldfish", "banana", "pliers", "milk", "komodo_dragon", "maize")
NOTES = ("color", "edible_part", "plant_type")


def load_descriptions() -> Descriptions:
    """Return the real descriptions."""
    return Descriptions(read_nature(load_knowledge()), load_sentences("mix"))


def say_all() -> list[tuple[str, Proposition]]:
    """Return each template of each shelf with names and descriptions, and a sentence a description.

    Of descriptions there are all with one property, and the first of each pair of properties.
    """
    descriptions = load_descriptions()
    chosen: dict[tuple[str, ...], str] = {}
    for id_, parts in descriptions.all.items():
        names = tuple(name for name, _ in parts)
        chosen[names if len(parts) > 1 else (id_,)] = chosen.get(names, id_)
    said = [(SCENARIOS[0], Proposition("left__1", (id_, THINGS[0]))) for id_ in chosen.values()]
    items = cycle([*THINGS, *chosen.values()])
    for scenario in SCENARIOS:
        for name, keys in item_sentences(scenario).items():
            arguments: list[Argument] = [next(items) for _ in keys["places"]]
            said.append((scenario, Proposition(name, tuple(arguments))))
            said.append((scenario, Proposition(name, (GAP, *arguments[1:]))))
    return said


def write(language: Language) -> str:
    """Return the golden lines."""
    domain = build(load_knowledge())
    lines: list[str] = []
    for scenario in SCENARIOS:
        problem = Problem(scenario, THINGS, NOTES, (), TYPES[0], None, ())
        lines += domain.write_intro(problem, language).split("\n")
    lines += [domain.phrasebook(scenario, language).write(said) for scenario, said in say_all()]
    return "\n".join(lines) + "\n"
