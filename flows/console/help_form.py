"""The form of every help: what a command does, its options, and an example at the end."""

from typing import Any

_EXAMPLE = "Example: "


def put_example_last(command: Any) -> Any:
    """Return the command, and those in it, with the example of their help below the options."""
    text, found, example = (command.help or "").partition(f"\n\n{_EXAMPLE}")
    if found:
        command.help, command.epilog = text, f"{_EXAMPLE}{example}"
    for part in getattr(command, "commands", {}).values():
        put_example_last(part)
    return command
