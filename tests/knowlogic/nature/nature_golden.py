"""The golden texts of nature: each template and each value of a property once."""

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import GAP, Language, Proposition
from perennial.tasks.knowlogic.nature.domain import TYPES, build
from perennial.tasks.knowlogic.nature.meaning import HOLDS, Meaning, Nature, read_meanings, read_nature
from perennial.tasks.knowlogic.problem import Domain, Problem
from perennial.warehouse.knowlogic.knowledge import load_knowledge

# Where a property of a kind is said, and a thing to compare with.
_SCENES = {
    "animal": ("zoo", "goldfish"),
    "plant": ("farm", "banana"),
    "artefact": ("photos", "violin"),
}
_INTROS = {
    "farm": ("banana", "maize", "carrot", "ginkgo"),
    "zoo": ("goldfish", "ant", "elephant", "giant_panda"),
    "photos": ("goldfish", "banana", "pliers", "milk"),
}


def load() -> tuple[Domain, Nature, dict[str, Meaning]]:
    """Return the real domain, its tables, and the meanings of its templates."""
    nature = read_nature(load_knowledge())
    return build(load_knowledge()), nature, read_meanings(load_sentences("nature"), nature)


def say_all() -> list[tuple[str, Proposition]]:
    """Return each template with each of its values, as (scenario, proposition); once with a gap."""
    _, nature, meanings = load()
    said: list[tuple[str, Proposition]] = []
    for name, meaning in meanings.items():
        if meaning.about is None:
            said += [(scene, Proposition(HOLDS, (2, thing))) for scene, thing in _SCENES.values()]
            said += [(scene, Proposition(HOLDS, (GAP, thing))) for scene, thing in _SCENES.values()]
            continue
        kinds = nature.properties[meaning.about].kinds
        scene, thing = _SCENES[kinds[-1]]
        if meaning.with_entity:
            said.append((scene, Proposition(name, (3, GAP))))
            said.append((scene, Proposition(name, (3, thing))))
        elif meaning.relation:
            count = () if meaning.relation not in ("more", "fewer", "total") else (4,)
            said.append((scene, Proposition(name, (3, 1, *count))))
        elif meaning.value is not None:
            said += [(scene, Proposition(name, (2,))), (scene, Proposition(name, (GAP,)))]
        else:
            said += [(scene, Proposition(name, (2, value))) for value in meaning.values]
            said.append((scene, Proposition(name, (GAP, meaning.values[0]))))
    return said


def write(language: Language) -> str:
    """Return the golden lines: introductions with all conventions, then the sentences."""
    domain, _, meanings = load()
    notes = tuple(sorted({meaning.note for meaning in meanings.values() if meaning.note}))
    lines: list[str] = []
    for scene, things in _INTROS.items():
        problem = Problem(scene, things, notes, (), TYPES[0], None, ())
        lines += domain.write_intro(problem, language).split("\n")
    lines += [domain.phrasebook(scene, language).write(said) for scene, said in say_all()]
    return "\n".join(lines) + "\n"
