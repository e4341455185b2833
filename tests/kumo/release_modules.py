"""Modules like those of the authors' release, written from a configuration's JSON in the forms they have."""

from typing import Any

Json = dict[str, Any]
STYLES = ("one line", "set calls", "comprehensions", "other names")


def module_text(config: Json, style: str) -> str:
    """Return Python whose top-level names hold the configuration, and a comment and a text beside them."""
    truths, actions, outcomes = ("Truths", "Actions", "Outcomes")
    if style == "other names":
        truths, actions, outcomes = ("Diseases", "Diagnosis", "Outcomes = outcomes")
    listed = style != "one line"
    return "\n".join(
        [
            '"""A domain."""',
            f"{truths} = {_names(config['truths'], listed)}",
            f"{actions} = {_names(config['actions'], listed)}",
            f"{outcomes} = {{  # by action",
            *(_outcome(outcome, config["truths"], truths, style) for outcome in config["outcomes"]),
            "}",
            "# print(len(Outcomes))",
        ]
    )


def _names(names: list[str], listed: bool) -> str:
    """Return a list, or, where the names are such that their order says nothing, a set."""
    is_a_set = names == sorted(set(names)) and not listed
    return "{" + ", ".join(map(repr, reversed(names))) + "}" if is_a_set else "[\n" + _lines(names) + "]"


def _lines(names: list[str]) -> str:
    return "".join(f"    {name!r},\n" for name in names)


def _outcome(outcome: Json, truths: list[str], truths_name: str, style: str) -> str:
    states = ",".join(
        f"\n  {_key(state)}: {_ruled_out(state['rules_out'], truths, truths_name, style)}"
        for state in outcome["states"]
    )
    return f"{outcome['action']!r}: {{'type': {outcome['type']!r}, 'states': {{{states}}}}},"


def _key(state: Json) -> str:
    return repr(tuple(state["range"])) if "range" in state else repr(state["label"])


def _ruled_out(names: list[str], truths: list[str], truths_name: str, style: str) -> str:
    if not names:
        return "set()"
    if style == "comprehensions" and set(names) <= set(truths):
        kept = [truth for truth in truths if truth not in names]
        return f"set([\n x for x in {truths_name} if x not in {kept!r}])"
    if style == "set calls":
        return f"set([\n{_lines(names)}])"
    return "{" + ", ".join(map(repr, reversed(names))) + "}"
