"""The checker: reads a book by a grammar and writes down what it says."""

import json
import random
from collections.abc import Callable
from typing import Any

from tests.server.book_text import book_in, read_back_of
from tests.server.script import Asked

_OPENING = "You read a guidebook and write down what it says, as data."


class Checker:
    role = "checker"
    faults = ("other_case", "wrong_name", "wrong_form")

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith(_OPENING)

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        said = read_back_of(book_in(asked) or "")
        if fault == "other_case":
            said = _with_names(said, str.swapcase)
        elif fault == "wrong_name":
            said = _with_one_name_wrong(said, rng)
        elif fault == "wrong_form":
            said = {"rules": said["actions"]}
        return json.dumps(said, ensure_ascii=False)


def _with_names(said: dict[str, Any], changed: Callable[[str], str]) -> dict[str, Any]:
    def outcome(entry: dict[str, Any]) -> dict[str, Any]:
        label = None if entry["label"] is None else changed(entry["label"])
        lists = {key: [changed(name) for name in entry[key]] for key in ("rules_out", "confirms")}
        return {**entry, "label": label, **lists}

    actions = [
        {"action": changed(entry["action"]), "outcomes": [outcome(each) for each in entry["outcomes"]]}
        for entry in said["actions"]
    ]
    return {**said, "actions": actions}


def _with_one_name_wrong(said: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    outcomes = [outcome for entry in said["actions"] for outcome in entry["outcomes"] if outcome["rules_out"]]
    if outcomes:
        names = rng.choice(outcomes)["rules_out"]
        names[0] = f"Pseudo-{names[0]}"
    return said


SCRIPT = Checker()
