"""Configurations for the configurer: made from a table of properties by chance, valid unless spoilt."""

import json
import random
import re
from collections.abc import Callable
from typing import Any

Config = dict[str, Any]

CONFIG_FAULTS = (
    "overlapping_ranges",
    "always_ruled_out",
    "too_few_truths",
    "unknown_truth",
    "missing_action",
    "duplicate_truth",
    "never_valid",
    "not_json",
)
NEVER_VALID = "One That Is Never Listed"

_KINDS = re.findall(
    r"\w+",
    """
Amber Ashen Azure Barred Beaked Bitter Blazing Bronze Brindled Cobalt Common Coral Crested Crooked Crimson
Dappled Dusky Dwarf Eastern Ebony Emerald False Feathered Forked Frosted Giant Gilded Golden Granite Great
Grey Hidden Hollow Horned Hooded Indigo Iron Ivory Jade Keeled Knotted Lesser Marbled Meadow Mottled Narrow
Noble Northern Ochre Opal Painted Pale Pearled Plain Plumed Polar Quiet Restless Ribbed River Royal Rugged
Russet Sable Saffron Sandy Scarlet Silver Slender Smoky Southern Speckled Spotted Starry Striped Swift Tawny
Timid Twin Umber Velvet Veined Violet Wandering Western Winter Woolly Yellow
""",
)

_IN_WORDS = {
    "Colour": ("reddish", "bluish", "colourless"),
    "Surface": ("smooth", "grooved", "flaky"),
    "Lustre": ("shiny", "silky", "dull"),
    "Smell": ("sweet", "sharp", "none"),
    "Sound": ("ringing", "humming", "silent", "crackling"),
    "Outline": ("round", "angular", "branching"),
    "Pattern": ("stripes", "dots", "rings", "no pattern"),
    "Edge": ("straight", "wavy", "toothed"),
    "Light": ("glows", "stays dark"),
    "Magnet": ("attracted", "repelled", "unmoved"),
    "Water": ("floats", "sinks slowly", "sinks at once"),
    "Flame": ("yellow flame", "green flame", "no flame"),
    "Touch": ("warm", "cool", "sticky"),
    "Season": ("spring", "summer", "autumn", "winter"),
    "Company": ("alone", "in pairs", "in groups"),
    "Origin": ("hills", "coast", "plain"),
    "Age Mark": ("none seen", "one mark", "several marks"),
    "Mirror": ("image upright", "image reversed"),
    "Smoke": ("white smoke", "black smoke", "no smoke"),
    "Powder": ("fine", "coarse", "clotted"),
}
_IN_NUMBERS = {
    "Length": ("cm", 2.5),
    "Width": ("mm", 4.0),
    "Weight": ("g", 12.5),
    "Density": ("g/cm3", 0.8),
    "Temperature": ("degrees", 15.0),
    "Pitch": ("Hz", 220.0),
    "Brightness": ("lux", 40.0),
    "Hardness": ("points", 2.0),
    "Acidity": ("pH", 2.25),
    "Humidity": ("percent", 20.0),
    "Speed": ("m/s", 1.5),
    "Depth": ("m", 3.0),
    "Charge": ("mV", 50.0),
    "Delay": ("s", 0.75),
    "Angle": ("degrees", 30.0),
    "Pressure": ("kPa", 25.0),
    "Salt Content": ("mg", 7.5),
    "Pulse": ("beats", 18.0),
    "Reach": ("paces", 6.0),
    "Turbidity": ("units", 11.0),
}


def right_config(truth_noun: str, action_noun: str, rng: random.Random) -> Config:
    """Return a valid configuration: each truth has a value in a good third of the properties."""
    kinds = rng.sample(_KINDS, rng.randint(52, 64))
    truths = [f"{kind} {truth_noun.title()}" for kind in kinds]
    words = rng.sample(sorted(_IN_WORDS), rng.randint(16, 19))
    numbers = rng.sample(sorted(_IN_NUMBERS), rng.randint(16, 19))
    properties = words + numbers
    rng.shuffle(properties)
    known = _known_truths(truths, properties, rng)
    outcomes = [_outcome(name, f"{name} {action_noun.title()}", known[name], rng) for name in properties]
    # Of some truths and actions only, as models do.
    notes = [{"name": truth, "note": f"A {truth_noun} that collectors prize."} for truth in truths[::3]]
    done = [{"name": entry["action"], "note": "Done at daylight."} for entry in outcomes[::5]]
    actions = [entry["action"] for entry in outcomes]
    return {
        "truths": truths,
        "actions": actions,
        "truth_notes": notes,
        "action_notes": done,
        "outcomes": outcomes,
    }


