"""The proposer: domains from a stock of subjects, unlike those that the prompt names."""

import json
import random
import re

from tests.server.script import Asked
from tests.server.subjects import SUBJECTS, Subject

_OPENING = "You propose new domains for a reasoning game."


class Proposer:
    role = "proposer"
    faults = ("near_duplicate", "wrong_form", "not_json", "other_category", "fewer")

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith(_OPENING)

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        prompt = asked.messages[-1]["content"]
        known = _read_list(prompt, "These exist already")
        domains = _domains(prompt, set(known), rng)
        if fault == "near_duplicate":
            domains[0]["name"] = _in_other_words(known[-1] if known else domains[-1]["name"])
        elif fault == "wrong_form":
            _spoil(domains[0], rng)
        elif fault == "other_category":
            domains[0]["category"] = "Leftovers"
        elif fault == "fewer":
            domains = domains[: len(domains) // 2]
        reply = {"domains": domains}
        # Python's form of the same, with a call in it that nobody must make.
        return f"__import__('os').getpid() or {reply!r}" if fault == "not_json" else json.dumps(reply)


def _domains(prompt: str, known: set[str], rng: random.Random) -> list[dict[str, str]]:
    count = re.search(r"^Propose (\d+) new domain", prompt, re.MULTILINE)
    assert count is not None
    listed = [_read_category(line) for line in _read_list(prompt, "spelt exactly so")]
    # One of each, then a second one of those that may have two, and so on.
    rounds = range(max((most for _, most in listed), default=0))
    categories = [name for number in rounds for name, most in listed if most > number]
    categories = categories or ["Everyday Life", "Invented Worlds", "Crafts"]
    unused = [subject for subject in SUBJECTS if subject.name not in known]
    chosen = rng.sample(unused, min(int(count[1]), len(unused)))
    return [_domain(subject, categories[i % len(categories)]) for i, subject in enumerate(chosen)]


def _read_category(line: str) -> tuple[str, int]:
    """Return a category and the largest number of domains that it may have; a single one stands alone."""
    name, colon, most = line.rpartition(": ")
    return (name, int(most)) if colon else (line, 1)


def _domain(subject: Subject, category: str) -> dict[str, str]:
    return {
        "name": subject.name,
        "category": category,
        "goal": subject.goal,
        "truths": f"every {subject.truth_noun} that comes into question",
        "actions": f"each {subject.action_noun} that can be carried out",
        "truth_noun": subject.truth_noun,
        "action_noun": subject.action_noun,
        "book_title": f"A Guide to {subject.name}",
    }


def _read_list(prompt: str, heading: str) -> list[str]:
    """Return the items of the list that follows the heading."""
    found = re.search(rf"{heading}[^\n]*\n+((?:- [^\n]*\n)+)", prompt)
    return [] if found is None else [line.removeprefix("- ") for line in found[1].splitlines()]


def _in_other_words(name: str) -> str:
    return f"The {name.upper()} Identification Environment"


def _spoil(domain: dict[str, str], rng: random.Random) -> None:
    key = rng.choice(("goal", "truth_noun", "book_title"))
    spoilt = rng.choice(("blank", "missing", "extra"))
    if spoilt == "blank":
        domain[key] = "  "
    elif spoilt == "missing":
        del domain[key]
    else:
        domain["difficulty"] = "hard"


SCRIPT = Proposer()
