"""The form of every help: what a command does, its options, and an example at the end."""

from typing import Any

_EXAMPLE = "Example: "


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
