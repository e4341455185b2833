"""Small tables of nature for tests: things of a test's own, with the properties of the real tables."""

from collections.abc import Mapping

from perennial.schemas.knowlogic.things import Knowledge
from perennial.warehouse.knowlogic.knowledge import load_knowledge

# Each thing's kind and the cells that are not '-' (name with underscores -> kind, cells).
Things = Mapping[str, tuple[str, Mapping[str, str]]]

# Twelve things for quick tests: each row differs from the others, some cells are unsure or multi-valued.
TWELVE: Things = {
    "carp": ("animal", {"class": "fish", "legs": "0", "water": "fresh", "can_swim": "yes", "can_fly": "no"}),
    "duck": ("animal", {"class": "bird", "legs": "2", "can_swim": "yes", "can_fly": "?", "color": "?"}),
    "ostrich": ("animal", {"class": "bird", "legs": "2", "can_swim": "?", "can_fly": "no"}),
    "fox": ("animal", {"class": "mammal", "legs": "4", "can_swim": "?", "can_fly": "no"}),
    "ladybird": ("animal", {"class": "insect", "legs": "6", "can_swim": "no", "can_fly": "yes"}),
    "spinach": ("plant", {"plant_type": "vegetable", "edible_part": "leaf", "color": "green"}),
    "cherry": ("plant", {"plant_type": "fruit", "edible_part": "fruit", "color": "red", "taste": "sweet"}),
    "lemon": ("plant", {"plant_type": "fruit", "edible_part": "fruit", "color": "yellow", "taste": "sour"}),
    "carrot": ("plant", {"plant_type": "vegetable", "edible_part": "root", "color": "orange"}),
    "rose": ("plant", {"plant_type": "flower", "edible_part": "?", "color": "red;yellow"}),
    "hammer": ("artefact", {"category": "hand_tool", "material": "?", "use": "hammering", "color": "?"}),
    "violin": (
        "artefact",
        {"category": "musical_instrument", "material": "wood", "use": "bowed", "color": "?"},
    ),
}


def make_knowledge(things: Things, chinese: Mapping[str, str] | None = None) -> Knowledge:
    """Return tables with these things, and the properties, values and rules of the real ones."""
    real = load_knowledge()
    names = [row["id"] for row in real.rows("nature/properties")]
    entities, cells = [], []
    for id_, (kind, own) in things.items():
        english = id_.replace("_", " ")
        zh = (chinese or {}).get(id_, f"《{english}》")
        row = {"id": id_, "kind": kind, "zh": zh, "en": english, "plural": f"{english}s", "article": "a"}
        entities.append(row)
        cells.append({"id": id_, **{name: own.get(name, "-") for name in names}})
    tables = {name: real.rows(f"nature/{name}") for name in ("properties", "values", "rules")}
    tables |= {"entities": tuple(entities), "cells": tuple(cells)}
    return Knowledge({f"nature/{name}": rows for name, rows in tables.items()}, f"things {sorted(things)}")
