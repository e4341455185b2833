"""The form of every help: what a command does, its options, an example at the end; and the list of all."""

from collections.abc import Mapping
from typing import Any

_EXAMPLE = "Example: "
# The commands by what they are for, each in at most 22 letters; a benchmark describes its own ones.
OF_BENCHMARKS = "data"
GROUPS: dict[str, dict[str, str]] = {
    "run": {
        "try": "first score of a model",
        "refresh": "grow, play and publish",
        "evaluate": "play an old edition",
        "design": "size and cost of a run",
        "init": "files of settings",
        "models": "test calls to models",
    },
    "look": {
        "query": "SQL on what is there",
        "ask": "saved questions",
        "tables": "tables and columns",
        "report": "an edition on one page",
        "web": "explorer in a browser",
        "episode": "one whole conversation",
        "calls": "model calls one by one",
    },
    "share": {
        "export": "an edition for others",
        "site": "a public website",
        "import": "releases and scores",
        "reproduce": "rebuild and compare",
        "reproduce-paper": "papers beside ours",
    },
    "people": {
        "study": "let people play",
        "play": "play yourself",
    },
    OF_BENCHMARKS: {"sample": "practice questions", "train": "fine-tune a model"},
    "operate": {
        "editions": "list, withdraw, retire",
        "serve": "refresh on a schedule",
        "benchmarks": "installed, and checks",
        "analyse": "statistics again",
        "audit": "expectations again",
        "verify": "files and hashes",
        "doctor": "check everything",
        "unlock": "remove a stale lock",
    },
}
_NAME, _ENTRY, _GROUP = 12, 37, 8


def put_example_last(command: Any) -> Any:
    """Return the command, and those in it, with the example of their help below the options.

    Paragraphs are one line each, which the terminal breaks, and what is in brackets is no markup.
    """
    text, found, example = (command.help or "").partition(f"\n\n{_EXAMPLE}")
    if found:
        command.help, command.epilog = text, f"{_EXAMPLE}{example}"
    if command.help:
        command.help = "\n\n".join(map(_plain, command.help.split("\n\n")))
    for parameter in command.params:
        if getattr(parameter, "help", None):
            parameter.help = _plain(parameter.help)
    for part in getattr(command, "commands", {}).values():
        put_example_last(part)
    return command


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text.replace("\n", " "))


def format_commands(own: Mapping[str, str]) -> str:
    """Return the list, 80 columns wide; `own` are the commands of benchmarks, by name, in a few words."""
    lines = []
    for group, words in GROUPS.items():
        named = {**own, **words} if group == OF_BENCHMARKS else words
        entries = [f"{name:<{_NAME}} {text}" for name, text in named.items()]
        for place in range(0, len(entries), 2):
            first, *second = entries[place : place + 2]
            head = "" if place else group
            lines.append(f"{head:<{_GROUP}}{first:<{_ENTRY}}{''.join(second)}".rstrip())
    return "\n".join(lines)
