"""The golden texts of general social relations: each template, each relation."""

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import GAP, Language, Proposition
from tests.knowlogic.social.social_items import general, problem, say, table

# What fills the places of a template, by kind of the Chinese pattern; each takes the next one.
_FILLERS = {
    "person": ("f05", "m09", "m12"),
    "term": ("boss", "wife", "close_friend", "landlord", "idol"),
    "terms": ("ex_girlfriend", "colleague"),
    "mark": ("f12",),
}


def propositions() -> list[Proposition]:
    """Return each template once, two questions, and each relation in each form that its term can take."""
    found = [
        _fill(name, str(each["zh"])) for name, each in load_sentences("social").items() if name != "intro"
    ]
    found += [say("name_2", GAP, "m09", "teacher", "fan"), say("among", GAP, "m09", "fan")]
    for relation in table().by_id.values():
        id_ = relation.id
        found.append(say("ofof_2", "m01", id_, id_, "f01", id_, id_))
        if not relation.has_one_holder:
            found.append(say("among", "m01", "f01", id_))
    return found


def _fill(name: str, pattern: str) -> Proposition:
    waiting = {kind: list(fillers) for kind, fillers in _FILLERS.items()}
    kinds = (part.split("}")[0].split(":")[1] for part in pattern.split("{")[1:])
    return Proposition(name, tuple(waiting[kind].pop(0) for kind in kinds))


def write(language: Language) -> str:
    """Return the introduction and all sentences."""
    book = general().phrasebook("relations", language)
    intro = general().write_intro(problem(("m01", "f01", "m02", "f02"), [], []), language)
    return "\n".join([intro, *map(book.write, propositions())]) + "\n"
