"""The golden texts of time: each template, each event and span."""

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import GAP, Argument, Language, Proposition
from tests.knowlogic.time.time_items import PERSON, domain, problem, say, table

_FILES = {"cyclic": "time_week", "linear": "time_life"}
# What fills the places of a template, by its letter; `a` and `b` are events of the scenario.
_FILLERS: dict[str, Argument] = {
    "p": PERSON,
    "d": 2,
    "h": "united_nations",
    "y": 1950,
    "k": 3,
    "s": "junior",
    "t": "university",
}
_EVENTS = {"cyclic": ("jog", "swim"), "linear": ("get_married", "graduate")}


def propositions(scenario: str) -> list[Proposition]:
    """Return each template once, questions with a gap, and each event in each form that it can take."""
    filled = _FILLERS | dict(zip("ab", _EVENTS[scenario], strict=True))
    found = [
        Proposition(name, tuple(filled[place] for place in each["places"]))
        for name, each in load_sentences(_FILES[scenario]).items()
        if name != "intro"
    ]
    found += [say("after", GAP, filled["b"], 1), say("before", filled["a"], GAP, 2)]
    found.append(say("after", filled["a"], filled["b"], GAP))
    if scenario == "cyclic":
        found += [say("on", "jog", GAP), say("same", GAP, "swim")]
        return found + [say("same", event, event) for event in table().week]
    found += [say("year", "retire", GAP), say("lasts", "junior", GAP), say("gap", GAP, "retire", 1)]
    found += [say("same", event, event) for event in table().life]
    found += [say("anchor_same", "get_married", anchor) for anchor in table().history]
    found += [say("lasts", span, 1) for span in table().spans]
    return found


def write(language: Language) -> str:
    """Return the introductions and all sentences."""
    lines = []
    for scenario in _FILES:
        book = domain().phrasebook(scenario, language)
        lines.append(domain().write_intro(problem(scenario, [], []), language))
        lines += map(book.write, propositions(scenario))
    return "\n".join(lines) + "\n"
