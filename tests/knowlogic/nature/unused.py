"""Which knowledge no question can use: things that nothing tells from others, cells that nothing says."""

from itertools import combinations

from perennial.tasks.knowlogic.nature.draw import ScenarioPools
from perennial.tasks.knowlogic.nature.meaning import NOT_APPLY, Meaning


def find_unused_entities(choices: list[ScenarioPools]) -> list[str]:
    """Return the entities that no question of any scenario can have, in the tables' order.

    Four things make a question where properties that are sure for all four tell each from the others: a
    thing can be used where there are three others from which it is distinguished.
    """
    used = {entity for choice in choices for entity in choice.entities if _has_company(choice, entity)}
    known = {entity: None for choice in choices for entity in choice.nature.entities}
    return [entity for entity in known if entity not in used]


def find_unused_cells(choices: list[ScenarioPools], meanings: list[Meaning]) -> list[tuple[str, str]]:
    """Return the values (entity, property) that no question can state, in the tables' order.

    A cell is stated where a scenario has its property and a template says its value; unsure cells, and those
    to which the property does not apply, state nothing and are left out.
    """
    said = {
        (meaning.about, value)
        for meaning in meanings
        if meaning.about and not meaning.relation
        for value in ((meaning.value,) if meaning.value is not None else meaning.values)
    }
    stated = {
        (entity, name)
        for choice in choices
        for name in choice.properties
        for entity in choice.entities
        if (name, choice.nature.cells[entity][name]) in said
    }
    # A "no" is said by denying the "yes".
    denied = {meaning.about for meaning in meanings if meaning.negated and meaning.value is not None}
    stated |= {
        (entity, name)
        for choice in choices
        for name in choice.properties
        if name in denied
        for entity in choice.entities
        if choice.nature.cells[entity][name] == "no"
    }
    nature = choices[0].nature
    return [
        (entity, name)
        for entity in nature.entities
        for name in nature.properties
        if nature.cells[entity][name] not in (None, NOT_APPLY) and (entity, name) not in stated
    ]


def _has_company(choice: ScenarioPools, entity: str) -> bool:
    """Whether three other things of the scenario are distinguished, as this one is, by sure properties."""
    cells = choice.nature.cells
    own = {name for name in choice.properties if cells[entity][name] is not None}

    def differ(a: str, b: str, names: set[str]) -> bool:
        return any(cells[a][name] != cells[b][name] for name in names)

    sure = {
        other: {name for name in own if cells[other][name] is not None}
        for other in choice.entities
        if other != entity
    }
    near = [other for other, names in sure.items() if differ(entity, other, names)]
    for a, b in combinations(near, 2):
        both = sure[a] & sure[b]
        if not (differ(entity, a, both) and differ(entity, b, both) and differ(a, b, both)):
            continue
        for c in near:
            all_ = both & sure[c]
            pairs = combinations((entity, a, b, c), 2)
            if c not in (a, b) and all(differ(x, y, all_) for x, y in pairs):
                return True
    return False