def spoilt_config(config: Config, fault: str, rng: random.Random) -> Config:
    """Return a copy of the configuration with this fault, one of CONFIG_FAULTS but `not_json`."""
    copy: Config = json.loads(json.dumps(config))
    _DAMAGES[fault](copy, rng)
    return copy


def config_text(config: Config) -> str:
    """Return the configuration as a model writes it: an outcome entry per line."""
    lines = ",\n".join(json.dumps(entry) for entry in config["outcomes"])
    head = json.dumps({key: value for key, value in config.items() if key != "outcomes"}).removesuffix("}")
    return f'{head}, "outcomes": [\n{lines}\n]}}'


def _known_truths(truths: list[str], properties: list[str], rng: random.Random) -> dict[str, list[str]]:
    """Return, for each property, the truths that have a value of it: 24 at least, and each truth often."""
    known = {name: rng.sample(truths, 24) for name in properties}
    for truth in truths:
        having = [name for name in properties if truth in known[name]]
        lacking = [name for name in properties if truth not in known[name]]
        for name in rng.sample(lacking, max(0, 10 - len(having))):
            known[name].append(truth)
    return known


def _outcome(name: str, action: str, known: list[str], rng: random.Random) -> Config:
    """Return an outcome entry: a state rules out every truth with a known value that is another."""
    labels = _IN_WORDS.get(name)
    unit, step = _IN_NUMBERS.get(name, ("", 0.0))
    count = len(labels) if labels else rng.randint(2, 4)
    low = step * rng.randint(1, 4)
    dealt = rng.sample(known, len(known))
    states = []
    for i in range(count):
        out = [truth for j, truth in enumerate(dealt) if j % count != i]
        bounds = None if labels else [low + step * i, low + step * (i + 1)]
        states.append({"label": labels[i] if labels else None, "range": bounds, "rules_out": out})
    return {"action": action, "type": "str" if labels else "float", "unit": unit, "states": states}


def _overlap(config: Config, rng: random.Random) -> None:
    entry = rng.choice([entry for entry in config["outcomes"] if entry["type"] == "float"])
    first, second = entry["states"][0]["range"], entry["states"][1]["range"]
    first[1] = (second[0] + second[1]) / 2


def _always(config: Config, rng: random.Random) -> None:
    entry, truth = rng.choice(config["outcomes"]), rng.choice(config["truths"])
    for state in entry["states"]:
        state["rules_out"] = sorted({*state["rules_out"], truth})


def _too_few(config: Config, rng: random.Random) -> None:
    config["truths"] = config["truths"][:40]
    config["truth_notes"] = [note for note in config["truth_notes"] if note["name"] in config["truths"]]
    for entry in config["outcomes"]:
        for state in entry["states"]:
            state["rules_out"] = [truth for truth in state["rules_out"] if truth in config["truths"]]


def _unknown(config: Config, rng: random.Random) -> None:
    rng.choice(rng.choice(config["outcomes"])["states"])["rules_out"].append("A Stranger to the List")


def _missing(config: Config, rng: random.Random) -> None:
    config["outcomes"].remove(rng.choice(config["outcomes"]))


def _duplicate(config: Config, rng: random.Random) -> None:
    config["truths"].append(rng.choice(config["truths"]))


def _never(config: Config, rng: random.Random) -> None:
    config["outcomes"][0]["states"][0]["rules_out"].append(NEVER_VALID)


_DAMAGES: dict[str, Callable[[Config, random.Random], None]] = {
    "overlapping_ranges": _overlap,
    "always_ruled_out": _always,
    "too_few_truths": _too_few,
    "unknown_truth": _unknown,
    "missing_action": _missing,
    "duplicate_truth": _duplicate,
    "never_valid": _never,
}
